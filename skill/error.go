package skill

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
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
	if strings.ContainsFunc(file, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }) {
		return strconv.Quote(file)
	}
	return file
}

// shorten cuts what a file says to a length that suits a message.
func shorten(s string) string {
	const most = 80
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// unknown says that word is none of the known words, and which of them may have
// been meant.
func unknown(what, word string, known []string) string {
	msg := fmt.Sprintf("unknown %s %q", what, shorten(word))
	if near := nearest(word, known); near != "" {
		return msg + fmt.Sprintf("; did you mean %q?", near)
	}
	return msg
}

// nearest returns the candidate that needs the fewest edits to become word, the
// first of several; "" if none is near enough to be a slip.
func nearest(word string, candidates []string) string {
	best, most := "", max(1, len(word)/3)
	for _, c := range candidates {
		if d := distance(strings.ToLower(word), strings.ToLower(c), most); d <= most {
			best, most = c, d-1
		}
		if most < 0 {
			break
		}
	}
	if best != "" {
		return best
	}
	for _, c := range candidates { // "security" for "security-review"
		if len(word) >= 3 && strings.Contains(c, strings.ToLower(word)) {
			return c
		}
	}
	return ""
}

// distance counts the edits (insert, delete, replace a byte, swap two) between a
// and b, and gives up above most.
func distance(a, b string, most int) int {
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return most + 1
	}
	prev2, prev, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], prev2[j-2]+1)
			}
		}
		prev2, prev, row = prev, row, prev2
	}
	return prev[len(b)]
}
