package main

import (
	"bytes"
	"reflect"
	"testing"
	"time"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/jsonl"
)

// TestPipeline takes what another program quotes of a change through the steps of a run, and
// reads the report again from its log.
func TestPipeline(t *testing.T) {
	files, err := diff.Parse([]byte("--- a/cart.js\n+++ b/cart.js\n@@ -1 +1,3 @@\n let total = 0;\n+total = sum(a);\n+total = sum(b);\n"))
	if err != nil {
		t.Fatal(err)
	}
	chunk := diff.Chunking{}.Plan(files[0], nil).Chunks[0]
	shown, err := chunk.Text()
	if err != nil {
		t.Fatal(err)
	}
	anchor := scanner.NewAnchor(&chunk, shown)
	var found []scanner.Finding
	var texts []scanner.PlaceText
	for _, quote := range []string{"total = sum(a);", "total = sum(b);", "total = sum(c);"} {
		line, _, ok := anchor.Locate(quote, 9, 0)
		if !ok {
			continue // not in the change
		}
		found = append(found, scanner.Finding{
			Severity: scanner.SeverityHigh, Title: "Sum of floats", Description: "Cents are lost.",
			Location: &scanner.Location{Path: chunk.Path, StartLine: line},
		})
		texts = append(texts, anchor.Text(line))
	}
	found, places := scanner.AssignIDs("lint", found, texts)
	merged, groups := scanner.Merge(scanner.Dedupe(found))
	report := &scanner.SkillReport{Skill: "lint", Findings: merged, MergeGroups: groups, PlaceHashes: places}
	selection, err := scanner.Select(report, scanner.Policy{FailOn: scanner.ThresholdHigh})
	if err != nil {
		t.Fatal(err)
	}

	run := jsonl.NewRun(time.Now(), "/src/shop")
	record := jsonl.FromReport(run, report, selection)
	var file bytes.Buffer
	w := jsonl.NewWriter(&file)
	for _, r := range []jsonl.Record{record, jsonl.NewSummary(run, nil, record)} {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	log, err := jsonl.ReadAll(&file)
	if err != nil || len(log.Skills) != 1 || log.Summary == nil {
		t.Fatalf("got %+v, error %v", log, err)
	}
	got := log.Skills[0].Report()
	if len(got.Findings) != 1 || got.Findings[0].Location.String() != "cart.js:2" || len(got.MergeGroups) != 1 ||
		got.MergeGroups[0].Merged[0].Location.StartLine != 3 || !selection.Fails || log.Summary.TotalFindings != 1 {
		t.Errorf("got %+v, which fails: %v", got, selection.Fails)
	}
	if !reflect.DeepEqual(got.Findings, merged) || !reflect.DeepEqual(got.MergeGroups, groups) {
		t.Errorf("got %+v\nwant %+v", got, report)
	}
}
