package scanner

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/text"
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
	// flows are the texts that whole lines of a quote are looked for in: the
	// lines as they are, and both of their forms without white space.
	exact, dense, shown flow
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

// newAnchor returns the anchor of a chunk's text, which may have been changed line
// by line. start is the first line of the chunk: that of deleted lines where the
// new side has none.
func newAnchor(shown diff.Text, start int) *anchor {
	a := new(anchor)
	lines := func(lines []diff.Line, own bool) {
		next := nextNewLine(lines, start)
		for i, l := range lines {
			s := shownLine{text: l.Text, dense: dense(l.Text), line: l.New, own: own, added: l.Op == diff.Add}
			if s.shown = s.dense; text.Visible(l.Text) != l.Text {
				s.shown = dense(text.Visible(l.Text))
			}
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
	lines(shown.Before, false)
	lines(shown.Lines, true)
	lines(shown.After, false)
	return a
}

// nextNewLine returns for each line the number of the first line of the new side
// from there on; at the end, of the last one before; start if there is none.
func nextNewLine(lines []diff.Line, start int) []int {
	next := make([]int, len(lines))
	last := 0
	for _, l := range lines {
		last = max(last, l.New)
	}
	if last == 0 {
		last = start
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
	if v.exact.starts != nil {
		return
	}
	v.exact = newFlow(v.lines, func(l *shownLine) string { return l.text + "\n" })
	v.dense = newFlow(v.lines, func(l *shownLine) string { return l.dense })
	v.shown = newFlow(v.lines, func(l *shownLine) string { return l.shown })
}

// flow is the lines of a view as one text, so that looking for a quote is one
// search for a string, however many lines begin like it.
type flow struct {
	text   string
	starts []int // where the lines begin, and where the last one ends
}

func newFlow(lines []shownLine, form func(*shownLine) string) flow {
	var b strings.Builder
	starts := make([]int, 0, len(lines)+1)
	for i := range lines {
		starts = append(starts, b.Len())
		b.WriteString(form(&lines[i]))
	}
	return flow{b.String(), append(starts, b.Len())}
}

// match is a place in a view: the indexes of its first and last line.
type match struct{ first, last int }

// find returns the places where whole lines are the text, which is not empty.
// Lines without text are neither the first nor the last.
func (f *flow) find(text string) []match {
	var all []match
	for at := 0; ; at++ {
		i := strings.Index(f.text[at:], text)
		if i < 0 {
			return all
		}
		at += i
		next, _ := slices.BinarySearch(f.starts, at+1)
		end, whole := slices.BinarySearch(f.starts, at+len(text))
		if whole && f.starts[next-1] == at {
			all = append(all, match{next - 1, end - 1})
		}
	}
}

// dense returns s without white space and without characters that cannot be
// seen, so that a byte order mark does not hide a line.
func dense(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || text.Hidden(r) {
			return -1
		}
		return r
	}, s)
}

// find returns the range of lines that a quote stands for, nearest to the line
// near, which is 0 when unknown. The text is looked for as it is, then without
// regard to white space and line breaks, then as a part of a line, and each of
// that first on the new side, then on the old.
func (a *anchor) find(quote string, near int) (start, end int, ok bool) {
	lines := quoteLines(quote)
	try := func(lines []string) bool {
		if len(lines) == 0 {
			return false
		}
		for _, match := range []func(*view, []string) []match{(*view).exactly, (*view).densely, (*view).partly} {
			for i := range a.views {
				v := &a.views[i]
				v.index()
				if m, found := v.nearest(match(v, lines), near); found {
					start, end, ok = v.lines[m.first].line, v.lines[m.last].line, true
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

// lineNumber is what a model may write in front of a line to number it.
var lineNumber = regexp.MustCompile(`^(?:[Ll](?:ine )?)?[0-9]+`)

// stripMarkers removes what a model may write around the text of a line: its
// number, the diff marker, code quotes and fences, and dots for what it left out.
func stripMarkers(lines []string) []string {
	out := make([]string, 0, len(lines))
	for _, l := range lines {
		l = strings.TrimSpace(l)
		if strings.HasPrefix(l, "```") && strings.Count(l, "`") == 3 {
			continue
		}
		l = strings.TrimSpace(lineNumber.ReplaceAllString(l, ""))
		l = strings.TrimSpace(strings.TrimLeft(l, "|:"))
		if l != "" && (l[0] == '+' || l[0] == '-') {
			l = strings.TrimSpace(l[1:])
		}
		l = strings.TrimSpace(strings.TrimLeft(l, "|"))
		l = strings.Trim(l, "`")
		for _, dots := range []string{"...", "…"} {
			l = strings.TrimSuffix(strings.TrimPrefix(l, dots), dots)
		}
		out = append(out, l)
	}
	return quoteLines(strings.Join(out, "\n"))
}

// exactly returns the places where the lines of a quote stand as they are.
func (v *view) exactly(quote []string) []match {
	return v.exact.find(strings.Join(quote, "\n") + "\n")
}

// densely returns the places where whole lines are the quote but for white space,
// line breaks included.
func (v *view) densely(quote []string) []match {
	text := dense(strings.Join(quote, ""))
	all := v.dense.find(text)
	if v.shown.text != v.dense.text {
		all = append(all, v.shown.find(text)...)
	}
	return all
}

// minPart is the least length without white space that a part of a line must
// have: less stands everywhere.
const minPart = 4

// partly returns the lines that have the quote, a single line, as a part.
func (v *view) partly(quote []string) []match {
	part := dense(quote[0])
	if len(quote) != 1 || len(part) < minPart {
		return nil
	}
	var all []match
	for i := range v.lines {
		if strings.Contains(v.lines[i].dense, part) || strings.Contains(v.lines[i].shown, part) {
			all = append(all, match{i, i})
		}
	}
	return all
}

// nearest picks one of several places: the nearest to the line that was named,
// then one in the chunk rather than around it, then one at an added line.
func (v *view) nearest(all []match, near int) (best match, ok bool) {
	better := func(m, n match) bool {
		a, b := &v.lines[m.first], &v.lines[n.first]
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
	for _, m := range all {
		if !ok || better(m, best) {
			best, ok = m, true
		}
	}
	return best, ok
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
