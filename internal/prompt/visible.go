package prompt

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/codescan-dev/scanner/diff"
)

// Visible returns a line of text as the model is shown it: control characters
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
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c < ' ' && c != '\t' || c == 0x7f {
				return i
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 || invisible(r) {
			return i
		}
		i += n
	}
	return len(s)
}

// invisible reports whether a rune beyond ASCII has no shape of its own.
func invisible(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co,
		unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// Path returns a path as the model is shown it: as it is, unless it holds
// something that would not be seen or could be misread, in which case it is
// quoted as [diff.QuotePath] does. An answer may name either form.
func Path(path string) string {
	if Visible(path) != path || strings.ContainsAny(path, "\t\"\\") || strings.TrimSpace(path) != path {
		return diff.QuotePath(path)
	}
	return path
}

// cut returns s, or its first n bytes and a note of how many follow. It does not
// cut through a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return fmt.Sprintf("%s […%d more bytes]", s[:n], len(s)-n)
}
