package skill

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/codescan-dev/scanner/internal/text"
	"github.com/codescan-dev/scanner/internal/tomlfile"
)

// fileError is everything that is wrong with a file of a skill, in the order of
// the text. A problem without a line is about something that is missing.
type fileError struct {
	file     string
	problems []tomlfile.Problem
}

// Error returns a line "file:line:column: key: message" for each problem.
func (e *fileError) Error() string {
	var lines []string
	for i, p := range e.problems {
		if i == maxProblems {
			lines = append(lines, fmt.Sprintf("%s%d more problems", position(e.file, 0, 0), len(e.problems)-i))
			break
		}
		lines = append(lines, position(e.file, p.Line, p.Column)+p.String())
	}
	return strings.Join(lines, "\n")
}

// position returns "file:line:column: ", without numbers that are 0.
func position(file string, line, column int) string {
	s := printable(file)
	if line > 0 {
		s += ":" + strconv.Itoa(line)
	}
	if line > 0 && column > 0 {
		s += ":" + strconv.Itoa(column)
	}
	return s + ": "
}

// printable returns a file name for a message: as it is, or quoted if it could be
// mistaken for another text.
func printable(file string) string {
	if !utf8.ValidString(file) || strings.ContainsFunc(file, text.Hidden) {
		return strconv.Quote(file)
	}
	return file
}

// shorten cuts a text of a file to a length that suits a message.
func shorten(s string) string { return text.Truncate(s, 80) }
