package scanner_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/provider"
)

// twoSkills run side by side; the second one is instructed with "SECOND".
func twoSkills() []scanner.Skill {
	return []scanner.Skill{
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
		report, err := scanner.Run(t.Context(), twoSkills(), []diff.File{added("a.go", 1, 200)}, scanner.Options{Provider: p, OnEvent: rec.on})
		if err != nil {
			t.Fatal(err)
		}
		if report.Files != 1 || report.Chunks != 2 {
			t.Errorf("%d files with %d chunks, want the distinct ones: 1 and 2", report.Files, report.Chunks)
		}
		var got []string
		for _, e := range eventsOf[scanner.EventSkill](rec) {
			got = append(got, e.Report.Skill)
		}
		if d := cmp.Diff([]string{"one", "two"}, got); d != "" {
			t.Errorf("order of skills (-want +got):\n%s", d)
		}
	})
}

func TestPathsAndSkips(t *testing.T) {
	binary := diff.File{Path: "logo.go", Status: diff.Added, Binary: true}
	files := []diff.File{added("a.go", 1), added("b.py", 1), added("c.txt", 1), added("gen/d.go", 1), binary}
	skills := []scanner.Skill{
		{Name: "go", Instructions: "x", Paths: []string{"**/*.go"}, IgnorePaths: []string{"gen/**"}},
		{Name: "python", Instructions: "x", Paths: []string{"**/*.py"}},
		{Name: "rust", Instructions: "x", Paths: []string{"**/*.rs"}},
	}
	p := asker(func(context.Context, provider.Request) (provider.Response, error) { return answer(nothing), nil })
	rec := &recorder{t: t}
	report, err := scanner.Run(t.Context(), skills, files, scanner.Options{Provider: p, OnEvent: rec.on})
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
	want := []scanner.SkippedFile{
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
	single, err := scanner.RunSkill(t.Context(), skills[2], files[:2], scanner.Options{Provider: p})
	if err != nil {
		t.Fatal(err)
	}
	if len(single.SkippedFiles) != 2 || single.SkippedFiles[0].Reason != "paths" {
		t.Errorf("the report of a skill without files is %+v", single)
	}
	checkLedger(t, single, 0)
}

func TestIgnoredByOneSkillOnly(t *testing.T) {
	skills := []scanner.Skill{
		{Name: "one", Instructions: "x", IgnorePaths: []string{"a.go"}},
		{Name: "two", Instructions: "x"},
	}
	p := asker(func(context.Context, provider.Request) (provider.Response, error) { return answer(nothing), nil })
	report, err := scanner.Run(t.Context(), skills, []diff.File{added("a.go", 1)}, scanner.Options{Provider: p})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Skipped) != 0 || report.Files != 1 {
		t.Errorf("skipped %v, files %d; the second skill looked at it", report.Skipped, report.Files)
	}
	want := []scanner.SkippedFile{{Filename: "a.go", Reason: "ignored", Pattern: "a.go"}}
	if d := cmp.Diff(want, report.Skills[0].SkippedFiles); d != "" {
		t.Errorf("skipped by the first skill (-want +got):\n%s", d)
	}
}

// TestIgnoredByAllSkills shows that each skill names its own pattern, and a file
// once that a series of patches changes twice.
func TestIgnoredByAllSkills(t *testing.T) {
	skills := []scanner.Skill{
		{Name: "one", Instructions: "x", IgnorePaths: []string{"*.go"}},
		{Name: "two", Instructions: "x", IgnorePaths: []string{"a.*"}},
		{Name: "three", Instructions: "x"},
	}
	p := asker(func(context.Context, provider.Request) (provider.Response, error) { return answer(nothing), nil })
	for _, n := range []int{2, 3} {
		report, err := scanner.Run(t.Context(), skills[:n], []diff.File{added("a.go", 1), added("a.go", 500)}, scanner.Options{Provider: p})
		if err != nil {
			t.Fatal(err)
		}
		if got := report.Files + len(report.Skipped); got != 1 {
			t.Errorf("%d skills: %d files are accounted for, want 1", n, got)
		}
		for k, pattern := range []string{"*.go", "a.*"} {
			want := []scanner.SkippedFile{{Filename: "a.go", Reason: "ignored", Pattern: pattern}}
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
	report, err := scanner.Run(t.Context(), []scanner.Skill{reviewer}, []diff.File{added("a.go", 1), added("b.go", 500), added("a.go", 500)}, scanner.Options{Provider: p, OnEvent: rec.on})
	if err != nil {
		t.Fatal(err)
	}
	checkLedger(t, report.Skills[0], 3)
	planned := eventsOf[scanner.EventPlanned](rec)[0]
	if d := cmp.Diff([]scanner.PlannedFile{{Path: "a.go", Chunks: 2}, {Path: "b.go", Chunks: 1}}, planned.Files); d != "" {
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
	report, err := scanner.Run(t.Context(), []scanner.Skill{reviewer}, []diff.File{gone("a.go"), added("a.go", 1), gone("b.go"), link("b.go"), gone("c.go")}, scanner.Options{Provider: p})
	if err != nil {
		t.Fatal(err)
	}
	want := []scanner.SkippedFile{{Filename: "b.go", Reason: "link"}, {Filename: "c.go", Reason: "deleted"}}
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

// FuzzAnswer shows that for any answer of a model the ledger adds up, nothing
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
		report, err := scanner.RunSkill(t.Context(), reviewer, []diff.File{added("a.go", 10), added("b.go", 10)},
			scanner.Options{Provider: p, Retry: provider.RetryPolicy{MaxRetries: -1}})
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
		s.Patterns = append(s.Patterns, scanner.Pattern{
			ID: fmt.Sprint(i), Regexp: regexp.MustCompile(fmt.Sprintf(`\bcall%d\.(?:one|two)\(.*\)`, i)), Files: []string{"**/*.go"},
			Severity: scanner.SeverityLow, Title: "t", Description: "d",
		})
	}
	resp := answer(findings(finding("medium", "Error of the call is ignored", "", 1)))
	p := asker(func(context.Context, provider.Request) (provider.Response, error) { return resp, nil })
	b.ReportAllocs()
	for b.Loop() {
		report, err := scanner.RunSkill(b.Context(), s, files, scanner.Options{Provider: p})
		if err != nil || report.Chunks.Analyzed != chunks {
			b.Fatalf("error %v, report %+v", err, report)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/chunks, "µs/chunk")
}

// TestSkillsShareReading shows that a file that is scanned whole is read once to be
// split, and once more for all chunks and all skills.
func TestSkillsShareReading(t *testing.T) {
	var mu sync.Mutex
	reads := make(map[string]int)
	var files []diff.File
	for _, path := range []string{"a.go", "b.go", "go.sum"} {
		files = append(files, diff.File{Path: path, Status: diff.Added, Load: func() ([]byte, error) {
			mu.Lock()
			defer mu.Unlock()
			reads[path]++
			return []byte(strings.Repeat("value := secret\n", 2000)), nil
		}})
	}
	rule := scanner.Pattern{ID: "r", Regexp: regexp.MustCompile("secret$"), Severity: scanner.SeverityLow, Confidence: scanner.ConfidenceLow, Title: "Secret", Description: "A secret.", Scope: scanner.ScopeAny}
	skills := []scanner.Skill{
		{Name: "one", Patterns: []scanner.Pattern{rule}},
		{Name: "two", Patterns: []scanner.Pattern{rule}},
		{Name: "three", Patterns: []scanner.Pattern{rule}, Paths: []string{"b.go"}},
	}
	report, err := scanner.Run(t.Context(), skills, files, scanner.Options{PatternsOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(map[string]int{"a.go": 2, "b.go": 2, "go.sum": 2}, reads); d != "" {
		t.Errorf("reads (-want +got):\n%s", d)
	}
	if one, three := report.Skills[0], report.Skills[2]; report.Chunks < 8 || len(one.Findings) == 0 || three.Chunks.Total != report.Chunks/2 || three.Chunks.Analyzed != three.Chunks.Total {
		t.Errorf("%d chunks, %d findings, %+v of the third skill", report.Chunks, len(one.Findings), three.Chunks)
	}
}
