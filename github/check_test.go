package github

import (
	"testing"

	"github.com/codescan-dev/scanner/review"
)

// TestSupersededCheck has a check run that was cut short, and other findings now.
func TestSupersededCheck(t *testing.T) {
	_, p := numbered("big.go", 200)
	h := newHost(t, parse(t, p))
	r := resultOf(t, skillOf("code-review", many(120, "big.go")...))
	r.Files = h.Files
	post(t, h, r)
	h.Checks[0].Status, h.Checks[0].Conclusion = "in_progress", ""
	r.Skills = []review.SkillResult{skillOf("code-review", many(119, "big.go")...)}
	out := post(t, h, r)
	if len(h.Checks) != 2 || h.Checks[0].Status != "completed" || h.Checks[0].Conclusion != "neutral" || len(h.Checks[1].Annotations) != 119 {
		t.Errorf("%d check runs, the first %q\n%s", len(h.Checks), h.Checks[0].Conclusion, out.Plan)
	}
}
