package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/fix"
	"github.com/codescan-dev/scanner/jsonl"
	"github.com/codescan-dev/scanner/redact"
)

// fixer applies the suggested fixes of a run.
type fixer struct {
	p      *process
	c      *console
	pr     *project
	mode   fixMode
	dryRun bool
	checks []string
	// redacted is set when secrets were replaced in what was sent.
	redacted bool
	run      jsonl.Run

	files  []diff.File // what changed
	staged fs.FS       // the contents that are analyzed; nil: those of the tree
	base   *baseline
}

// newFixer returns what is to be done with suggested fixes; nil if nothing is.
func (p *process) newFixer(c *console, pr *project, o *scanOptions, checks []string) (*fixer, error) {
	if o.fix == fixNone {
		return nil, nil
	}
	if len(o.checks) > 0 {
		checks = o.checks
	}
	if len(checks) > 0 && pr.repo == nil {
		return nil, usagef("fixes cannot be checked outside of a repository: what to copy is not known")
	}
	return &fixer{p: p, c: c, pr: pr, mode: o.fix, dryRun: o.dryRun, checks: checks}, nil
}

// checkAsk sees that there is somebody to ask.
func (p *process) checkAsk(c *console, o *scanOptions) error {
	if o.fix != fixAsk {
		return nil
	}
	const instead = "--fix applies all of them, --fix --dry-run shows what that would do"
	_, in := p.columns(p.stdin)
	_, out := p.columns(c.term.out)
	switch {
	case o.level == quiet:
		return usagef("--fix=ask and -q exclude each other")
	case o.diffFile == "-":
		return withHint(usagef("--fix=ask and --diff-file=- both read standard input"), instead)
	case !in || !out:
		return withHint(usagef("--fix=ask needs a terminal"), instead)
	}
	return nil
}

// begin is called when it is known which files are going to be analyzed, before
// they are.
func (x *fixer) begin(planned []scanner.PlannedFile) {
	x.base = takeBaseline(x.pr.tree, planned, x.files, x.staged)
}

// finish applies the fixes of a run that is over, or does with them what else is
// asked for. It writes down what was done: for the console, in the metadata of
// the reports, and in the selections, whose Fails looks at what is left. An error
// says that fixes could not be applied.
func (x *fixer) finish(ctx context.Context, result *scanner.RunReport, selected []scanner.Selection, policies map[string]scanner.Policy, failed bool) error {
	x.c.close()
	report := &fixReport{dryRun: x.dryRun}
	x.c.fixes = report
	switch {
	case ctx.Err() != nil:
		report.stopped = "the run was interrupted"
		return nil
	case failed:
		report.stopped = "the run failed"
		return nil
	case x.base == nil: // there was nothing to analyze
		return nil
	}
	reports := result.Skills[:min(len(result.Skills), len(selected))]
	sets := make([]fix.Set, len(reports))
	for i, r := range reports {
		sets[i] = fix.Set{Skill: r.Skill, Findings: selected[i].Shown, Groups: mergeGroups(r)}
	}
	in := fix.Input{Suggestions: fix.Collect(sets...), Files: x.base.paths, Read: x.base.read}
	if x.redacted {
		in.Redacted = redact.HasPlaceholder
	}
	plan := fix.NewPlan(in)
	plan, err := x.settle(ctx, plan)
	switch {
	case err != nil && ctx.Err() != nil:
		report.stopped, err = "the run was interrupted", nil
	case err != nil:
		report.stopped = "they could not be checked"
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
	for i, r := range reports {
		if records := fixRecords(report.outcomes, r.Skill); len(records) > 0 {
			if r.Metadata == nil {
				r.Metadata = make(map[string]any)
			}
			r.Metadata["fixes"] = records
		}
		policy := policies[r.Skill]
		all := fix.Set{Skill: r.Skill, Findings: scanner.FilterConfidence(r.Findings, policy.MinConfidence), Groups: sets[i].Groups}
		selected[i].Fails = scanner.FailsAt(fix.Unfixed(all, report.outcomes), policy.FailOn)
	}
	return err
}

// settle finds out which of the planned fixes to keep: by asking, and by trying.
func (x *fixer) settle(ctx context.Context, plan *fix.Plan) (*fix.Plan, error) {
	if x.mode == fixAsk {
		chosen, err := x.ask(ctx, plan)
		if err != nil {
			return plan, err
		}
		plan = chosen
	}
	n := fix.Count(plan.Outcomes).Planned
	if len(x.checks) == 0 || n == 0 {
		return plan, nil
	}
	x.c.note(normal, fmt.Sprintf("Checking %s with %s", pluralOf(n, "fix", "fixes"), cleanLine(strings.Join(x.checks, ", "))))
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
			x.c.warn(normal, cleanLine(fmt.Sprintf("folder for copies: %v", err)))
		}
	}()
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real // as programs see it that look for it
	}
	k := &checker{
		commands: x.checks, environ: x.p.environ, tree: x.pr.tree, paths: paths,
		dir: dir, name: copyName(x.pr.root),
		failed: func(command string, err error, output string) {
			x.c.note(verbose, fmt.Sprintf("Check failed: %s: %v", cleanLine(command), err))
			for line := range strings.Lines(output) {
				x.c.note(verbose, "  "+cleanLine(strings.TrimRight(line, "\r\n")))
			}
		},
	}
	tries := 0
	if x.c.live {
		started := x.p.now()
		defer x.c.term.start(func() string {
			frames := []rune(spinner)
			elapsed := x.p.now().Sub(started)
			return truncate(fmt.Sprintf("%c checking fixes · try %d · %s",
				frames[int(elapsed/statusInterval)%len(frames)], tries, formatElapsed(elapsed)), x.c.width()-1)
		})()
	}
	return plan.Prove(ctx, func(ctx context.Context, files map[string][]byte) error {
		x.c.term.update(func() { tries++ })
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
			report.undo = "git apply -R --whitespace=nowarn " + result.Patch
			if x.pr.dir != x.pr.root {
				report.undo += " (at the root of the repository)"
			}
		}
	}
	switch {
	case err == nil:
		return nil
	case result != nil:
		return fmt.Errorf("fixes were applied, but: %w", err)
	case errors.Is(err, fix.ErrBusy):
		report.stopped = "another run is applying fixes"
		return withHint(fmt.Errorf("apply fixes: %w", err), "try again when it has ended")
	case errors.Is(err, fix.ErrPartial):
		report.stopped = "some files are changed all the same"
		return withHint(fmt.Errorf("apply fixes: %w", err), x.undoPartial(id))
	}
	report.stopped = "they could not be written"
	return fmt.Errorf("apply fixes: %w", err)
}

// undoPartial says how to take back what was changed before an error.
func (x *fixer) undoPartial(id string) string {
	pending, _ := fix.Pending(x.pr.tree)
	for i := range pending {
		if command := pending[i].UndoCommand(); pending[i].ID == id && command != "" {
			return "to take back what was changed, at the root of the repository: " + command
		}
	}
	return ""
}

// mergeGroups returns the groups of merged findings of a report.
func mergeGroups(r *scanner.SkillReport) []scanner.MergeGroup {
	groups, _ := r.Metadata["mergeGroups"].([]scanner.MergeGroup)
	return groups
}

// fixRecords returns what the record of a skill says about its fixes. Paths are
// written as in all records.
func fixRecords(outcomes []fix.Outcome, skill string) []fix.Record {
	records := fix.Records(outcomes, skill)
	for i := range records {
		var files []string
		for _, path := range records[i].Files {
			if !utf8.ValidString(path) {
				path = diff.QuotePath(path)
			}
			files = append(files, path)
		}
		records[i].Files = files
	}
	return records
}

// tellPending warns of fixes that an earlier run was applying when it was
// killed, and how to take back what it did.
//
// The journals of real runs are ignored by git, and one that is not came with the
// repository: it could talk its reader into applying a patch of somebody else.
func tellPending(ctx context.Context, pr *project, warn func(verbosity, string)) {
	if info, err := pr.tree.Lstat(".scanner"); err != nil || !info.IsDir() {
		return // which is for those to report who need the folder
	}
	pending, err := fix.Pending(pr.tree)
	if err != nil && !errors.Is(err, fix.ErrBusy) {
		warn(normal, cleanLine(err.Error()))
	}
	var files []string
	if len(pending) > 0 && pr.repo != nil {
		if files, err = pr.repo.Files(ctx); err != nil {
			return // git says the same again where it is needed
		}
	}
	for i := range pending {
		if _, foreign := slices.BinarySearch(files, ".scanner/fixes/"+pending[i].ID+".json"); foreign {
			warn(quiet, cleanLine(fmt.Sprintf("journal %q came with the repository and is not believed", pending[i].ID)))
			continue
		}
		warn(quiet, cleanLine(pendingText(&pending[i])))
		// It also removes the files that were to take the place of others, which
		// are not to be scanned.
		if err := fix.Settle(pr.tree, pending[i].ID); err != nil {
			warn(normal, cleanLine(err.Error()))
		}
	}
}

// pendingText says what became of the files of a journal.
func pendingText(j *fix.Journal) string {
	var changed, other []string
	for _, f := range j.Files {
		switch f.State {
		case fix.FileNew:
			changed = append(changed, cleanPath(f.Path))
		case fix.FileOther:
			other = append(other, cleanPath(f.Path))
		}
	}
	text := fmt.Sprintf("a run that applied fixes (%s) was cut short; ", j.ID)
	switch len(changed) {
	case 0:
		text += "no file is changed"
	case len(j.Files):
		text += fmt.Sprintf("all of its files are changed (%s)", someOf(changed))
	default:
		text += fmt.Sprintf("%d of %s are changed (%s)", len(changed), plural(len(j.Files), "file"), someOf(changed))
	}
	if len(other) > 0 {
		text += fmt.Sprintf(", %s changed since (%s)", plural(len(other), "file"), someOf(other))
	}
	if undo := j.UndoCommand(); undo != "" {
		text += "; to take that back, at the root of the repository: " + undo
	}
	return text
}

// someOf writes a list that may be long.
func someOf(names []string) string {
	const most = 10
	if n := len(names); n > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", n-most)
	}
	return strings.Join(names, ", ")
}
