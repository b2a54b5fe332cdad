package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/codescan-dev/scanner/internal/format"
	"github.com/codescan-dev/scanner/internal/term"
	"github.com/codescan-dev/scanner/output"
	"github.com/codescan-dev/scanner/project"
)

// merge is the command of that name: it makes one report of the logs of shards.
func (p *process) merge(ctx context.Context, o *options) (*project.Result, error) {
	c := p.console(o)
	defer c.Close()
	pr, err := p.openProject(ctx, c, o)
	if err != nil {
		return nil, err
	}
	defer pr.Close()
	var logs []project.ShardLog
	for _, name := range o.Paths {
		log, err := parseLog(ctx, name)
		switch {
		case errors.Is(err, io.ErrUnexpectedEOF): // a run that was killed may leave this
		case err != nil:
			return nil, err
		}
		if len(log.Skills) == 0 {
			c.Warn(term.Quiet, fmt.Sprintf("log %q: has no records of skills", name))
			continue
		}
		logs = append(logs, project.ShardLog{Log: log, Name: name})
	}
	plan, err := project.PlanMerge(logs)
	if err != nil {
		return nil, err
	}
	run := plan.Report
	opening := fmt.Sprintf("Merged %s: %s, %s skipped", format.Count(len(logs), "shard", "shards"),
		format.Count(run.Files, "file", "files"), format.Count(len(run.Skipped), "file", "files"))
	return p.runLogs(ctx, c, pr, plan, o, opening)
}

// report is the command of that name: it shows the result of a log again.
func (p *process) report(ctx context.Context, o *options) (*project.Result, error) {
	c := p.console(o)
	defer c.Close()
	log, err := readLog(ctx, o.Paths[0], true)
	if err != nil {
		return nil, err
	}
	pr, err := p.openProject(ctx, c, o)
	if err != nil {
		return nil, err
	}
	defer pr.Close()
	plan, err := project.PlanReport(log, o.Paths[0], o.Flags)
	if err != nil {
		return nil, err
	}
	run := log.Run
	return p.runLogs(ctx, c, pr, plan, o, fmt.Sprintf("Report of %s, %s", run.Timestamp.Format("2006-01-02 15:04 MST"), format.Count(plan.Report.Files, "file", "files")))
}

// runLogs shows the result that a plan makes of logs, which are the arguments, and
// writes it to --output.
func (p *process) runLogs(ctx context.Context, c *term.Console, pr *project.Project, plan *project.LogPlan, o *options, opening string) (*project.Result, error) {
	code := plan.Unchanged(pr)
	files, err := p.openOutputs(ctx, pr, o, plan.Meta, output.Options{Code: code})
	if err != nil {
		return nil, err
	}
	defer files.close()
	for _, f := range files.files {
		if slices.ContainsFunc(o.Paths, f.is) {
			return nil, usagef("--output: %q is one of the logs that are read; name another file", f.name)
		}
	}
	c.Open(version)
	c.ShowCode(code)
	c.Note(term.Normal, opening)
	if stopped := plan.Report.Stopped; stopped != nil {
		c.Warn(term.Quiet, "incomplete: "+stopped.Error())
	}
	return await(ctx, func() (*project.Result, error) { return plan.Run(append(files.sinks, c)...) })
}
