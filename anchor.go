package scanner

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/text"
)

// Anchor finds places in the text of a chunk: the lines that a model, or another
// program, means by what it quotes of them. A quote takes precedence over a line number:
// models copy text well and count badly. It is not safe for concurrent use.
type Anchor struct {
	path string
	// sides are the sequences of lines that a quote can be from: the new side,
	// and, for quotes of code that is gone, the old side.
	sides [2]side
}

// side is one side of the shown text.
type side struct {
	lines []shownLine
	exact *diff.Index // of the lines as they are; nil until a quote is looked up
	dense []form      // nil until a quote is not found as it is
}

// shownLine is a line that the model was shown.
type shownLine struct {
	text  string
	line  int  // on the new side; for a deleted line, where it would be
	own   bool // part of the chunk, not of the context around it
	added bool
}

// form is the lines of a side without white space.
type form struct {
	lines []string
	index *diff.Index
}

// NewAnchor returns the anchor of a chunk with the text that was shown of it: that of
// [diff.Chunk.Text], which may have been changed line by line.
func NewAnchor(chunk *diff.Chunk, shown diff.Text) *Anchor {
	a := &Anchor{path: chunk.Path}
	lines := func(lines []diff.Line, own bool) {
		next := nextNewLine(lines, chunk.StartLine)
		for i, l := range lines {
			s := shownLine{text: l.Text, line: l.New, own: own, added: l.Op == diff.Add}
			if l.Op == diff.Delete {
				s.line = next[i]
			} else {
				a.sides[0].lines = append(a.sides[0].lines, s)
			}
			if l.Op != diff.Add {
				a.sides[1].lines = append(a.sides[1].lines, s)
			}
		}
	}
	for i := range a.sides {
		a.sides[i].lines = make([]shownLine, 0, len(shown.Before)+len(shown.Lines)+len(shown.After))
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

// index returns the index of the lines as they are.
func (s *side) index() *diff.Index {
	if s.exact == nil {
		s.exact = diff.NewIndex(func(yield func(string) bool) {
			for i := range s.lines {
				if !yield(s.lines[i].text + "\n") {
					return
				}
			}
		})
	}
	return s.exact
}

// forms returns the lines without white space: as they are and, if that differs,
// with invisible characters escaped as in prompts.
func (s *side) forms() []form {
	if s.dense == nil {
		s.dense = []form{newForm(s.lines, text.Dense)}
		if slices.ContainsFunc(s.lines, func(l shownLine) bool { return text.Visible(l.text) != l.text }) {
			s.dense = append(s.dense, newForm(s.lines, func(line string) string { return text.Dense(text.Visible(line)) }))
		}
	}
	return s.dense
}

func newForm(lines []shownLine, of func(string) string) form {
	texts := make([]string, len(lines))
	for i, l := range lines {
		texts[i] = of(l.text)
	}
	return form{texts, diff.NewIndex(slices.Values(texts))}
}

// lineRange is a place in a side: the indexes of its first and last line.
type lineRange struct{ first, last int }

// find returns the range of lines that a quote is from, nearest to the line near,
// which is 0 if it is unknown. The quote is looked up as it is, then ignoring
// white space and line breaks, then as a part of a line, and each of these first
// on the new side, then on the old. how describes what was found; empty if nothing was.
func (a *Anchor) find(quote string, near int) (start, end int, how string) {
	lines := quoteLines(quote)
	attempts := [][]string{lines, stripMarkers(lines)}
	if len(lines) > 1 {
		// A quote that leaves lines out in the middle still begins at a line.
		attempts = append(attempts, lines[:1], stripMarkers(lines[:1]))
	}
	for _, lines := range attempts {
		if len(lines) == 0 {
			continue
		}
		for _, match := range []struct {
			lines func(*side, []string) []lineRange
			how   string
		}{{(*side).matchExact, "the quote as it is"}, {(*side).matchIgnoringSpace, "the quote, ignoring white space"}, {(*side).matchPart, "the quote as a part of a line"}} {
			for i := range a.sides {
				s := &a.sides[i]
				if m, found := s.nearest(match.lines(s, lines), near); found {
					return s.lines[m.first].line, s.lines[m.last].line, match.how
				}
			}
		}
	}
	return 0, 0, ""
}

// quoteLines splits a quote and drops blank lines around it.
func quoteLines(quote string) []string {
	lines := strings.Split(strings.ReplaceAll(quote, "\r\n", "\n"), "\n")
	for len(lines) > 0 && text.Dense(lines[0]) == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && text.Dense(lines[len(lines)-1]) == "" {
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

// matchExact returns the places where whole lines are those of a quote.
func (s *side) matchExact(quote []string) []lineRange {
	return appendMatches(nil, s.index(), strings.Join(quote, "\n")+"\n")
}

// matchIgnoringSpace returns the places where whole lines are those of a quote but
// for white space, line breaks included.
func (s *side) matchIgnoringSpace(quote []string) (all []lineRange) {
	dense := text.Dense(strings.Join(quote, ""))
	for _, f := range s.forms() {
		all = appendMatches(all, f.index, dense)
	}
	return all
}

func appendMatches(all []lineRange, x *diff.Index, text string) []lineRange {
	for from, to := range x.Locate(text) {
		all = append(all, lineRange{from, to - 1})
	}
	return all
}

// minPart is the least length without white space that a part of a line must
// have. Less occurs everywhere.
const minPart = 4

// matchPart returns the lines that contain the quote, a single line.
func (s *side) matchPart(quote []string) []lineRange {
	part := text.Dense(quote[0])
	if len(quote) != 1 || len(part) < minPart {
		return nil
	}
	var all []lineRange
	for i := range s.lines {
		if slices.ContainsFunc(s.forms(), func(f form) bool { return strings.Contains(f.lines[i], part) }) {
			all = append(all, lineRange{i, i})
		}
	}
	return all
}

// nearest picks one of several places: the nearest to the line that was named,
// then one in the chunk rather than around it, then one at an added line.
func (s *side) nearest(all []lineRange, near int) (best lineRange, ok bool) {
	if len(all) == 0 {
		return lineRange{}, false
	}
	distance := func(l *shownLine) int {
		if near == 0 {
			return 0
		}
		return max(l.line-near, near-l.line)
	}
	rank := func(l *shownLine) int {
		switch {
		case l.own && l.added:
			return 0
		case l.own:
			return 1
		case l.added:
			return 2
		}
		return 3
	}
	return slices.MinFunc(all, func(m, n lineRange) int {
		a, b := &s.lines[m.first], &s.lines[n.first]
		return cmp.Or(cmp.Compare(distance(a), distance(b)), cmp.Compare(rank(a), rank(b)))
	}), true
}

// Locate turns a quote and the lines that were given with it, 0 if they are not known,
// into a line range of the new side. White space, line breaks, and what models
// write around a quote make no difference; of several places that match, the nearest to
// the line start is meant. Without a quote the lines are those that were given. ok is
// false when the quote is not in what was shown. The range need not be in the chunk; see
// [FilterHunk].
func (a *Anchor) Locate(quote string, start, end int) (first, last int, ok bool) {
	first, last, how := a.locate(quote, start, end)
	return first, last, how != ""
}

// locate is Locate. It returns how the place was found; empty if it was not.
func (a *Anchor) locate(quote string, start, end int) (first, last int, how string) {
	if len(quoteLines(quote)) == 0 {
		if start < 1 {
			return 0, 0, "neither a quote nor a number"
		}
		return start, max(start, end), "the number, without a quote"
	}
	first, last, how = a.find(quote, start)
	if how == "" || first < 1 {
		return 0, 0, ""
	}
	if last == first && end > start && start > 0 {
		// The model named a range and quoted one line of it.
		if start <= first && first <= end {
			last = end
		} else {
			last = first + (end - start)
		}
	}
	return first, last, how
}

// Text returns the text that the identity of a finding at a line of the new side is made
// from; see [AssignIDs]. Of a line that is not shown, it has only the path.
func (a *Anchor) Text(line int) PlaceText {
	lines := a.sides[0].lines
	at := slices.IndexFunc(lines, func(l shownLine) bool { return l.line == line })
	if at < 0 {
		return PlaceText{Path: a.path}
	}
	// next returns the next line in a direction without a gap.
	next := func(step int) string {
		for i := at + step; i >= 0 && i < len(lines) && lines[i].line == lines[i-step].line+step; i += step {
			if d := text.Dense(lines[i].text); d != "" {
				return d
			}
		}
		return ""
	}
	return PlaceText{Path: a.path, Line: text.Dense(lines[at].text), Before: next(-1), After: next(1)}
}
