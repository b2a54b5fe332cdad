package scanner

import (
	"cmp"
	"slices"
)

// dropDuplicates moves those findings of a report to its Duplicates that one of
// the earlier reports has as well: a finding of the same rule, or one that resembles
// one of theirs (rule 6), at the same place. Only a finding that is shown takes the
// place of another. What is the same as one that is suppressed is suppressed as well.
// Places are those where something was found: what a model calls related code, it
// may have read in a file that tries to suppress the findings of another.
func dropDuplicates(report *SkillReport, earlier []*SkillReport, policies map[string]Policy) {
	var shown []Finding
	var owner []*SkillReport // of each
	for _, r := range earlier {
		for _, f := range foundPlaces(slices.Concat(policies[r.Skill].apply(r).Shown, r.suppressed()), r) {
			shown, owner = append(shown, f), append(owner, r)
		}
	}
	if len(shown) == 0 || len(report.Findings) == 0 {
		return
	}
	mine := foundPlaces(report.Findings, report)
	m := newMatcher(slices.Concat(shown, mine), nil)
	at := newPlaceIndex(shown)
	var kept []Finding
	for i, f := range report.Findings {
		touching := at.touching(&mine[i])
		k := slices.IndexFunc(touching, func(j int) bool {
			same := f.Rule != "" && f.Rule == shown[j].Rule || m.Similar(j, len(shown)+i)
			return same && covers(&shown[j], &mine[i])
		})
		if k < 0 {
			kept = append(kept, f)
			continue
		}
		j := touching[k]
		if why := owner[j].suppression(shown[j].ID); why != nil {
			report.Suppressed = append(report.Suppressed, Suppressed{f, *why})
			continue
		}
		report.Duplicates = append(report.Duplicates, Duplicate{
			ID: f.ID, Of: owner[j].Skill, Finding: shown[j].ID, Severity: f.Severity, Confidence: f.Confidence,
		})
	}
	if len(kept) < len(report.Findings) {
		report.setFindings(kept, report.MergeGroups)
	}
}

// foundPlaces returns findings of a report with the places where they were found
// as their only additional locations.
func foundPlaces(findings []Finding, report *SkillReport) []Finding {
	found := slices.Clone(findings)
	for i, places := range report.Places(findings) {
		found[i].AdditionalLocations = places
	}
	return found
}

// placeIndex finds findings by the places they touch: for each path their line
// ranges, by their first line.
type placeIndex map[string][]span

type span struct {
	first, last int
	reach       int // the largest last line from the first range to this one
	finding     int
}

func newPlaceIndex(findings []Finding) placeIndex {
	index := make(placeIndex)
	for i := range findings {
		for _, l := range append([]Location{place(&findings[i])}, findings[i].AdditionalLocations...) {
			index[l.Path] = append(index[l.Path], span{first: l.StartLine, last: l.LastLine(), finding: i})
		}
	}
	for _, spans := range index {
		slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.first, b.first) })
		reach := 0
		for i := range spans {
			reach = max(reach, spans[i].last)
			spans[i].reach = reach
		}
	}
	return index
}

// touching returns the findings that overlap the location of f, in order.
func (x placeIndex) touching(f *Finding) []int {
	l := place(f)
	spans := x[l.Path]
	end, _ := slices.BinarySearchFunc(spans, l.LastLine()+1, func(s span, line int) int { return cmp.Compare(s.first, line) })
	var all []int
	for i := end - 1; i >= 0 && spans[i].reach >= l.StartLine; i-- {
		if spans[i].last >= l.StartLine {
			all = append(all, spans[i].finding)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// covers reports whether every place of g overlaps one of f.
func covers(f, g *Finding) bool {
	if (f.Location == nil) != (g.Location == nil) {
		return false
	}
	places := locationsOf(f)
	for _, l := range locationsOf(g) {
		if !slices.ContainsFunc(places, func(p Location) bool {
			return p.Path == l.Path && p.StartLine <= l.LastLine() && l.StartLine <= p.LastLine()
		}) {
			return false
		}
	}
	return true
}

func locationsOf(f *Finding) []Location {
	var all []Location
	if f.Location != nil {
		all = append(all, *f.Location)
	}
	return append(all, f.AdditionalLocations...)
}
