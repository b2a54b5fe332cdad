package scanner_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
)

// TestSuppress: what is suppressed is set apart before similar findings are merged, and
// counts for no threshold and no limit.
func TestSuppress(t *testing.T) {
	files, err := diff.Parse([]byte("--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1,4 @@\n+first\n+bad one\n+bad two\n+bad three\n"))
	if err != nil {
		t.Fatal(err)
	}
	skill := scanner.Skill{Name: "s", Patterns: []scanner.Pattern{{
		ID: "bad", Regexp: regexp.MustCompile(`bad`), Severity: scanner.SeverityHigh, Confidence: scanner.ConfidenceHigh, Title: "Bad", Description: "It is bad.",
	}}}
	suppressed := make(map[string]bool) // by line
	opts := scanner.Options{
		PatternsOnly: true,
		Suppress: func(skill string, findings []scanner.Finding, places map[string]scanner.PlaceHash) map[string]scanner.Suppression {
			why := make(map[string]scanner.Suppression)
			for _, f := range findings {
				if p := places[f.ID]; skill != "s" || len(p.Line) != 16 || p.Line == p.Before || p.Before == "" {
					t.Errorf("skill %q: place %+v of %v", skill, p, f.Location)
				}
				if suppressed[f.Location.String()] {
					why[f.ID] = scanner.Suppression{Reason: scanner.SuppressIgnored, Note: "known"}
				}
			}
			return why
		},
	}
	for _, tt := range []struct {
		lines   string
		shown   []scanner.Location
		summary string
	}{
		{"", []scanner.Location{{Path: "a.txt", StartLine: 2}, {Path: "a.txt", StartLine: 3}, {Path: "a.txt", StartLine: 4}}, "1 findings (1 high, 0 medium, 0 low)"},
		{"a.txt:2", []scanner.Location{{Path: "a.txt", StartLine: 3}, {Path: "a.txt", StartLine: 4}}, "1 findings (1 high, 0 medium, 0 low), 1 suppressed"},
		{"a.txt:2 a.txt:3 a.txt:4", nil, "no findings, 3 suppressed"},
	} {
		clear(suppressed)
		for _, l := range strings.Fields(tt.lines) {
			suppressed[l] = true
		}
		report, err := scanner.RunSkill(t.Context(), skill, files, opts)
		if err != nil {
			t.Fatal(err)
		}
		sel, err := scanner.Select(report, scanner.Policy{FailOn: scanner.ThresholdHigh})
		if err != nil {
			t.Fatal(err)
		}
		var places []scanner.Location
		for _, l := range report.Places(sel.Shown) {
			places = append(places, l...)
		}
		if d := cmp.Diff(places, tt.shown); d != "" {
			t.Errorf("without %q: places (-got +want):\n%s", tt.lines, d)
		}
		n := len(strings.Fields(tt.lines))
		if got := scanner.CountSuppressed(report.Suppressed); got != (scanner.SuppressedCounts{Ignored: n}) {
			t.Errorf("without %q: counts %+v", tt.lines, got)
		}
		if sel.Fails != (n < 3) || !strings.HasPrefix(sel.Summary, tt.summary) {
			t.Errorf("without %q: fails %v, summary %q, want %q", tt.lines, sel.Fails, sel.Summary, tt.summary)
		}
	}
}
