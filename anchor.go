package scanner

import (
	"strings"
	"unicode"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/prompt"
)

// An anchor finds the lines that a model means by what it quotes of them. A
// quote is trusted more than a line number: models copy text well and count
// badly.
type anchor struct {
	// views are the sequences of lines a quote can stand in: the new side, and,
	// for quotes of code that is gone, the old side.
	views [2]view
}

// view is one side of the shown text.
type view struct {
	lines []shownLine
	exact map[string][]int // text -> indexes into lines
	dense map[string][]int // text without white space -> indexes into lines
}

// shownLine is a line that the model was shown.
type shownLine struct {
	text  string
	dense string // without white space
	shown string // dense, with what cannot be seen made visible
	line  int    // on the new side; for a deleted line, where it would be
	own   bool   // part of the chunk, not of the context around it
	added bool
}

func newAnchor(text diff.Text) *anchor {
	a := new(anchor)
	lines := func(lines []diff.Line, own bool) {
		next := nextNewLine(lines)
		for i, l := range lines {
			s := shownLine{text: l.Text, dense: dense(l.Text), shown: dense(prompt.Visible(l.Text)), line: l.New, own: own, added: l.Op == diff.Add}
			if l.Op == diff.Delete {
				s.line = next[i]
			} else {
				a.views[0].lines = append(a.views[0].lines, s)
			}
			if l.Op != diff.Add {
				a.views[1].lines = append(a.views[1].lines, s)
			}
		}
	}
	lines(text.Before, false)
	lines(text.Lines, true)
	lines(text.After, false)
	return a
}

// nextNewLine returns for each line the number of the first line of the new side
// from there on; at the end, of the last one before.
func nextNewLine(lines []diff.Line) []int {
	next := make([]int, len(lines))
	last := 0
	for _, l := range lines {
		last = max(last, l.New)
	}
	for i := len(lines) - 1; i >= 0; i-- {
		if lines[i].New > 0 {
			last = lines[i].New
		}
		next[i] = last
	}
	return next
}

func (v *view) index() {
	if v.exact != nil {
		return
	}
	v.exact, v.dense = make(map[string][]int), make(map[string][]int)
	for i, l := range v.lines {
		v.exact[l.text] = append(v.exact[l.text], i)
		v.dense[l.dense] = append(v.dense[l.dense], i)
		if l.shown != l.dense {
			v.dense[l.shown] = append(v.dense[l.shown], i)
		}
	}
}

// dense returns s without white space and without characters that cannot be
// seen, so that a byte order mark does not hide a line.
func dense(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, s)
}

// find returns the range of lines that a quote stands for, nearest to the line
// near, which is 0 when unknown. The text is looked for as it is, then without
// regard to white space, then as a part of a line, and each of that first on the
// new side, then on the old.
func (a *anchor) find(quote string, near int) (start, end int, ok bool) {
	lines := quoteLines(quote)
	if len(lines) == 0 {
		return 0, 0, false
	}
	try := func(lines []string) bool {
		for i := range a.views {
			v := &a.views[i]
			v.index()
			for _, match := range []func([]string, int) (int, int, bool){v.findExact, v.findDense, v.findPart} {
				if start, end, ok = match(lines, near); ok {
					return true
				}
			}
		}
		return false
	}
	if try(lines) || try(stripMarkers(lines)) {
		return start, end, true
	}
	// A quote that leaves lines out in the middle still begins at a line.
	if len(lines) > 1 && (try(lines[:1]) || try(stripMarkers(lines[:1]))) {
		return start, end, true
	}
	return 0, 0, false
}

// quoteLines splits a quote and drops blank lines around it.
func quoteLines(quote string) []string {
	lines := strings.Split(strings.ReplaceAll(quote, "\r\n", "\n"), "\n")
	for len(lines) > 0 && dense(lines[0]) == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && dense(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// stripMarkers removes what a model may copy along with a line: its number, the
// diff marker, and code quotes around it.
func stripMarkers(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		l = strings.TrimSpace(l)
		l = strings.TrimSpace(strings.TrimLeft(l, "0123456789"))
		l = strings.TrimSpace(strings.TrimLeft(l, "|:"))
		if l != "" && (l[0] == '+' || l[0] == '-') {
			l = strings.TrimSpace(l[1:])
		}
		l = strings.TrimSpace(strings.TrimLeft(l, "|"))
		out[i] = strings.Trim(l, "`")
	}
	return quoteLines(strings.Join(out, "\n"))
}

func (v *view) findExact(quote []string, near int) (start, end int, ok bool) {
	if len(quote) == 0 {
		return 0, 0, false
	}
	return v.nearest(v.exact[quote[0]], quote, near, func(l *shownLine, q string) bool { return l.text == q })
}

func (v *view) findDense(quote []string, near int) (start, end int, ok bool) {
	if len(quote) == 0 {
		return 0, 0, false
	}
	return v.nearest(v.dense[dense(quote[0])], quote, near, func(l *shownLine, q string) bool {
		q = dense(q)
		return l.dense == q || l.shown == q
	})
}

// minPart is the least number of characters without white space that a part of a
// line must have: less stands everywhere.
const minPart = 4

func (v *view) findPart(quote []string, near int) (start, end int, ok bool) {
	if len(quote) != 1 {
		return 0, 0, false
	}
	part := dense(quote[0])
	if len(part) < minPart {
		return 0, 0, false
	}
	var at []int
	for i := range v.lines {
		if strings.Contains(v.lines[i].dense, part) || strings.Contains(v.lines[i].shown, part) {
			at = append(at, i)
		}
	}
	return v.nearest(at, quote, near, func(*shownLine, string) bool { return true })
}

// nearest picks among the places where the first line of a quote stands one
// where all of it does: the nearest to the line that was named, then one in the
// chunk rather than around it, then an added line.
func (v *view) nearest(at []int, quote []string, near int, equal func(*shownLine, string) bool) (start, end int, ok bool) {
	best := -1
	better := func(i, j int) bool {
		a, b := &v.lines[i], &v.lines[j]
		if near > 0 {
			if da, db := distance(a.line, near), distance(b.line, near); da != db {
				return da < db
			}
		}
		if a.own != b.own {
			return a.own
		}
		return a.added && !b.added
	}
	for _, i := range at {
		if v.matches(i, quote, equal) && (best < 0 || better(i, best)) {
			best = i
		}
	}
	if best < 0 {
		return 0, 0, false
	}
	return v.lines[best].line, v.lines[best+len(quote)-1].line, true
}

func (v *view) matches(i int, quote []string, equal func(*shownLine, string) bool) bool {
	if i+len(quote) > len(v.lines) {
		return false
	}
	for k, q := range quote {
		if !equal(&v.lines[i+k], q) {
			return false
		}
	}
	return true
}

func distance(a, b int) int { return max(a-b, b-a) }

// locate turns what a model said of a place into a line range: the quote decides
// where there is one, the number otherwise. A range without either is (0, 0).
// ok is false when the quote stands nowhere in what the model was shown.
func (a *anchor) locate(quote string, start, end int) (first, last int, ok bool) {
	if len(quoteLines(quote)) == 0 {
		if start < 1 {
			return 0, 0, true
		}
		return start, max(start, end), true
	}
	first, last, ok = a.find(quote, start)
	if !ok || first < 1 {
		return 0, 0, false
	}
	if last == first && end > start && start > 0 {
		// The model named a range and quoted one line of it.
		if start <= first && first <= end {
			last = end
		} else {
			last = first + (end - start)
		}
	}
	return first, last, true
}

// surroundings are the texts that the identity of a finding rests on: its line
// and the nearest lines around it that are not blank.
type surroundings struct{ line, before, after string }

// around returns the surroundings of a line of the new side. A line that is not
// shown has none.
func (a *anchor) around(line int) surroundings {
	lines := a.views[0].lines
	at := -1
	for i := range lines {
		if lines[i].line == line {
			at = i
			break
		}
	}
	if at < 0 {
		return surroundings{}
	}
	s := surroundings{line: lines[at].dense}
	for i := at - 1; i >= 0 && lines[i].line == lines[i+1].line-1; i-- {
		if lines[i].dense != "" {
			s.before = lines[i].dense
			break
		}
	}
	for i := at + 1; i < len(lines) && lines[i].line == lines[i-1].line+1; i++ {
		if lines[i].dense != "" {
			s.after = lines[i].dense
			break
		}
	}
	return s
}
