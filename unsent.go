package scanner

import (
	"context"
	"slices"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/regex"
)

// matchUnsent runs the rules of a skill on files that are skipped, and whose
// contents must not leave the machine.
func (r *run) matchUnsent(ctx context.Context, s *skillRun) {
	var found []located
	for _, p := range s.unsent {
		found = append(found, r.unsentFindings(ctx, s, p)...)
	}
	s.mu.Lock()
	s.found = found
	s.pending--
	last := s.pending == 0
	s.mu.Unlock()
	if last {
		r.finished(ctx, s)
	}
}

// unsentFindings returns the findings in a file that is skipped. What cannot be
// read or matched in time is left out: the report lists the file as skipped.
func (r *run) unsentFindings(ctx context.Context, s *skillRun, p *diff.Plan) []located {
	path := p.File.Path
	rules := s.rulesFor(path, ScopeAll)
	var credentials []rule // until they match
	if p.Skip.Reason == diff.ReasonSecret && !p.File.Untracked {
		credentials = s.rulesFor(path, ScopeCredentials)
	}
	var found []located
	for i := range p.Unsent {
		c := &p.Unsent[i]
		text, err := c.Text()
		if err != nil {
			continue
		}
		findings, _ := matchRules(ctx, r.patternLimit(), rules, path, text)
		credentials = slices.DeleteFunc(credentials, func(p rule) bool {
			line := firstMatch(ctx, p, text)
			if len(text.Lines) == 0 { // a binary file
				line = c.StartLine
			}
			if line > 0 {
				findings = append(findings, p.finding(path, line))
			}
			return line > 0
		})
		shown := newAnchor(text, c.StartLine)
		for _, f := range findings {
			f.SuggestedFix = nil // no file is changed that is not read
			found = append(found, located{Finding: f, path: path, origin: unsent, surroundings: shown.around(f.Location.StartLine)})
		}
	}
	return found
}

// firstMatch returns the number of the first added line that p matches; 0 if there
// is none.
func firstMatch(ctx context.Context, p rule, text diff.Text) int {
	for l := range text.Added() {
		if regex.Match(ctx, p.Regexp, l.Text) {
			return l.New
		}
	}
	return 0
}
