package scanner_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner"
)

// rated returns one finding for each word, such as "high/low" for a severity and a
// confidence, in lines 1 to n.
func rated(words string) []scanner.Finding {
	var findings []scanner.Finding
	for i, word := range strings.Fields(words) {
		severity, confidence, _ := strings.Cut(word, "/")
		findings = append(findings, scanner.Finding{
			ID: word, Severity: scanner.Severity(severity), Confidence: scanner.Confidence(confidence),
			Location: &scanner.Location{Path: "a.go", StartLine: i + 1},
		})
	}
	return findings
}

func words(findings []scanner.Finding) string {
	var ids []string
	for _, f := range findings {
		ids = append(ids, f.ID)
	}
	return strings.Join(ids, " ")
}

func TestFilterSeverity(t *testing.T) {
	for threshold, want := range map[scanner.Threshold]string{
		"": "high medium low", "off": "", "high": "high", "medium": "high medium", "low": "high medium low",
	} {
		if got := words(scanner.FilterSeverity(rated("high medium low"), threshold)); got != want {
			t.Errorf("threshold %q: got %q, want %q", threshold, got, want)
		}
	}
}

func TestFilterConfidence(t *testing.T) {
	for threshold, want := range map[scanner.Threshold]string{
		"": "low low/low low/medium low/high", "off": "low low/low low/medium low/high",
		"high": "low low/high", "medium": "low low/medium low/high", "low": "low low/low low/medium low/high",
	} {
		if got := words(scanner.FilterConfidence(rated("low low/low low/medium low/high"), threshold)); got != want {
			t.Errorf("threshold %q: got %q, want %q", threshold, got, want)
		}
	}
}

func TestFilterHunk(t *testing.T) {
	findings := append(rated("low high medium low"), scanner.Finding{ID: "whole"})
	findings[2].Location.EndLine = 99
	if got, want := words(scanner.FilterHunk(findings, 2, 3)), "high medium whole"; got != want {
		t.Errorf("got %q, want %q: those that start in the hunk, and those without a place", got, want)
	}
}

func TestFailsAt(t *testing.T) {
	for threshold, want := range map[scanner.Threshold]bool{"": false, "off": false, "high": false, "medium": true, "low": true} {
		if got := scanner.FailsAt(rated("low medium"), threshold); got != want {
			t.Errorf("threshold %q: got %v, want %v", threshold, got, want)
		}
	}
}

func TestSelect(t *testing.T) {
	one := func(severity string) scanner.SeverityCounts {
		return scanner.CountSeverities(rated(severity))
	}
	tests := []struct {
		name     string
		findings string
		policy   scanner.Policy
		want     scanner.Selection
		shown    string
	}{
		{"no policy", "high/low low", scanner.Policy{},
			scanner.Selection{Summary: "2 findings (1 high, 0 medium, 1 low)"}, "high/low low"},
		{"severity before confidence", "high/low medium/high low/low", scanner.Policy{ReportOn: "medium", MinConfidence: "medium"},
			scanner.Selection{
				Summary: "1 findings (0 high, 1 medium, 0 low)",
				Hidden:  scanner.Hidden{MinConfidence: one("high low")},
			}, "medium/high"},
		{"limit after both", "high medium low", scanner.Policy{ReportOn: "medium", MaxFindings: 1},
			scanner.Selection{
				Summary: "1 findings (1 high, 0 medium, 0 low), 2 hidden",
				Hidden:  scanner.Hidden{ReportOn: one("low"), MaxFindings: one("medium")},
			}, "high"},
		{"a shown finding fails", "high low", scanner.Policy{FailOn: "high"},
			scanner.Selection{Summary: "2 findings (1 high, 0 medium, 1 low)", Fails: true}, "high low"},
		{"a finding below reportOn fails", "high low", scanner.Policy{ReportOn: "high", FailOn: "low"},
			scanner.Selection{
				Summary: "1 findings (1 high, 0 medium, 0 low), 1 hidden",
				Hidden:  scanner.Hidden{ReportOn: one("low")}, Fails: true, FailsHidden: true,
			}, "high"},
		{"a finding beyond the limit fails", "high high low", scanner.Policy{MaxFindings: 1, FailOn: "high"},
			scanner.Selection{
				Summary: "1 findings (1 high, 0 medium, 0 low), 2 hidden",
				Hidden:  scanner.Hidden{MaxFindings: one("high low")}, Fails: true, FailsHidden: true,
			}, "high"},
		{"without confidence nothing fails", "high/low", scanner.Policy{MinConfidence: "high", FailOn: "low"},
			scanner.Selection{Summary: "no findings", Hidden: scanner.Hidden{MinConfidence: one("high")}}, ""},
		{"nothing is reported", "high", scanner.Policy{ReportOn: "off", FailOn: "off"},
			scanner.Selection{Summary: "no findings, 1 hidden", Hidden: scanner.Hidden{ReportOn: one("high")}}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			report := &scanner.SkillReport{Skill: "s", Findings: rated(tt.findings)}
			got := selection(report, tt.policy)
			if shown := words(got.Shown); shown != tt.shown {
				t.Errorf("shown are %q, want %q", shown, tt.shown)
			}
			got.Shown, tt.want.Policy = nil, tt.policy
			if diff := cmp.Diff(got, tt.want); diff != "" {
				t.Errorf("(-got +want):\n%s", diff)
			}
			if diff := cmp.Diff(report.Findings, rated(tt.findings)); diff != "" {
				t.Errorf("the report was changed:\n%s", diff)
			}
		})
	}
	if got := selection(nil, scanner.Policy{FailOn: "low"}); got.Shown != nil || got.Fails {
		t.Errorf("nil report: got %+v", got)
	}
}

func TestHidden(t *testing.T) {
	h := scanner.Hidden{
		ReportOn: scanner.SeverityCounts{Low: 1}, MinConfidence: scanner.SeverityCounts{High: 2}, MaxFindings: scanner.SeverityCounts{Medium: 3},
		Rules: map[string]int{"s/a": 2},
	}
	if got := h.Total(); got != 4 {
		t.Errorf("got total %d, want 4: all but those below minConfidence", got)
	}
	want := scanner.Hidden{
		ReportOn: scanner.SeverityCounts{Low: 2}, MinConfidence: scanner.SeverityCounts{High: 4}, MaxFindings: scanner.SeverityCounts{Medium: 6},
		Rules: map[string]int{"s/a": 4},
	}
	if got := h.Add(h); !cmp.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestSelectUnknownThreshold(t *testing.T) {
	report := &scanner.SkillReport{Findings: []scanner.Finding{{ID: "1", Severity: scanner.SeverityLow}}}
	for _, p := range []scanner.Policy{{ReportOn: "critical"}, {MinConfidence: "High"}, {FailOn: "info"}} {
		if got, err := scanner.Select(report, p); err == nil || got.Shown != nil || got.Fails {
			t.Errorf("%+v: got %+v, error %v; want an error alone", p, got, err)
		}
	}
}
