package review

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/codescan-dev/scanner"
)

func TestJobSummary(t *testing.T) {
	r := resultOf(t, skillOf("code-review", found("SQL injection", "app/db.go", 13, 16), found("No tests", "", 0, 0)))
	r.Number = 0
	r.Notes = []string{"The token may only read."}
	r.Skills[0].Report.SkippedFiles = []scanner.SkippedFile{skippedOf("x.png")}
	got, err := JobSummary(r)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "job.golden", got)

	huge := resultOf(t, skillOf("code-review", many(1000, "big.go")...))
	for i := range huge.Skills[0].Selection.Shown {
		huge.Skills[0].Selection.Shown[i].Description = strings.Repeat("<", 5000)
	}
	got, err = JobSummary(huge)
	if err != nil || len(got) > 1<<20 || !strings.Contains(got, "that do not fit here") {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

// show writes a rendering as one text, for goldens.
func show(r rendering) string {
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

// rendering is everything that a plan posts where nothing was posted yet.
type rendering struct {
	Comments       []*Comment
	Summary        string
	Checks         []*Check
	RequestChanges bool
}

func render(t testing.TB, r Result) rendering {
	t.Helper()
	plan, err := NewPlan(r, State{})
	if err != nil {
		t.Fatal(err)
	}
	out := rendering{Summary: plan.SummaryBody(Progress{})}
	for _, a := range plan.Actions {
		switch a.Target {
		case OnComment:
			out.Comments = append(out.Comments, a.Comment)
		case OnCheck:
			out.Checks = append(out.Checks, a.Check)
		case OnReview:
			out.RequestChanges = true
		}
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
		Edits: []scanner.Edit{{
			Line: 13,
			Old:  []string{"\tq := \"select * from users where name = '\" + name + \"'\"", "\tlog(q)", "\tlog(q)", "\trun(q)"},
			New:  []string{"\tlog(name)", "\trun(\"select * from users where name = ?\", name)"},
		}},
	}
	far := found("Beyond the hunk", "app/db.go", 45, 90)
	far.Rule = "code-review/far-range"
	far.SuggestedFix = &scanner.SuggestedFix{Description: "Change another line", Diff: "@@ -43,2 +43,2 @@\n-\ta()\n+\tx()\n \tb()\n"}
	outside := found("Not in the diff", "app/db.go", 30, 0)
	outside.Severity = scanner.SeverityLow
	outside.AdditionalLocations = []scanner.Location{{Path: "other.go", StartLine: 3}}
	concept := found("No tests", "", 0, 0)
	concept.Confidence = ""

	full := resultOf(t, skillOf("code-review", injection, far, outside, concept), skillOf("security"))
	full.Skills[0].Report.SkippedFiles = []scanner.SkippedFile{{Filename: "go.sum", Reason: "builtin", Pattern: "go.sum"}, {Filename: "a`b.png", Reason: "binary"}}
	full.Skills[0].Selection = selection(full.Skills[0].Report, scanner.Policy{ReportOn: scanner.ThresholdMedium, FailOn: scanner.ThresholdHigh})
	full.Skills[0].RequestChanges = true
	full.Skills[0].Report.MergeGroups = []scanner.MergeGroup{{Primary: injection.ID, Merged: []scanner.MergedFinding{
		{ID: "m", Location: &injection.AdditionalLocations[0]},
	}}}
	full.PolicyFiles = []string{"scanner.toml"}
	full.RunURL = "https://github.com/o/r/actions/runs/1"

	clean := resultOf(t, skillOf("code-review"))

	bad := resultOf(t, skillOf("code-review", injection, outside, concept))
	bad.Skills[0].Report.Chunks = scanner.ChunkCounts{Total: 12, Analyzed: 9, Failed: 2, NotAnalyzed: 1}
	bad.Skills[0].Report.FailedHunks = 2
	bad.Skills[0].Report.Failures = []scanner.ChunkFailure{
		{Path: "app/db.go", StartLine: 10, EndLine: 18, Reason: "RateLimitError"}, {Path: "docs/read me.md", StartLine: 1, EndLine: 2, Reason: "RateLimitError"},
	}
	bad.Skills[0].Report.Left = []scanner.ChunkFailure{{Path: "app/db.go", StartLine: 43, EndLine: 46, Reason: "NotAnalyzed"}}
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
		{"number", func(r *Result) { r.Number = -1 }},
		{"head", func(r *Result) { r.Head = "main" }},
		{"no report", func(r *Result) { r.Skills = []SkillResult{{}} }},
		{"skill twice", func(r *Result) { r.Skills = append(r.Skills, r.Skills[0]) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := ok
			tt.edit(&r)
			if _, err := NewPlan(r, State{}); err == nil {
				t.Error("no error")
			}
		})
	}
}

// FuzzRender puts texts into every field of a result. No text can end a comment
// early, pose as a marker or make a comment that the host refuses.
func FuzzRender(f *testing.F) {
	for _, s := range []string{"a", "<!-- scanner:end -->", "x\n<!-- scanner:finding e30= -->", "```\n<!--\n```", "</details>", "\xff\u202e\x00", "--- a/f.go\n+++ b/f.go\n@@ -1 +1 @@\n-one\n+<!-- scanner:end -->\n", "@@ -1 +1 @@\n-one\n+````\n", " "} {
		f.Add(s, s, s, true)
		f.Add("title", s, "other", false)
	}
	f.Fuzz(func(t *testing.T, a, b, c string, untrusted bool) {
		one := found(a, "f.go", 1, 2)
		one.Description, one.Verification = b, c
		one.AdditionalLocations = []scanner.Location{{Path: a, StartLine: 1}}
		one.SuggestedFix = &scanner.SuggestedFix{Description: a, Diff: c}
		two, three := one, one
		two.ID, two.Location = "2", &scanner.Location{Path: c, StartLine: 3}
		three.ID, three.Location = "3", nil
		skill := skillOf("s"+oneLine(b, 50), one, two, three)
		skill.Report.Failures, skill.Report.FailedHunks = []scanner.ChunkFailure{{Path: a, StartLine: 1, EndLine: 2, Reason: c}}, 1
		skill.Report.SkippedFiles = []scanner.SkippedFile{{Filename: a, Reason: b, Pattern: c}, {Filename: c, Reason: "binary"}}
		r := resultOf(t, skill)
		r.Files = parse(t, newFile("f.go", "one\ntwo\n"))
		r.Notes, r.PolicyFiles, r.Stopped, r.Untrusted = []string{a, b}, []string{c}, errors.New(b), untrusted
		out := render(t, r)
		job, err := JobSummary(r)
		if err != nil {
			t.Fatal(err)
		}
		body := out.Comments[0].Body
		for _, text := range []string{body, out.Summary, out.Checks[0].Summary, job} {
			if len(text) > 65_536 || !utf8.ValidString(text) {
				t.Fatalf("%d bytes: %q", len(text), text)
			}
		}
		var m findingMarker
		if !readMarker(body, markerFinding, &m) || m.Path != "f.go" || m.Skill != skill.name() || m.Untrusted != untrusted {
			t.Fatalf("marker %+v of %q", m, body)
		}
		// Code is shown as it is; its lines are in a fence that they cannot end.
		prose, _, _ := strings.Cut(body, "\n```")
		if rest := strings.TrimSuffix(prose, body[strings.LastIndex(body, markerBegin):]); strings.Contains(rest, "<!--") {
			t.Fatalf("a comment of HTML in %q", body)
		}
		// The diff of a fix is code, too, but cannot be mistaken for a marker.
		if n := strings.Count(out.Summary, markerBegin); n != 3 || len(readSections(out.Summary)) != 1 {
			t.Fatalf("%d markers in %q", n, out.Summary)
		}
		if strings.Contains(out.Checks[0].Summary+job, markerBegin) {
			t.Fatalf("a marker in %q or %q", out.Checks[0].Summary, job)
		}
	})
}
