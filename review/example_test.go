package review_test

import (
	"fmt"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/review"
)

// Example plans what is to be posted about a pull request on which nothing was
// posted yet.
func Example() {
	files, err := diff.Parse([]byte("--- a/f.go\n+++ b/f.go\n@@ -1,2 +1,3 @@\n package f\n+var x = y / 0\n var z int\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	report := &scanner.SkillReport{
		Skill: "code-review",
		Findings: []scanner.Finding{{
			ID: "1", Severity: scanner.SeverityHigh, Title: "Division by zero", Description: "It panics.",
			Location: &scanner.Location{Path: "f.go", StartLine: 2},
		}},
	}
	selection, err := scanner.Select(report, scanner.Policy{})
	if err != nil {
		fmt.Println(err)
		return
	}
	plan, err := review.NewPlan(review.Result{
		Number: 1,
		Head:   "0123456789abcdef0123456789abcdef01234567",
		Skills: []review.SkillResult{{Report: report, Selection: selection}},
		Files:  files,
	}, review.State{Account: "github-actions[bot]"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(plan)
	// Output:
	// create  check run "scanner/code-review": neutral
	// create  comment f.go:2 "Division by zero": new finding
	// create  summary comment: there is none
}
