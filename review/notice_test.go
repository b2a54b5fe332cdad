package review

import (
	"errors"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner"
)

// TestIncompleteNotice has what different runs and logs know of what is missing.
func TestIncompleteNotice(t *testing.T) {
	report := func(r scanner.SkillReport) SkillResult { return SkillResult{Report: &r} }
	ledger := report(scanner.SkillReport{Chunks: scanner.ChunkCounts{Total: 12, Analyzed: 9, Failed: 2, NotAnalyzed: 1}, FailedHunks: 1, FailedExtractions: 1})
	tests := []struct {
		name    string
		skills  []SkillResult
		stopped error
		want    string
	}{
		{"complete", []SkillResult{report(scanner.SkillReport{Chunks: scanner.ChunkCounts{Total: 3, Analyzed: 3}})}, nil, ""},
		{"chunks", []SkillResult{ledger}, nil, "of 12 chunks 2 failed and 1 were not analyzed. Findings may be missing."},
		{"chunks of two skills", []SkillResult{ledger, ledger}, nil, "of 24 chunks 4 failed and 2 were not analyzed. Findings may be missing."},
		{"no chunks", []SkillResult{report(scanner.SkillReport{FailedHunks: 3})}, nil, "3 chunks could not be analyzed. Findings may be missing."},
		{"no chunks, answers", []SkillResult{report(scanner.SkillReport{FailedHunks: 1, FailedExtractions: 2})}, nil, "1 chunk could not be analyzed, 2 answers could not be read. Findings may be missing."},
		{"some", []SkillResult{ledger, report(scanner.SkillReport{FailedHunks: 3})}, nil, "of 12 chunks 2 failed and 1 were not analyzed, 3 chunks could not be analyzed. Findings may be missing."},
		{"stopped", nil, errors.New("no money"), "Findings may be missing. The run ended early: no money."},
	}
	for _, tt := range tests {
		want := tt.want
		if want != "" {
			want = "**Incomplete:** " + want
		}
		if got := incompleteNotice(tt.skills, tt.stopped); got != want {
			t.Errorf("%s: %q, want %q", tt.name, got, want)
		}
	}
}

// TestIncompleteCheck shows that a check run says once what is missing, and only
// what its own skill is missing.
func TestIncompleteCheck(t *testing.T) {
	s := skillOf("code-review")
	s.Report.FailedHunks, s.Report.Chunks = 2, scanner.ChunkCounts{}
	s.Report.Failures = []scanner.ChunkFailure{{Reason: "RateLimitError"}, {Reason: "RateLimitError"}}
	r := resultOf(t, s, skillOf("security"))
	checks := render(t, r).Checks
	if text := checks[0].Summary; strings.Count(text, "Incomplete") != 1 || !strings.Contains(text, "Reasons: 2 RateLimitError.") {
		t.Errorf("check run of the skill that is not complete:\n%s", text)
	}
	if text := checks[1].Summary; strings.Contains(text, "Incomplete") || checks[1].Conclusion != Success {
		t.Errorf("check run of the other: %s\n%s", checks[1].Conclusion, text)
	}
}
