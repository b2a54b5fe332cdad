package project

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/format"
	"github.com/codescan-dev/scanner/jsonl"
)

// Result is the outcome of a run.
type Result struct {
	Report *scanner.RunReport
	// Selections are what the policies show, of each of Report.Skills.
	Selections []scanner.Selection
	// Log is the path of the log; empty if it could not be written.
	Log string
	// Fixes is the outcome of the suggested fixes; nil without [Options.Fix].
	Fixes *FixResult

	// Ignores describe what a reviewed change adds to what is ignored: none of it takes
	// effect before it is merged.
	Ignores []string
	// Fails is set when findings reach failOn and are not fixed.
	Fails bool
	// Incomplete is set when something was not analyzed.
	Incomplete bool
	// Interrupted is set when the context was canceled. Resumable is set then when the
	// answers for finished chunks are in the cache.
	Interrupted, Resumable bool
}

// Run carries out the plan and hands the results to the sinks. It writes the log,
// keeps the cache, and applies the suggested fixes, if the options demand it, before
// it hands out any report. An interrupted run has a result, too.
//
// The result is never nil. The error joins what ended the run and the first errors
// of the fixes and of each sink. A log that cannot be written is only a warning.
func (pl *Plan) Run(ctx context.Context, sinks ...scanner.Sink) (*Result, error) {
	r := &runner{
		Plan: pl, scanOptions: pl.scanOptions(), sinks: sinks, sinkErrs: make([]error, len(sinks)),
		result: &Result{Report: &scanner.RunReport{}},
	}
	pl.warn()
	defer r.openCache(ctx)()
	logs, err := jsonl.OpenDir(pl.p.tree)
	if err == nil {
		defer logs.Close()
		err = r.openLog(logs)
	}
	if err != nil {
		pl.p.env.warn(Important, err.Error())
	}
	if pl.opts.Fix != nil {
		r.fixer = &fixer{Plan: pl}
	}

	runErr := r.scan(ctx)
	if runErr == nil {
		r.result.Ignores = pl.reportMarks(r.result.Report)
	}
	var fixErr error
	if r.fixer != nil {
		r.result.Fixes, fixErr = r.fixer.finish(ctx, r.result, runErr != nil)
		pl.p.env.OnEvent(EventFixed{*r.result.Fixes})
		for i, report := range r.result.Report.Skills {
			r.each(func(s scanner.Sink) error { return s.Skill(report, r.result.Selections[i]) })
		}
	}
	r.finish(ctx, runErr)
	r.closeLog()
	r.result.Resumable = r.result.Interrupted && r.scanOptions.Cache != nil &&
		slices.ContainsFunc(r.result.Report.Skills, func(s *scanner.SkillReport) bool { return s.Chunks.Analyzed > 0 })
	if logs != nil && ctx.Err() == nil {
		pl.cleanLogs(ctx, logs)
	}
	if r.result.Interrupted {
		runErr = nil
	}
	return r.result, errors.Join(pl.runError(runErr), fixErr, errors.Join(r.sinkErrs...))
}

// warn warns of what is unusual about the plan.
func (pl *Plan) warn() {
	env := &pl.p.env
	if pl.opts.Offline {
		for _, s := range pl.Skills {
			if len(s.Patterns) == 0 {
				env.warn(Normal, fmt.Sprintf("skill %q has no patterns, so nothing of it runs offline", s.Name))
			}
		}
	}
	for _, s := range pl.Skills {
		if _, n := s.Inlined(); n > 0 && pl.provider != nil && (pl.provider.agent || !slices.Contains(s.AllowedTools, "Read")) {
			env.warn(Normal, fmt.Sprintf("skill %q: %s not sent: without the tool Read, a model gets 32 KiB of them",
				s.Name, format.Count(n, "resource is", "resources are")))
		}
	}
	if pl.opts.Base != "" && len(pl.PolicyFiles) > 0 {
		env.warn(Normal, "this change affects how it is scanned: "+quotePaths(pl.PolicyFiles))
	}
	if pl.opts.Staged {
		var unmerged []string
		for _, f := range pl.Files {
			if f.Skip == diff.ReasonUnreadable { // nothing else is unreadable in an index
				unmerged = append(unmerged, f.Path)
			}
		}
		if len(unmerged) > 0 {
			env.warn(Important, "unmerged files are not scanned: "+quotePaths(unmerged))
		}
	}
}

// quotePaths lists paths for a message.
func quotePaths(paths []string) string {
	quoted := make([]string, len(paths))
	for i, path := range paths {
		quoted[i] = diff.QuotePath(path)
	}
	return strings.Join(quoted, ", ")
}

// runner carries out a plan once.
type runner struct {
	*Plan
	scanOptions scanner.Options
	dry         bool // nothing is sent and stored
	sinks       []scanner.Sink
	sinkErrs    []error     // the first error of each sink
	log         *jsonl.File // nil if it cannot be written; else its sink is the first
	fixer       *fixer      // nil: no fixes are applied
	result      *Result
}

// each calls the sinks.
func (r *runner) each(call func(scanner.Sink) error) {
	for i, s := range r.sinks {
		if err := call(s); r.sinkErrs[i] == nil {
			r.sinkErrs[i] = err
		}
	}
}

// openLog makes the log the first of the sinks.
func (r *runner) openLog(logs *jsonl.Dir) (err error) {
	if r.log, err = logs.Create(r.Meta); err != nil {
		r.log = nil
		return err
	}
	r.result.Log = filepath.Join(r.p.root, filepath.FromSlash(r.log.Path()))
	log := jsonl.NewSink(r.log, r.Meta, jsonl.SinkOptions{Discards: r.opts.Discards})
	r.sinks, r.sinkErrs = append([]scanner.Sink{log}, r.sinks...), append([]error{nil}, r.sinkErrs...)
	return nil
}

// closeLog closes the log, and warns if it could not be written.
func (r *runner) closeLog() {
	if r.log == nil {
		return
	}
	if err := cmp.Or(r.sinkErrs[0], r.log.Close()); err != nil {
		r.result.Log = ""
		r.p.env.warn(Important, err.Error())
	}
	r.sinkErrs[0] = nil
}

// scan runs the skills. There is a report, too, if there is an error.
func (r *runner) scan(ctx context.Context) error {
	env := &r.p.env
	if len(r.Files) == 0 && r.opts.Shard.Count == 0 {
		env.OnEvent(EventRun{scanner.EventPlanned{}})
		return nil
	}
	r.scanOptions.OnEvent = func(e scanner.Event) {
		switch e := e.(type) {
		case scanner.EventSkill:
			r.skill(e.Report)
			return
		case scanner.EventFallback:
			r.warnFallback(e)
		case scanner.EventPlanned:
			if r.fixer != nil {
				r.fixer.begin(e.Files)
			}
		}
		env.OnEvent(EventRun{e})
	}
	ctx, cancel, timeout := r.p.withTimeout(ctx, r.opts.Timeout)
	defer cancel()
	report, err := scanner.Run(ctx, r.Skills, r.Files, r.scanOptions)
	if report != nil {
		r.result.Report = report
	}
	if timeout != nil && err == timeout {
		err = nil
		if report.Stopped == nil {
			report.Stopped = timeout
			env.OnEvent(EventRun{scanner.EventStopped{Err: timeout}})
		}
	}
	for _, report := range r.result.Report.Skills[len(r.result.Selections):] {
		r.skill(report)
	}
	return err
}

// warnFallback warns of a model that has to do without tools. The response format is
// only a convenience.
func (r *runner) warnFallback(e scanner.EventFallback) {
	importance, left := Detail, "the response format"
	if e.Tools {
		importance, left = Normal, "tools"
	}
	why := "known from an earlier run"
	if e.Err != nil {
		why = e.Err.Error()
	}
	r.p.env.warn(importance, fmt.Sprintf("requests to %s are made without %s, which it refuses: %s", cmp.Or(e.Model, "the model"), left, why))
}

// skill selects from the report of a skill, and hands it to the sinks. With fixes,
// they get it later.
func (r *runner) skill(report *scanner.SkillReport) {
	sel, _ := scanner.Select(report, r.scanOptions.Policies[report.Skill]) // Run has validated the policies
	r.result.Selections = append(r.result.Selections, sel)
	if r.fixer == nil {
		r.each(func(s scanner.Sink) error { return s.Skill(report, sel) })
	}
}

// finish completes the result and hands the end of the run to the sinks.
func (r *runner) finish(ctx context.Context, runErr error) {
	res := r.result
	res.Report.Duration = r.p.env.Now().Sub(r.p.started)
	res.Interrupted = ctx.Err() != nil
	switch {
	case res.Interrupted:
		res.Report.Stopped = context.Canceled
	case runErr != nil:
		res.Report.Stopped = r.runError(runErr)
	}
	r.conclude()
}

// conclude sums the reports up and hands the end of the run to the sinks.
func (r *runner) conclude() {
	res := r.result
	res.Incomplete = !res.Report.Complete()
	for _, sel := range res.Selections {
		res.Fails = res.Fails || sel.Fails
	}
	r.each(func(s scanner.Sink) error { return s.Finish(res.Report) })
}

// askAgain is how long the question whether to delete logs waits after a refusal.
const askAgain = 30 * 24 * time.Hour

// cleanLogs deletes expired logs as the configuration demands.
func (pl *Plan) cleanLogs(ctx context.Context, logs *jsonl.Dir) {
	cleanup, days := pl.Settings.Logs.Cleanup, pl.Settings.Logs.RetentionDays
	if cleanup == "never" {
		return
	}
	env := &pl.p.env
	expired, err := logs.Expired(env.Now(), days)
	switch {
	case err != nil || len(expired) == 0:
	case cleanup == "auto":
		_, err = logs.Delete(expired)
	case env.Now().Sub(logs.Kept()) > askAgain:
		yes, answered := env.DeleteLogs(ctx, len(expired), days)
		if yes {
			_, err = logs.Delete(expired)
		} else if answered {
			err = logs.Keep(env.Now())
		}
	}
	if err != nil {
		env.warn(Normal, err.Error())
	}
}
