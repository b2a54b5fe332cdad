package main

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/term"
	"github.com/codescan-dev/scanner/jsonl"
	"github.com/codescan-dev/scanner/review"
)

// maxLog is the largest log that is posted, in bytes.
const maxLog = 64 << 20

// post is the command of that name: it posts a log that anyone could have
// written. The pull request and its head come from the event of the workflow alone.
func (p *process) post(ctx context.Context, o *options) error {
	c := p.console(o)
	defer c.Close()

	name := o.Paths[0]
	log, err := readLog(name)
	if err != nil {
		return err
	}
	w, err := p.githubWorkflow(c)
	if err != nil {
		return err
	}
	ev := &w.event
	if ev.number == 0 && !ev.followUp {
		return usagef("event %q is not about a pull request that a log could be posted on", ev.name)
	}
	c.Open(version)
	number := ev.number
	if number == 0 {
		if number, err = w.host.FindPullRequest(ctx, ev.head); err != nil {
			return hostError(err)
		}
	}
	files, err := w.host.Files(ctx, number)
	if err != nil {
		return hostError(err)
	}
	res := logResult(log)
	res.Number, res.Head, res.Files = number, ev.head.Commit, files
	res.Flavor, res.RunURL = w.flavor, w.runURL
	res, res.Notes = review.Sanitize(res)
	if log.Summary == nil {
		res.Notes = append(res.Notes, "The log has no end: the run that wrote it was cut short.")
	}
	for _, note := range res.Notes {
		c.Warn(term.Normal, note)
	}
	out, err := review.Post(ctx, w.host, res, o.dryRun)
	showOutcome(c, o.level, out, o.dryRun, err)
	if err != nil {
		return hostError(err)
	}
	report, err := filepath.Abs(name)
	return errors.Join(err, w.writeResult(&res, report), c.Err())
}

// readLog reads a log whole. A line that is not valid is an error: then it is
// not what a run wrote.
func readLog(name string) (*jsonl.Log, error) {
	data, err := readFile(name, maxLog)
	if err != nil {
		return nil, usagef("log %q: %w", name, err)
	}
	log, err := jsonl.ReadAll(bytes.NewReader(data))
	switch {
	case err != nil:
		return nil, usagef("log %q: %w", name, err)
	case len(log.Skills) == 0 && log.Summary == nil:
		return nil, usagef("log %q: has no records", name)
	}
	return log, nil
}

// logResult returns the result of a log, untrusted as it is.
func logResult(log *jsonl.Log) review.Result {
	res := review.Result{Duration: log.TotalDuration}
	for _, rec := range log.Skills {
		report := rec.Report()
		res.Skills = append(res.Skills, review.SkillResult{
			Report:    report,
			Selection: scanner.Selection{Shown: report.Findings, Summary: report.Summary, Hidden: rec.Metadata.Hidden},
		})
	}
	return res
}
