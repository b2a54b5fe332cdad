package tomlfile

import (
	"fmt"
	"strings"

	"github.com/codescan-dev/scanner/internal/text"
)

// String returns the problem in one line, without its place.
func (p Problem) String() string {
	s := p.Message
	if p.Path != "" {
		s = p.Path + ": " + s
	}
	if p.Hint != "" {
		s += " (" + p.Hint + ")"
	}
	return s
}

// Error is everything that is wrong with a file.
type Error struct {
	File     string
	Problems []Problem
}

// Error returns several lines of text, without a final newline.
func (e *Error) Error() string {
	file := text.OneLine(e.File)
	var b strings.Builder
	b.WriteString("Failed to parse " + file)
	for _, p := range e.Problems {
		if p.Path != "" {
			fmt.Fprintf(&b, "\nInvalid value at path: %s", p.Path)
		}
		fmt.Fprintf(&b, "\n  %s:%d:%d: %s", file, p.Line, p.Column, p.Message)
		if p.Hint != "" {
			fmt.Fprintf(&b, "\n  hint: %s", p.Hint)
		}
	}
	return b.String()
}
