package scanner_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/provider"
)

func TestVerify(t *testing.T) {
	// In a.go there are two chunks with two findings each, in b.go one with one.
	found := asker(func(_ context.Context, req provider.Request) (provider.Response, error) {
		switch u := user(req); {
		case strings.Contains(u, "first of a.go:10\n"):
			return answer(findings(finding("high", "Alpha", "", 10), finding("medium", "Beta", "", 11))), nil
		case strings.Contains(u, "first of a.go:500\n"):
			return answer(findings(finding("high", "Gamma", "", 500), finding("low", "Delta", "", 501))), nil
		default:
			return answer(findings(finding("high", "Epsilon", "", 1))), nil
		}
	})
	// The findings of a file come in the order of its chunks, then of priority.
	verdict := func(n int, verdict, severity, confidence string) string {
		return fmt.Sprintf(`{"number":%d,"verdict":%q,"severity":%q,"confidence":%q,"reason":"because"}`, n, verdict, severity, confidence)
	}
	files := []diff.File{added("a.go", 10, 500), added("b.go", 1)}
	all := []string{"high/high Alpha", "high/high Gamma", "high/high Epsilon", "medium/high Beta", "low/high Delta"}
	tests := []struct {
		name    string
		answerA string // of the check of a.go; the one of b.go keeps
		err     error
		policy  scanner.Policy
		want    []string
		checked scanner.Verification
	}{
		{
			"all kept", findings(verdict(1, "keep", "high", "high"), verdict(2, "keep", "medium", "high"), verdict(3, "keep", "high", "high"), verdict(4, "keep", "low", "high")),
			nil, scanner.Policy{}, all, scanner.Verification{Checked: 5, Kept: 5},
		},
		{
			"one rejected, one lowered", findings(verdict(1, "reject", "low", "low"), verdict(2, "lower", "low", "medium"), verdict(3, "keep", "high", "high"), verdict(4, "keep", "low", "high")),
			nil, scanner.Policy{}, []string{"high/high Gamma", "high/high Epsilon", "low/high Delta", "low/medium Beta"},
			scanner.Verification{Checked: 5, Kept: 3, Lowered: 1, Rejected: []scanner.Rejection{{Title: "Alpha", Location: &scanner.Location{Path: "a.go", StartLine: 10}, Reason: "because"}}},
		},
		{
			"nothing is raised", findings(verdict(1, "keep", "high", "high"), verdict(2, "lower", "high", "high"), verdict(3, "keep", "high", "high"), verdict(4, "lower", "medium", "high")),
			nil, scanner.Policy{}, all, scanner.Verification{Checked: 5, Kept: 5},
		},
		{
			"a verdict is missing, others make no sense", findings(verdict(1, "keep", "high", "high"), verdict(2, "explode", "low", "low"), verdict(99, "reject", "low", "low"), `"text"`),
			nil, scanner.Policy{}, all, scanner.Verification{Checked: 5, Kept: 2, Failed: 3},
		},
		{"no JSON", "All of them are wrong.", nil, scanner.Policy{}, all, scanner.Verification{Checked: 5, Kept: 1, Failed: 4}},
		{
			"failed request", "", &provider.Error{Kind: provider.KindInvalid, Message: "no"},
			scanner.Policy{}, all, scanner.Verification{Checked: 5, Kept: 1, Failed: 4},
		},
		{
			"what the policy hides is not checked", findings(verdict(1, "reject", "low", "low"), verdict(2, "reject", "low", "low"), verdict(3, "reject", "low", "low")),
			nil, scanner.Policy{ReportOn: scanner.ThresholdHigh}, []string{"high/high Epsilon", "medium/high Beta", "low/high Delta"},
			scanner.Verification{Checked: 3, Kept: 1, Rejected: []scanner.Rejection{
				{Title: "Alpha", Location: &scanner.Location{Path: "a.go", StartLine: 10}, Reason: "because"},
				{Title: "Gamma", Location: &scanner.Location{Path: "a.go", StartLine: 500}, Reason: "because"},
			}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var sent atomic.Int64
			check := asker(func(_ context.Context, req provider.Request) (provider.Response, error) {
				sent.Add(1)
				if strings.Contains(user(req), "first of b.go:1\n") {
					return answer(findings(verdict(1, "keep", "high", "high"))), nil
				}
				return answer(tt.answerA), tt.err
			})
			report, err := scanner.RunSkill(t.Context(), reviewer, files, scanner.Options{
				Provider: found, Auxiliary: check, Verify: true, Policies: map[string]scanner.Policy{"review": tt.policy},
			})
			if err != nil {
				t.Fatal(err)
			}
			checkLedger(t, report, 3)
			var got []string
			for _, f := range report.Findings {
				got = append(got, fmt.Sprintf("%s/%s %s", f.Severity, f.Confidence, f.Title))
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("findings (-want +got):\n%s", d)
			}
			var v scanner.Verification
			if report.Verification != nil {
				v = *report.Verification
			}
			if d := cmp.Diff(tt.checked, v, cmpopts.IgnoreFields(scanner.Rejection{}, "ID")); d != "" {
				t.Errorf("verification (-want +got):\n%s", d)
			}
			if v.Checked != v.Kept+v.Lowered+len(v.Rejected)+v.Failed {
				t.Errorf("verification does not add up: %+v", v)
			}
			if sent.Load() != 2 {
				t.Errorf("%d requests were made, want one for each file", sent.Load())
			}
			if u := report.AuxiliaryUsage["verification"]; u.InputTokens != 200 {
				t.Errorf("usage of the verification is %+v", u)
			}
		})
	}
}

func TestVerifyIsAskedForBySkill(t *testing.T) {
	var n atomic.Int64
	p := asker(func(_ context.Context, req provider.Request) (provider.Response, error) {
		if strings.Contains(req.System, "You check findings") {
			n.Add(1)
			return answer(nothing), nil
		}
		return answer(findings(finding("high", "Broken", "", 10))), nil
	})
	for _, verify := range []bool{false, true} {
		s := reviewer
		s.Verify = verify
		n.Store(0)
		if _, err := scanner.RunSkill(t.Context(), s, []diff.File{added("a.go", 10)}, scanner.Options{Provider: p}); err != nil {
			t.Fatal(err)
		}
		if (n.Load() == 1) != verify {
			t.Errorf("with Verify %v, %d checks were requested", verify, n.Load())
		}
	}
}

// TestVerifyDropsGroups shows that a rejected finding leaves no merge group, whose
// fixes could be taken for fixes of the report.
func TestVerifyDropsGroups(t *testing.T) {
	p := asker(func(_ context.Context, req provider.Request) (provider.Response, error) {
		if strings.Contains(req.System, "You check findings") {
			return answer(findings(`{"number":1,"verdict":"reject","severity":"low","confidence":"low","reason":"r"}`)), nil
		}
		return answer(findings(
			finding("high", "Broken", "", 10), finding("high", "Broken", "", 11),
			finding("low", "Ugly", "", 10), finding("low", "Ugly", "", 12),
		)), nil
	})
	report, err := scanner.RunSkill(t.Context(), reviewer, []diff.File{added("a.go", 10)}, scanner.Options{Provider: p, Verify: true})
	if err != nil {
		t.Fatal(err)
	}
	groups := report.MergeGroups
	if len(report.Findings) != 1 || len(groups) != 1 || groups[0].Primary != report.Findings[0].ID {
		t.Errorf("findings %v, groups %v; want one of each, of the same finding", report.Findings, groups)
	}
}

func TestVerifyInBatches(t *testing.T) {
	var lines []string
	for i := range 50 {
		lines = append(lines, finding("high", fmt.Sprintf("Problem %s", strings.Repeat("x", i+1)), "", 10+i%3))
	}
	var n atomic.Int64
	p := asker(func(_ context.Context, req provider.Request) (provider.Response, error) {
		if strings.Contains(req.System, "You check findings") {
			n.Add(1)
			return answer(findings(`{"number":1,"verdict":"reject","severity":"low","confidence":"low","reason":"r"}`)), nil
		}
		return answer(findings(lines...)), nil
	})
	report, err := scanner.RunSkill(t.Context(), reviewer, []diff.File{added("a.go", 10)}, scanner.Options{Provider: p, Verify: true})
	if err != nil {
		t.Fatal(err)
	}
	if n.Load() != 3 || len(report.Findings) != 47 {
		t.Errorf("%d requests, %d findings left; want 3 and 47", n.Load(), len(report.Findings))
	}
}

// TestVerifyWithoutVerdictsIsNotCached shows that a check that came to nothing is
// made again in the next run.
func TestVerifyWithoutVerdictsIsNotCached(t *testing.T) {
	cache := &memory{m: make(map[string][]byte)}
	reject := findings(`{"number":1,"verdict":"reject","severity":"low","confidence":"low","reason":"r"}`)
	for i, check := range []string{nothing, findings(`{"number":"first","verdict":"reject"}`), reject} {
		p := asker(func(_ context.Context, req provider.Request) (provider.Response, error) {
			if strings.Contains(req.System, "You check findings") {
				return answer(check), nil
			}
			return answer(findings(finding("high", "Broken", "", 10))), nil
		})
		report, err := scanner.RunSkill(t.Context(), reviewer, []diff.File{added("a.go", 10)}, scanner.Options{Provider: p, Verify: true, Model: "m", Cache: cache})
		if err != nil {
			t.Fatal(err)
		}
		if rejected := len(report.Findings) == 0; rejected != (check == reject) {
			t.Errorf("run %d: findings %v", i+1, report.Findings)
		}
	}
}

func TestVerifyIsCached(t *testing.T) {
	cache := &memory{m: make(map[string][]byte)}
	var n atomic.Int64
	p := asker(func(_ context.Context, req provider.Request) (provider.Response, error) {
		n.Add(1)
		if strings.Contains(req.System, "You check findings") {
			return answer(findings(`{"number":1,"verdict":"reject","severity":"low","confidence":"low","reason":"r"}`)), nil
		}
		return answer(findings(finding("high", "Broken", "", 10))), nil
	})
	for range 2 {
		report, err := scanner.RunSkill(t.Context(), reviewer, []diff.File{added("a.go", 10)}, scanner.Options{Provider: p, Verify: true, Model: "m", Cache: cache})
		if err != nil || len(report.Findings) != 0 {
			t.Fatalf("error %v, findings %v", err, report.Findings)
		}
	}
	if n.Load() != 2 {
		t.Errorf("%d requests were made in two runs, want 2", n.Load())
	}
}
