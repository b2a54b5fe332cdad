package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/fix"
)

func testOutcomes() []fix.Outcome {
	at := func(path string, line int, title string) fix.Suggestion {
		return fix.Suggestion{Title: title, Path: path, Line: line, Fix: scanner.SuggestedFix{Description: "Do it \x1b[1mwell.\nBetter."}}
	}
	return []fix.Outcome{
		{Suggestion: at("a.go", 4, "SQL built from\nuser \x1b[2Jinput"), Status: fix.StatusApplied, By: -1},
		{Suggestion: at("a.go", 4, "The same"), Status: fix.StatusCovered, By: 0},
		{Suggestion: at("b\n.go", 7, "Other"), Status: fix.StatusRefused, Reason: fix.ReasonOverlap, Message: "a fix of higher priority changes the same lines of \"b\\n.go\"", By: 0},
		{Suggestion: at("", 0, "Nowhere"), Status: fix.StatusRefused, Reason: fix.ReasonMalformed, Message: "there is no \x1b[31mdiff", By: -1},
		{Suggestion: at("c.go", 1, "Late"), Status: fix.StatusRefused, Reason: fix.ReasonOverlap, Message: "no", By: 0},
		{Suggestion: at("d.go", 2, "Left"), Status: fix.StatusPlanned, By: -1},
	}
}

func TestFixReport(t *testing.T) {
	all := testOutcomes()
	for _, tt := range []struct {
		name    string
		r       fixReport
		want    []string
		refused bool
	}{
		{"none", fixReport{}, []string{"Fixes: none suggested"}, false},
		{"applied", fixReport{outcomes: all[:1], undo: "git apply -R x"}, []string{"Fixes: 1 applied", "Undo: git apply -R x"}, false},
		{"covered", fixReport{outcomes: all[:2]}, []string{"Fixes: 1 applied, 1 the same as another"}, false},
		{"refused", fixReport{outcomes: all[:5]}, []string{"Fixes: 1 applied, 1 the same as another, 3 refused (2 overlap, 1 malformed)"}, true},
		{"dry run", fixReport{outcomes: all[3:], dryRun: true}, []string{"Fixes: 1 in the patch, 2 refused (1 malformed, 1 overlap)"}, true},
		{"stopped", fixReport{outcomes: all[5:], stopped: "the run was interrupted"}, []string{"Fixes: none applied, the run was interrupted"}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if d := cmp.Diff(tt.want, tt.r.lines()); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
			if got := tt.r.refused(); got != tt.refused {
				t.Errorf("refused: %v, want %v", got, tt.refused)
			}
		})
	}
}

func TestFixReportShown(t *testing.T) {
	for _, tt := range []struct {
		name   string
		level  verbosity
		l      layout
		dryRun bool
	}{
		{"plain-fixes", verbose, layout{width: 80}, true},
		{"plain-fixes-quiet", quiet, layout{width: 80}, false},
		{"rich-fixes", verbose, layout{interactive: true, width: 60}, false},
		{"rich-fixes-color", normal, layout{interactive: true, color: true, width: 60}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, output := newTestConsole(tt.level, tt.l)
			outcomes := testOutcomes()
			c.fixes = &fixReport{outcomes: outcomes, dryRun: tt.dryRun}
			if !tt.dryRun {
				c.fixes.undo = "git apply -R .scanner/fixes/x.patch"
			}
			sel := scanner.Selection{Shown: goldenFindings, Hidden: scanner.Hidden{MaxFindings: scanner.SeverityCounts{Low: 1}}}
			c.finish(&scanner.RunReport{Chunks: 1, Skills: []*scanner.SkillReport{{PatternsOnly: true}}}, []scanner.Selection{sel}, false)
			golden(t, tt.name, output())
		})
	}
}
