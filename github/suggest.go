package github

import (
	"io/fs"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/text"
)

// fixHunk is a hunk of a suggested fix: the lines it expects and those it leaves
// there, with carriage returns. Whether the last of them end with a newline is
// part of the lists by noEOL.
type fixHunk struct {
	start            int // of the old lines, as the header has it; 0 if it has none
	old, new         []string
	oldBare, newBare bool // the last line has no newline
	// removes is set when the last line is one that goes away.
	removes bool
}

// parseFix reads the hunks of a diff that a model wrote. Counts in its headers
// are not relied on: a hunk ends where the next one, or another file, begins. It
// returns nil for what is not a diff of that file alone.
func parseFix(text, path string) []fixHunk {
	var hunks []fixHunk
	var h *fixHunk
	var last byte
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range lines {
		switch {
		case strings.HasPrefix(line, "@@"):
			hunks = append(hunks, fixHunk{start: oldStart(line)})
			h, last = &hunks[len(hunks)-1], 0
		case h == nil:
			if name, ok := strings.CutPrefix(line, "+++ "); ok && !namesPath(name, path) {
				return nil
			}
		case strings.HasPrefix(line, "diff --git "),
			strings.HasPrefix(line, "--- ") && i+1 < len(lines) && strings.HasPrefix(lines[i+1], "+++ "):
			return nil
		case line == "":
			// The space of a blank line got lost.
			h.old, h.new = append(h.old, ""), append(h.new, "")
			last = ' '
		default:
			switch op := line[0]; op {
			case ' ':
				h.old, h.new = append(h.old, line[1:]), append(h.new, line[1:])
			case '-':
				h.old = append(h.old, line[1:])
			case '+':
				h.new = append(h.new, line[1:])
			case '\\':
				h.oldBare = h.oldBare || last == ' ' || last == '-'
				h.newBare = h.newBare || last == ' ' || last == '+'
				continue
			default:
				return nil
			}
			last = line[0]
		}
		if h != nil {
			h.removes = last == '-'
		}
	}
	return hunks
}

// namesPath reports whether the name in a header is that of the file.
func namesPath(name, path string) bool {
	name, _, _ = strings.Cut(strings.TrimRight(name, "\r"), "\t")
	name, err := diff.UnquotePath(name)
	return err == nil && (name == path || strings.TrimPrefix(name, "b/") == path)
}

// oldStart returns the first number of a header "@@ -12,3 +12,4 @@", or 0.
func oldStart(header string) int {
	rest, ok := strings.CutPrefix(strings.TrimLeft(header, "@"), " -")
	n := 0
	for i := 0; ok && i < len(rest) && isDigit(rest[i]) && n < 1<<30; i++ {
		n = 10*n + int(rest[i]-'0')
	}
	return n
}

// window is a part of a file whose lines are known.
type window struct {
	start int // number of the first line
	lines []string
	// whole is set when the window is the file; last when it reaches its end.
	whole, last bool
	noEOL       bool // the last line has no newline
}

// windowOf returns what is known of the file around a place: all of it if its
// contents are those that the diff shows, otherwise the hunk.
func windowOf(at *spot, contents fs.FS) window {
	h := at.hunk
	w := window{start: h.start, lines: h.lines, last: h.noEOL, noEOL: h.noEOL}
	if contents == nil {
		return w
	}
	data, err := fs.ReadFile(contents, at.path)
	if err != nil || len(data) == 0 {
		return w
	}
	text, ended := strings.CutSuffix(string(data), "\n")
	lines := strings.Split(text, "\n")
	if h.end() > len(lines) || !slices.Equal(lines[h.start-1:h.end()], h.lines) {
		return w
	}
	return window{start: 1, lines: lines, whole: true, last: true, noEOL: !ended}
}

// suggestion returns the lines that replace the commented lines so that the file
// becomes what the fix makes of it. It reports false when the fix changes other
// lines, when it is not certain where it belongs, and when the host could make
// something else of the lines: of carriage returns, of a missing final newline,
// of bytes that are no text.
func suggestion(r *Result, fix *scanner.SuggestedFix, at *spot) (lines []string, ok bool) {
	w := windowOf(at, r.Contents)
	edited, ok := w.apply(parseFix(fix.Diff, at.path))
	if r.Apply != nil {
		if !w.whole {
			return nil, false
		}
		edited, ok = w.applyWith(r.Apply, at.path, fix)
	}
	if !ok {
		return nil, false
	}
	before, after := at.start-w.start, w.start+len(w.lines)-1-at.end
	if n := len(edited) - before - after; n < 0 ||
		!slices.Equal(edited[:before], w.lines[:before]) ||
		!slices.Equal(edited[len(edited)-after:], w.lines[len(w.lines)-after:]) {
		return nil, false
	}
	lines = edited[before : len(edited)-after]
	old := w.lines[before : len(w.lines)-after]
	switch {
	case slices.Equal(lines, old):
		return nil, false // a fix that changes nothing
	case len(lines) == 0 && (len(edited) == 0 || after == 0 && w.noEOL):
		// The file would be gone, or the line before would become the last one
		// and lose its newline.
		return nil, false
	}
	for _, l := range slices.Concat(lines, old) {
		if strings.Contains(l, "\r") || !utf8.ValidString(l) {
			return nil, false
		}
	}
	for _, l := range lines {
		if strings.ContainsFunc(l, func(c rune) bool { return c != '\t' && text.Hidden(c) }) && !slices.Contains(old, l) {
			return nil, false // nobody could see what is suggested
		}
	}
	return slices.Clone(lines), true
}

// apply returns the lines of w after a fix.
func (w *window) apply(hunks []fixHunk) (edited []string, ok bool) {
	from := 0 // lines of w that are not in edited yet
	for i := range hunks {
		h := &hunks[i]
		k, ok := w.find(h, from)
		if !ok {
			return nil, false
		}
		reaches := w.last && k+len(h.old) == len(w.lines)
		switch {
		case h.oldBare != h.newBare, h.newBare && !(reaches && w.noEOL):
			return nil, false
		case reaches && w.noEOL && h.removes:
			// The line before has a newline, which it would lose.
			return nil, false
		}
		edited = append(append(edited, w.lines[from:k]...), h.new...)
		from = k + len(h.old)
	}
	return append(edited, w.lines[from:]...), len(hunks) > 0
}

// applyWith returns the lines of a whole file after a fix that the caller knows
// how to apply. A fix that gives the file a final newline, or takes it away,
// cannot be suggested.
func (w *window) applyWith(apply func(path, text string, fix scanner.SuggestedFix) (string, bool), path string, fix *scanner.SuggestedFix) (edited []string, ok bool) {
	text := strings.Join(w.lines, "\n")
	if !w.noEOL {
		text += "\n"
	}
	fixed, ok := apply(path, text, *fix)
	fixed, ended := strings.CutSuffix(fixed, "\n")
	if !ok || ended == w.noEOL {
		return nil, false
	}
	return strings.Split(fixed, "\n"), true
}

// find returns where the old lines of h stand in w, from the given index on. The
// place must be the only one, or the one that the header names.
func (w *window) find(h *fixHunk, from int) (int, bool) {
	if len(h.old) == 0 {
		// Nothing but additions: only an empty file has no line to go by.
		return 0, false
	}
	matches := func(k int) bool {
		return k >= from && k+len(h.old) <= len(w.lines) && slices.Equal(w.lines[k:k+len(h.old)], h.old)
	}
	found, n := 0, 0
	for k := from; k+len(h.old) <= len(w.lines); k++ {
		if matches(k) {
			found = k
			n++
		}
	}
	if n == 1 && w.whole {
		return found, true
	}
	// Elsewhere in the file there may be more places like it.
	if k := h.start - w.start; n >= 1 && !w.whole && matches(k) {
		return k, true
	}
	return 0, false
}
