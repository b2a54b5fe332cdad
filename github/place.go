package github

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

// item is a finding that is shown.
type item struct {
	skill   *SkillResult
	finding *scanner.Finding
	// at is where the finding is commented on; nil if it stands in the summary
	// alone.
	at *spot
}

// layout returns what a result shows, each finding with its place.
func layout(r *Result) []item {
	sides := sidesOf(r.Files)
	var items []item
	inline, limit := 0, maxInline
	if r.Untrusted {
		limit = maxInlineUntrusted
	}
	for i := range r.Skills {
		s := &r.Skills[i]
		for j := range s.Selection.Shown {
			f := &s.Selection.Shown[j]
			it := item{skill: s, finding: f}
			if inline < limit && r.Number > 0 {
				it.at = place(f, sides)
			}
			if it.at != nil {
				inline++
			}
			items = append(items, it)
		}
	}
	return items
}

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

// place returns the lines of a finding that a comment can be made on. It begins
// where the finding begins, and ends with the last line of the finding that the
// same hunk shows. It is nil when the beginning is not shown.
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
