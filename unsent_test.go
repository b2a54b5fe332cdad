package scanner_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
)

// unsentFile returns a new file of one line per text.
func unsentFile(path string, texts ...string) diff.File {
	return diff.File{Path: path, Status: diff.Added, Mode: 0o100644, Hunks: []diff.Hunk{
		{NewStart: 1, NewLines: len(texts), Body: "+" + strings.Join(texts, "\n+") + "\n"},
	}}
}

// A skipped file that rules did not read to the end is listed, and its findings are
// kept.
func TestUnsentTooSlow(t *testing.T) {
	s := slowSkill()
	for i := range s.Patterns {
		s.Patterns[i].Scope = scanner.ScopeAny
	}
	line := strings.Repeat("a", 60)
	report, err := scanner.RunSkill(t.Context(), s, []diff.File{unsentFile("go.sum", strings.Split(strings.Repeat(line+" ", 100), " ")...)},
		scanner.Options{PatternsOnly: true, Timeout: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Notable) != 1 || report.Notable[0].Path != "go.sum" || !strings.Contains(report.Notable[0].What, "took longer than 100ms") {
		t.Errorf("got notable %+v", report.Notable)
	}
	if report.Chunks.Total != 0 || len(report.SkippedFiles) != 1 || len(report.Findings) == 0 {
		t.Errorf("got %d chunks, %d skipped files, %d findings; want 0, 1, some", report.Chunks.Total, len(report.SkippedFiles), len(report.Findings))
	}
}

// So is one that cannot be read again.
func TestUnsentChanged(t *testing.T) {
	reads := 0
	f := diff.File{Path: "go.sum", Status: diff.Added, Load: func() ([]byte, error) {
		if reads++; reads > 1 {
			return nil, errors.New("gone")
		}
		return []byte("a\n"), nil
	}}
	s := scanner.Skill{Name: "s", Patterns: slowSkill().Patterns[:1]}
	s.Patterns[0].Scope = scanner.ScopeAny
	report, err := scanner.RunSkill(t.Context(), s, []diff.File{f}, scanner.Options{PatternsOnly: true})
	if err != nil || len(report.Notable) != 1 || !strings.Contains(report.Notable[0].What, "gone") {
		t.Errorf("got %+v, %v", report, err)
	}
}

// In a file with a name that is common for public files too, a secret must be.
func TestUnsentPublic(t *testing.T) {
	s := scanner.Skill{Name: "s", Patterns: []scanner.Pattern{{
		ID: "p", Regexp: regexp.MustCompile(`\S`), Scope: scanner.ScopeCredentials,
		Severity: scanner.SeverityHigh, Confidence: scanner.ConfidenceMedium, Title: "t", Description: "d",
	}}}
	replace := func(text string) (string, int) {
		return strings.ReplaceAll(text, "hunter2", "[REDACTED]"), strings.Count(text, "hunter2")
	}
	for _, tt := range []struct {
		f    diff.File
		want int // the line of the finding; 0 for none
	}{
		{unsentFile(".env", "", "a"), 2},
		{unsentFile(".npmrc", "save-exact=true"), 0},
		{unsentFile(".npmrc", "save-exact=true", "_auth=hunter2"), 2},
		{unsentFile("ca.pem", "-----BEGIN CERTIFICATE-----"), 0},
	} {
		report, err := scanner.RunSkill(t.Context(), s, []diff.File{tt.f}, scanner.Options{PatternsOnly: true, Redact: replace})
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		for _, f := range report.Findings {
			got = f.Location.StartLine
		}
		if got != tt.want {
			t.Errorf("%s: got a finding at line %d, want %d", tt.f.Path, got, tt.want)
		}
	}
}
