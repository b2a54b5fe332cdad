package scanner_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/provider"
)

// TestDuplicates: the skill that comes first keeps a finding, and the later one
// lists it and fails the run if the finding reaches its failOn.
func TestDuplicates(t *testing.T) {
	same := func(line int) string { return finding("high", "Query built from input", "", line) }
	tests := []struct {
		name     string
		one, two string
		policies map[string]scanner.Policy
		want     [2]int // findings that are left
		given    int    // findings that the second skill gives up
		fails    bool   // the second skill fails the run
	}{
		{"same place", same(2), same(2), nil, [2]int{1, 0}, 1, false},
		{"other place", same(1), same(3), nil, [2]int{1, 1}, 0, false},
		{"other words", same(2), finding("high", "Race on the map", "", 2), nil, [2]int{1, 1}, 0, false},
		{"other severity", same(2), finding("low", "Query built from input", "", 2), nil, [2]int{1, 1}, 0, false},
		{"the first one is hidden", same(2), same(2), map[string]scanner.Policy{"one": {ReportOn: scanner.ThresholdOff}}, [2]int{1, 1}, 0, false},
		{"only the second one fails the run", same(2), same(2), map[string]scanner.Policy{"two": {FailOn: scanner.ThresholdHigh}}, [2]int{1, 0}, 1, true},
		{"both fail the run", same(2), same(2), map[string]scanner.Policy{"one": {FailOn: scanner.ThresholdLow}, "two": {FailOn: scanner.ThresholdHigh}}, [2]int{1, 0}, 1, true},
		{"one place of several", same(2), same(2) + "," + same(3), nil, [2]int{1, 1}, 1, false},
		{"all places of several", same(2) + "," + same(3), same(3) + "," + same(2), nil, [2]int{1, 0}, 2, false},
		{"the first one found nothing", "", same(2), nil, [2]int{0, 1}, 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := asker(func(_ context.Context, req provider.Request) (provider.Response, error) {
				if strings.Contains(req.System, "SECOND") {
					return answer(findings(tt.two)), nil
				}
				if tt.one == "" {
					return answer(nothing), nil
				}
				return answer(findings(tt.one)), nil
			})
			rec := &recorder{t: t}
			report, err := scanner.Run(t.Context(), twoSkills(), []diff.File{added("a.go", 1)},
				scanner.Options{Provider: p, Policies: tt.policies, OnEvent: rec.on})
			if err != nil {
				t.Fatal(err)
			}
			one, two := report.Skills[0], report.Skills[1]
			if got := [2]int{len(one.Findings), len(two.Findings)}; got != tt.want {
				t.Errorf("%v findings are left, want %v", got, tt.want)
			}
			sel := selection(two, tt.policies["two"])
			if sel.Fails != tt.fails || sel.FailsHidden {
				t.Errorf("fails is %v and failsHidden %v, want %v and false", sel.Fails, sel.FailsHidden, tt.fails)
			}
			var want []scanner.Duplicate
			for range tt.given {
				want = append(want, scanner.Duplicate{Of: "one", Finding: one.Findings[0].ID, Severity: scanner.SeverityHigh, Confidence: scanner.ConfidenceHigh})
			}
			if tt.want[1] == 0 {
				if len(two.MergeGroups) != 0 {
					t.Errorf("the second report still groups it: %v", two.MergeGroups)
				}
				if two.Summary != "no findings" || two.Files[0].Findings != 0 {
					t.Errorf("the second report still counts it: %q, %d", two.Summary, two.Files[0].Findings)
				}
			}
			if d := cmp.Diff(want, two.Duplicates, cmpopts.IgnoreFields(scanner.Duplicate{}, "ID")); d != "" {
				t.Errorf("duplicates (-want +got):\n%s", d)
			}
			for i, e := range eventsOf[scanner.EventSkill](rec) {
				if e.Report != report.Skills[i] || len(e.Report.Findings) != tt.want[i] {
					t.Errorf("report %d is not the one of the event", i)
				}
			}
			if one.Duplicates != nil {
				t.Errorf("the first skill has duplicates: %v", one.Duplicates)
			}
		})
	}
}

func TestSelectCountsDuplicates(t *testing.T) {
	report := func(s scanner.Severity, c scanner.Confidence) *scanner.SkillReport {
		return &scanner.SkillReport{Skill: "two", Duplicates: []scanner.Duplicate{{ID: "a", Of: "one", Finding: "b", Severity: s, Confidence: c}}}
	}
	tests := []struct {
		name   string
		report *scanner.SkillReport
		policy scanner.Policy
		fails  bool
	}{
		{"no failOn", report("high", "high"), scanner.Policy{}, false},
		{"as severe", report("medium", ""), scanner.Policy{FailOn: scanner.ThresholdMedium}, true},
		{"less severe", report("low", ""), scanner.Policy{FailOn: scanner.ThresholdMedium}, false},
		{"too little confidence", report("high", "low"), scanner.Policy{FailOn: scanner.ThresholdLow, MinConfidence: scanner.ThresholdMedium}, false},
		{"enough confidence", report("high", "medium"), scanner.Policy{FailOn: scanner.ThresholdLow, MinConfidence: scanner.ThresholdMedium}, true},
		{"below reportOn", report("low", "high"), scanner.Policy{FailOn: scanner.ThresholdLow, ReportOn: scanner.ThresholdHigh}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			sel := selection(tt.report, tt.policy)
			if sel.Fails != tt.fails {
				t.Errorf("fails is %v, want %v", sel.Fails, tt.fails)
			}
			if len(sel.Shown) != 0 || sel.Hidden.Total() > 0 || sel.FailsHidden {
				t.Errorf("the duplicate is shown or counted as hidden: %+v", sel)
			}
		})
	}
}

// selection returns what a valid policy selects.
func selection(report *scanner.SkillReport, p scanner.Policy) scanner.Selection {
	sel, err := scanner.Select(report, p)
	if err != nil {
		panic(err)
	}
	return sel
}
