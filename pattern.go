package scanner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/prefilter"
)

// patternSet holds the patterns of a skill, ready to be run over many lines. It is
// safe for concurrent use.
type patternSet struct {
	patterns []*Pattern
	filters  []prefilter.Filter // by pattern
}

func newPatternSet(s *Skill) *patternSet {
	set := &patternSet{}
	for i := range s.Patterns {
		p := &s.Patterns[i]
		filter, ok := s.filters[p.Regexp]
		if !ok {
			filter = prefilter.New(p.Regexp)
		}
		set.patterns = append(set.patterns, p)
		set.filters = append(set.filters, filter)
	}
	return set
}

// forPath returns the patterns that are for a file.
func (s *patternSet) forPath(path string) *patternSet {
	own := &patternSet{}
	for i, p := range s.patterns {
		if _, ok := matchAny(p.Files, path); ok || len(p.Files) == 0 {
			own.patterns = append(own.patterns, p)
			own.filters = append(own.filters, s.filters[i])
		}
	}
	return own
}

// match returns the findings of the patterns in the added lines of a chunk, in
// the order of the lines, then of the patterns.
func (s *patternSet) match(path string, text diff.Text) []Finding {
	if len(s.patterns) == 0 {
		return nil
	}
	var findings []Finding
	for l := range text.Added() {
		folded := prefilter.Fold(l.Text)
		for i, p := range s.patterns {
			if !s.filters[i].MayMatch(folded) || !p.Regexp.MatchString(l.Text) {
				continue
			}
			f := Finding{
				Severity:    p.Severity,
				Confidence:  p.Confidence,
				Title:       p.Title,
				Description: p.Description,
				Location:    &Location{Path: path, StartLine: l.New},
			}
			if p.Replacement != nil {
				f.SuggestedFix = p.fix(path, text, l)
			}
			findings = append(findings, f)
		}
	}
	return findings
}

// fixContext is the number of unchanged lines around a replaced one in a
// suggested fix.
const fixContext = 3

// fix returns the change that replaces the matches of p in a line of the chunk;
// nil if that changes nothing.
func (p *Pattern) fix(path string, text diff.Text, old diff.Line) *SuggestedFix {
	replaced := p.Regexp.ReplaceAllString(old.Text, *p.Replacement)
	if replaced == old.Text || containsNewline(replaced) {
		return nil
	}

	side := slices.Collect(text.NewSide())
	i := slices.IndexFunc(side, func(l diff.Line) bool { return l.New == old.New })
	first, last := i, i
	for first > 0 && i-first < fixContext && side[first-1].New == side[first].New-1 {
		first--
	}
	for last < len(side)-1 && last-i < fixContext && side[last+1].New == side[last].New+1 {
		last++
	}

	name := func(prefix string) string { return diff.QuotePath(prefix + path) }
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", name("a/"), name("b/"))
	n := last - first + 1
	fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@\n", side[first].New, n, side[first].New, n)
	for j := first; j <= last; j++ {
		if j != i {
			writeDiffLine(&b, ' ', side[j].Text, side[j].NoEOL)
			continue
		}
		writeDiffLine(&b, '-', old.Text, old.NoEOL)
		writeDiffLine(&b, '+', replaced, old.NoEOL)
	}
	return &SuggestedFix{
		Description: "Change the line to: " + strings.TrimSpace(replaced),
		Diff:        b.String(),
	}
}

func writeDiffLine(b *strings.Builder, op byte, text string, noEOL bool) {
	b.WriteByte(op)
	b.WriteString(text)
	b.WriteByte('\n')
	if noEOL {
		b.WriteString("\\ No newline at end of file\n")
	}
}
