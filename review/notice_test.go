package review

import (
	"errors"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner"
)

// TestIncompleteNotice has what different runs are missing.
func TestIncompleteNotice(t *testing.T) {
	report := func(r scanner.SkillReport) SkillResult {
		r.Skill = "s"
		return SkillResult{Report: &r}
	}
	some := report(scanner.SkillReport{Chunks: scanner.ChunkCounts{Total: 12, Analyzed: 8, Failed: 3, NotAnalyzed: 1}, FailedHunks: 1, FailedExtractions: 2})
	tests := []struct {
		name    string
		skills  []SkillResult
		stopped error
		want    string
	}{
		{"complete", []SkillResult{report(scanner.SkillReport{Chunks: scanner.ChunkCounts{Total: 3, Analyzed: 3}})}, nil, ""},
		{"chunks and answers", []SkillResult{some}, nil, "1 chunk could not be analyzed, 2 answers could not be read, 1 chunk not analyzed. Findings may be missing."},
		{"two skills", []SkillResult{some, some}, nil, "2 chunks could not be analyzed, 4 answers could not be read, 2 chunks not analyzed. Findings may be missing."},
		{"stopped", nil, errors.New("no money"), "Findings may be missing. The run ended early: no money."},
	}
	for _, tt := range tests {
		want := tt.want
		if want != "" {
			want = "**Incomplete:** " + want
		}
		v := &view{Result: &Result{Skills: tt.skills, Stopped: tt.stopped}}
		if got := v.notices(tt.skills); got != want {
			t.Errorf("%s: %q, want %q", tt.name, got, want)
		}
	}
}

// TestIncompleteCheck shows that a check run describes once what is missing, and
// only what its own skill is missing.
func TestIncompleteCheck(t *testing.T) {
	s := skillOf("code-review")
	s.Report.FailedHunks, s.Report.Chunks = 2, scanner.ChunkCounts{}
	s.Report.Failures = []scanner.ChunkFailure{{Path: "app/db.go", StartLine: 10, EndLine: 18, Reason: "RateLimitError"}, {Path: "app/db.go", StartLine: 43, EndLine: 46, Reason: "TimeoutError"}}
	r := resultOf(t, s, skillOf("security"))
	checks := render(t, r).Checks
	if text := checks[0].Summary; strings.Count(text, "Incomplete") != 1 || !strings.Contains(text, "<summary>Not analyzed (1 RateLimitError, 1 TimeoutError)</summary>") ||
		!strings.Contains(text, "- [`app/db.go:43-46`](https://host.test/blob/"+headSHA+"/app%2Fdb.go#L43-46): TimeoutError\n") {
		t.Errorf("check run of the skill that is not complete:\n%s", text)
	}
	if text := checks[1].Summary; strings.Contains(text, "Incomplete") || checks[1].Conclusion != Success {
		t.Errorf("check run of the other: %s\n%s", checks[1].Conclusion, text)
	}
}
