package main

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/codescan-dev/scanner/internal/term"
	"github.com/codescan-dev/scanner/jsonl"
	"github.com/codescan-dev/scanner/project"
	"github.com/codescan-dev/scanner/review"
)

// post is the command of that name: it posts a log that anyone could have
// written. The pull request and its head come from the event of the workflow alone.
func (p *process) post(ctx context.Context, o *options) error {
	c := p.console(o)
	defer c.Close()

	name := o.Paths[0]
	log, err := readLog(ctx, name, false)
	if err != nil {
		return err
	}
	w, err := p.workflow(c)
	if err != nil {
		return err
	}
	if w.noToken != nil {
		return w.noToken
	}
	ev := &w.event
	if ev.number == 0 && !ev.followUp {
		return p.postMerged(ctx, c, o, w, log)
	}
	if err := checkCommit(name, log, ev.head.Commit); err != nil {
		return err
	}
	c.Open(version)
	number := ev.number
	if number == 0 {
		if number, err = w.host.FindPullRequest(ctx, ev.head); err != nil {
			return w.hostError(err)
		}
	}
	files, err := w.host.Files(ctx, number)
	if err != nil {
		return w.hostError(err)
	}
	res := review.FromLog(log)
	res.Number, res.Head, res.Files = number, ev.head.Commit, files
	res.Flavor, res.RunURL = w.flavor, w.runURL
	res, res.Notes = review.Sanitize(res)
	if log.Summary == nil {
		res.Notes = append(res.Notes, "The log has no end: the run that wrote it was cut short.")
	}
	for _, note := range res.Notes {
		c.Warn(term.Normal, note)
	}
	return p.postResult(ctx, c, o, w, &res)
}

// postMerged posts the merged report of a scan of whole files. It comes from the jobs of
// the same workflow, which is not started by anyone else's change, so it is trusted as
// that of scanner action.
func (p *process) postMerged(ctx context.Context, c *term.Console, o *options, w *workflow, log *jsonl.Log) error {
	for _, rec := range log.Skills {
		if s := rec.Metadata.Shard; s.Count == 0 || s.Index > 0 {
			return project.WithHint(usagef("event %q is not about a pull request that a log could be posted on", w.event.name),
				"for other events, scanner post takes a report of scanner merge")
		}
	}
	head := w.commit
	if err := checkCommit(o.Paths[0], log, head); err != nil {
		return err
	}
	c.Open(version)
	res := review.FromLog(log)
	res.Head, res.Flavor, res.RunURL = head, w.flavor, w.runURL
	if log.Summary == nil {
		res.Stopped = errors.New("the report has no end")
	}
	return p.postResult(ctx, c, o, w, &res)
}

// checkCommit returns an error for a log that is not about a commit: what it found must
// not be taken for findings in another one.
func checkCommit(name string, log *jsonl.Log, commit string) error {
	if commit != "" && log.Run.HeadSHA == commit {
		return nil
	}
	return project.WithHint(usagef("log %q is of commit %.12q, the workflow runs for %.12q: nothing was posted", name, log.Run.HeadSHA, commit),
		"post a log that scanner action wrote for this commit; one of scanner scan is about the commit that was checked out")
}

// postResult posts a result, and writes the outputs for the workflow.
func (p *process) postResult(ctx context.Context, c *term.Console, o *options, w *workflow, res *review.Result) error {
	out, err := review.Post(ctx, w.host, *res, o.dryRun)
	showOutcome(c, o.level, out, o.dryRun, err)
	if err != nil {
		return w.hostError(err)
	}
	report, err := filepath.Abs(o.Paths[0])
	return errors.Join(err, w.writeResult(res, report), c.Err())
}
