package term

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/provider"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares got with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", "golden", name+".txt")
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", file, d)
	}
}

const goldenSource = `package a

func find(db *sql.DB, name string) {
	rows, err := db.Query("SELECT * FROM users WHERE name = '" + name + "'")
	if err != nil {
		return
	}
	defer rows.Close()
}
`

var goldenFindings = []scanner.Finding{
	{
		ID: "0123456789ab", Severity: scanner.SeverityHigh, Confidence: scanner.ConfidenceHigh,
		Title: "SQL built from\nuser input \x1b[2J",
		Description: "The name is concatenated into the statement, so that a caller who passes " +
			"a quote can change what it does.\n\nSecond paragraph.",
		Verification:        "Call find with a name that contains a quote.",
		Location:            &scanner.Location{Path: "a.go", StartLine: 4},
		AdditionalLocations: []scanner.Location{{Path: "b\n.go", StartLine: 7}, {Path: "c.go", StartLine: 1, EndLine: 9}},
		SuggestedFix: &scanner.SuggestedFix{Description: "Use a parameter.", Diff: "--- a/a.go\n+++ b/a.go\n@@ -4 +4 @@\n" +
			"-\trows, err := db.Query(\"SELECT * FROM users WHERE name = '\" + name + \"'\")\n" +
			"+\trows, err := db.Query(\"SELECT * FROM users WHERE name = ?\", name)\n"},
	},
	{
		ID: "123456789abc", Severity: scanner.SeverityMedium, Title: "The error is dropped",
		Description: "Callers cannot tell an empty result from a failure.",
		Location:    &scanner.Location{Path: "a.go", StartLine: 5, EndLine: 7}, Rule: "code-review/go-dropped-error",
	},
	{
		ID: "23456789abcd", Severity: scanner.SeverityLow, Title: "Nothing is tested",
		Description: "There is no test for this package.",
	},
}

// goldenRun plays a run of two skills with everything that can happen in one.
func goldenRun(c *Console) {
	const model = "model-1"
	plan := orderPlan
	plan.Files = []scanner.PlannedFile{
		{Path: "a.go", Status: diff.Modified, Chunks: 3},
		{Path: "b\n.go", Status: diff.Added, Chunks: 1},
	}
	plan.Skipped = []scanner.SkippedFile{
		{Filename: "go.sum", Reason: "builtin", Pattern: "**/go.sum"},
		{Filename: "old.go", Reason: "deleted"},
		{Filename: "yarn.lock", Reason: "builtin", Pattern: "**/yarn.lock"},
	}
	events := chunkEvents()
	usage := scanner.Usage{InputTokens: 12300, OutputTokens: 456, CacheReadInputTokens: 1000, CacheCreationInputTokens: 20, CostUSD: new(0.0234)}
	for i := range events {
		events[i].Duration = time.Duration(i+1) * 700 * time.Millisecond
	}
	limited := &provider.Error{Kind: provider.KindRateLimit, Message: "slow\x1b[31m down"}
	events[0].Usage = usage
	events[1].Retries, events[1].Err = 3, limited

	c.Open("1.2.3")
	c.Event(plan)
	c.Event(scanner.EventPrompt{Chunk: events[0].Chunk, SystemChars: 1200, UserChars: 100_400, Large: true})
	c.Event(scanner.EventRetry{Chunk: events[1].Chunk, Attempt: 1, Max: 3, Delay: 1500 * time.Millisecond, Err: limited})
	c.Event(scanner.EventExtracted{Chunk: events[0].Chunk, Method: "json", Findings: 2})
	for _, i := range []int{3, 1, 4, 2, 0} {
		c.Event(events[i])
	}
	first := &scanner.SkillReport{
		Skill: "code-review", Model: model, Findings: goldenFindings, Usage: &usage,
		MergeGroups: []scanner.MergeGroup{{Primary: "0123456789ab", Merged: []scanner.MergedFinding{
			{ID: "3456789abcde", Location: &scanner.Location{Path: "b\n.go", StartLine: 7}},
		}}},
		AuxiliaryUsage: map[string]scanner.Usage{"extraction": {InputTokens: 100, OutputTokens: 10, CostUSD: new(0.001)}},
		FailedHunks:    1, FailedExtractions: 1,
		Chunks:   scanner.ChunkCounts{Total: 4, Analyzed: 1, Cached: 1, Failed: 2},
		Failures: []scanner.ChunkFailure{{Path: "a.go", StartLine: 20, EndLine: 29, Reason: "RateLimitError"}, {Reason: scanner.ErrExtraction.Error()}},
	}
	second := &scanner.SkillReport{Skill: "security-review", Model: model, Chunks: scanner.ChunkCounts{Total: 1, NotAnalyzed: 1}}
	run := &scanner.RunReport{
		Skills: []*scanner.SkillReport{first, second}, Files: 2, Chunks: 4, Skipped: plan.Skipped,
		Duration: 4350 * time.Millisecond,
	}
	for _, r := range run.Skills {
		sel := scanner.Selection{Shown: r.Findings, FailsHidden: true}
		if r == first {
			sel.Hidden = scanner.Hidden{ReportOn: scanner.SeverityCounts{Low: 2}}
		}
		c.Skill(r, sel)
	}
	c.Event(scanner.EventStopped{Err: scanner.ErrBudget})
	c.Finish(run)
}

func newTestConsole(level Verbosity, l Layout) (c *Console, output func() string) {
	var out, errs strings.Builder
	c = New(Config{
		Out: &out, Err: &errs, Level: level, Layout: l,
		Size: func() (int, int) { return l.width, 24 },
		Now:  func() time.Time { return time.Date(2025, 3, 1, 12, 30, 0, 250e6, time.FixedZone("", 3600)) },
	})
	c.ShowCode(fstest.MapFS{"a.go": {Data: []byte(goldenSource)}})
	return c, func() string { return "== stdout\n" + out.String() + "== stderr\n" + errs.String() }
}

func TestConsole(t *testing.T) {
	for _, tt := range []struct {
		name  string
		level Verbosity
		l     Layout
	}{
		{"plain-quiet", Quiet, Layout{width: 80}},
		{"plain-normal", Normal, Layout{width: 80}},
		{"plain-verbose", Verbose, Layout{width: 80}},
		{"plain-debug", Debug, Layout{width: 80}},
		{"rich-quiet", Quiet, Layout{interactive: true, width: 60}},
		{"rich-normal", Normal, Layout{interactive: true, width: 60}},
		{"rich-verbose", Verbose, Layout{interactive: true, width: 60}},
		{"rich-color", Debug, Layout{interactive: true, color: true, width: 60}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, output := newTestConsole(tt.level, tt.l)
			goldenRun(c)
			got := output()
			if !tt.l.color && strings.Contains(got, "\x1b") {
				t.Error("an escape sequence without color")
			}
			golden(t, tt.name, got)
		})
	}
}

func TestConsoleNothingToDo(t *testing.T) {
	plan := scanner.EventPlanned{Skipped: []scanner.SkippedFile{{Filename: "go.sum", Reason: "builtin"}}}
	const at = "[2025-03-01T11:30:00.250Z] scanner: "
	for _, tt := range []struct {
		name  string
		level Verbosity
		want  string
	}{
		{"quiet", Quiet, "0 findings (0 high, 0 medium, 0 low)\n"},
		{"normal", Normal, at + "No changes found\n" + at + "Skipped 1 file (1 built-in rule)\n"},
		{"verbose", Verbose, at + "No changes found\n" + at + "Skipped 1 file (1 built-in rule)\n" + at + "Skipped go.sum: built-in rule\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, output := newTestConsole(tt.level, Layout{width: 80})
			c.Event(plan)
			c.Finish(&scanner.RunReport{Skipped: plan.Skipped})
			if got, want := output(), "== stdout\n"+tt.want+"== stderr\n"; got != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

func TestConsolePatternsOnly(t *testing.T) {
	c, output := newTestConsole(Normal, Layout{width: 80})
	c.Event(orderPlan)
	c.Finish(&scanner.RunReport{Chunks: 1, Skills: []*scanner.SkillReport{{PatternsOnly: true}}})
	for _, want := range []string{"Offline: only pattern rules ran", "Usage: 0 input, 0 output, $0.0000\n"} {
		if got := output(); !strings.Contains(got, want) {
			t.Errorf("%q is missing from\n%s", want, got)
		}
	}
}

// Below verbose a provider that is down is reported once, not for every chunk.
func TestConsoleShowsFailuresOnce(t *testing.T) {
	fail := func(kind provider.Kind, retries int) scanner.EventChunk {
		return scanner.EventChunk{Outcome: scanner.OutcomeFailed, Retries: retries, Err: &provider.Error{Kind: kind, Message: "no"}}
	}
	for _, tt := range []struct {
		level Verbosity
		want  int
	}{{Quiet, 0}, {Normal, 2}, {Verbose, 3}} {
		c, output := newTestConsole(tt.level, Layout{width: 80})
		c.Event(fail(provider.KindServer, 3))
		c.Event(fail(provider.KindServer, 3))
		c.Event(fail(provider.KindInvalid, 0))
		c.Event(fail(provider.KindAuth, 0))
		c.Event(scanner.EventChunk{Outcome: scanner.OutcomeFailed, Err: scanner.ErrBreaker})
		c.Event(scanner.EventChunk{Outcome: scanner.OutcomeFailed, Err: scanner.ErrExtraction})
		if got := strings.Count(output(), "Analysis failed after"); got != tt.want {
			t.Errorf("level %d: shown %d times, want %d:\n%s", tt.level, got, tt.want, output())
		}
	}
}

func TestConsoleInterrupted(t *testing.T) {
	c, output := newTestConsole(Quiet, Layout{width: 80})
	c.Finish(&scanner.RunReport{
		Chunks: 3, Stopped: context.Canceled,
		Skills: []*scanner.SkillReport{{Chunks: scanner.ChunkCounts{Total: 3, Analyzed: 1, NotAnalyzed: 2}}},
	})
	if want := "warning: interrupted: 2 chunks not analyzed\n"; !strings.Contains(output(), want) {
		t.Errorf("%q is missing from\n%s", want, output())
	}
}

func TestErrorName(t *testing.T) {
	for _, tt := range []struct {
		err          error
		name, detail string
	}{
		{&provider.Error{Kind: provider.KindTimeout, Message: "late"}, "TimeoutError", "late"},
		{errors.Join(scanner.ErrBreaker, &provider.Error{Kind: provider.KindServer}), "not sent", ""},
		{scanner.ErrExtraction, "ExtractionError", "ExtractionError"},
		{errors.New("odd"), "UnknownError", "odd"},
	} {
		if got := errorName(tt.err); got != tt.name {
			t.Errorf("errorName(%v) = %q, want %q", tt.err, got, tt.name)
		}
		if got := errorDetail(tt.err); got != tt.detail {
			t.Errorf("errorDetail(%v) = %q, want %q", tt.err, got, tt.detail)
		}
	}
}

func TestWithheld(t *testing.T) {
	if got := withheld(&scanner.RunReport{Skills: []*scanner.SkillReport{{}}}); got != nil {
		t.Errorf("nothing withheld: got %q", got)
	}
	run := &scanner.RunReport{Skills: []*scanner.SkillReport{
		{Redacted: 2, Discarded: map[string]int{"quote": 1, "path": 2}},
		{Redacted: 1, Discarded: map[string]int{"quote": 3}, Verification: &scanner.Verification{Rejected: make([]scanner.Rejection, 1), Refuted: make([]scanner.Rejection, 2)}},
	}}
	want := []string{
		"Redacted before sending: 3 secrets",
		"Rejected by the second opinion: 1 finding",
		"One severity lower by the second opinion: 2 findings of rules",
	}
	if diff := cmp.Diff(want, withheld(run)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	line := "Discarded, in whole or in part: 6 findings (4 quoting code that is not in the change, 2 about another file)"
	if got := discarded(run); got != line {
		t.Errorf("got %q, want %q", got, line)
	}
}
