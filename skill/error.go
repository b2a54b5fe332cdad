package skill

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/codescan-dev/scanner/internal/nearest"
	"github.com/codescan-dev/scanner/internal/text"
)

// Error tells everything that is wrong with one file of a skill.
type Error struct {
	// File is the file as messages name it.
	File string
	// Problems are in the order of their places in the file. There is at least
	// one.
	Problems []Problem
}

// Problem is one thing that is wrong with a file.
type Problem struct {
	// Line and Column (in bytes) count from 1; zero means that there is no such
	// place, because something is missing.
	Line, Column int
	// Key is the path of the key, such as "patterns[2].regex"; empty if it is
	// about none.
	Key string
	// Message says what is wrong and what to do.
	Message string
}

var _ error = (*Error)(nil)

// Error returns a line "file:line:column: key: message" for each problem.
func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = place(e.File, p.Line, p.Column)
		if p.Key != "" {
			lines[i] += p.Key + ": "
		}
		lines[i] += p.Message
	}
	return strings.Join(lines, "\n")
}

func place(file string, line, column int) string {
	s := show(file)
	if line > 0 {
		s += ":" + strconv.Itoa(line)
	}
	if line > 0 && column > 0 {
		s += ":" + strconv.Itoa(column)
	}
	return s + ": "
}

// show returns a file name for a message: as it is, or quoted if it could be
// mistaken for something else.
func show(file string) string {
	if !utf8.ValidString(file) || strings.ContainsFunc(file, text.Hidden) {
		return strconv.Quote(file)
	}
	return file
}

// shorten cuts what a file says to a length that suits a message.
func shorten(s string) string {
	return text.Truncate(s, 80)
}

// unknown says that word is none of the known words, and which of them may have
// been meant.
func unknown(what, word string, known []string) string {
	msg := fmt.Sprintf("unknown %s %q", what, shorten(word))
	if near := nearest.Word(word, known); near != "" {
		return msg + fmt.Sprintf("; did you mean %q?", near)
	}
	return msg
}
