package prompt

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/text"
)

// Visible returns a line of text in the form in which the model gets it: control characters
// other than the tab, and characters that have no shape of their own or change
// the order of others, as \u{HEX}, bytes that are not UTF-8 as \x{HEX}. A reader
// sees what a compiler sees, nothing in the line can end it, and no instruction
// hides in it. Most lines are returned as they are.
//
// A quote in an answer can have the escapes, so it must be compared with the
// visible form of a line as well.
func Visible(line string) string {
	i := plain(line)
	if i == len(line) {
		return line
	}
	var b strings.Builder
	for {
		b.WriteString(line[:i])
		if line = line[i:]; line == "" {
			return b.String()
		}
		r, n := utf8.DecodeRuneInString(line)
		if r == utf8.RuneError && n == 1 {
			fmt.Fprintf(&b, `\x{%02X}`, line[0])
		} else {
			fmt.Fprintf(&b, `\u{%04X}`, r)
		}
		line = line[n:]
		i = plain(line)
	}
}

// plain returns the length of the part of s that can be shown as it is.
func plain(s string) int {
	for i, r := range s {
		if r != '\t' && text.Hidden(r) || r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD") {
			return i
		}
	}
	return len(s)
}

// Path returns a path in the form in which the model gets it: as it is, unless it
// holds something invisible or misleading, in which case it is quoted as
// [diff.QuotePath] does. An answer may name either form.
func Path(path string) string {
	if Visible(path) != path || strings.ContainsAny(path, "\t\"\\") || strings.TrimSpace(path) != path {
		return diff.QuotePath(path)
	}
	return path
}
