// Package termtest is a terminal for tests: the screen that a person sees after
// everything that was written to it. It knows the few sequences that scanner uses, and
// any other is an error.
package termtest

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// Screen is a terminal. It is safe for concurrent use.
type Screen struct {
	mu            sync.Mutex
	columns, rows int
	lines         [][]string // of the scrollback and the screen, by cell; a wide character has an empty cell after it
	row, column   int        // of the cursor; row counts from the first of lines
	top           int        // the first of lines on the screen
	wraps         bool       // at the end of a line, the next character is on the next one
	unwrapped     bool       // characters beyond the last column replace those in it
	input         string     // the beginning of a sequence or a character
	unknown       []string
}

// New returns an empty screen.
func New(columns, rows int) *Screen {
	s := &Screen{columns: columns, rows: rows}
	s.lines = [][]string{s.blank()}
	return s
}

func (s *Screen) blank() []string {
	line := make([]string, s.columns)
	for i := range line {
		line[i] = " "
	}
	return line
}

// sequence matches a control sequence, or the beginning of one.
var sequence = regexp.MustCompile(`^\x1b(?:\[([0-?]*)([@-~])?)?`)

// Write shows text. The error is always nil.
func (s *Screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.input += string(p)
	for s.input != "" {
		n := 1
		switch s.input[0] {
		case '\r':
			s.column, s.wraps = 0, false
		case '\n': // with a return, which a system adds
			s.down()
			s.column, s.wraps = 0, false
		case '\x1b':
			m := sequence.FindStringSubmatch(s.input)
			if n = len(m[0]); m[2] == "" {
				if n == len(s.input) {
					return len(p), nil // the rest follows
				}
				m[0] = s.input[:n+1]
			}
			s.control(m[0], m[1], m[2])
		default:
			if n = strings.IndexAny(s.input, "\r\n\x1b"); n < 0 {
				n = len(s.input)
				if !utf8.ValidString(s.input) && n < utf8.UTFMax {
					return len(p), nil
				}
			}
			for !utf8.ValidString(s.input[:n]) && n > 1 {
				n--
			}
			s.print(s.input[:n])
		}
		s.input = s.input[n:]
	}
	return len(p), nil
}

func (s *Screen) control(all, parameter, final string) {
	count, err := strconv.Atoi(parameter)
	if err != nil || count == 0 {
		count = 1
	}
	switch {
	case final == "m": // colors
	case all == "\x1b[K", all == "\x1b[J":
		copy(s.lines[s.row][s.column:], s.blank())
		s.wraps = false
		if final == "J" {
			s.lines = s.lines[:s.row+1]
		}
	case final == "A":
		s.row, s.wraps = max(s.top, s.row-count), false
	case all == "\x1b[?7l", all == "\x1b[?7h":
		s.unwrapped = final == "l"
	default:
		s.unknown = append(s.unknown, all)
	}
}

func (s *Screen) down() {
	if s.row++; s.row == len(s.lines) {
		s.lines = append(s.lines, s.blank())
	}
	s.top = max(s.top, s.row-s.rows+1)
}

func (s *Screen) print(text string) {
	for g := displaywidth.StringGraphemes(text); g.Next(); {
		width := g.Width()
		if width == 0 {
			s.unknown = append(s.unknown, g.Value())
			continue
		}
		if s.wraps || s.column+width > s.columns && !s.unwrapped {
			s.down()
			s.column, s.wraps = 0, false
		}
		s.column = min(s.column, s.columns-width)
		line := s.lines[s.row]
		line[s.column] = g.Value()
		if width == 2 {
			line[s.column+1] = ""
		}
		if s.column += width; s.column == s.columns {
			s.column, s.wraps = s.columns-1, !s.unwrapped
		}
	}
}

// Resize changes the size. Lines that are too long continue on new ones, as in most
// terminals, and the cursor stays in its line.
func (s *Screen) Resize(columns, rows int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, row := s.lines, s.row
	s.columns, s.rows, s.lines = columns, rows, nil
	for i, line := range old {
		if i == row {
			s.row = len(s.lines)
		}
		for len(line) > 0 && line[len(line)-1] == " " {
			line = line[:len(line)-1]
		}
		for {
			n := min(columns, len(line))
			if n < len(line) && line[n] == "" { // the second half of a character
				n--
			}
			next := s.blank()
			copy(next, line[:n])
			s.lines = append(s.lines, next)
			if line = line[n:]; len(line) == 0 {
				break
			}
		}
	}
	s.column, s.wraps = min(s.column, columns-1), false
	s.top = max(0, len(s.lines)-rows)
}

// Text returns all lines from the first on, those that scrolled off included, without
// spaces at their ends, and without empty lines at the end.
func (s *Screen) Text() string { return s.text(false) }

// Visible is Text for the lines that are on the screen.
func (s *Screen) Visible() string { return s.text(true) }

func (s *Screen) text(visible bool) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := s.lines
	if visible {
		lines = lines[s.top:]
	}
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(strings.TrimRight(strings.Join(line, ""), " ") + "\n")
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// Err returns an error if something was written that the screen does not know.
func (s *Screen) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.unknown) > 0 {
		return fmt.Errorf("unknown sequences %q", s.unknown)
	}
	return nil
}
