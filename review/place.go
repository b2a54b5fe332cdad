package review

import (
	"strings"
	"unicode/utf8"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
)

// newLines are the lines of the new side that a hunk shows, with carriage returns.
// Hosts accept comments on them.
type newLines struct {
	start int // number of the first line
	lines []string
	old   []OldLine // of each line
	// noEOL is set when the last line has no newline.
	noEOL bool
}

func (h *newLines) end() int { return h.start + len(h.lines) - 1 }

// newLinesOf returns the new lines of files by name.
func newLinesOf(files []diff.File) map[string][]newLines {
	byPath := make(map[string][]newLines, len(files))
	for i := range files {
		f := &files[i]
		if f.Status == diff.Deleted || !utf8.ValidString(f.Path) {
			continue
		}
		for j := range f.Hunks {
			if h := newLinesOfHunk(&f.Hunks[j]); len(h.lines) > 0 {
				byPath[f.Path] = append(byPath[f.Path], h)
			}
		}
	}
	return byPath
}

func newLinesOfHunk(hunk *diff.Hunk) newLines {
	h := newLines{start: hunk.NewStart}
	old := hunk.OldStart
	deleted := false // whether the line before was
	for line := range strings.Lines(hunk.Body) {
		if line[0] == '\\' {
			h.noEOL = h.noEOL || !deleted
			continue
		}
		added := line[0] == '+'
		if deleted = line[0] == '-'; !deleted {
			h.lines = append(h.lines, strings.TrimSuffix(line[1:], "\n"))
			h.old = append(h.old, OldLine{old, added})
		}
		if !added {
			old++
		}
	}
	return h
}

// spot is the place of a comment.
type spot struct {
	path       string
	start, end int
	text       string // of the first line
	hunk       *newLines
}

// place returns the lines of a finding that a comment can be made on. They begin
// where the finding begins, and end with the last line of the finding in the same
// hunk. It is nil when no hunk shows the beginning.
func place(f *scanner.Finding, byPath map[string][]newLines) *spot {
	if f.Location == nil {
		return nil
	}
	path, start := f.Location.Path, f.Location.StartLine
	for i := range byPath[path] {
		if h := &byPath[path][i]; h.start <= start && start <= h.end() {
			return &spot{path: path, start: start, end: min(f.Location.LastLine(), h.end()), text: h.lines[start-h.start], hunk: h}
		}
	}
	return nil
}

// neighbors returns the hashes of the nearest lines around the first one that are not
// blank, as far as its hunk shows them; empty where there is none.
func (at *spot) neighbors() (before, after string) {
	blank := func(line string) bool { return strings.TrimSpace(line) == "" }
	lines, i := at.hunk.lines, at.start-at.hunk.start
	b, a := i-1, i+1
	for b >= 0 && blank(lines[b]) {
		b--
	}
	for a < len(lines) && blank(lines[a]) {
		a++
	}
	if b >= 0 {
		before = lineHash(lines[b])
	}
	if a < len(lines) {
		after = lineHash(lines[a])
	}
	return before, after
}

// oldLine returns where a line of the new side is on the old side.
func (at *spot) oldLine(line int) OldLine { return at.hunk.old[line-at.hunk.start] }

// oldPath returns the name of a file before the change.
func (v *view) oldPath(path string) string {
	for i := range v.Files {
		if f := &v.Files[i]; f.Path == path && f.Status == diff.Renamed {
			return f.OldPath
		}
	}
	return path
}
