package jsonl_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/jsonl"
)

func TestFromReport(t *testing.T) {
	report := testReport()
	untouched := testReport()
	all := jsonl.FromReport(testRun(), report, selection(report, scanner.Policy{}))
	if got := len(all.Findings); got != 3 {
		t.Errorf("got %d findings, want all 3", got)
	}
	if got := all.Metadata.Hidden; !cmp.Equal(got, scanner.Hidden{}) {
		t.Errorf("metadata.hidden is %+v though nothing is hidden", got)
	}

	sel := selection(report, scanner.Policy{ReportOn: scanner.ThresholdHigh})
	rec := jsonl.FromReport(testRun(), report, sel)
	if got := len(rec.Findings); got != 1 {
		t.Errorf("got %d findings, want the one that is shown", got)
	}
	if got, want := rec.Metadata.Hidden, (scanner.Hidden{ReportOn: scanner.SeverityCounts{Medium: 1, Low: 1}, Rules: map[string]int{"code-review/dropped-error": 1}}); !cmp.Equal(got, want) {
		t.Errorf("hidden: got %+v, want %+v", got, want)
	}
	if got, want := rec.Summary, sel.Summary; got != want || got == report.Summary {
		t.Errorf("got summary %q, want %q, that of what is shown", got, want)
	}
	counts := map[string]int{}
	for _, f := range rec.Files {
		counts[f.Filename] = f.Findings
	}
	if diff := cmp.Diff(counts, map[string]int{"src/db.go": 1, `"src/caf\351.go"`: 0}); diff != "" {
		t.Errorf("findings of files (-got +want):\n%s", diff)
	}
	if got, want := rec.Metadata.Chunks, report.Chunks; got != want {
		t.Errorf("chunks: got %+v, want %+v", got, want)
	}
	if diff := cmp.Diff(report, untouched); diff != "" {
		t.Errorf("the report was changed:\n%s", diff)
	}

	// The record stays when the report changes.
	before := encodeAll(t, rec)
	report.Discarded["more"] = 1
	report.Usage.InputTokens++
	report.Findings[0].Title = "changed"
	if after := encodeAll(t, rec); !bytes.Equal(after, before) {
		t.Errorf("the record changed with the report:\n%s", after)
	}
}

func TestFromReportEmpty(t *testing.T) {
	rec := jsonl.FromReport(testRun(), &scanner.SkillReport{Skill: "s", Summary: "nothing to do"}, scanner.Selection{})
	if err := rec.Validate(); err != nil {
		t.Errorf("the record of an empty report is not valid: %v", err)
	}
	if rec.Summary != "nothing to do" {
		t.Errorf("got summary %q, want the report's", rec.Summary)
	}
}

// TestReport: a record leads back to the report, also when it was written and
// read in between.
func TestReport(t *testing.T) {
	report := testReport()
	rec := jsonl.FromReport(testRun(), report, selection(report, scanner.Policy{}))
	rec.Metadata.Discards = report.Discards
	recs, err := collect(encodeAll(t, rec))
	if err != nil {
		t.Fatal(err)
	}
	want := testReport()
	want.Summary = selection(report, scanner.Policy{}).Summary
	// What JSON cannot hold is quoted, and the status is not recorded.
	const quoted = `"src/caf\351.go"`
	want.Files[1].Path = quoted
	want.Files[1].Findings = 1
	want.Files[0].Findings = 1
	want.Files[0].Status, want.Files[1].Status = diff.Modified, diff.Modified
	want.Findings[0].AdditionalLocations[1].Path = quoted
	want.Findings[1].Location.Path = quoted
	want.MergeGroups[0].Merged[0].Location.Path = quoted
	want.Verification.Rejected[0].Location.Path = quoted
	want.Verification.Refuted[0].Location.Path = quoted
	want.Fixes[0].Files[0] = quoted
	want.Failures[0].Path, want.Left[0].Path = quoted, quoted
	want.Notable[0].Path = quoted
	want.SkippedFiles[1].Filename = `"img/\377.png"`
	for name, r := range map[string]*jsonl.SkillRecord{"made": rec, "read": recs[0].(*jsonl.SkillRecord)} {
		if diff := cmp.Diff(r.Report(), want); diff != "" {
			t.Errorf("%s (-got +want):\n%s", name, diff)
		}
	}
	// Recording the report again gives the same record.
	again := recs[0].(*jsonl.SkillRecord).Report()
	rec = jsonl.FromReport(testRun(), again, selection(again, scanner.Policy{}))
	rec.Metadata.Discards = again.Discards
	got, err := collect(encodeAll(t, rec))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(got, recs); diff != "" {
		t.Errorf("recorded again (-got +first):\n%s", diff)
	}
}

// TestMetadataOfOthers: what another program put into metadata is ignored, and
// does not keep a line from being read.
func TestMetadataOfOthers(t *testing.T) {
	for _, value := range []string{`"many"`, `7`, `[1]`, `{"total":"x"}`, `null`} {
		line := with(skillText, `"metadata":{"theirs":`+value+`,"chunks":`+value+`,"hidden":`+value+`,"redacted":3}`)
		recs, err := collect([]byte(line))
		if err != nil {
			t.Errorf("chunks of %s: %v", value, err)
			continue
		}
		if got, want := recs[0].(*jsonl.SkillRecord).Metadata, (jsonl.Metadata{Redacted: 3}); !cmp.Equal(got, want) {
			t.Errorf("chunks of %s: got %+v, want %+v", value, got, want)
		}
	}
}

func TestNewSummary(t *testing.T) {
	usage := func(in int64, cost *float64) *scanner.Usage {
		return &scanner.Usage{InputTokens: in, OutputTokens: 1, CostUSD: cost}
	}
	rec := func(change func(*jsonl.SkillRecord)) *jsonl.SkillRecord {
		r := &jsonl.SkillRecord{Run: testRun(), Skill: "s", Findings: []scanner.Finding{}}
		change(r)
		return r
	}
	finding := func(s scanner.Severity) scanner.Finding { return scanner.Finding{Severity: s} }
	skip := func(names ...string) (files []scanner.SkippedFile) {
		for _, n := range names {
			files = append(files, scanner.SkippedFile{Filename: n, Reason: "paths"})
		}
		return files
	}
	for _, tt := range []struct {
		name    string
		skipped []scanner.SkippedFile
		records []*jsonl.SkillRecord
		want    jsonl.SummaryRecord
	}{
		{name: "nothing"},
		{
			name:    "no skill ran",
			skipped: skip("a", "b", "a"),
			want:    jsonl.SummaryRecord{TotalSkippedFiles: 2},
		},
		{
			name:    "skipped by one and analyzed by another",
			skipped: skip("none"),
			records: []*jsonl.SkillRecord{
				rec(func(r *jsonl.SkillRecord) {
					r.SkippedFiles = skip("a", "b", "none")
					r.Files = []jsonl.FileRecord{{Filename: "c"}}
				}),
				rec(func(r *jsonl.SkillRecord) {
					r.SkippedFiles = skip("b", "c")
					r.Files = []jsonl.FileRecord{{Filename: "a"}}
				}),
			},
			want: jsonl.SummaryRecord{TotalSkippedFiles: 2},
		},
		{
			name:    "a name that is quoted counts once",
			skipped: skip("\xff"),
			records: []*jsonl.SkillRecord{rec(func(r *jsonl.SkillRecord) { r.SkippedFiles = skip(`"\377"`) })},
			want:    jsonl.SummaryRecord{TotalSkippedFiles: 1},
		},
		{
			name: "findings",
			records: []*jsonl.SkillRecord{
				rec(func(r *jsonl.SkillRecord) { r.Findings = []scanner.Finding{finding("high"), finding("low")} }),
				rec(func(r *jsonl.SkillRecord) { r.Findings = []scanner.Finding{finding("low"), finding("medium")} }),
			},
			want: jsonl.SummaryRecord{TotalFindings: 4, BySeverity: scanner.SeverityCounts{High: 1, Medium: 1, Low: 2}},
		},
		{
			name: "known costs, a skill without a model and one that used nothing",
			records: []*jsonl.SkillRecord{
				rec(func(r *jsonl.SkillRecord) { r.Usage = usage(10, new(0.25)) }),
				rec(func(r *jsonl.SkillRecord) {}),
				rec(func(r *jsonl.SkillRecord) { r.Usage = &scanner.Usage{} }),
				rec(func(r *jsonl.SkillRecord) { r.Usage = usage(5, new(0.5)) }),
			},
			want: jsonl.SummaryRecord{Usage: scanner.Usage{InputTokens: 15, OutputTokens: 2, CostUSD: new(0.75)}},
		},
		{
			name: "an unknown cost makes the sum unknown",
			records: []*jsonl.SkillRecord{
				rec(func(r *jsonl.SkillRecord) {
					r.Usage = usage(10, new(0.25))
					r.AuxiliaryUsage = map[string]scanner.Usage{"extraction": *usage(1, nil), "verification": *usage(3, new(0.5))}
				}),
				rec(func(r *jsonl.SkillRecord) {
					r.Usage = usage(5, nil)
					r.AuxiliaryUsage = map[string]scanner.Usage{"extraction": *usage(2, new(0.5))}
				}),
			},
			want: jsonl.SummaryRecord{
				Usage: scanner.Usage{InputTokens: 15, OutputTokens: 2},
				AuxiliaryUsage: map[string]scanner.Usage{
					"extraction":   {InputTokens: 3, OutputTokens: 2},
					"verification": {InputTokens: 3, OutputTokens: 1, CostUSD: new(0.5)},
				},
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.want.Run = testRun().WithDuration(time.Second)
			tt.want.Type = "summary"
			got := jsonl.NewSummary(tt.want.Run, tt.skipped, tt.records...)
			if diff := cmp.Diff(got, &tt.want); diff != "" {
				t.Errorf("(-got +want):\n%s", diff)
			}
			if err := got.Validate(); err != nil {
				t.Errorf("not valid: %v", err)
			}
		})
	}
}
