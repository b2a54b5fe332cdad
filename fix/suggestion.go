package fix

import (
	"cmp"
	"slices"

	"github.com/codescan-dev/scanner"
)

// Set is findings of one skill, and the groups of findings that were merged into
// them. Groups whose primary is not among the findings are ignored, so the
// findings can be a selection.
type Set struct {
	Skill    string
	Findings []scanner.Finding
	Groups   []scanner.MergeGroup
}

// SetOf returns the set of some findings of a report, for instance of those that
// a selection shows.
func SetOf(report *scanner.SkillReport, findings []scanner.Finding) Set {
	return Set{Skill: report.Skill, Findings: findings, Groups: report.MergeGroups}
}

// Suggestion is one suggested fix, of a finding or of one that was merged into
// it.
type Suggestion struct {
	// Skill and Finding name the reported finding.
	Skill, Finding string
	// Merged is the id of the finding that the fix belongs to, if that was
	// merged into the reported one; otherwise empty.
	Merged string
	// Title and Rule are those of the reported finding.
	Title, Rule string
	// Path and Line are the place of the finding that the fix belongs to; empty
	// and zero if it has none.
	Path string
	Line int
	Fix  scanner.SuggestedFix
}

// Collect returns the suggested fixes of all sets in the order of priority:
// findings in the order of [scanner.Sort] (rule 7), regardless of their skill; the
// fixes of merged findings after that of their primary.
func Collect(sets ...Set) []Suggestion {
	type group struct {
		primary *scanner.Finding
		fixes   []Suggestion
	}
	var groups []group
	for _, set := range sets {
		merged := make(map[string][]scanner.MergedFinding)
		for _, g := range set.Groups {
			merged[g.Primary] = append(merged[g.Primary], g.Merged...)
		}
		for i := range set.Findings {
			f := &set.Findings[i]
			g := group{primary: f}
			add := func(merged string, l *scanner.Location, fix *scanner.SuggestedFix) {
				if fix == nil {
					return
				}
				s := Suggestion{Skill: set.Skill, Finding: f.ID, Merged: merged, Title: f.Title, Rule: f.Rule, Fix: *fix}
				if l != nil {
					s.Path, s.Line = l.Path, l.StartLine
				}
				g.fixes = append(g.fixes, s)
			}
			add("", f.Location, f.SuggestedFix)
			for _, m := range merged[f.ID] {
				add(m.ID, m.Location, m.SuggestedFix)
			}
			groups = append(groups, g)
		}
	}
	slices.SortStableFunc(groups, func(a, b group) int { return scanner.Compare(a.primary, b.primary) })
	var all []Suggestion
	for _, g := range groups {
		all = append(all, g.fixes...)
	}
	return all
}

// id returns the id of the finding that the fix belongs to.
func (s *Suggestion) id() string { return cmp.Or(s.Merged, s.Finding) }
