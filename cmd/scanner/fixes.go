package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/fix"
	"github.com/codescan-dev/scanner/internal/term"
	"github.com/codescan-dev/scanner/jsonl"
	"github.com/codescan-dev/scanner/redact"
)

// fixer applies the suggested fixes of a run.
type fixer struct {
	p      *process
	c      *term.Console
	pr     *project
	dryRun bool
	checks []string
	// redacted is set when secrets were replaced in what was sent.
	redacted bool
	run      jsonl.Run

	files  []diff.File // what changed
	staged fs.FS       // the contents that are analyzed; nil: those of the tree
	base   *fix.Snapshot
}

// fixReport is the outcome of the fixes of a run.
type fixReport struct {
	term.Fixes
	outcomes []fix.Outcome
}

// newFixer returns what is to be done with suggested fixes; nil if nothing is.
func (p *process) newFixer(c *term.Console, pr *project, o *scanOptions, checks []string) (*fixer, error) {
	if !o.fix {
		return nil, nil
	}
	if len(o.checks) > 0 {
		checks = o.checks
	}
	if len(checks) > 0 && pr.repo == nil {
		return nil, usagef("fixes cannot be checked outside of a repository: what to copy is not known")
	}
	return &fixer{p: p, c: c, pr: pr, dryRun: o.dryRun, checks: checks}, nil
}

// begin is called when it is known which files are going to be analyzed, before
// they are.
func (x *fixer) begin(planned []scanner.PlannedFile) {
	x.base = takeSnapshot(x.pr.tree, planned, x.files, x.staged)
}

// finish applies the fixes of a run that is over, or does with them what else is
// asked for. It writes down what was done: for the console, in
// the reports, and in the selections, whose Fails looks at what is left. An error
// says that fixes could not be applied.
func (x *fixer) finish(ctx context.Context, result *scanner.RunReport, selected []scanner.Selection, policies map[string]scanner.Policy, failed bool) error {
	x.c.Close()
	report := &fixReport{Fixes: term.Fixes{DryRun: x.dryRun}}
	defer func() { x.c.ShowFixes(report.Fixes) }()
	switch {
	case ctx.Err() != nil:
		report.Stopped = "the run was interrupted"
		return nil
	case failed:
		report.Stopped = "the run failed"
		return nil
	case x.base == nil: // there was nothing to analyze
		return nil
	}
	reports := result.Skills[:min(len(result.Skills), len(selected))]
	sets := make([]fix.Set, len(reports))
	for i, r := range reports {
		sets[i] = fix.SetOf(r, selected[i].Shown)
	}
	in := fix.Input{Suggestions: fix.Collect(sets...), Files: x.base.Files(), Read: x.base.Read}
	if x.redacted {
		in.Redacted = redact.HasPlaceholder
	}
	plan := fix.NewPlan(in)
	plan, err := x.settle(ctx, plan)
	switch {
	case err != nil && ctx.Err() != nil:
		report.Stopped, err = "the run was interrupted", nil
	case err != nil:
		report.Stopped = "they could not be checked"
	case x.dryRun:
		if _, err = (ignorePipe{x.p.stdout}).Write(plan.Patch()); err != nil {
			err = fmt.Errorf("write the patch: %w", bareError(err))
		}
	default:
		err = x.apply(plan, report)
	}
	if report.outcomes == nil {
		report.outcomes = plan.Outcomes
	}
	type key struct{ skill, finding string }
	unfixed := make(map[key]bool)
	for i, r := range reports {
		r.Fixes = fix.Records(report.outcomes, r.Skill)
		// What is left to fail the run: the findings that are not fixed, and the
		// duplicates of such findings.
		left := *r
		left.Findings = fix.Unfixed(fix.SetOf(r, r.Findings), report.outcomes)
		for _, f := range left.Findings {
			unfixed[key{r.Skill, f.ID}] = true
		}
		left.Duplicates = slices.DeleteFunc(slices.Clone(r.Duplicates), func(d scanner.Duplicate) bool {
			return !unfixed[key{d.Of, d.Finding}]
		})
		selected[i].Fails = scanner.Select(&left, policies[r.Skill]).Fails
	}
	return err
}

// settle finds out which of the planned fixes to keep: by asking, and by trying.
func (x *fixer) settle(ctx context.Context, plan *fix.Plan) (*fix.Plan, error) {
	if len(x.checks) == 0 || len(plan.Changes) == 0 {
		return plan, nil
	}
	return x.prove(ctx, plan)
}

// prove leaves out the fixes with which the checks do not pass.
func (x *fixer) prove(ctx context.Context, plan *fix.Plan) (*fix.Plan, error) {
	paths, err := x.pr.repo.Files(ctx)
	if err != nil {
		return plan, gitError(err)
	}
	dir, err := os.MkdirTemp(x.p.tempDir(), "scanner-fix-")
	if err != nil {
		return plan, fmt.Errorf("folder for copies: %w", err)
	}
	defer func() {
		if err := removeAll(dir); err != nil {
			x.c.Warn(term.Normal, fmt.Sprintf("folder for copies: %v", err))
		}
	}()
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real // as programs see it that look for it
	}
	k := &checker{
		commands: x.checks, environ: x.p.environ, tree: x.pr.tree, paths: paths,
		dir: dir, name: copyName(x.pr.root),
		failed: x.c.CheckFailed,
	}
	planned := 0
	for _, ch := range plan.Changes {
		planned += len(ch.Fixes)
	}
	counted := x.c.Checking(planned, x.checks)
	defer x.c.Close()
	return plan.Verify(ctx, func(ctx context.Context, files map[string][]byte) error {
		counted()
		return k.try(ctx, files)
	})
}

// copyName returns the name of the folder for a copy: that of the repository,
// which some builds look at.
func copyName(root string) string {
	name := filepath.Base(root)
	if !filepath.IsLocal(name) || name == "." {
		return "copy"
	}
	return name
}

// apply changes the files.
func (x *fixer) apply(plan *fix.Plan, report *fixReport) error {
	id, err := x.run.FileName()
	if err != nil {
		return err
	}
	id = strings.TrimSuffix(id, ".jsonl")
	result, err := fix.Apply(x.pr.tree, plan, fix.Options{ID: id})
	if result != nil {
		report.outcomes = result.Outcomes
		if result.Patch != "" {
			report.Undo = "git apply -R --whitespace=nowarn " + result.Patch
			if x.pr.dir != x.pr.root {
				report.Undo += " (at the root of the repository)"
			}
		}
	}
	if err == nil {
		return nil
	}
	if result == nil {
		report.Stopped = "they could not be written"
	}
	return fmt.Errorf("apply fixes: %w", err)
}
