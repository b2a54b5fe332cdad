package github

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/codescan-dev/scanner"
)

// show writes a rendering as one text, for goldens.
func show(r Rendering) string {
	var b strings.Builder
	for _, c := range r.Comments {
		fmt.Fprintf(&b, "=== comment %s start_line=%d line=%d\n%s\n", c.Path, c.StartLine, c.Line, c.Body)
	}
	fmt.Fprintf(&b, "=== summary\n%s\n", r.Summary)
	for _, c := range r.Checks {
		fmt.Fprintf(&b, "=== check %s %s %q\n%s\n", c.Name, c.Conclusion, c.Title, c.Summary)
		for _, a := range c.Annotations {
			fmt.Fprintf(&b, "--- %s:%d-%d %s %q\n%s\n", a.Path, a.StartLine, a.EndLine, a.Level, a.Title, a.Message)
		}
	}
	fmt.Fprintf(&b, "=== request changes: %t\n", r.RequestChanges)
	return b.String()
}

func render(t *testing.T, r Result) Rendering {
	t.Helper()
	out, err := Render(r)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestRender(t *testing.T) {
	injection := found("SQL injection through <name>", "app/db.go", 13, 16)
	injection.Severity = scanner.SeverityHigh
	injection.Description = "The `name` is put into the query.\n\n```go\nq := \"…\" + name // <- here\n```\n\nUse a placeholder & bind it."
	injection.Verification = "Pass `' or 1=1 --`."
	injection.AdditionalLocations = []scanner.Location{{Path: "app/db.go", StartLine: 45}, {Path: "docs/read me.md", StartLine: 1, EndLine: 2}}
	injection.SuggestedFix = &scanner.SuggestedFix{
		Description: "Use a placeholder",
		Diff:        "--- a/app/db.go\n+++ b/app/db.go\n@@ -13,4 +13,2 @@\n-\tq := \"select * from users where name = '\" + name + \"'\"\n-\tlog(q)\n-\tlog(q)\n-\trun(q)\n+\tlog(name)\n+\trun(\"select * from users where name = ?\", name)\n",
	}
	far := found("Beyond the hunk", "app/db.go", 45, 90)
	far.SuggestedFix = &scanner.SuggestedFix{Description: "Change another line", Diff: "@@ -43,2 +43,2 @@\n-\ta()\n+\tx()\n \tb()\n"}
	outside := found("Not in the diff", "app/db.go", 30, 0)
	outside.Severity = scanner.SeverityLow
	concept := found("No tests", "", 0, 0)
	concept.Confidence = ""

	full := resultOf(t, skillOf("code-review", injection, far, outside, concept), skillOf("security"))
	full.Skills[0].Report.SkippedFiles = []scanner.SkippedFile{{Filename: "go.sum", Reason: "builtin", Pattern: "go.sum"}, {Filename: "a`b.png", Reason: "binary"}}
	full.Skills[0].Selection = scanner.Select(full.Skills[0].Report, scanner.Policy{ReportOn: scanner.ThresholdMedium, FailOn: scanner.ThresholdHigh})
	full.Skills[0].RequestChanges = true
	full.Skills[0].Report.Metadata["alsoReportedBy"] = map[string][]string{injection.ID: {"security"}}
	full.PolicyFiles = []string{"scanner.toml"}
	full.RunURL = "https://github.com/o/r/actions/runs/1"

	clean := resultOf(t, skillOf("code-review"))

	bad := resultOf(t, skillOf("code-review", injection, outside, concept))
	bad.Skills[0].Report.Chunks = scanner.ChunkCounts{Total: 12, Analyzed: 9, Failed: 2, NotAnalyzed: 1}
	bad.Skills[0].Report.FailedHunks = 2
	bad.Skills[0].Report.Failures = []scanner.ChunkFailure{{Reason: "RateLimitError"}, {Reason: "RateLimitError"}}
	bad.Stopped = errors.New("the budget is used up: $1.00 of at most $1.00 were spent")

	offline := resultOf(t, skillOf("code-review"))
	offline.Skills[0].Report.PatternsOnly = true
	offline.Skills[0].Report.Usage = nil
	offline.Duration = 999600 * time.Microsecond
	offline.Notes = []string{"No key is available to a pull request from a fork."}

	untrusted := resultOf(t, skillOf("code-review", injection))
	untrusted.Untrusted = true
	untrusted.Skills[0].RequestChanges = true
	untrusted.Skills[0].Selection.Fails = true

	branch := resultOf(t, skillOf("code-review", injection, concept))
	branch.Number, branch.Files = 0, nil

	for _, tt := range []struct {
		name string
		r    Result
	}{
		{"full", full}, {"clean", clean}, {"incomplete", bad}, {"offline", offline},
		{"untrusted", untrusted}, {"branch", branch},
	} {
		t.Run(tt.name, func(t *testing.T) {
			golden(t, tt.name+".golden", show(render(t, tt.r)))
		})
	}
}

func TestRenderRefuses(t *testing.T) {
	ok := resultOf(t, skillOf("a"))
	for _, tt := range []struct {
		name string
		edit func(*Result)
	}{
		{"owner", func(r *Result) { r.Repo.Owner = "../x" }},
		{"number", func(r *Result) { r.Number = -1 }},
		{"head", func(r *Result) { r.Head = "main" }},
		{"no report", func(r *Result) { r.Skills = []SkillResult{{}} }},
		{"skill twice", func(r *Result) { r.Skills = append(r.Skills, r.Skills[0]) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := ok
			tt.edit(&r)
			if _, err := Render(r); err == nil {
				t.Error("no error")
			}
		})
	}
}
