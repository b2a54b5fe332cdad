package github_test

import (
	"fmt"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/github"
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
	plan, err := github.NewPlan(github.Result{
		Repo:   github.Repo{Owner: "codescan-dev", Name: "scanner"},
		Number: 1,
		Head:   "0123456789abcdef0123456789abcdef01234567",
		Skills: []github.SkillResult{{Report: report, Selection: scanner.Select(report, scanner.Policy{})}},
		Files:  files,
	}, github.State{Account: "github-actions[bot]"})
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

func ExampleParseEvent() {
	ev, err := github.ParseEvent("pull_request", []byte(`{"action":"opened","pull_request":{"number":7,
		"head":{"ref":"topic","sha":"1111111111111111111111111111111111111111","repo":{"full_name":"fork/scanner"}},
		"base":{"ref":"main","sha":"2222222222222222222222222222222222222222","repo":{"full_name":"codescan-dev/scanner"}}}}`))
	fmt.Println(ev.Number, ev.Action, ev.Repo, ev.Fork, err)
	// Output: 7 opened codescan-dev/scanner true <nil>
}
