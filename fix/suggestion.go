package fix

import (
	"cmp"
	"slices"

	"github.com/codescan-dev/scanner"
)

// Set is what one skill reports: findings, and the groups of those that were
// merged into them. The groups are those of the report; groups whose primary is not among the findings are passed over, so that the findings
// may be a selection.
type Set struct {
	Skill    string
	Findings []scanner.Finding
	Groups   []scanner.MergeGroup
}

// SetOf returns the set of a report, with some of its findings: those that a
// selection shows.
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
	// Title is that of the reported finding.
	Title string
	// Path and Line are the place of the finding that the fix belongs to; empty
	// and zero if it has none.
	Path string
	Line int
	Fix  scanner.SuggestedFix
}

// Collect returns the suggested fixes of all sets in the order of priority:
// findings in the order of rule 7 of the processing rules, whatever their
// skill, the fixes of merged findings behind that of their primary. Findings
// that are equal in all of that keep their order.
func Collect(sets ...Set) []Suggestion {
	type entry struct {
		set int
		f   *scanner.Finding
	}
	var entries []entry
	merged := make([]map[string][]scanner.MergedFinding, len(sets))
	for i := range sets {
		for j := range sets[i].Findings {
			entries = append(entries, entry{i, &sets[i].Findings[j]})
		}
		merged[i] = make(map[string][]scanner.MergedFinding)
		for _, g := range sets[i].Groups {
			merged[i][g.Primary] = append(merged[i][g.Primary], g.Merged...)
		}
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return scanner.Compare(a.f, b.f) })

	var all []Suggestion
	for _, e := range entries {
		s := Suggestion{Skill: sets[e.set].Skill, Finding: e.f.ID, Title: e.f.Title}
		if e.f.SuggestedFix != nil {
			all = append(all, s.at(e.f.Location, *e.f.SuggestedFix))
		}
		for _, m := range merged[e.set][e.f.ID] {
			if m.SuggestedFix != nil {
				s.Merged = m.ID
				all = append(all, s.at(m.Location, *m.SuggestedFix))
			}
		}
	}
	return all
}

func (s Suggestion) at(l *scanner.Location, f scanner.SuggestedFix) Suggestion {
	s.Fix = f
	if l != nil {
		s.Path, s.Line = l.Path, l.StartLine
	}
	return s
}

// id returns the id of the finding that the fix belongs to.
func (s *Suggestion) id() string { return cmp.Or(s.Merged, s.Finding) }
