package scanner

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/regex"
)

// matchUnsent runs the rules of all skills on files that are skipped, and whose
// contents must not leave the machine.
func (r *run) matchUnsent(ctx context.Context) {
	var ended []*skillRun
	for _, p := range r.skipped {
		if p == nil {
			continue
		}
		var codes []*code
		for i, of := 0, r.codes(p, p.Unsent); i < len(p.Unsent); i++ {
			codes = append(codes, of(i))
		}
		for _, s := range r.skills {
			if len(s.unsent) == 0 || s.unsent[0] != p {
				continue
			}
			findings, err := r.unsentFindings(ctx, s, p, codes)
			s.found = append(s.found, findings...)
			if err != nil && ctx.Err() == nil {
				s.unread = append(s.unread, diff.Notable{Path: p.File.Path, What: "rules did not read all of it: " + err.Error()})
			}
			if s.unsent = s.unsent[1:]; len(s.unsent) == 0 {
				ended = append(ended, s)
			}
		}
	}
	for _, s := range ended {
		s.mu.Lock()
		s.pending--
		last := s.pending == 0
		s.mu.Unlock()
		if last {
			r.finished(ctx, s)
		}
	}
}

// unsentFindings returns the findings in a file that is skipped, and the first error
// because of which some may be missing.
func (r *run) unsentFindings(ctx context.Context, s *skillRun, p *diff.Plan, codes []*code) (found []located, err error) {
	path := p.File.Path
	rules := s.rulesFor(&p.File, ScopeAny)
	var credentials []rule // until they match
	if p.Skip.Reason == diff.ReasonSecret && !p.File.Untracked {
		credentials = s.rulesFor(&p.File, ScopeCredentials)
	}
	if len(rules)+len(credentials) == 0 {
		return nil, nil
	}
	for i := range p.Unsent {
		c := &p.Unsent[i]
		text, readErr := codes[i].text()
		if readErr != nil {
			err = cmp.Or(err, readErr)
			continue
		}
		findings, matchErr := matchRules(ctx, r.patternLimit(), rules, codes[i])
		err = cmp.Or(err, matchErr)
		credentials = slices.DeleteFunc(credentials, func(p rule) bool {
			line := r.firstMatch(ctx, p, path, text)
			if len(text.Lines) == 0 { // not known
				line = c.StartLine
			}
			if line > 0 {
				findings = append(findings, p.finding(path, line))
			}
			return line > 0
		})
		for _, f := range ofRules(findings, text, c) {
			f.SuggestedFix = nil // no file is changed that is not read
			f.origin = unsent
			found = append(found, f)
		}
	}
	return found, err
}

// firstMatch returns the number of the first added line that p matches; 0 if there
// is none. A line of a file that may be public matches only if it holds a secret.
func (r *run) firstMatch(ctx context.Context, p rule, path string, text diff.Text) int {
	lines := slices.Collect(text.Added())
	changed := func(int) bool { return true }
	if r.opts.Redact != nil && diff.MayBePublic(path) {
		var b strings.Builder
		for _, l := range lines {
			b.WriteString(l.Text + "\n")
		}
		replaced, _ := r.opts.Redact(b.String())
		after := strings.Split(replaced, "\n")
		changed = func(i int) bool { return i >= len(after) || after[i] != lines[i].Text }
	}
	for i, l := range lines {
		if changed(i) && regex.Match(ctx, p.Regexp, l.Text) {
			return l.New
		}
	}
	return 0
}
