package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/codescan-dev/scanner/internal/dotdir"
	"github.com/codescan-dev/scanner/internal/term"
	"github.com/codescan-dev/scanner/internal/text"
	"github.com/codescan-dev/scanner/output"
	"github.com/codescan-dev/scanner/project"
)

// scan is the command of that name.
func (p *process) scan(ctx context.Context, o *options) (*project.Result, error) {
	c := p.console(o)
	defer c.Close()
	if o.diffFile != "" {
		var err error
		if o.Diff, err = p.readDiff(ctx, o.diffFile); err != nil {
			return nil, err
		}
	}
	if err := o.readBaseline(ctx); err != nil {
		return nil, err
	}
	pr, err := p.openProject(ctx, c, o)
	if err != nil {
		return nil, err
	}
	defer pr.Close()
	plan, err := pr.Plan(ctx, o.Options)
	if err != nil {
		return nil, err
	}
	if o.Estimate {
		return nil, p.estimate(ctx, c, plan, o)
	}
	c.ShowPathsFrom(pr.Below())
	result, _, err := p.runPlan(ctx, c, pr, plan, o)
	if result != nil && result.Resumable {
		c.Hint(term.Normal, "the answers for finished chunks are in the cache: the next run does not pay for them again")
	}
	if err == nil && len(plan.Files) == 0 && o.Base == "" && !o.All && o.Diff == nil && len(o.Paths) == 0 {
		c.Hint(term.Normal, "--base=origin/main scans what a branch changed, --commit=HEAD the last commit, --all whole files")
	}
	if err == nil && result.Fixes != nil {
		err = p.writePatch(result.Fixes.Patch)
	}
	return result, err
}

// readBaseline reads the log of --baseline, if it is given.
func (o *options) readBaseline(ctx context.Context) (err error) {
	if o.baseline == "" {
		return nil
	}
	if o.Baseline, err = readLog(ctx, o.baseline, false); err != nil {
		return fmt.Errorf("--baseline: %w", err)
	}
	return nil
}

// writePatch writes a patch to standard output: exactly for a program, and for a
// terminal with hidden characters written out.
func (p *process) writePatch(patch []byte) error {
	if _, _, tty := p.size(p.stdout); tty {
		var b strings.Builder
		for line := range strings.Lines(string(patch)) {
			b.WriteString(text.Visible(strings.TrimSuffix(line, "\n")) + "\n")
		}
		patch = []byte(text.BreakCommands(b.String()))
	}
	if _, err := (&pipe{p.stdout, p.gone}).Write(patch); err != nil {
		return fmt.Errorf("write the patch: %w", dotdir.Cause(err))
	}
	return nil
}

// runPlan carries out a plan. The reports go to --output and to the console. It
// returns the absolute path of the report, too; empty if there is none.
func (p *process) runPlan(ctx context.Context, c *term.Console, pr *project.Project, plan *project.Plan, o *options) (result *project.Result, report string, err error) {
	files, err := p.openOutputs(ctx, pr, o, plan.Meta, output.Options{Skills: plan.Skills, Code: plan.Contents})
	if err != nil {
		return nil, "", err
	}
	defer files.close()
	c.Open(version)
	if s := o.Shard; s.Count > 0 {
		c.Note(term.Normal, fmt.Sprintf("Shard %d of %d: all valid findings; scanner merge applies the thresholds", s.Index, s.Count))
	}
	c.ShowCode(plan.Contents)
	c.ShowWait(plan.Wait)
	for _, setting := range plan.Settings.Explain() {
		if setting.Value != "" {
			c.Debugf("%s", setting)
		}
	}
	result, err = plan.Run(ctx, append(files.sinks, c)...)
	return result, cmp.Or(files.report(o), result.Log), err
}
