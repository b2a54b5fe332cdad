package jsonl_test

import (
	"bytes"
	"flag"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/jsonl"
	"github.com/codescan-dev/scanner/provider"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var testStart = time.Date(2026, 2, 18, 14, 32, 15, 123_456_789, time.UTC)

const testRunID = "0f8fad5b-d9cb-469f-a165-70867728950e"

func testRun() jsonl.Run {
	run := jsonl.NewRun(testStart, "/home/user/shop")
	run.RunID = testRunID
	run.TraceID = "trace-1"
	run.Model = "test-model"
	run.HeadSHA = "9fceb02d0ae598e95dc970b74767f19372d61af8"
	return run
}

// testReport is a report in which every field is set.
func testReport() *scanner.SkillReport {
	return &scanner.SkillReport{
		Skill:   "code-review",
		Summary: "3 findings in 2 files",
		Findings: []scanner.Finding{
			{
				ID:           "a1b2c3d4e5f6",
				Severity:     scanner.SeverityHigh,
				Confidence:   scanner.ConfidenceHigh,
				Title:        "query built from <user> input",
				Description:  "The id goes into the SQL text as it is.\nIt can hold anything.",
				Verification: "Call it with \"1 OR 1=1\".",
				Location:     &scanner.Location{Path: "src/db.go", StartLine: 10, EndLine: 12},
				AdditionalLocations: []scanner.Location{
					{Path: "src/db.go", StartLine: 40},
					{Path: "src/caf\xe9.go", StartLine: 7},
				},
				SuggestedFix: &scanner.SuggestedFix{
					Description: "use a placeholder",
					Diff:        "--- a/src/db.go\n+++ b/src/db.go\n@@ -10 +10 @@\n-q(\"id=\" + id)\n+q(\"id=?\", id)\n",
					Edits:       []scanner.Edit{{Line: 10, Old: []string{`q("id=" + id)`}, New: []string{`q("id=?", id)`}}},
				},
				ElapsedMs: 812.5,
			},
			{
				ID:          "b1b2c3d4e5f6",
				Severity:    scanner.SeverityMedium,
				Title:       "error is dropped",
				Description: "The error of Close is not looked at.",
				Location:    &scanner.Location{Path: "src/caf\xe9.go", StartLine: 3},
				Rule:        "code-review/dropped-error",
			},
			{
				ID:          "c1b2c3d4e5f6",
				Severity:    scanner.SeverityLow,
				Confidence:  scanner.ConfidenceLow,
				Title:       "no tests",
				Description: "The package has no tests.",
			},
		},
		MergeGroups: []scanner.MergeGroup{{
			Primary: "a1b2c3d4e5f6",
			Merged: []scanner.MergedFinding{{
				ID:       "d1b2c3d4e5f6",
				Location: &scanner.Location{Path: "src/caf\xe9.go", StartLine: 7},
			}},
		}},
		Discarded: map[string]int{"outside": 2},
		Discards: []scanner.Discard{
			{Reason: "outside", Detail: "line 90 is outside the chunk", Raw: `{"title":"x"}`},
			{Reason: "outside"},
		},
		Duplicates: []scanner.Duplicate{
			{ID: "e1b2c3d4e5f6", Of: "bugs", Finding: "f1b2c3d4e5f6", Severity: scanner.SeverityHigh, Confidence: scanner.ConfidenceLow},
		},
		Notable:  []diff.Notable{{Path: "src/caf\xe9.go", What: "executable"}},
		Redacted: 3,
		Shard:    scanner.ShardReport{Shard: scanner.Shard{Count: 8}, Policy: scanner.Policy{MaxFindings: 5}, Missing: []int{3, 7}},
		Tools:    scanner.ToolUse{Calls: 4, Problems: 1, Bytes: 5000},
		Verification: &scanner.Verification{
			Checked: 3, Kept: 1, Lowered: 1,
			Rejected: []scanner.Rejection{{
				ID: "g1b2c3d4e5f6", Title: "not so", Reason: "it is checked above",
				Location: &scanner.Location{Path: "src/caf\xe9.go", StartLine: 5},
			}},
			Refuted: []scanner.Rejection{{
				ID: "b1b2c3d4e5f6", Rule: "code-review/dropped-error", Title: "error is dropped", Reason: "it is returned",
				Location: &scanner.Location{Path: "src/caf\xe9.go", StartLine: 3},
			}},
		},
		Fixes: []scanner.FixOutcome{
			{Finding: "a1b2c3d4e5f6", Status: "applied", Files: []string{"src/caf\xe9.go"}},
			{Finding: "a1b2c3d4e5f6", Merged: "d1b2c3d4e5f6", Status: "refused", Reason: "overlap", Message: "overlaps", By: "a1b2c3d4e5f6"},
		},
		Failures: []scanner.ChunkFailure{
			{Path: "src/caf\xe9.go", StartLine: 1, EndLine: 9, Reason: "TimeoutError", Message: "no answer within 5m0s"},
		},
		Left:     []scanner.ChunkFailure{{Path: "src/caf\xe9.go", StartLine: 20, EndLine: 90, Reason: "NotAnalyzed", Message: "no money"}},
		Duration: 12_500 * time.Microsecond,
		Usage: &scanner.Usage{
			InputTokens:              12345,
			OutputTokens:             678,
			CacheReadInputTokens:     9000,
			CacheCreationInputTokens: 42,
			CostUSD:                  new(0.0125),
		},
		AuxiliaryUsage: map[string]scanner.Usage{
			"extraction": {InputTokens: 100, OutputTokens: 20, CostUSD: new(0.0001)},
		},
		Files: []scanner.FileReport{
			{
				Path:     "src/db.go",
				Status:   diff.Modified,
				Findings: 2,
				Duration: 8 * time.Millisecond,
				Usage:    scanner.Usage{InputTokens: 12000, OutputTokens: 600, CostUSD: new(0.012)},
			},
			{
				Path:     "src/caf\xe9.go",
				Status:   diff.Added,
				Findings: 1,
				Duration: 4500 * time.Microsecond,
				Usage:    scanner.Usage{InputTokens: 345, OutputTokens: 78, CostUSD: new(0.0005)},
			},
		},
		SkippedFiles: []scanner.SkippedFile{
			{Filename: "go.sum", Reason: "builtin", Pattern: "**/go.sum"},
			{Filename: "img/\xff.png", Reason: "binary"},
		},
		FailedHunks:       1,
		FailedExtractions: 2,
		Chunks:            scanner.ChunkCounts{Total: 9, Analyzed: 4, Cached: 1, Failed: 3, NotAnalyzed: 1},
		Model:             "test-model",
		Provider:          provider.Identity{Name: "openai", Host: "api.test", Model: "test-model"},
	}
}

// testRecords is a run of three skills: one that found something, one that found
// nothing and spent an unknown price, one that used no model.
func testRecords() []jsonl.Record {
	run := testRun()
	report := testReport()
	first := jsonl.FromReport(run.WithDuration(1500*time.Millisecond), report, selection(report, scanner.Policy{MinConfidence: scanner.ThresholdMedium}))
	first.Metadata.Discards = report.Discards
	second := jsonl.FromReport(run.WithDuration(2*time.Second), &scanner.SkillReport{
		Skill:        "security-review",
		Summary:      "no findings",
		Duration:     250 * time.Millisecond,
		Usage:        &scanner.Usage{InputTokens: 9_007_199_254_740_993, OutputTokens: 1},
		Files:        []scanner.FileReport{{Path: "go.sum", Duration: time.Millisecond, Usage: scanner.Usage{InputTokens: 5}}},
		SkippedFiles: []scanner.SkippedFile{{Filename: "src/db.go", Reason: "paths"}},
		Chunks:       scanner.ChunkCounts{Total: 1, Analyzed: 1},
	}, scanner.Selection{})
	third := jsonl.FromReport(run.WithDuration(2*time.Second), &scanner.SkillReport{
		Skill:   "patterns",
		Summary: "no findings; patterns only, no model was used",
		Shard: scanner.ShardReport{
			Shard:        scanner.Shard{Index: 2, Count: 8, Run: "9fceb02d"},
			Policy:       scanner.Policy{ReportOn: "high", MinConfidence: "medium", FailOn: "off"},
			PatternsOnly: true,
		},
	}, scanner.Selection{})
	skipped := []scanner.SkippedFile{
		{Filename: "img/\xff.png", Reason: "binary"},
		{Filename: "vendor/x.go", Reason: "builtin", Pattern: "**/vendor/**"},
	}
	return []jsonl.Record{first, second, third, jsonl.NewSummary(run.WithDuration(2500*time.Millisecond), skipped, first, second, third)}
}

func encodeAll(t testing.TB, records ...jsonl.Record) []byte {
	t.Helper()
	var b bytes.Buffer
	w := jsonl.NewWriter(&b)
	for _, rec := range records {
		if err := w.Write(rec); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

func TestGolden(t *testing.T) {
	const name = "testdata/run.jsonl"
	got := encodeAll(t, testRecords()...)
	if *update {
		if err := os.WriteFile(name, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(got), string(want)); diff != "" {
		t.Errorf("log differs from %s (-got +want):\n%s", name, diff)
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
