package scanner

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPlaceIndex(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	location := func() Location {
		l := Location{Path: string(rune('a' + r.IntN(2))), StartLine: 1 + r.IntN(100)}
		if r.IntN(2) == 0 {
			l.EndLine = l.StartLine + r.IntN(40)
		}
		return l
	}
	for range 200 {
		all := make([]Finding, r.IntN(30))
		for i := range all {
			if r.IntN(10) > 0 {
				all[i].Location = new(location())
			}
			for range r.IntN(3) {
				all[i].AdditionalLocations = append(all[i].AdditionalLocations, location())
			}
		}
		index := newPlaceIndex(all)
		for i := range all {
			f := &Finding{Location: all[i].Location}
			var got, want []int
			for _, k := range index.touching(f) {
				if covers(&all[k], f) {
					got = append(got, k)
				}
			}
			for k := range all {
				if covers(&all[k], f) {
					want = append(want, k)
				}
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Fatalf("findings that cover %v (-all +index):\n%s", f.Location, d)
			}
		}
	}
}

// BenchmarkDropDuplicates has two skills find the same, each once in a line: ten
// times the findings should take about ten times the time.
func BenchmarkDropDuplicates(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			report := func(skill string) *SkillReport {
				r := &SkillReport{Skill: skill}
				for i := range n {
					r.Findings = append(r.Findings, Finding{
						ID: fmt.Sprint(i), Severity: SeverityHigh, Title: "Result of the call is ignored", Description: "It may be an error.",
						Location: &Location{Path: "a.go", StartLine: i + 1},
					})
				}
				return r
			}
			one, two := report("one"), report("two")
			for b.Loop() {
				later := *two
				dropDuplicates(&later, []*SkillReport{one}, nil)
				if len(later.Findings) != 0 || len(later.Duplicates) != n {
					b.Fatalf("%d findings are left", len(later.Findings))
				}
			}
		})
	}
}
