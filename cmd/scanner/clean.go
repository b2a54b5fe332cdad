package main

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/codescan-dev/scanner/diff"
)

// Everything that a model, a file or a path contributed passes through one of
// the functions below before it is printed: a terminal obeys control characters
// whoever wrote them, and bidirectional controls make code read differently from
// what it does.

// cleanText strips escape sequences and control characters from text of several
// lines. Newlines stay, in the form "\n"; tabs become spaces.
func cleanText(s string) string {
	if plainASCII(s) {
		return s
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = cleanSegment(line)
	}
	return strings.Join(lines, "\n")
}

// cleanLine is cleanText for text that has to stay on one line: newlines are
// written as `\n`.
func cleanLine(s string) string {
	return strings.ReplaceAll(cleanText(s), "\n", `\n`)
}

// cleanWords is cleanText for a heading: any white space is one space.
func cleanWords(s string) string {
	return strings.Join(strings.Fields(cleanText(s)), " ")
}

// cleanCode is cleanText for lines of code, where tabs keep their width.
func cleanCode(s string) string {
	return cleanSegment(strings.ReplaceAll(strings.TrimSuffix(s, "\r"), "\t", "    "))
}

// visibleCode is for lines of code that a person decides about: what would not
// be seen is written as <U+202E> or <0xFF>.
func visibleCode(s string) string {
	s = strings.TrimSuffix(strings.TrimSuffix(s, "\n"), "\r")
	if plainASCII(s) {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '\t':
			b.WriteString("    ")
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"):
			fmt.Fprintf(&b, "<0x%02X>", s[i])
		case unprintable(r), r == 0x200d:
			fmt.Fprintf(&b, "<U+%04X>", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// cleanPath returns a path as it is, or quoted as git does when it holds
// control characters, quotes, backslashes or bytes that are not UTF-8.
func cleanPath(path string) string {
	if utf8.ValidString(path) && !strings.ContainsFunc(path, func(r rune) bool {
		return r == '"' || r == '\\' || unprintable(r)
	}) {
		return path
	}
	return diff.QuotePath(path)
}

// cleanSegment cleans what stands between two newlines. A sequence that is not
// terminated costs its first character, not the rest of the line: otherwise one
// stray byte could hide what follows it.
func cleanSegment(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		if n := sequence(s[:min(len(s), maxSequence)]); n > 0 {
			s = s[n:]
			continue
		}
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == '\t':
			b.WriteByte(' ')
		case r == utf8.RuneError && n == 1:
			b.WriteRune(utf8.RuneError)
		case !unprintable(r):
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

// maxSequence is the length of the longest escape sequence that is looked for,
// in bytes, so that many beginnings of one take no more than linear time.
const maxSequence = 1024

// sequence returns the length of the escape sequence (ECMA-48) that s begins
// with, or 0 if there is none or it does not end.
func sequence(s string) int {
	var kind byte // what stands after ESC
	n := 2
	switch {
	case len(s) < 2:
		return 0
	case s[0] == 0x1b:
		kind = s[1]
	case s[0] == 0xc2 && s[1] >= 0x80 && s[1] <= 0x9f:
		kind = s[1] - 0x40 // U+0080 to U+009F stand for ESC and '@' to '_'
	default:
		return 0
	}
	// run moves n over the bytes from lo to hi.
	run := func(lo, hi byte) {
		for n < len(s) && s[n] >= lo && s[n] <= hi {
			n++
		}
	}
	final := func(lo, hi byte) int {
		if n < len(s) && s[n] >= lo && s[n] <= hi {
			return n + 1
		}
		return 0
	}
	switch {
	case kind == '[': // control sequence
		run('0', '?')
		run(' ', '/')
		return final('@', '~')
	case strings.IndexByte("]PX^_", kind) >= 0: // strings: titles, links, and others
		for ; n < len(s); n++ {
			switch rest := s[n:]; {
			case rest[0] == '\a' && kind == ']':
				return n + 1
			case strings.HasPrefix(rest, "\x1b\\"), strings.HasPrefix(rest, "\u009c"):
				return n + 2
			case rest[0] == 0x1b, len(rest) > 1 && rest[0] == 0xc2 && rest[1] <= 0x9f:
				return 0
			}
		}
		return 0
	case kind >= ' ' && kind <= '/':
		run(' ', '/')
		return final('0', '~')
	case kind >= '0' && kind <= '~':
		return n
	}
	return 0
}

// unprintable reports whether r must not reach a terminal: controls, and the
// format characters that reorder or hide text.
func unprintable(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7f && r <= 0x9f:
		return true
	case r < 0x7f:
		return false
	case r == 0x200d: // joins emoji
		return false
	case r == 0x2028, r == 0x2029:
		return true
	}
	return unicode.Is(unicode.Cf, r)
}

func plainASCII(s string) bool {
	for i := range len(s) {
		if c := s[i]; c != '\n' && (c < 0x20 || c >= 0x7f) {
			return false
		}
	}
	return true
}
