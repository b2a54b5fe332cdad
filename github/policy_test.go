package github

import (
	"strings"
	"testing"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/githubtest"
	"github.com/codescan-dev/scanner/review"
)

// TestPolicies has several policies review one head. A policy is done while the
// host shows its result.
func TestPolicies(t *testing.T) {
	bad := high("SQL injection", "app/db.go", 13)
	with := func(policy string, skills ...review.SkillResult) review.Result {
		r := resultOf(t, skills...)
		r.Policy = policy
		return r
	}
	strict := with("strict", blocking("s", bad))
	silent := with("silent", blocking("s", bad))
	silent.Skills[0].Selection = selection(silent.Skills[0].Report, scanner.Policy{ReportOn: scanner.ThresholdOff})
	partial := with("partial", blocking("s"))
	partial.Skills[0].Report.FailedHunks = 1
	other := with("other", skillOf("t", found("Unused call", "app/db.go", 45, 0)))
	both := with("both", blocking("s", bad), skillOf("t"))
	clean, cleaner := with("clean", skillOf("s")), with("cleaner", skillOf("s"))
	all := []review.Result{strict, silent, partial, other, both, clean, cleaner}

	tests := []struct {
		name string
		runs []review.Result
		want string // the policies that are done
	}{
		{"one", []review.Result{strict}, "strict"},
		{"another policy of a skill", []review.Result{strict, silent}, "silent"},
		{"back again", []review.Result{strict, silent, strict}, "strict"},
		{"to and fro", []review.Result{strict, silent, strict, silent}, "silent"},
		{"one that is not complete", []review.Result{strict, partial}, ""},
		{"another skill", []review.Result{strict, other}, "strict other"},
		{"another skill, again", []review.Result{strict, other, strict}, "strict other"},
		{"another skill, and another policy", []review.Result{strict, other, silent}, "silent other"},
		{"one of two skills", []review.Result{both, other}, "other"},
		{"both of two", []review.Result{strict, other, both}, "both"},
		{"without a summary", []review.Result{clean, cleaner}, "cleaner"},
		{"without a summary, back again", []review.Result{clean, cleaner, clean}, "clean"},
	}
	for _, account := range []string{bot, "robot"} { // which makes no check runs
		for _, tt := range tests {
			if account != bot && strings.HasPrefix(tt.name, "without a summary") {
				continue
			}
			t.Run(tt.name+"/"+account, func(t *testing.T) {
				h := newHost(t, parse(t, patch))
				h.Account = account
				for _, r := range tt.runs {
					post(t, h, r)
				}
				var got []string
				for _, r := range all {
					if isDone(t, h, r) {
						got = append(got, r.Policy)
					}
				}
				if got := strings.Join(got, " "); got != tt.want {
					t.Errorf("done: %q, want %q\n%s", got, tt.want, h.Dump())
				}
				// The host shows the result of the last run.
				last := &tt.runs[len(tt.runs)-1]
				plan, err := review.NewPlan(*last, review.State{})
				if err != nil {
					t.Fatal(err)
				}
				requests := false
				for _, a := range plan.Actions {
					requests = requests || a.Target == review.OnReview
					if want := a.Check; want != nil && account == bot && lastCheck(h, want.Name).Conclusion != string(want.Conclusion) {
						t.Errorf("check run %q: %s, want %s", want.Name, lastCheck(h, want.Name).Conclusion, want.Conclusion)
					}
				}
				requested := strings.HasSuffix(states(h), "CHANGES_REQUESTED") || strings.Contains(states(h), "CHANGES_REQUESTED COMMENTED")
				if last.Skills[0].Report.Skill == "s" && last.Policy != "partial" && requested != requests {
					t.Errorf("reviews %s", states(h))
				}
				before := h.Dump()
				post(t, h, *last)
				if got := h.Dump(); got != before {
					t.Errorf("after another run:\n%s", got)
				}
			})
		}
	}
}

// lastCheck returns the check run that a host shows under a name.
func lastCheck(h *githubtest.Host, name string) githubtest.Check {
	var last githubtest.Check
	for _, k := range h.Checks {
		if k.Name == name && k.ID > last.ID {
			last = *k
		}
	}
	return last
}
