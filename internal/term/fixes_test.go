package term

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner"
)

// fixRun returns a run with suggested fixes of all outcomes.
func fixRun() *scanner.RunReport {
	at := func(path string, line int) *scanner.Location { return &scanner.Location{Path: path, StartLine: line} }
	return &scanner.RunReport{Chunks: 1, Skills: []*scanner.SkillReport{
		{
			PatternsOnly: true,
			Findings: []scanner.Finding{
				{ID: "a", Title: "SQL built from\nuser \x1b[2Jinput", Location: at("a.go", 4)},
				{ID: "b", Title: "Other", Location: at("b\n.go", 7)},
				{ID: "c", Title: "Nowhere"},
			},
			MergeGroups: []scanner.MergeGroup{{Primary: "b", Merged: []scanner.MergedFinding{{ID: "m", Location: at("b.go", 9)}}}},
			Fixes: []scanner.FixOutcome{
				{Finding: "a", Status: fixApplied},
				{Finding: "b", Status: fixRefused, Reason: "overlap", Message: "a fix of higher priority changes the same lines of \"b\\n.go\"", By: "a"},
				{Finding: "b", Merged: "m", Status: fixCovered, By: "a"},
				{Finding: "c", Status: fixRefused, Reason: "malformed", Message: "there is no \x1b[31mdiff"},
			},
		},
		{
			PatternsOnly: true,
			Findings:     []scanner.Finding{{ID: "d", Title: "Late", Location: at("c.go", 1)}, {ID: "e", Title: "Left", Location: at("d.go", 2)}},
			Fixes: []scanner.FixOutcome{
				{Finding: "d", Status: fixRefused, Reason: "overlap", Message: "no", By: "a"},
				{Finding: "e", Status: fixPlanned},
			},
		},
	}}
}

func TestFixLines(t *testing.T) {
	all := fixOutcomes(fixRun())
	for _, tt := range []struct {
		name     string
		f        Fixes
		outcomes []fixOutcome
		want     []string
		missing  bool
	}{
		{"none", Fixes{}, nil, []string{"Fixes: none suggested"}, false},
		{"applied", Fixes{Undo: "git apply -R x"}, all[:1], []string{"Fixes: 1 applied", "Undo: git apply -R x"}, false},
		{"refused", Fixes{}, all[:5], []string{"Fixes: 1 applied, 1 identical to another, 3 not applied (2 overlap, 1 malformed)"}, true},
		{"dry run", Fixes{DryRun: true}, all[3:], []string{"Fixes: 1 in the patch, 2 not applied (1 malformed, 1 overlap)"}, true},
		{"stopped", Fixes{Stopped: "the run was interrupted"}, all[5:], []string{"Fixes: none applied, the run was interrupted"}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if d := cmp.Diff(tt.want, tt.f.lines(tt.outcomes)); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
			if got := tt.f.missing(tt.outcomes); got != tt.missing {
				t.Errorf("missing: %v, want %v", got, tt.missing)
			}
		})
	}
}

func TestConsoleShowsFixes(t *testing.T) {
	for _, tt := range []struct {
		name   string
		level  Verbosity
		l      Layout
		dryRun bool
	}{
		{"plain-fixes", Verbose, Layout{width: 80}, true},
		{"plain-fixes-quiet", Quiet, Layout{width: 80}, false},
		{"rich-fixes", Verbose, Layout{interactive: true, width: 60}, false},
		{"rich-fixes-color", Normal, Layout{interactive: true, color: true, width: 60}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, output := newTestConsole(tt.level, tt.l)
			fixes := Fixes{DryRun: tt.dryRun}
			if !tt.dryRun {
				fixes.Undo = "git apply -R .scanner/fixes/x.patch"
			}
			c.ShowFixes(fixes)
			c.counts = scanner.CountSeverities(goldenFindings)
			c.hidden = scanner.Hidden{MaxFindings: scanner.SeverityCounts{Low: 1}}
			if err := c.Finish(fixRun()); err != nil {
				t.Error(err)
			}
			golden(t, tt.name, output())
		})
	}
}
