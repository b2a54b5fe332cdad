package jsonl_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/jsonl"
)

func TestValidate(t *testing.T) {
	skill := func(change func(*jsonl.SkillRecord)) jsonl.Record {
		r := &jsonl.SkillRecord{Run: testRun(), Skill: "s", Findings: []scanner.Finding{}}
		change(r)
		return r
	}
	summary := func(change func(*jsonl.SummaryRecord)) jsonl.Record {
		r := jsonl.NewSummary(testRun(), nil)
		change(r)
		return r
	}
	for _, tt := range []struct {
		name string
		rec  jsonl.Record
		want string
	}{
		{"skill", skill(func(r *jsonl.SkillRecord) {}), ""},
		{"summary", summary(func(r *jsonl.SummaryRecord) {}), ""},
		{"empty skill", &jsonl.SkillRecord{}, "run.timestamp is missing; run.cwd is missing; run.runId is missing; skill is missing; findings is missing"},
		{"empty summary", &jsonl.SummaryRecord{}, `run.timestamp is missing; run.cwd is missing; run.runId is missing; type "" is not "summary"`},
		{"negative cost", skill(func(r *jsonl.SkillRecord) { r.Usage = &scanner.Usage{CostUSD: new(-1.0)} }), "usage.costUSD -1 is negative"},
		{"names in order", skill(func(r *jsonl.SkillRecord) {
			r.AuxiliaryUsage = map[string]scanner.Usage{"b": {InputTokens: -1}, "a": {CacheReadInputTokens: -1}, "c": {CacheCreationInputTokens: -1}}
		}), `auxiliaryUsage["a"].cacheReadInputTokens -1 is negative; auxiliaryUsage["b"].inputTokens -1 is negative; auxiliaryUsage["c"].cacheCreationInputTokens -1 is negative`},
		{"invalid severity", skill(func(r *jsonl.SkillRecord) {
			r.Findings = []scanner.Finding{{ID: "i", Severity: "critical", Title: "t", Description: "d"}}
		}), `findings[0].severity "critical" is not high, medium or low`},
		{"file", skill(func(r *jsonl.SkillRecord) {
			r.Files = []jsonl.FileRecord{{DurationMs: -1, Usage: scanner.Usage{OutputTokens: -1}}}
		}),
			"files[0].filename is missing; files[0].durationMs -1 is negative; files[0].usage.outputTokens -1 is negative"},
		{"skipped", skill(func(r *jsonl.SkillRecord) { r.SkippedFiles = make([]scanner.SkippedFile, 1) }),
			"skippedFiles[0].filename is missing; skippedFiles[0].reason is missing"},
		{"totals", summary(func(r *jsonl.SummaryRecord) { r.TotalFindings = -1; r.BySeverity.Medium = -2; r.TotalSkippedFiles = -3 }),
			"totalFindings -1 is negative; bySeverity.medium -2 is negative; totalSkippedFiles -3 is negative"},
		{"type", summary(func(r *jsonl.SummaryRecord) { r.Type = "Summary" }), `type "Summary" is not "summary"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			if err := tt.rec.Validate(); err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestNewRun(t *testing.T) {
	zone := time.FixedZone("east", 3*60*60)
	run := jsonl.NewRun(time.Date(2026, 2, 18, 1, 2, 3, 999_999_999, zone), "/w/\xff")
	got, err := json.Marshal(run.Timestamp)
	if want := `"2026-02-17T22:02:03.999Z"`; err != nil || string(got) != want {
		t.Errorf("got timestamp %s, %v, want %s", got, err, want)
	}
	if got, want := run.Timestamp.String(), "2026-02-17T22:02:03.999Z"; got != want {
		t.Errorf("got timestamp %s, want %s", got, want)
	}
	if want := `"/w/\377"`; run.Cwd != want {
		t.Errorf("got cwd %s, want %s", run.Cwd, want)
	}
	if len(run.RunID) != 36 || run.RunID == jsonl.NewRun(testStart, "/w").RunID {
		t.Errorf("got run id %q, want a UUID that is new each time", run.RunID)
	}
	if err := (&jsonl.SummaryRecord{Run: run, Type: jsonl.TypeSummary}).Validate(); err != nil {
		t.Errorf("a new run is not valid: %v", err)
	}
	if got := run.WithDuration(1500 * time.Microsecond).DurationMs; got != 1.5 || run.DurationMs != 0 {
		t.Errorf("WithDuration: got %v and %v, want 1.5 and 0", got, run.DurationMs)
	}
}

func TestFileName(t *testing.T) {
	at := func(s string) jsonl.Time {
		v, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return jsonl.NewRun(v, "/").Timestamp
	}
	for _, tt := range []struct{ id, at, want, err string }{
		{testRunID, "2026-02-18T14:32:15.123Z", "0f8fad5b-2026-02-18T14-32-15-123Z.jsonl", ""},
		{"00000000", "2026-02-18T14:32:15Z", "00000000-2026-02-18T14-32-15-000Z.jsonl", ""},
		{testRunID, "2026-02-18T14:32:15.9+02:00", "0f8fad5b-2026-02-18T12-32-15-900Z.jsonl", ""},
		{"0f8fad5", "2026-02-18T14:32:15Z", "", `run id "0f8fad5" does not begin with eight lower-case hexadecimal digits`},
		{"../../etc/passwd", "2026-02-18T14:32:15Z", "", `run id "../../etc/passwd" does not begin with eight lower-case hexadecimal digits`},
		{testRunID, "9999-12-31T23:59:59-01:00", "0f8fad5b-9999-12-31T23-59-59-999Z.jsonl", ""},
		{"0F8FAD5B-", "2026-02-18T14:32:15Z", "", `run id "0F8FAD5B-" does not begin with eight lower-case hexadecimal digits`},
	} {
		got, err := jsonl.Run{RunID: tt.id, Timestamp: at(tt.at)}.FileName()
		errText := ""
		if err != nil {
			errText = err.Error()
		}
		if got != tt.want || errText != tt.err {
			t.Errorf("%s at %s: got %q, %q, want %q, %q", tt.id, tt.at, got, errText, tt.want, tt.err)
		}
	}
}
