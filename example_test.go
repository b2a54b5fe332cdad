package scanner_test

import (
	"context"
	"fmt"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/provider"
	"github.com/codescan-dev/scanner/skill"
)

const patch = `--- a/store.go
+++ b/store.go
@@ -8,3 +8,6 @@ func (s *Store) Close() error {
 	s.mu.Lock()
+	if s.closed {
+		return nil
+	}
 	defer s.mu.Unlock()
 	return s.file.Close()
`

// model replaces a language model. It answers as one does: in JSON, with a
// quote of the line it means, and with a line number that is not quite right.
type model struct{}

func (model) Complete(context.Context, provider.Request) (provider.Response, error) {
	return provider.Response{Stop: provider.StopEnd, Text: `{"findings": [{
		"severity": "high", "confidence": "high",
		"title": "Mutex stays locked when the store is closed twice",
		"description": "The return comes before the deferred unlock. The next call of any method blocks forever.",
		"location": {"path": "store.go", "startLine": 8, "quote": "if s.closed {"}
	}]}`}, nil
}

func ExampleRunSkill() {
	files, err := diff.Parse([]byte(patch))
	if err != nil {
		fmt.Println(err)
		return
	}
	bugs := scanner.Skill{Name: "bugs", Instructions: "Find bugs that the change introduces."}
	report, err := scanner.RunSkill(context.Background(), bugs, files, scanner.Options{Provider: model{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range report.Findings {
		fmt.Println(f.Location, f.Severity, f.Title)
	}
	fmt.Println(report.Summary)
	// Output:
	// store.go:9 high Mutex stays locked when the store is closed twice
	// 1 findings (1 high, 0 medium, 0 low)
}

// Without a model, the patterns of the built-in skills run.
func ExampleRun() {
	files, err := diff.Parse([]byte("--- a/poll.go\n+++ b/poll.go\n@@ -0,0 +1 @@\n+\ttime.Sleep(10)\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	review, _, err := skill.Discover(skill.Builtin()).Find(skill.CodeReview)
	if err != nil {
		fmt.Println(err)
		return
	}
	run, err := scanner.Run(context.Background(), []scanner.Skill{review}, files, scanner.Options{PatternsOnly: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, report := range run.Skills {
		selection, err := scanner.Select(report, scanner.Policy{ReportOn: scanner.ThresholdMedium})
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, f := range selection.Shown {
			fmt.Println(f.Location, f.Severity, f.Title)
		}
	}
	// Output:
	// poll.go:1 medium Duration without a unit is in nanoseconds
}

// What another program found gets the place and the identity that it would have if a
// skill had found it, and is reported in the same way.
func ExampleAssignIDs() {
	files, err := diff.Parse([]byte(patch))
	if err != nil {
		fmt.Println(err)
		return
	}
	var found []scanner.Finding
	var texts []scanner.PlaceText
	for _, c := range (diff.Chunking{}).Plan(files[0], nil).Chunks {
		shown, err := c.Text()
		if err != nil {
			fmt.Println(err)
			return
		}
		anchor := scanner.NewAnchor(&c, shown)
		line, _, ok := anchor.Locate("if s.closed {", 0, 0)
		if !ok || line < c.StartLine || line > c.EndLine {
			continue // not in the change
		}
		found = append(found, scanner.Finding{
			Severity: scanner.SeverityHigh, Title: "Lock without unlock", Description: "The function returns with the lock.",
			Location: &scanner.Location{Path: c.Path, StartLine: line},
		})
		texts = append(texts, anchor.Text(line))
	}
	findings, places := scanner.AssignIDs("lint", found, texts)
	findings, groups := scanner.Merge(scanner.Dedupe(findings))
	report := &scanner.SkillReport{Skill: "lint", Findings: findings, MergeGroups: groups, PlaceHashes: places}
	selection, err := scanner.Select(report, scanner.Policy{FailOn: scanner.ThresholdHigh})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range selection.Shown {
		fmt.Println(f.ID, f.Location, f.Title)
	}
	fmt.Println("complete:", report.Complete(), "fails:", selection.Fails)
	// Output:
	// f8b5b9392745 store.go:9 Lock without unlock
	// complete: true fails: true
}

// The line of a quote is found although the number is wrong and the white space differs.
func ExampleAnchor_Locate() {
	files, err := diff.Parse([]byte(patch))
	if err != nil {
		fmt.Println(err)
		return
	}
	chunk := diff.Chunking{}.Plan(files[0], nil).Chunks[0]
	shown, err := chunk.Text()
	if err != nil {
		fmt.Println(err)
		return
	}
	anchor := scanner.NewAnchor(&chunk, shown)
	fmt.Println(anchor.Locate("return nil\n}", 30, 0))
	fmt.Println(anchor.Locate("return errClosed", 10, 0))
	// Output:
	// 10 11 true
	// 0 0 false
}

func ExampleSkillReport_Complete() {
	report := &scanner.SkillReport{Skill: "bugs", Chunks: scanner.ChunkCounts{Total: 9, Analyzed: 7, NotAnalyzed: 2}}
	selection, err := scanner.Select(report, scanner.Policy{FailOn: scanner.ThresholdHigh})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("fails:", selection.Fails, "complete:", report.Complete())
	fmt.Println(selection.Summary)
	// Output:
	// fails: false complete: false
	// no findings; incomplete: of 9 chunks 0 failed and 2 were not analyzed
}

// A finding belongs to the change if it starts in one of its chunks.
func ExampleFilterHunk() {
	files, err := diff.Parse([]byte(patch))
	if err != nil {
		fmt.Println(err)
		return
	}
	findings := []scanner.Finding{
		{Title: "in the change", Location: &scanner.Location{Path: "store.go", StartLine: 9}},
		{Title: "elsewhere", Location: &scanner.Location{Path: "store.go", StartLine: 90}},
	}
	for _, c := range (diff.Chunking{}).Plan(files[0], nil).Chunks {
		for _, f := range scanner.FilterHunk(findings, c.StartLine, c.EndLine) {
			fmt.Println(f.Location, f.Title)
		}
	}
	// Output:
	// store.go:9 in the change
}

func ExampleMerge() {
	at := func(path string, line int) *scanner.Location {
		return &scanner.Location{Path: path, StartLine: line}
	}
	merged, groups := scanner.Merge([]scanner.Finding{
		{ID: "1", Severity: scanner.SeverityHigh, Title: "Error of Close is ignored", Description: "Data may be lost.", Location: at("a.go", 12)},
		{ID: "2", Severity: scanner.SeverityHigh, Title: "error of Close is ignored", Description: "Data may be lost!", Location: at("b.go", 7)},
	})
	fmt.Println(len(merged), merged[0].Location, merged[0].AdditionalLocations)
	fmt.Println(groups[0].Primary, groups[0].Merged[0].ID)
	// Output:
	// 1 a.go:12 [b.go:7]
	// 1 2
}
