package term

import (
	"strings"
	"unicode/utf8"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/text"
)

// cleanText returns text of several lines as it may be shown. Tabs become spaces.
func cleanText(s string) string { return strings.ReplaceAll(text.Clean(s), "\t", " ") }

// cleanLine is cleanText for text that has to stay on one line: newlines are
// written as `\n`.
func cleanLine(s string) string { return strings.ReplaceAll(cleanText(s), "\n", `\n`) }

// cleanWords is cleanText for a heading: any white space is one space.
func cleanWords(s string) string { return text.OneLine(s) }

// cleanCode returns a line of code with its hidden characters written out, since what
// a compiler sees matters, and tabs as spaces.
func cleanCode(s string) string {
	return strings.ReplaceAll(text.Visible(strings.TrimSuffix(s, "\r")), "\t", "    ")
}

// cleanPath returns a path as it is, or quoted as git does when it has hidden
// characters, quotes, backslashes or bytes that are not UTF-8.
func cleanPath(path string) string {
	if utf8.ValidString(path) && !strings.ContainsFunc(path, func(r rune) bool {
		return r == '"' || r == '\\' || text.Hidden(r)
	}) {
		return path
	}
	return diff.QuotePath(path)
}
