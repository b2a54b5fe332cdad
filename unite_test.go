package scanner_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/provider"
)

// queryRule matches line 11 of a file that begins at 10.
var queryRule = scanner.Pattern{
	ID: "query", CWE: 89, Regexp: regexp.MustCompile(`second`), Severity: "medium", Confidence: "medium",
	Title: "Query is put together from values", Description: "Use placeholders.",
}

// The same thing found by a rule and by the model is reported once, with the rule's
// identity: within a skill, and across skills in any order.
func TestUnite(t *testing.T) {
	const injection = "SQL injection through the name"
	for _, tt := range []struct {
		name     string
		one, two []string // what the model finds for each skill, as findings
		first    bool     // the first skill has the rule
		want     []string
	}{
		{"same skill, same class", []string{finding("high", injection, "", 11)}, nil, true,
			[]string{"one: 11 high/high one/query Query is put together from values"}},
		{"same skill, same words", []string{finding("low", "Values put into the query", "", 11)}, nil, true,
			[]string{"one: 11 medium/high one/query Query is put together from values"}},
		{"a wider place", []string{strings.TrimSuffix(finding("high", injection, "", 10), "}") + `,"endLine":12}`}, nil, true,
			[]string{"one: 11 high/high one/query Query is put together from values"}},
		{"another place", []string{finding("high", injection, "", 12)}, nil, true, []string{
			"one: 12 high/high  SQL injection through the name", "one: 11 medium/medium one/query Query is put together from values"}},
		{"another problem", []string{finding("high", "Race on the map", "", 11)}, nil, true, []string{
			"one: 11 high/high  Race on the map", "one: 11 medium/medium one/query Query is put together from values"}},
		{"the rule is in the later skill", []string{finding("high", injection, "", 11)}, nil, false,
			[]string{"one: 11 high/high two/query Query is put together from values"}},
		{"the rule is in the earlier skill", nil, []string{finding("high", injection, "", 11)}, true,
			[]string{"one: 11 medium/medium one/query Query is put together from values"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			skills := twoSkills()
			owner := &skills[1]
			if tt.first {
				owner = &skills[0]
			}
			owner.Patterns = []scanner.Pattern{queryRule}
			p := asker(func(_ context.Context, req provider.Request) (provider.Response, error) {
				found := tt.one
				if strings.Contains(req.System, "SECOND") {
					found = tt.two
				}
				return answer(findings(found...)), nil
			})
			report, err := scanner.Run(t.Context(), skills, []diff.File{added("a.go", 10)}, scanner.Options{Provider: p})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range report.Skills {
				for _, f := range r.Findings {
					got = append(got, fmt.Sprintf("%s: %d %s/%s %s %s", r.Skill, f.Location.StartLine, f.Severity, f.Confidence, f.Rule, f.Title))
				}
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("findings (-want +got):\n%s", d)
			}
		})
	}
}

// A finding of a rule that the model has as well keeps its id, and gets what the model
// adds.
func TestUniteAddsWhatTheRuleLacks(t *testing.T) {
	s := reviewer
	s.Patterns = []scanner.Pattern{queryRule}
	p := asker(func(context.Context, provider.Request) (provider.Response, error) {
		return answer(findings(strings.TrimSuffix(finding("high", "SQL injection", "", 11), "}") + `,"verification":"Pass a quote."}`)), nil
	})
	ids := make(map[string]bool)
	for _, opts := range []scanner.Options{{PatternsOnly: true}, {Provider: p}} {
		report, err := scanner.RunSkill(t.Context(), s, []diff.File{added("a.go", 10)}, opts)
		if err != nil {
			t.Fatal(err)
		}
		f := report.Findings[0]
		ids[f.ID] = true
		if !opts.PatternsOnly && (f.Verification != "Pass a quote." || f.Description != "Use placeholders.") {
			t.Errorf("got %+v", f)
		}
	}
	if len(ids) != 1 {
		t.Errorf("the finding of the rule has several ids: %v", ids)
	}
}

// In a test file, the model does not raise what weighs less there.
func TestUniteInTests(t *testing.T) {
	s := reviewer
	rule := queryRule
	rule.CWE, rule.Title, rule.Severity = 295, "Certificate is not verified", "high"
	s.Patterns = []scanner.Pattern{rule}
	p := asker(func(context.Context, provider.Request) (provider.Response, error) {
		return answer(findings(finding("high", "Certificate is accepted unseen", "", 11))), nil
	})
	report, err := scanner.RunSkill(t.Context(), s, []diff.File{added("a_test.go", 10)}, scanner.Options{Provider: p})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Findings) != 1 || report.Findings[0].Severity != scanner.SeverityMedium {
		t.Errorf("got %+v", report.Findings)
	}
}
