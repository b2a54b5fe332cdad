// Package text makes text safe to show. What a model, a server, a file or a path
// contributed can steer a terminal, hide instructions, or make code read
// differently from what it does, so it passes through this package before anyone
// sees it.
package text

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Hidden reports whether a character must not be shown: control characters, and
// characters without a shape that hide text or change the order of others. Among
// them are the newline and the tab, which callers with use for them keep.
func Hidden(r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' || r == 0x7f
	}
	return unicode.In(r, unicode.Other, unicode.Zl, unicode.Zp,
		unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// escapes matches the escape sequences of ECMA-48: control sequences, strings
// such as titles and links up to their end, and the short ones. A string ends
// within its line, so that one stray byte cannot hide what follows it. (A library
// for this costs 25 ms at the start of every process.)
var escapes = regexp.MustCompile("(?:\x1b\\[|\u009b)[0-?]*[ -/]*[@-~]|" +
	"(?:\x1b[\\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\x07\x1b\n\u0080-\u009f]*(?:\x07|\x1b\\\\|\u009c)|" +
	"\x1b[ -/]*[0-~]")

// Clean returns s without escape sequences and without hidden characters other
// than the tab and the newline. Every kind of line break becomes "\n", and what is
// not UTF-8 becomes U+FFFD.
func Clean(s string) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return r != '\n' && r != '\t' && Hidden(r) }) {
		return s
	}
	s = escapes.ReplaceAllString(strings.ToValidUTF8(s, "\uFFFD"), "")
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || !Hidden(r):
			return r
		case unicode.IsSpace(r):
			return '\n'
		}
		return -1
	}, s)
}

// OneLine returns s clean and on one line: white space becomes single spaces.
func OneLine(s string) string { return strings.Join(strings.Fields(Clean(s)), " ") }

// Dense returns s without white space and without characters that cannot be seen, so
// that a byte order mark does not hide a line.
func Dense(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || Hidden(r) {
			return -1
		}
		return r
	}, s)
}

// Visible returns a line of code as it is shown: hidden characters other than the
// tab as \u{HEX}, bytes that are not UTF-8 as \x{HEX}. A reader sees what a
// compiler sees, nothing in the line can end it, and no instruction hides in it.
// Most lines are returned as they are.
func Visible(line string) string {
	i := firstHidden(line)
	if i == len(line) {
		return line
	}
	var b strings.Builder
	for i < len(line) {
		b.WriteString(line[:i])
		r, n := utf8.DecodeRuneInString(line[i:])
		if r == utf8.RuneError && n == 1 {
			fmt.Fprintf(&b, `\x{%02X}`, line[i])
		} else {
			fmt.Fprintf(&b, `\u{%04X}`, r)
		}
		line = line[i+n:]
		i = firstHidden(line)
	}
	b.WriteString(line)
	return b.String()
}

// firstHidden returns the length of the part of a line that can be shown as it is.
func firstHidden(line string) int {
	for i, r := range line {
		if ' ' <= r && r < 0x7f {
			continue // most characters
		}
		if r != '\t' && Hidden(r) || r == utf8.RuneError && !strings.HasPrefix(line[i:], "\uFFFD") {
			return i
		}
	}
	return len(line)
}

// CI systems look for commands in all output of a job: GitHub at the start of lines,
// white space aside, and like Azure ("##vso[") and TeamCity in brackets anywhere.
var (
	colonCommand   = regexp.MustCompile(`(?m)^([\s\v\x{85}\p{Z}]*)::`)
	bracketCommand = regexp.MustCompile(`##([A-Za-z]*\[)`)
)

// BreakCommands returns s, in which CI systems find no command. Otherwise file names,
// and what models write, could set variables or hide messages.
func BreakCommands(s string) string {
	s = bracketCommand.ReplaceAllString(s, "## $1")
	return colonCommand.ReplaceAllString(s, "$1: :")
}

// Lines returns the lines from first to last, counted from 1, as far as data has them.
func Lines(data []byte, first, last int) []string {
	var lines []string
	for n := 1; n <= last && len(data) > 0; n++ {
		line, rest, _ := bytes.Cut(data, []byte("\n"))
		if n >= first {
			lines = append(lines, string(line))
		}
		data = rest
	}
	return lines
}

// Truncate returns s, or its first n characters and an ellipsis.
func Truncate(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := range s {
		if n == 0 {
			return strings.TrimRight(s[:i], " \n") + "…"
		}
		n--
	}
	return s
}

// TruncateBytes returns s, or its first n bytes and a note of how many follow. It
// does not cut through a character.
func TruncateBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return fmt.Sprintf("%s […%d more bytes]", s[:n], len(s)-n)
}
