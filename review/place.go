package review

import (
	"strings"
	"unicode/utf8"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
)

// side is the part of a file's new side that its diff shows: the lines that the
// host accepts comments on.
type side struct {
	hunks []sideHunk
}

// sideHunk holds the new lines of a hunk, with carriage returns.
type sideHunk struct {
	start int // number of the first line
	lines []string
	// noEOL is set when the last line has no newline.
	noEOL bool
}

func (h *sideHunk) end() int { return h.start + len(h.lines) - 1 }

func newSide(f *diff.File) *side {
	s := &side{}
	for i := range f.Hunks {
		h := sideHunk{start: f.Hunks[i].NewStart}
		var last byte
		for line := range strings.Lines(f.Hunks[i].Body) {
			line = strings.TrimSuffix(line, "\n")
			if line == "" {
				line = " "
			}
			switch op := line[0]; op {
			case ' ', '+':
				h.lines = append(h.lines, line[1:])
				last = op
			case '\\':
				h.noEOL = h.noEOL || last == ' ' || last == '+'
			default:
				last = op
			}
		}
		if len(h.lines) > 0 {
			s.hunks = append(s.hunks, h)
		}
	}
	return s
}

// hunk returns the hunk that shows a line, or nil.
func (s *side) hunk(line int) *sideHunk {
	for i := range s.hunks {
		if h := &s.hunks[i]; h.start <= line && line <= h.end() {
			return h
		}
	}
	return nil
}

// spot is the place of a comment.
type spot struct {
	path       string
	start, end int
	text       string // of the first line
	hunk       *sideHunk
}

// sidesOf returns the new sides of files by name.
func sidesOf(files []diff.File) map[string]*side {
	sides := make(map[string]*side, len(files))
	for i := range files {
		f := &files[i]
		if f.Status == diff.Deleted || !utf8.ValidString(f.Path) {
			continue
		}
		sides[f.Path] = newSide(f)
	}
	return sides
}

// place returns the lines of a finding that a comment can be made on. They
// begin where the finding begins, and end with the last line of the finding in the
// same hunk. It is nil when no hunk shows the beginning.
func place(f *scanner.Finding, sides map[string]*side) *spot {
	if f.Location == nil {
		return nil
	}
	s := sides[f.Location.Path]
	if s == nil {
		return nil
	}
	h := s.hunk(f.Location.StartLine)
	if h == nil {
		return nil
	}
	start := f.Location.StartLine
	return &spot{
		path: f.Location.Path, start: start, end: min(f.Location.LastLine(), h.end()),
		text: h.lines[start-h.start], hunk: h,
	}
}
