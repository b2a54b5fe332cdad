package config

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/codescan-dev/scanner/internal/text"
)

// Error says that a configuration file cannot be used, and names everything
// that is wrong with it.
type Error struct {
	// File is the name of the file as it was given to [Parse].
	File string
	// Problems are in the order of the text. There is at least one.
	Problems []Problem
}

// Problem is one thing that is wrong with a configuration file.
type Problem struct {
	File string
	// Line and Column count from 1; Column counts characters, not bytes. Of a
	// value that is missing they are the place of the table that lacks it.
	Line, Column int
	// Path is the key path with array indexes, for instance
	// "skills[0].triggers[1].type". Empty when the text is not TOML.
	Path string
	// Message says what is wrong and what is allowed, in one line.
	Message string
	// Hint says what to do about it; empty if there is nothing to add.
	Hint string
}

// Error returns all problems, several lines of text without a final newline.
// What comes from the file is escaped, so that it is safe to print.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("Failed to parse " + printable(e.File))
	for _, p := range e.Problems {
		b.WriteByte('\n')
		b.WriteString(p.String())
	}
	return b.String()
}

// String returns the problem in two or three lines.
func (p Problem) String() string {
	var b strings.Builder
	if p.Path != "" {
		fmt.Fprintf(&b, "Invalid value at path: %s\n", p.Path)
	}
	fmt.Fprintf(&b, "  %s:%d:%d: %s", printable(p.File), p.Line, p.Column, p.Message)
	if p.Hint != "" {
		fmt.Fprintf(&b, "\n  hint: %s", p.Hint)
	}
	return b.String()
}

// OptionError is a flag or an environment variable with a value that cannot be
// used.
type OptionError struct {
	// Name is what to correct: "--fail-on", "SCANNER_AGENT".
	Name string
	// Message says what is wrong and what is allowed, in one line. It never
	// repeats a value that may be a secret.
	Message string
}

// Error returns the name and the message.
func (e *OptionError) Error() string { return e.Name + ": " + e.Message }

// printable escapes what could disturb a terminal or break a line.
func printable(s string) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, text.Hidden) {
		return s
	}
	q := strconv.QuoteToASCII(s)
	return strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`)
}

// quote returns s quoted and, when it is long, cut.
func quote(s string) string {
	return strconv.Quote(text.Truncate(s, 60))
}
