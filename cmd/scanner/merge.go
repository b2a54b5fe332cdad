package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/format"
	"github.com/codescan-dev/scanner/internal/term"
	"github.com/codescan-dev/scanner/jsonl"
	"github.com/codescan-dev/scanner/project"
)

// merge is the command of that name: it makes one report of the logs of shards.
func (p *process) merge(ctx context.Context, o *options) (*project.Result, error) {
	c := p.console(o)
	defer c.Close()
	env, err := p.env(c, o)
	if err != nil {
		return nil, err
	}
	pr, err := project.Open(ctx, env)
	if err != nil {
		return nil, err
	}
	defer pr.Close()
	var logs []project.ShardLog
	for _, name := range o.Paths {
		log, err := parseLog(name)
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
	sinks := []scanner.Sink{c}
	if o.output != "" {
		out, err := p.openOutput(ctx, pr, o.output)
		if err != nil {
			return nil, err
		}
		defer out.close()
		for _, name := range o.Paths {
			if out.isFile(name) {
				return nil, usagef("--output: %q is one of the logs to merge; name another file", o.output)
			}
		}
		sinks = append(sinks, jsonl.NewSink(out, plan.Meta, jsonl.SinkOptions{Discards: o.Discards}))
	}
	c.Open(version)
	run := plan.Report
	c.Note(term.Normal, fmt.Sprintf("Merged %s: %s, %s skipped", format.Count(len(logs), "shard", "shards"),
		format.Count(run.Files, "file", "files"), format.Count(len(run.Skipped), "file", "files")))
	if run.Stopped != nil {
		c.Warn(term.Quiet, "incomplete: "+run.Stopped.Error())
	}
	return plan.Run(sinks...)
}
