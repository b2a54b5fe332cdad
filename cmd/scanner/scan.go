package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/term"
	"github.com/codescan-dev/scanner/jsonl"
)

// scan is the command of that name. What can be wrong is looked for in the order
// of its cost: usage and configuration, what git says, who answers; the first
// request is made when nothing of ours stands against it any more.
func (p *process) scan(ctx context.Context, o scanOptions) (outcome, error) {
	started := p.now()
	c := p.console(&o)
	defer c.Close()

	dir, err := p.getwd()
	if err != nil {
		return outcome{}, fmt.Errorf("working directory: %w", err)
	}
	pr, err := p.openProject(ctx, dir, &o)
	if err != nil {
		return outcome{}, err
	}
	defer pr.close()
	settings, err := p.settings(pr.root, &o)
	if err != nil {
		return outcome{}, err
	}
	skills, err := p.skills(pr.tree.FS(), p.configDir(), settings, c.Warn)
	if err != nil {
		return outcome{}, err
	}
	if o.diffFile != "" {
		for i := range skills {
			skills[i].AllowedTools = nil // there is no tree that is known to belong to the diff
		}
	}
	fixes, err := p.newFixer(c, pr, &o, settings.Fix.Check)
	if err != nil {
		return outcome{}, err
	}
	var out *output
	if o.output != "" {
		if out, err = p.openOutput(ctx, o.output); err != nil {
			return outcome{}, err
		}
		defer out.close()
	}
	target, err := p.changes(ctx, pr, &o)
	if err != nil {
		return outcome{}, err
	}
	defer target.close()
	target.files = withoutOutput(pr, target.files, &o, out)

	s := &session{
		p: p, c: c, pr: pr, o: &o, settings: settings, skills: skills,
		target: target, out: out, fixes: fixes, started: started,
	}
	defer s.close()
	s.configure()
	if err := s.choose(ctx); err != nil {
		return outcome{}, err
	}
	run := jsonl.NewRun(started, dir)
	run.HeadSHA = pr.headSHA()
	s.open(ctx, run)
	if changed := policyFiles(target.all, settings, nil); o.base != "" && len(changed) > 0 {
		c.Warn(term.Normal, "this change alters how it is scanned: "+strings.Join(changed, ", "))
	}
	if fixes != nil {
		fixes.files, fixes.run, fixes.redacted = target.files, s.rec.run, s.opts.Redact != nil
		if o.staged {
			fixes.staged = target.contents
		}
	}
	runErr := s.run(ctx)
	var fixErr error
	if fixes != nil {
		fixErr = fixes.finish(ctx, s.result, s.selected, s.opts.Policies, runErr != nil)
	}
	oc, outErr := s.finish(ctx)
	if oc.interrupted {
		runErr = nil
	}
	return oc, errors.Join(runError(runErr), fixErr, outErr, c.Err())
}

// withoutOutput leaves out the file that the report is written to.
func withoutOutput(pr *project, files []diff.File, o *scanOptions, out *output) []diff.File {
	if out == nil || out.file == nil {
		return files
	}
	var own []string
	for _, name := range []string{o.output, out.path} {
		if abs, err := filepath.Abs(name); err == nil {
			if rel, err := pr.rel(abs); err == nil {
				own = append(own, rel)
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(files), func(f diff.File) bool { return slices.Contains(own, f.Path) })
}

// openLogs opens the log folder and creates the log of the run. A log that
// cannot be written is a warning, never a lost report.
func openLogs(pr *project, rec *recorder) *jsonl.Dir {
	logs, err := jsonl.OpenDir(pr.tree)
	if err != nil {
		rec.warn(err.Error())
		return nil
	}
	if rec.log, err = logs.Create(rec.run); err != nil {
		rec.warn(err.Error())
		rec.log = nil
	}
	return logs
}
