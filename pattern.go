package scanner

import (
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

// fix returns the change that replaces the matches of p in a line of the chunk;
// nil if that changes nothing.
func (p *Pattern) fix(path string, text diff.Text, old diff.Line) *SuggestedFix {
	replaced := p.Regexp.ReplaceAllString(old.Text, *p.Replacement)
	if replaced == old.Text || containsNewline(replaced) {
		return nil
	}

	edits := []Edit{{Line: old.New, Old: []string{old.Text}, New: []string{replaced}}}
	return &SuggestedFix{
		Description: "Change the line to: " + strings.TrimSpace(replaced),
		Diff:        UnifiedDiff(path, slices.Collect(text.NewSide()), edits),
		Edits:       edits,
	}
}
