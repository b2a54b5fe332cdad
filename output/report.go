package output

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/text"
)

// gap is something that a skill did not look at.
type gap struct {
	at      *scanner.Location // nil if it is not one place
	message string
}

// gaps lists what a skill did not look at, and should have.
func (s *skillResult) gaps() []gap {
	var list []gap
	for _, f := range s.Failures {
		at := scanner.Location{Path: f.Path, StartLine: max(1, f.StartLine), EndLine: f.EndLine}
		why := clean(f.Message)
		if reason := clean(f.Reason); !strings.HasPrefix(why, reason+": ") { // as in errors of providers
			why = reason + ": " + why
		}
		list = append(list, gap{&at, "not analyzed: " + why})
	}
	if n := s.FailedHunks + s.FailedExtractions - len(s.Failures); n > 0 {
		list = append(list, gap{message: fmt.Sprintf("%d more chunks could not be analyzed", n)})
	}
	if n := s.Chunks.NotAnalyzed; n > 0 {
		list = append(list, gap{message: fmt.Sprintf("%d chunks were not analyzed", n)})
	}
	if missing := s.Shard.Incomplete(); missing != "" {
		list = append(list, gap{message: missing})
	}
	return list
}

// gaps lists what the run did not look at, and should have.
func (r *report) gaps() []gap {
	var list []gap
	if reason := r.stopped(); reason != "" {
		list = append(list, gap{message: "the run ended early: " + reason})
	}
	for i := range r.skills {
		s := &r.skills[i]
		for _, g := range s.gaps() {
			list = append(list, gap{g.at, line(s.Skill) + ": " + g.message})
		}
	}
	return list
}

// stopped is why the run ended early; empty if it did not.
func (r *report) stopped() string {
	if r.run.Stopped == nil {
		return ""
	}
	return clean(r.run.Stopped.Error())
}

// ruleOf returns the id under which other programs group findings: that of the rule, or
// for a finding of a model the name of the skill.
func ruleOf(f *scanner.Finding, skill string) string {
	return cmp.Or(f.Rule, skill)
}

// pattern returns the rule of a skill with an id such as "security-review/private-key";
// nil if it is not known.
func (r *report) pattern(id string) *scanner.Pattern {
	for i := range r.Skills {
		s := &r.Skills[i]
		for j := range s.Patterns {
			if s.Name+"/"+s.Patterns[j].ID == id {
				return &s.Patterns[j]
			}
		}
	}
	return nil
}

// describe returns the description of a skill; empty if it is not known.
func (r *report) describe(skill string) string {
	i := slices.IndexFunc(r.Skills, func(s scanner.Skill) bool { return s.Name == skill })
	if i < 0 {
		return ""
	}
	return clean(r.Skills[i].Description)
}

// clean returns the text of a model, a file or a server without what cannot be seen.
func clean(s string) string { return text.Clean(s) }

// maxLine is the length of a line in characters, so that a title fills no page.
const maxLine = 1000

// line returns such a text on one line.
func line(s string) string { return text.Truncate(text.OneLine(s), maxLine) }
