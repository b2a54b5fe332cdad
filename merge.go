package scanner

import (
	"cmp"
	"slices"

	"github.com/codescan-dev/scanner/internal/similar"
)

// Sort returns the findings in the order of their priority: severity with high
// first; confidence with high first, a missing one counting as low; path, a
// missing location counting as the empty path; start line, a missing location
// counting as line 0. Ties are broken by id, so that the order is total. It is
// rule 7 of the processing rules.
func Sort(findings []Finding) []Finding {
	sorted := slices.Clone(findings)
	slices.SortStableFunc(sorted, func(a, b Finding) int { return Compare(&a, &b) })
	return sorted
}

// Compare returns the order of two findings in [Sort]: negative if a comes first,
// positive if b does.
func Compare(a, b *Finding) int {
	if c := cmp.Compare(a.Severity.Rank(), b.Severity.Rank()); c != 0 {
		return c
	}
	if c := cmp.Compare(a.Confidence.Rank(), b.Confidence.Rank()); c != 0 {
		return c
	}
	la, lb := place(a), place(b)
	return cmp.Or(
		cmp.Compare(la.Path, lb.Path),
		cmp.Compare(la.StartLine, lb.StartLine),
		cmp.Compare(a.ID, b.ID),
	)
}

// place returns the location that ordering uses for a finding.
func place(f *Finding) Location {
	if f.Location == nil {
		return Location{}
	}
	return *f.Location
}

// Dedupe returns the findings without those whose id occurred before. It is rule
// 5 of the processing rules.
func Dedupe(findings []Finding) []Finding {
	seen := make(map[string]bool, len(findings))
	return keep(findings, func(f *Finding) bool {
		dup := seen[f.ID]
		seen[f.ID] = true
		return !dup
	})
}

// Merge joins similar findings at different places. It is rule 6 of the processing
// rules. Two findings resemble each other when they have the same severity, both
// or neither of them have a location, and their titles and descriptions, taken as
// sets of normalized words and pairs of adjacent words, have Dice coefficients of
// at least 0.8 and 0.6.
//
// Those of rules also have the same rule and confidence.
//
// Findings are taken in the order of [Sort]. Each joins the first group whose
// primary it resembles, or else becomes the primary of a new group: there is no
// chaining, and the result does not depend on the order of the argument. The
// locations of the other members are added to the primary's
// AdditionalLocations, each once.
//
// Merge returns the primaries in the order of Sort, and the groups that have
// more than one member.
func Merge(findings []Finding) ([]Finding, []MergeGroup) {
	sorted := Sort(findings)
	groupOf := newMatcher(sorted, byRule(sorted)).Groups()

	members := make(map[int][]int) // primary -> the others
	var merged []Finding
	for i, primary := range groupOf {
		if primary != i {
			members[primary] = append(members[primary], i)
		}
	}
	var groups []MergeGroup
	for i, primary := range groupOf {
		if primary != i {
			continue
		}
		f := sorted[i]
		if others := members[i]; len(others) > 0 {
			group := MergeGroup{Primary: f.ID}
			places := newPlaces(f)
			for _, j := range others {
				m := &sorted[j]
				group.Merged = append(group.Merged, MergedFinding{
					ID: m.ID, Location: m.Location, SuggestedFix: m.SuggestedFix,
				})
				if m.Location != nil {
					places.add(*m.Location)
				}
				for _, l := range m.AdditionalLocations {
					places.add(l)
				}
			}
			f.AdditionalLocations = places.list
			groups = append(groups, group)
		}
		merged = append(merged, f)
	}
	return merged, groups
}

// byRule returns for each of the findings a number of its own for its rule and
// confidence; 0 for one of a model.
func byRule(findings []Finding) []int {
	numbers := make(map[string]int)
	kinds := make([]int, len(findings))
	for i, f := range findings {
		if f.Rule == "" {
			continue
		}
		key := f.Rule + " " + string(f.Confidence)
		if numbers[key] == 0 {
			numbers[key] = len(numbers) + 1
		}
		kinds[i] = numbers[key]
	}
	return kinds
}

// newMatcher compares findings. Those of different kinds, if there are any, are never
// similar.
func newMatcher(findings []Finding, kinds []int) *similar.Matcher {
	items := make([]similar.Item, len(findings))
	for i, f := range findings {
		class := 2 * f.Severity.Rank()
		if f.Location != nil {
			class++
		}
		if kinds != nil {
			class += 8 * kinds[i]
		}
		items[i] = similar.Item{Class: class, Title: f.Title, Description: f.Description}
	}
	return similar.New(items)
}

// Places returns for each of the findings, which are from the report, the places
// where it was found: its location, and those of the findings that were merged
// into it, each once. What a model calls related code is not among them.
func (r *SkillReport) Places(findings []Finding) [][]Location {
	merged := make(map[string][]MergedFinding, len(r.MergeGroups))
	for _, g := range r.MergeGroups {
		merged[g.Primary] = append(merged[g.Primary], g.Merged...)
	}
	all := make([][]Location, len(findings))
	for i, f := range findings {
		found := newPlaces(Finding{})
		for _, m := range append([]MergedFinding{{Location: f.Location}}, merged[f.ID]...) {
			if m.Location != nil {
				found.add(*m.Location)
			}
		}
		all[i] = found.list
	}
	return all
}

// SimilarTitles reports whether two titles resemble each other (rule 6): their
// Dice coefficient is at least 0.8. It recognizes a finding that an earlier run
// reported in other words.
func SimilarTitles(a, b string) bool { return similar.Titles(a, b) }

// places collects the additional locations of a finding, each once, and never
// its own location.
type places struct {
	seen map[Location]bool
	list []Location
}

func newPlaces(f Finding) *places {
	p := &places{seen: make(map[Location]bool)}
	if f.Location != nil {
		p.seen[normalPlace(*f.Location)] = true
	}
	for _, l := range f.AdditionalLocations {
		p.add(l)
	}
	return p
}

func (p *places) add(l Location) {
	if n := normalPlace(l); !p.seen[n] {
		p.seen[n] = true
		p.list = append(p.list, l)
	}
}

// normalPlace gives the two spellings of a single line one form.
func normalPlace(l Location) Location {
	l.EndLine = l.LastLine()
	return l
}
