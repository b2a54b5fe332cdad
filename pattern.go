package scanner

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/prefilter"
	"github.com/codescan-dev/scanner/internal/regex"
	"github.com/codescan-dev/scanner/provider"
)

// patternTime bounds the time that the patterns of a skill take for a chunk.
// Hundreds of them usually take a few milliseconds.
const patternTime = 10 * time.Second

// patternLimit returns the time that patterns may take for a chunk.
func (r *run) patternLimit() time.Duration {
	if r.timeout > 0 {
		return min(patternTime, r.timeout)
	}
	return patternTime
}

// rule is a pattern of a skill, ready to be matched with many lines.
type rule struct {
	*Pattern
	name   string // that of Finding.Rule
	filter prefilter.Filter
	files  []diff.Glob
}

func (r *rule) matches(path string) bool {
	return len(r.files) == 0 || slices.ContainsFunc(r.files, func(g diff.Glob) bool { return g.Match(path) })
}

func (s *Skill) rules() []rule {
	rules := make([]rule, len(s.Patterns))
	for i := range s.Patterns {
		p := &s.Patterns[i]
		filter, ok := s.filters[p.Regexp]
		if !ok {
			filter = prefilter.New(p.Regexp)
		}
		rules[i] = rule{Pattern: p, name: s.Name + "/" + p.ID, filter: filter}
		for _, glob := range p.Files {
			rules[i].files = append(rules[i].files, diff.CompileGlob(glob))
		}
	}
	return rules
}

// rulesFor returns the rules that are for a file, of the given scopes. None is for
// the skill's own files: the examples of a rule match it.
func (s *skillRun) rulesFor(f *diff.File, scopes ...PatternScope) []rule {
	if s.skill.Source != "" && strings.HasPrefix(f.Path, s.skill.Source+"/") {
		return nil
	}
	var rules []rule
	for _, r := range s.rules {
		if !slices.Contains(scopes, r.Scope) || !r.matches(f.Path) {
			continue
		}
		if !s.sameEverywhere {
			r.Pattern = r.forKind(f.Kind)
		}
		rules = append(rules, r)
	}
	return rules
}

// matchRules returns the findings of rules in the added lines of a chunk, in the
// order of the lines, then of the rules. If ctx ends or the time limit is reached,
// it returns an error and the findings so far.
func matchRules(ctx context.Context, limit time.Duration, rules []rule, path string, text diff.Text) ([]Finding, error) {
	if len(rules) == 0 {
		return nil, nil
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	all := foldAdded(text)
	rules = slices.DeleteFunc(slices.Clone(rules), func(p rule) bool { return !p.filter.MayMatchIn(all) })
	rest := all.Folded
	var findings []Finding
	for l := range text.Added() {
		var folded string
		folded, rest, _ = strings.Cut(rest, "\n")
		for _, p := range rules {
			if !p.filter.MayMatch(folded) {
				continue
			}
			matched := regex.Match(limited, p.Regexp, l.Text)
			switch {
			case ctx.Err() != nil:
				return findings, ctx.Err()
			case limited.Err() != nil:
				return findings, &provider.Error{
					Kind:    provider.KindTimeout,
					Message: fmt.Sprintf("matching the patterns took longer than %v; the last one was %q", limit, p.ID),
					Hint:    "make the regular expressions simpler, or limit their patterns to some files",
				}
			case !matched:
				continue
			}
			f := p.finding(path, l.New)
			if p.Replacement != nil && !text.Decoded {
				f.SuggestedFix = p.fix(path, text, l)
			}
			findings = append(findings, f)
		}
	}
	return findings, nil
}

// foldAdded returns the added lines of a chunk for filters. Each ends with a newline.
func foldAdded(text diff.Text) *prefilter.Text {
	size := 0
	for l := range text.Added() {
		size += len(l.Text) + 1
	}
	var b strings.Builder
	b.Grow(size)
	for l := range text.Added() {
		b.WriteString(l.Text)
		b.WriteByte('\n')
	}
	return prefilter.NewText(b.String())
}

// finding returns the finding of r at a line.
func (r *rule) finding(path string, line int) Finding {
	return Finding{
		Severity:    r.Severity,
		Confidence:  r.Confidence,
		Title:       r.Title,
		Description: r.Description,
		Location:    &Location{Path: path, StartLine: line},
		Rule:        r.name,
	}
}

// fix returns the change that replaces the matches of p in a line of the chunk;
// nil if that changes nothing, or could take long.
func (p *Pattern) fix(path string, text diff.Text, old diff.Line) *SuggestedFix {
	replaced := regex.Replace(p.Regexp, old.Text, *p.Replacement)
	if replaced == old.Text || strings.ContainsAny(replaced, "\r\n") {
		return nil
	}

	edits := []Edit{{Line: old.New, Old: []string{old.Text}, New: []string{replaced}}}
	return &SuggestedFix{
		Description: "Change the line to: " + strings.TrimSpace(replaced),
		Diff:        UnifiedDiff(path, slices.Collect(text.NewSide()), edits),
		Edits:       edits,
	}
}
