package jsonl_test

import (
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/jsonl"
)

func ExampleRead() {
	log := `
{"run":{"timestamp":"2026-02-18T14:32:15.123Z","durationMs":2100,"cwd":"/src/shop","runId":"0f8fad5b-d9cb-469f-a165-70867728950e"},"skill":"code-review","summary":"1 finding","findings":[{"id":"6f1c0d2e9a7b","severity":"high","title":"error is dropped","description":"The error of Close is not looked at.","location":{"path":"db/db.go","startLine":42}}]}
{"run":{"timestamp":"2026-02-18T14:32:15.123Z","durationMs":2500,"cwd":"/src/shop","runId":"0f8fad5b-d9cb-469f-a165-70867728950e"},"type":"summary","totalFindings":1,"bySeverity":{"high":1,"medium":0,"low":0},"usage":{"inputTokens":1200,"outputTokens":80},"totalSkippedFiles":3}
{"run":{"timest`

	for rec, err := range jsonl.Read(strings.NewReader(log)) {
		switch rec := rec.(type) {
		case *jsonl.SkillRecord:
			for _, f := range rec.Findings {
				fmt.Printf("%s: %s (%s)\n", f.Location, f.Title, rec.Skill)
			}
		case *jsonl.SummaryRecord:
			fmt.Println("findings:", rec.TotalFindings)
		default:
			fmt.Println(err)
		}
	}
	// Output:
	// db/db.go:42: error is dropped (code-review)
	// findings: 1
	// line 4: the line is cut off: unexpected EOF
}

// A program that runs a skill writes a record of its report, and at the end the
// totals.
func ExampleWriter() {
	run := jsonl.NewRun(time.Date(2026, 2, 18, 14, 32, 15, 0, time.UTC), "/src/shop")
	run.RunID = "0f8fad5b-d9cb-469f-a165-70867728950e" // only so that the output is always the same

	report := &scanner.SkillReport{
		Skill:   "code-review",
		Summary: "no findings",
		Chunks:  scanner.ChunkCounts{Total: 1, Analyzed: 1},
	}
	selection, err := scanner.Select(report, scanner.Policy{})
	if err != nil {
		fmt.Println(err)
		return
	}
	rec := jsonl.FromReport(run, report, selection)

	w := jsonl.NewWriter(os.Stdout)
	for _, r := range []jsonl.Record{rec, jsonl.NewSummary(run.WithDuration(2*time.Second), nil, rec)} {
		if err := w.Write(r); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// {"run":{"timestamp":"2026-02-18T14:32:15.000Z","durationMs":0,"cwd":"/src/shop","runId":"0f8fad5b-d9cb-469f-a165-70867728950e"},"skill":"code-review","summary":"no findings","findings":[],"metadata":{"chunks":{"total":1,"analyzed":1,"cached":0,"failed":0,"notAnalyzed":0}}}
	// {"run":{"timestamp":"2026-02-18T14:32:15.000Z","durationMs":2000,"cwd":"/src/shop","runId":"0f8fad5b-d9cb-469f-a165-70867728950e"},"type":"summary","totalFindings":0,"bySeverity":{"high":0,"medium":0,"low":0},"usage":{"inputTokens":0,"outputTokens":0},"totalSkippedFiles":0}
}

// A program reads the logs of all runs in a repository, the latest last.
func ExampleDir() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	root, err := os.OpenRoot(dir)
	if err != nil {
		log.Fatal(err)
	}
	defer root.Close()
	logs, err := jsonl.OpenDir(root)
	if err != nil {
		log.Fatal(err)
	}
	defer logs.Close()
	for day := range 2 {
		run := jsonl.NewRun(time.Date(2026, 2, 18-day, 0, 0, 0, 0, time.UTC), dir)
		f, err := logs.Create(run)
		if err != nil {
			log.Fatal(err)
		}
		sink := jsonl.NewSink(f, run, jsonl.SinkOptions{})
		if err := sink.Finish(new(scanner.RunReport)); err != nil {
			log.Fatal(err)
		}
		if err := f.Close(); err != nil {
			log.Fatal(err)
		}
	}

	names, err := logs.List()
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range names {
		f, err := logs.Open(name)
		if err != nil {
			log.Fatal(err)
		}
		run, err := jsonl.ReadAll(f)
		f.Close()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(run.Run.Timestamp, "findings:", run.Summary.TotalFindings)
	}
	// Output:
	// 2026-02-17T00:00:00.000Z findings: 0
	// 2026-02-18T00:00:00.000Z findings: 0
}
