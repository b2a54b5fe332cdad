package diff

import (
	"iter"
	"strings"
)

// split cuts lines into pieces of at most maxSize, each as large as a good place
// for the cut allows. A single line that is larger is a piece of its own. No
// lines make no piece.
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

// cutScore tells how good it is to cut before lines[k]: best behind a blank
// line, and the less the next line is indented the better, unless that line
// closes what was opened before. Between removed lines and what replaces them is
// the worst place.
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
