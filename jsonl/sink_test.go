package jsonl_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/fix"
	"github.com/codescan-dev/scanner/jsonl"
)

// twoReports are those of a run of two skills; the second one has merged a finding
// into another and discarded one.
func twoReports() []*scanner.SkillReport {
	fixAt := func(line int, old, new string) *scanner.SuggestedFix {
		return &scanner.SuggestedFix{
			Description: "d",
			Diff:        fmt.Sprintf("--- a/a.go\n+++ b/a.go\n@@ -%d +%d @@\n-%s\n+%s\n", line, line, old, new),
			Edits:       []scanner.Edit{{Line: line, Old: []string{old}, New: []string{new}}},
		}
	}
	return []*scanner.SkillReport{
		{Skill: "one", Findings: []scanner.Finding{}},
		{
			Skill: "two",
			Findings: []scanner.Finding{{
				ID: "1", Severity: scanner.SeverityHigh, Title: "t", Description: "d",
				Location: &scanner.Location{Path: "a.go", StartLine: 1}, SuggestedFix: fixAt(1, "a", "b"),
			}},
			MergeGroups: []scanner.MergeGroup{{Primary: "1", Merged: []scanner.MergedFinding{
				{ID: "2", Location: &scanner.Location{Path: "a.go", StartLine: 9}, SuggestedFix: fixAt(9, "c", "d")},
			}}},
			Discarded: map[string]int{"quote": 1},
			Discards:  []scanner.Discard{{Reason: "quote", Detail: "not there", Raw: "{}"}},
		},
	}
}

// record writes reports to a sink and returns what was written.
func record(t *testing.T, opts jsonl.SinkOptions, reports ...*scanner.SkillReport) *jsonl.Log {
	t.Helper()
	var b bytes.Buffer
	sink := jsonl.NewSink(jsonl.NewWriter(&b), jsonl.NewRun(time.Now(), "/"), opts)
	started := time.Now()
	for i, r := range reports {
		time.Sleep(time.Second + time.Microsecond)
		if err := sink.Skill(r, selection(r, scanner.Policy{})); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(b.String(), "\n"); got != i+1 {
			t.Errorf("%d lines are written after skill %d", got, i+1)
		}
	}
	run := &scanner.RunReport{Skills: reports, Duration: time.Since(started), Skipped: []scanner.SkippedFile{{Filename: "x", Reason: "paths"}}}
	if err := sink.Finish(run); err != nil {
		t.Fatal(err)
	}
	log, err := jsonl.ReadAll(&b)
	if err != nil {
		t.Fatal(err)
	}
	return log
}

func TestSink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(900 * time.Nanosecond) // timestamps have whole milliseconds
		log := record(t, jsonl.SinkOptions{}, twoReports()...)
		if len(log.Skills) != 2 || log.Summary == nil || log.Summary.TotalFindings != 1 || log.Summary.TotalSkippedFiles != 1 {
			t.Fatalf("got %+v", log)
		}
		if got, least := log.Summary.Run.DurationMs, log.Skills[1].Run.DurationMs; got < least || least < 2000 || log.Skills[0].Run.DurationMs >= least {
			t.Errorf("got %v ms for the run, %v ms at its last skill", got, least)
		}
		if got := log.Skills[1].Metadata; got.Discards != nil || got.Discarded["quote"] != 1 {
			t.Errorf("the text of a discard is in a log without the option: %+v", got)
		}
		log = record(t, jsonl.SinkOptions{Discards: true}, twoReports()...)
		if diff := cmp.Diff(log.Skills[1].Metadata.Discards, twoReports()[1].Discards); diff != "" {
			t.Errorf("discards (-got +want):\n%s", diff)
		}
	})
}

type failing struct{}

func (failing) Write(jsonl.Record) error { return errors.New("no space") }

func TestSinkReturnsErrors(t *testing.T) {
	sink := jsonl.NewSink(failing{}, jsonl.NewRun(time.Now(), "/"), jsonl.SinkOptions{})
	if err := sink.Skill(twoReports()[0], scanner.Selection{}); err == nil {
		t.Error("no error for a skill")
	}
	if err := sink.Finish(&scanner.RunReport{}); err == nil {
		t.Error("no error at the end")
	}
}

// TestFixesOfReadReport: the fixes of a report that was read are those of the
// report that was written, also the fixes of merged findings.
func TestFixesOfReadReport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		live := twoReports()[1]
		read := record(t, jsonl.SinkOptions{}, live).Skills[0].Report()
		want := fix.Collect(fix.SetOf(live, live.Findings))
		if diff := cmp.Diff(fix.Collect(fix.SetOf(read, read.Findings)), want); diff != "" || len(want) != 2 {
			t.Errorf("fixes, which should be 2 (-read +live):\n%s", diff)
		}
	})
}
