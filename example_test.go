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
