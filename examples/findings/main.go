// Findings makes a log of what another tool found in a change: with the ids, the merging
// and the thresholds that findings of skills have. scanner report makes other formats of
// it, scanner post a review.
//
//	my-linter --json | go run ./examples/findings change.diff >log.jsonl
//	scanner report --output=report.sarif log.jsonl
//
// Each line of the input is a finding of the tool; see problem.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/jsonl"
)

const tool = "my-linter" // the name of the skill in the log

// problem is what the tool reports. The code that it quotes, if it does, overrides its
// line.
type problem struct {
	Path     string           `json:"path"`
	Line     int              `json:"line"`
	Quote    string           `json:"quote"`
	Severity scanner.Severity `json:"severity"`
	Title    string           `json:"title"`
	Message  string           `json:"message"`
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: findings diff-file")
		os.Exit(2)
	}
	patch, err := os.ReadFile(os.Args[1])
	if err == nil {
		err = convert(os.Stdin, os.Stdout, patch)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "findings:", err)
		os.Exit(1)
	}
}

// errFails means that a finding is of high severity.
var errFails = errors.New("there are findings of high severity")

func convert(r io.Reader, w io.Writer, patch []byte) error {
	files, err := diff.Parse(patch)
	if err != nil {
		return err
	}
	start := time.Now()
	problems := make(map[string][]problem) // by path
	for dec := json.NewDecoder(r); ; {
		var p problem
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		problems[p.Path] = append(problems[p.Path], p)
	}

	report := &scanner.SkillReport{Skill: tool}
	var found []scanner.Finding
	var texts []scanner.PlaceText
	for _, f := range files {
		plan := diff.Chunking{}.Plan(f, nil)
		if plan.Skip != nil {
			report.SkippedFiles = append(report.SkippedFiles, scanner.SkippedFile{Filename: f.Path, Reason: string(plan.Skip.Reason)})
			continue
		}
		report.Files = append(report.Files, scanner.FileReport{Path: f.Path, Status: f.Status})
		for _, c := range plan.Chunks {
			shown, err := c.Text()
			if err != nil {
				return err
			}
			report.Chunks.Total++
			report.Chunks.Analyzed++
			anchor := scanner.NewAnchor(&c, shown)
			for _, p := range problems[f.Path] {
				line, _, ok := anchor.Locate(p.Quote, p.Line, 0)
				if !ok || line < c.StartLine || line > c.EndLine {
					continue // about code that the change does not touch
				}
				found = append(found, scanner.Finding{
					Severity: p.Severity, Title: p.Title, Description: p.Message,
					Location: &scanner.Location{Path: f.Path, StartLine: line},
				})
				texts = append(texts, anchor.Text(line))
			}
		}
	}
	findings, places := scanner.AssignIDs(tool, found, texts)
	report.PlaceHashes = places
	report.Findings, report.MergeGroups = scanner.Merge(scanner.Dedupe(findings))
	for i := range report.Findings {
		if err := report.Findings[i].Validate(); err != nil {
			return err
		}
	}

	selection, err := scanner.Select(report, scanner.Policy{ReportOn: scanner.ThresholdMedium, FailOn: scanner.ThresholdHigh})
	if err != nil {
		return err
	}
	log := jsonl.NewSink(jsonl.NewWriter(w), jsonl.NewRun(start, "."), jsonl.SinkOptions{})
	err = errors.Join(log.Skill(report, selection), log.Finish(scanner.NewRunReport([]*scanner.SkillReport{report})))
	if err == nil && selection.Fails {
		err = errFails
	}
	return err
}
