package github

import (
	"strings"
	"testing"

	"github.com/codescan-dev/scanner"
	"github.com/google/go-cmp/cmp"
)

func TestWorkflowCommands(t *testing.T) {
	a := found("100% wrong: a, b\n::error::x", "app/a,b:c.go", 3, 5)
	a.Severity = scanner.SeverityHigh
	a.Description = "line 1\r\n::stop-commands::x"
	b := found("No tests", "", 0, 0)
	b.Severity = scanner.SeverityLow
	c := found("c", "a\nb.go", 1, 0)
	got := WorkflowCommands(resultOf(t, skillOf("code-review", a, b, c)))
	want := []string{
		"::error file=app/a%2Cb%3Ac.go,line=3,endLine=5,title=100%25 wrong%3A a%2C b %3A%3Aerror%3A%3Ax (code-review)::line 1%0A::stop-commands::x",
		"::notice title=No tests (code-review)::Why No tests matters.",
		"::warning file=a%0Ab.go,line=1,endLine=1,title=c (code-review)::Why c matters.",
	}
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("(-got +want):\n%s", d)
	}
}

func TestJobSummary(t *testing.T) {
	r := resultOf(t, skillOf("code-review", found("SQL injection", "app/db.go", 13, 16), found("No tests", "", 0, 0)))
	r.Number = 0
	r.Notes = []string{"The token may only read."}
	r.Skipped = []scanner.SkippedFile{skippedOf("x.png")}
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
