package diff

import (
	"iter"
	"strings"
	"unicode/utf8"
)

// unit is a hunk, or a part of one that is too large for a chunk. Its line
// numbers are half-open intervals; an empty one is before the line of its number.
type unit struct {
	lines            []Line
	hunk             *Hunk // if it has these lines and no others
	size             int
	oldBegin, oldEnd int
	newBegin, newEnd int
	section          string
}

// appendUnits makes units of lines whose first have the given numbers: one, or
// as many as maxSize requires.
func appendUnits(units []unit, lines []Line, oldBegin, newBegin int, section string, maxSize int) []unit {
	for piece := range split(lines, maxSize) {
		u := unit{
			lines: piece, section: section,
			oldBegin: oldBegin, oldEnd: oldBegin, newBegin: newBegin, newEnd: newBegin,
		}
		for i := range piece {
			u.size += lineSize(piece[i].Text)
			if piece[i].Op != Add {
				u.oldEnd++
			}
			if piece[i].Op != Delete {
				u.newEnd++
			}
		}
		oldBegin, newBegin = u.oldEnd, u.newEnd
		units = append(units, u)
	}
	return units
}

// coalesce joins neighbors whose distance is at most the largest gap, as long as
// the chunk does not grow too large. The groups are parts of units.
func (c *Chunking) coalesce(units []unit, file *Index) [][]unit {
	var groups [][]unit
	from, size := 0, 0
	for i := range units {
		grown := size + units[i].size
		if i > from && file != nil {
			grown += file.size(units[i-1].newEnd, units[i].newBegin)
		}
		if i > from && (c.Coalesce.Disabled || !c.near(&units[i-1], &units[i]) || grown > c.maxSize()) {
			groups = append(groups, units[from:i])
			from, grown = i, units[i].size
		}
		size = grown
	}
	if from < len(units) {
		groups = append(groups, units[from:])
	}
	return groups
}

// near reports whether b follows a within the largest gap. The number of lines
// between them is negative only for hunks that are out of order.
func (c *Chunking) near(a, b *unit) bool {
	gap := b.newBegin - a.newEnd
	return gap >= 0 && gap <= c.maxGap()
}

// joinLines returns the lines of neighbors and, where the contents are known, of
// the gaps between them.
func joinLines(group []unit, file *Index) []Line {
	if len(group) == 1 {
		return group[0].lines
	}
	var lines []Line
	for i := range group {
		if i > 0 && file != nil {
			lines = append(lines, gapLines(&group[i-1], &group[i], file)...)
		}
		lines = append(lines, group[i].lines...)
	}
	return lines
}

// gapLines returns the lines between two units. Where hunks were taken out of a
// diff, the two sides differ in their number; then the old numbers are not known.
func gapLines(a, b *unit, file *Index) []Line {
	var old oldNumbers
	if shift := a.newEnd - a.oldEnd; b.newBegin-b.oldBegin == shift {
		old = oldNumbers{shift: shift, begin: a.newEnd, end: b.newBegin}
	}
	return file.lines(a.newEnd, b.newBegin, Context, old)
}

// split cuts lines into pieces of at most maxSize, each as large as a good place
// for the cut allows. A single line that is larger is a piece by itself. No lines
// make no piece.
func split(lines []Line, maxSize int) iter.Seq[[]Line] {
	return func(yield func([]Line) bool) {
		for len(lines) > 0 {
			n := cut(lines, maxSize)
			if !yield(lines[:n:n]) {
				return
			}
			lines = lines[n:]
		}
	}
}

// cut returns how many of the lines make the next piece.
func cut(lines []Line, maxSize int) int {
	size, half, n := 0, 0, 0
	for ; n < len(lines); n++ {
		size += lineSize(lines[n].Text)
		if size > maxSize {
			break
		}
		if size < maxSize-size {
			half = n + 1
		}
	}
	if n == len(lines) || n <= 1 {
		return max(n, 1)
	}
	best, bestScore := n, -1
	for k := n; k > half; k-- {
		if s := cutScore(lines, k); s > bestScore {
			best, bestScore = k, s
		}
	}
	return best
}

// cutScore rates a cut before lines[k]: best after a blank line, and the better
// the less the next line is indented, unless that line closes what was opened
// before. Between removed lines and those that replace them is the worst place.
func cutScore(lines []Line, k int) int {
	const maxIndent = 100
	if lines[k-1].Op == Delete && lines[k].Op == Add {
		return 0
	}
	text := lines[k].Text
	score := maxIndent - min(indent(text), maxIndent) + 1
	if t := strings.TrimLeft(text, " \t"); t == "" || strings.IndexByte("})]", t[0]) >= 0 {
		score = 1
	}
	if strings.TrimSpace(lines[k-1].Text) == "" {
		score += 2 * maxIndent
	}
	return score
}

// indent returns the width of the white space that a line begins with.
func indent(text string) int {
	const tab = 4
	n := 0
	for i := range len(text) {
		switch text[i] {
		case ' ':
			n++
		case '\t':
			n += tab
		default:
			return n
		}
	}
	return n
}

// lineSize returns what a line adds to the size of a chunk.
func lineSize(text string) int { return utf8.RuneCountInString(text) + 1 }
