package review

import (
	"fmt"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner"
)

// TestUncommented has findings without a comment next to so many with one that their list
// would fill the summary.
func TestUncommented(t *testing.T) {
	_, patch := numbered("big.go", 500)
	findings := many(499, "big.go")
	findings = append(findings, found("No tests", "", 0, 0), found("A data race", "other.go", 3, 0))
	r := resultOf(t, skillOf("code-review", findings...))
	r.Files = parse(t, patch)
	got := render(t, r).Summary
	for _, want := range []string{"Why No tests matters.", "Why A data race matters.", "more findings that do not fit here"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q", want)
		}
	}
	if len(got) > maxBody {
		t.Errorf("%d bytes", len(got))
	}
}

// TestUncommentedAnswered has details that fill the summary, and a finding at the place of
// a thread that a person answered.
func TestUncommentedAnswered(t *testing.T) {
	first := resultOf(t, skillOf("code-review", found("SQL injection", "app/db.go", 13, 0)))
	c := render(t, first).Comments[0]
	have := State{Account: "me", Head: headSHA, Threads: []Thread{{
		Posted: Posted{ID: 1, Author: "me", Body: c.Body}, Path: c.Path, Line: c.Line, Replies: []Reply{{MayWrite: true}},
	}}}
	findings := []scanner.Finding{found("The name ends the string"+strings.Repeat("*", 200), "app/db.go", 13, 0)}
	findings[0].Description = "Why it matters."
	for i := range 100 {
		f := found(fmt.Sprint("Elsewhere ", i), "other.go", i+1, 0)
		f.Description = strings.Repeat("word ", 100)
		findings = append(findings, f)
	}
	p, err := NewPlan(resultOf(t, skillOf("code-review", findings...)), have)
	if err != nil {
		t.Fatal(err)
	}
	got := p.SummaryBody(Progress{})
	for _, want := range []string{"is at the place of", "Why it matters."} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q", want)
		}
	}
	if len(got) > maxBody {
		t.Errorf("%d bytes", len(got))
	}
}
