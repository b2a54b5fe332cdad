package project

import (
	"bytes"
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
	"github.com/codescan-dev/scanner/redact"
)

// FixOptions choose what is done with the suggested fixes of the findings that are
// shown.
type FixOptions struct {
	// DryRun makes a patch of the fixes and changes no file.
	DryRun bool
	// Checks are commands that must pass with a fix, in a copy of the files. None
	// means those of the user's configuration.
	Checks []string
}

// FixResult is what happened to the suggested fixes, in addition to the outcomes
// in the reports.
type FixResult struct {
	DryRun bool
	// Stopped is why no fix was applied; empty if that was not prevented.
	Stopped string
	// Undo is a command that reverts the fixes; empty if none was applied.
	Undo string
	// Patch holds the fixes of a dry run.
	Patch []byte
	// Contents are the contents that were analyzed: those of [Plan.Contents],
	// before the fixes.
	Contents fs.FS
}

// unfixedFS is a file system in which some files have their earlier contents.
type unfixedFS struct {
	fs.FS
	before map[string][]byte
}

// ReadFile implements [fs.ReadFileFS].
func (f unfixedFS) ReadFile(name string) ([]byte, error) {
	if data, ok := f.before[name]; ok {
		return slices.Clone(data), nil
	}
	return fs.ReadFile(f.FS, name)
}

// fixer applies the suggested fixes of a run.
type fixer struct {
	*Plan
	files *fix.Snapshot // nil until it is known which files are analyzed
	kinds map[string]diff.Kind
}

// begin remembers the files that are going to be analyzed, of which the contents
// that are analyzed may come from the index or from a diff.
func (x *fixer) begin(planned []scanner.PlannedFile) {
	changes := make(map[string][]diff.File) // several for a path in a series of patches
	for _, f := range x.Files {
		changes[f.Path] = append(changes[f.Path], f)
	}
	x.files = fix.NewSnapshot(x.p.tree)
	x.kinds = make(map[string]diff.Kind)
	for _, f := range planned {
		x.kinds[f.Path] = f.Kind
		x.files.Add(f.Path, func(contents []byte) bool {
			if !x.opts.Staged {
				return !slices.ContainsFunc(changes[f.Path], func(c diff.File) bool { return !c.Agrees(contents) })
			}
			want, err := fs.ReadFile(x.Contents, f.Path)
			return err == nil && bytes.Equal(withoutCR(want), withoutCR(contents)) // git may convert line ends
		})
	}
}

func withoutCR(data []byte) []byte { return bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")) }

// finish applies the fixes, or makes a patch of them. It writes the outcomes to the
// reports, and to the selections whether the findings that are left make the run
// fail. The error is why fixes could not be applied.
func (x *fixer) finish(ctx context.Context, run *Result, failed bool) (*FixResult, error) {
	res := &FixResult{DryRun: x.opts.Fix.DryRun, Contents: x.Contents}
	switch {
	case ctx.Err() != nil:
		res.Stopped = "the run was interrupted"
		return res, nil
	case failed:
		res.Stopped = "the run failed"
		return res, nil
	case x.files == nil: // there was nothing to analyze
		return res, nil
	}
	var sets []fix.Set
	for i, r := range run.Report.Skills {
		sets = append(sets, fix.SetOf(r, run.Selections[i].Shown))
	}
	in := fix.Input{Suggestions: fix.Collect(sets...), Files: x.files.Files(), Read: x.files.Read, HoldRules: x.holdRules}
	if x.Settings.Provider.Redact {
		in.Redacted = redact.HasPlaceholder
	}
	plan, err := x.verify(ctx, fix.NewPlan(in))
	outcomes := plan.Outcomes
	switch {
	case err != nil && ctx.Err() != nil:
		res.Stopped, err = "the run was interrupted", nil
	case err != nil:
		res.Stopped = "they could not be checked"
	case res.DryRun:
		res.Patch = plan.Patch()
	default:
		var applied *fix.Result
		if applied, err = x.apply(plan, res); applied != nil {
			outcomes = applied.Outcomes
		}
	}
	policies := x.scanOptions().Policies
	type key struct{ skill, finding string }
	unfixed := make(map[key]bool)
	for i, r := range run.Report.Skills {
		r.Fixes = fix.Records(outcomes, r.Skill)
		// The findings that are not fixed, and their duplicates, can fail the run.
		left := *r
		left.Findings = fix.Unfixed(fix.SetOf(r, r.Findings), outcomes)
		for _, f := range left.Findings {
			unfixed[key{r.Skill, f.ID}] = true
		}
		left.Duplicates = slices.DeleteFunc(slices.Clone(r.Duplicates), func(d scanner.Duplicate) bool {
			return !unfixed[key{d.Of, d.Finding}]
		})
		sel, _ := scanner.Select(&left, policies[r.Skill]) // Run has validated the policies
		run.Selections[i].Fails = sel.Fails
	}
	return res, err
}

// holdRules returns why the fixes of rules are not applied to a file: it is not product
// code, and nobody named it, or a directory of such files, as a path to scan.
func (x *fixer) holdRules(path string) string {
	kind := x.kinds[path]
	if kind == diff.KindProduct || x.Settings.Defaults.NonProductCode == scanner.NonProductSame {
		return ""
	}
	for _, arg := range x.opts.Paths {
		rel, err := x.p.rel(arg)
		if err == nil && (path == rel || below(path, rel) && diff.KindOf(rel+"/x") != diff.KindProduct) {
			return ""
		}
	}
	return fmt.Sprintf("%q is not product code (%s): name its path to fix it", path, kind)
}

// verify leaves out the fixes with which the checks do not pass.
func (x *fixer) verify(ctx context.Context, plan *fix.Plan) (*fix.Plan, error) {
	env := &x.p.env
	if len(x.checks) == 0 || len(plan.Changes) == 0 {
		return plan, nil
	}
	planned := 0
	for _, c := range plan.Changes {
		planned += len(c.Fixes)
	}
	paths, err := x.p.repo.Files(ctx)
	if err != nil {
		return plan, gitError(err)
	}
	dir, err := os.MkdirTemp(env.tempDir(), "scanner-fix-")
	if err != nil {
		return plan, fmt.Errorf("directory for copies: %w", err)
	}
	defer func() {
		if err := removeAll(dir); err != nil {
			env.warn(Normal, fmt.Sprintf("directory for copies: %v", err))
		}
	}()
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real // as the working directory of the commands appears to them
	}
	k := &checker{
		commands: x.checks, environ: env.Environ, tree: x.p.tree, paths: paths,
		dir: dir, name: copyName(x.p.root),
		failed: func(command string, err error, output string) {
			env.OnEvent(EventCheckFailed{Command: command, Err: err, Output: output})
		},
	}
	tries := 0
	return plan.Verify(ctx, func(ctx context.Context, files map[string][]byte) error {
		tries++
		env.OnEvent(EventChecking{Fixes: planned, Commands: x.checks, Try: tries})
		return k.try(ctx, files)
	})
}

// copyName returns the name of the directory for a copy: that of the repository,
// which some builds use.
func copyName(root string) string {
	name := filepath.Base(root)
	if !filepath.IsLocal(name) || name == "." {
		return "copy"
	}
	return name
}

// apply changes the files.
func (x *fixer) apply(plan *fix.Plan, res *FixResult) (*fix.Result, error) {
	if x.Contents != nil {
		before := make(map[string][]byte)
		for _, c := range plan.Changes {
			before[c.Path] = c.Before
		}
		res.Contents = unfixedFS{x.Contents, before}
	}
	id, err := x.Meta.FileName()
	if err != nil {
		return nil, err
	}
	applied, err := fix.Apply(x.p.tree, plan, fix.Options{ID: strings.TrimSuffix(id, ".jsonl")})
	if applied == nil {
		res.Stopped = "they could not be written"
	} else if applied.Patch != "" {
		res.Undo = "git apply -R --whitespace=nowarn " + applied.Patch
		if x.p.env.Dir != x.p.root {
			res.Undo += " (at the root of the repository)"
		}
	}
	if err != nil {
		err = fmt.Errorf("apply fixes: %w", err)
	}
	return applied, err
}
