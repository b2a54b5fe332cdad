package scanner

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/provider"
)

// twoSkills run side by side; the second one is instructed with "SECOND".
func twoSkills() []Skill {
	return []Skill{
		{Name: "one", Instructions: "FIRST"},
		{Name: "two", Instructions: "SECOND"},
	}
}

func TestRunHandsSkillsOutInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := asker(func(_ context.Context, req provider.Request) (provider.Response, error) {
			if strings.Contains(req.System, "FIRST") {
				time.Sleep(time.Minute) // the second skill is done long before
			}
			return answer(nothing), nil
		})
		rec := &recorder{t: t}
		report, err := Run(t.Context(), twoSkills(), []diff.File{added("a.go", 1, 200)}, Options{Provider: p, OnEvent: rec.on})
		if err != nil {
			t.Fatal(err)
		}
		if report.Files != 1 || report.Chunks != 2 {
			t.Errorf("%d files with %d chunks, want the distinct ones: 1 and 2", report.Files, report.Chunks)
		}
		var got []string
		for _, e := range eventsOf[EventSkill](rec) {
			got = append(got, e.Report.Skill)
		}
		if d := cmp.Diff([]string{"one", "two"}, got); d != "" {
			t.Errorf("order of skills (-want +got):\n%s", d)
		}
	})
}

func TestAlsoReported(t *testing.T) {
	same := func(line int) string { return finding("high", "Query built from input", "", line) }
	tests := []struct {
		name     string
		one, two string
		policies map[string]Policy
		want     [2]int // findings that are left
	}{
		{"same place", same(2), same(2), nil, [2]int{1, 0}},
		{"other place", same(1), same(3), nil, [2]int{1, 1}},
		{"other words", same(2), finding("high", "Race on the map", "", 2), nil, [2]int{1, 1}},
		{"other severity", same(2), finding("low", "Query built from input", "", 2), nil, [2]int{1, 1}},
		{"the first one is hidden", same(2), same(2), map[string]Policy{"one": {ReportOn: ThresholdOff}}, [2]int{1, 1}},
		{"only the second one fails the run", same(2), same(2), map[string]Policy{"two": {FailOn: ThresholdHigh}}, [2]int{1, 1}},
		{"both fail the run", same(2), same(2), map[string]Policy{"one": {FailOn: ThresholdLow}, "two": {FailOn: ThresholdHigh}}, [2]int{1, 0}},
		{"one place of several", same(2), same(2) + "," + same(3), nil, [2]int{1, 1}},
		{"all places of several", same(2) + "," + same(3), same(3) + "," + same(2), nil, [2]int{1, 0}},
		{"the first one found nothing", "", same(2), nil, [2]int{0, 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := asker(func(_ context.Context, req provider.Request) (provider.Response, error) {
				if strings.Contains(req.System, "SECOND") {
					return answer(findings(tt.two)), nil
				}
				if tt.one == "" {
					return answer(nothing), nil
				}
				return answer(findings(tt.one)), nil
			})
			rec := &recorder{t: t}
			report, err := Run(t.Context(), twoSkills(), []diff.File{added("a.go", 1)},
				Options{Provider: p, Policies: tt.policies, OnEvent: rec.on})
			if err != nil {
				t.Fatal(err)
			}
			one, two := report.Skills[0], report.Skills[1]
			if got := [2]int{len(one.Findings), len(two.Findings)}; got != tt.want {
				t.Errorf("%v findings are left, want %v", got, tt.want)
			}
			var want map[string][]string
			if tt.want[1] == 0 {
				want = map[string][]string{one.Findings[0].ID: {"two"}}
				if told := eventsOf[EventSkill](rec)[0].Report; told.Metadata["alsoReportedBy"] != nil {
					t.Error("a report that was handed out has changed")
				}
				if len(mergeGroups(two)) != 0 {
					t.Errorf("the second report still groups it: %v", mergeGroups(two))
				}
				if two.Summary != "no findings" || two.Files[0].Findings != 0 {
					t.Errorf("the second report still counts it: %q, %d", two.Summary, two.Files[0].Findings)
				}
			}
			got, _ := one.Metadata["alsoReportedBy"].(map[string][]string)
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("alsoReportedBy (-want +got):\n%s", d)
			}
		})
	}
}

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
		index := placesOf(all)
		for i := range all {
			f := &Finding{Location: all[i].Location}
			var got, want []int
			for _, k := range index.candidates(f) {
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

func TestPathsAndSkips(t *testing.T) {
	binary := diff.File{Path: "logo.go", Status: diff.Added, Binary: true}
	files := []diff.File{added("a.go", 1), added("b.py", 1), added("c.txt", 1), added("gen/d.go", 1), binary}
	skills := []Skill{
		{Name: "go", Instructions: "x", Paths: []string{"**/*.go"}, IgnorePaths: []string{"gen/**"}},
		{Name: "python", Instructions: "x", Paths: []string{"**/*.py"}},
		{Name: "rust", Instructions: "x", Paths: []string{"**/*.rs"}},
	}
	p := asker(func(context.Context, provider.Request) (provider.Response, error) { return answer(nothing), nil })
	rec := &recorder{t: t}
	report, err := Run(t.Context(), skills, files, Options{Provider: p, OnEvent: rec.on})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range report.Skills {
		names = append(names, r.Skill)
		if len(r.Files) != 1 {
			t.Errorf("%s looked at %d files, want 1", r.Skill, len(r.Files))
		}
	}
	if d := cmp.Diff([]string{"go", "python"}, names); d != "" {
		t.Errorf("skills (-want +got):\n%s", d)
	}
	want := []SkippedFile{
		{Filename: "c.txt", Reason: "paths"},
		{Filename: "gen/d.go", Reason: "ignored", Pattern: "gen/**"},
		{Filename: "logo.go", Reason: "binary"},
	}
	if d := cmp.Diff(want, report.Skipped); d != "" {
		t.Errorf("skipped (-want +got):\n%s", d)
	}
	if report.Files+len(report.Skipped) != len(files) {
		t.Errorf("%d analyzed and %d skipped files are not the %d that changed", report.Files, len(report.Skipped), len(files))
	}
	if d := cmp.Diff(want, report.Skills[0].SkippedFiles); d != "" {
		t.Errorf("skipped by the first skill (-want +got):\n%s", d)
	}
	if d := cmp.Diff(want[:1], report.Skills[1].SkippedFiles); d != "" {
		t.Errorf("skipped by the second skill (-want +got):\n%s", d)
	}

	// A single skill reports also when no file is for it.
	single, err := RunSkill(t.Context(), skills[2], files[:2], Options{Provider: p})
	if err != nil {
		t.Fatal(err)
	}
	if len(single.SkippedFiles) != 2 || single.SkippedFiles[0].Reason != "paths" {
		t.Errorf("the report of a skill without files is %+v", single)
	}
	checkLedger(t, single, 0)
}

func TestIgnoredByOneSkillOnly(t *testing.T) {
	skills := []Skill{
		{Name: "one", Instructions: "x", IgnorePaths: []string{"a.go"}},
		{Name: "two", Instructions: "x"},
	}
	p := asker(func(context.Context, provider.Request) (provider.Response, error) { return answer(nothing), nil })
	report, err := Run(t.Context(), skills, []diff.File{added("a.go", 1)}, Options{Provider: p})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Skipped) != 0 || report.Files != 1 {
		t.Errorf("skipped %v, files %d; the second skill looked at it", report.Skipped, report.Files)
	}
	want := []SkippedFile{{Filename: "a.go", Reason: "ignored", Pattern: "a.go"}}
	if d := cmp.Diff(want, report.Skills[0].SkippedFiles); d != "" {
		t.Errorf("skipped by the first skill (-want +got):\n%s", d)
	}
}

// TestIgnoredByAllSkills shows that each skill names its own pattern, and a file
// once that a series of patches changes twice.
func TestIgnoredByAllSkills(t *testing.T) {
	skills := []Skill{
		{Name: "one", Instructions: "x", IgnorePaths: []string{"*.go"}},
		{Name: "two", Instructions: "x", IgnorePaths: []string{"a.*"}},
		{Name: "three", Instructions: "x"},
	}
	p := asker(func(context.Context, provider.Request) (provider.Response, error) { return answer(nothing), nil })
	for _, n := range []int{2, 3} {
		report, err := Run(t.Context(), skills[:n], []diff.File{added("a.go", 1), added("a.go", 500)}, Options{Provider: p})
		if err != nil {
			t.Fatal(err)
		}
		if got := report.Files + len(report.Skipped); got != 1 {
			t.Errorf("%d skills: %d files are accounted for, want 1", n, got)
		}
		for k, pattern := range []string{"*.go", "a.*"} {
			want := []SkippedFile{{Filename: "a.go", Reason: "ignored", Pattern: pattern}}
			if d := cmp.Diff(want, report.Skills[k].SkippedFiles); d != "" {
				t.Errorf("%d skills: skipped by number %d (-want +got):\n%s", n, k+1, d)
			}
		}
	}
}

// TestFileTwice is about a series of patches that change a file more than once.
func TestFileTwice(t *testing.T) {
	p := asker(func(_ context.Context, req provider.Request) (provider.Response, error) {
		if strings.Contains(user(req), "first of a.go:1\n") {
			return answer(findings(finding("high", "Early", "", 1))), nil
		}
		return answer(findings(finding("high", "Late", "", 500))), nil
	})
	rec := &recorder{t: t}
	report, err := Run(t.Context(), []Skill{reviewer}, []diff.File{added("a.go", 1), added("b.go", 500), added("a.go", 500)}, Options{Provider: p, OnEvent: rec.on})
	if err != nil {
		t.Fatal(err)
	}
	checkLedger(t, report.Skills[0], 3)
	planned := eventsOf[EventPlanned](rec)[0]
	if d := cmp.Diff([]PlannedFile{{Path: "a.go", Chunks: 2}, {Path: "b.go", Chunks: 1}}, planned.Files); d != "" {
		t.Errorf("planned files (-want +got):\n%s", d)
	}
	if n := len(planned.Skills[0].Files); n != 3 {
		t.Errorf("%d files are planned for the skill, want the three changes", n)
	}
	if report.Files != 2 || report.Chunks != 3 || len(report.Skills[0].Files) != 2 || report.Skills[0].Files[0].Chunks.Total != 2 {
		t.Errorf("%d files with %d chunks, in the report %+v", report.Files, report.Chunks, report.Skills[0].Files)
	}
}

// TestTypeChange is about a file that became a link, or a link that became a
// file: two entries of one name.
func TestTypeChange(t *testing.T) {
	gone := func(path string) diff.File { return diff.File{Path: path, Status: diff.Deleted, OldMode: 0o100644} }
	link := func(path string) diff.File {
		return diff.File{Path: path, Status: diff.Added, Mode: 0o120000, Skip: diff.ReasonLink}
	}
	p := asker(func(context.Context, provider.Request) (provider.Response, error) { return answer(nothing), nil })
	report, err := Run(t.Context(), []Skill{reviewer}, []diff.File{gone("a.go"), added("a.go", 1), gone("b.go"), link("b.go"), gone("c.go")}, Options{Provider: p})
	if err != nil {
		t.Fatal(err)
	}
	want := []SkippedFile{{Filename: "b.go", Reason: "link"}, {Filename: "c.go", Reason: "deleted"}}
	if d := cmp.Diff(want, report.Skipped); d != "" {
		t.Errorf("skipped (-want +got):\n%s", d)
	}
	if d := cmp.Diff(want, report.Skills[0].SkippedFiles); d != "" {
		t.Errorf("skipped by the skill (-want +got):\n%s", d)
	}
	if report.Files != 1 {
		t.Errorf("%d files were analyzed, want 1", report.Files)
	}
}

// FuzzAnswer shows that whatever a model answers, the ledger adds up, nothing
// panics, and only valid findings in the chunk's own lines come out.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{
		nothing, "", "no json", "{", findings(finding("high", "T", "second of a.go:10", 11)),
		findings(finding("high", "T", "x", -1), `{"title":1}`, `null`), "```json\n" + nothing + "\n```",
		findings(`{"severity":"low","title":"t","description":"d","location":{"path":"b.go","startLine":1e300}}`),
		findings(`{"severity":"low","title":"t","description":"d","startLine":12,"endLine":3,"suggestedFix":{"description":"","diff":"@@"}}`),
		"{\"findings\":[{\"severity\":\"low\",\"title\":\"\\u0000\xff\",\"description\":\"d\"}",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p := asker(func(context.Context, provider.Request) (provider.Response, error) { return answer(text), nil })
		report, err := RunSkill(t.Context(), reviewer, []diff.File{added("a.go", 10), added("b.go", 10)},
			Options{Provider: p, Retry: provider.RetryPolicy{MaxRetries: -1}})
		if err != nil {
			t.Fatal(err)
		}
		checkLedger(t, report, 2)
		for _, f := range report.Findings {
			if err := f.Validate(); err != nil {
				t.Errorf("invalid finding %+v: %v", f, err)
			}
			if l := f.Location; l != nil && (l.StartLine < 10 || l.StartLine > 12) {
				t.Errorf("finding outside of the chunk: %s", l)
			}
		}
	})
}

// BenchmarkAlsoReported has two skills find the same, each once in a line: ten
// times the findings should take about ten times the time.
func BenchmarkAlsoReported(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			report := func(skill string) *SkillReport {
				r := &SkillReport{Skill: skill, Metadata: make(map[string]any)}
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
				r := &run{reports: []*SkillReport{one}}
				mine := *two
				mine.Metadata = make(map[string]any)
				if left := r.dropAlsoReported(&mine); len(left.Findings) != 0 {
					b.Fatalf("%d findings are left", len(left.Findings))
				}
			}
		})
	}
}

// BenchmarkRunSkill measures what the pipeline itself costs for each chunk.
func BenchmarkRunSkill(b *testing.B) {
	const chunks = 10_000
	var files []diff.File
	for i := range chunks / 10 {
		starts := make([]int, 10)
		for k := range starts {
			starts[k] = 1 + 100*k
		}
		files = append(files, added(fmt.Sprintf("dir%d/file%d.go", i%10, i), starts...))
	}
	s := reviewer
	for i := range 50 { // as many as a built-in skill has
		s.Patterns = append(s.Patterns, Pattern{
			ID: fmt.Sprint(i), Regexp: regexp.MustCompile(fmt.Sprintf(`\bcall%d\.(?:one|two)\(.*\)`, i)), Files: []string{"**/*.go"},
			Severity: SeverityLow, Title: "t", Description: "d",
		})
	}
	resp := answer(findings(finding("medium", "Error of the call is ignored", "", 1)))
	p := asker(func(context.Context, provider.Request) (provider.Response, error) { return resp, nil })
	b.ReportAllocs()
	for b.Loop() {
		report, err := RunSkill(b.Context(), s, files, Options{Provider: p})
		if err != nil || report.Chunks.Analyzed != chunks {
			b.Fatalf("error %v, report %+v", err, report)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/chunks, "µs/chunk")
}
