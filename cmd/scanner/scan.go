package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/jsonl"
	"github.com/codescan-dev/scanner/redact"
)

// scan is the command of that name. What can be wrong is looked for in the order
// of its cost: usage and configuration, what git says, who answers; the first
// request is made when nothing of ours stands against it any more.
func (p *process) scan(ctx context.Context, o scanOptions) (outcome, error) {
	started := p.now()
	c := p.console(&o)
	defer c.close()

	dir, err := p.getwd()
	if err != nil {
		return outcome{}, fmt.Errorf("working directory: %w", err)
	}
	if err := p.checkAsk(c, &o); err != nil {
		return outcome{}, err
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
	skills, err := p.skills(pr.tree.FS(), settings, c.warn)
	if err != nil {
		return outcome{}, err
	}
	if o.diffFile != "" {
		for i := range skills {
			skills[i].AllowedTools = nil // there is no tree that is known to belong to the diff
		}
	}
	fixes, err := p.newFixer(c, pr, &o, settings.FixCheck)
	if err != nil {
		return outcome{}, err
	}
	var out *output
	if o.output != "" {
		if out, err = openOutput(o.output, p.stdout); err != nil {
			return outcome{}, err
		}
		defer out.close()
	}
	tellPending(ctx, pr, c.warn)
	target, err := p.changes(ctx, pr, &o)
	if err != nil {
		return outcome{}, err
	}
	defer target.close()
	target.files = withoutOutput(pr, target.files, &o, out)

	opts := scanner.Options{
		PatternsOnly:   o.offline,
		Model:          settings.Provider.Model,
		AuxiliaryModel: settings.Provider.AuxiliaryModel,
		FS:             target.contents,
		Chunking:       settings.Chunking,
		Concurrency:    settings.ConcurrencyFor(false),
		BatchDelay:     settings.BatchDelay,
		Timeout:        settings.Timeout,
		MaxCost:        settings.MaxCost,
		MaxTokens:      settings.MaxTokens,
		Policies:       policies(settings),
		Verify:         o.verify,
	}
	if settings.Provider.Redact {
		opts.Redact = redact.New(settings.Provider.APIKey.Reveal()).Redact
	}
	switch {
	case o.offline:
		checkPatterns(skills, c.warn)
	case len(target.files) > 0: // without changes nobody is asked
		who, err := p.provider(ctx, settings, skills, o.agentTools)
		if err != nil {
			return outcome{}, err
		}
		opts.Provider, opts.Concurrency = who.Provider, settings.ConcurrencyFor(who.agent)
		if answers := p.openCache(pr, who.space, &o, c.warn); answers != nil {
			defer answers.Close()
			defer answers.Prune(ctx, started) // a cache that cannot be pruned is still one
			opts.Cache = answers
		}
	}

	rec := &recorder{run: jsonl.NewRun(started, dir), now: p.now, out: out, warn: func(msg string) { c.warn(quiet, msg) }}
	rec.run.HeadSHA = pr.headSHA()
	if !o.offline {
		rec.run.Model = settings.Provider.Model
	}
	logs := openLogs(pr, rec)
	if logs != nil {
		defer logs.Close()
	}

	c.open(version)
	for _, setting := range settings.Explain() {
		if setting.Value != "" {
			c.debugf("%s", setting)
		}
	}
	if r, ok := c.view.(*rich); ok && target.contents != nil {
		r.source = sourceOf(target.contents)
	}
	if changed := policyFiles(target.all, settings); o.base != "" && len(changed) > 0 {
		c.warn(normal, "this change alters how it is scanned: "+strings.Join(changed, ", "))
	}
	if fixes != nil {
		fixes.files, fixes.run, fixes.redacted = target.files, rec.run, opts.Redact != nil
		if o.staged {
			fixes.staged = target.contents
		}
	}
	s := &scanRun{c: c, rec: rec, policies: opts.Policies, fixes: fixes}
	result, runErr := s.run(ctx, skills, target.files, opts)
	result.Duration = p.now().Sub(started)
	var fixErr error
	if fixes != nil {
		fixErr = fixes.finish(ctx, result, s.selected, opts.Policies, runErr != nil)
	}

	oc := outcome{interrupted: ctx.Err() != nil, incomplete: result.Stopped != nil}
	for _, sel := range s.selected {
		oc.findings = oc.findings || sel.Fails
	}
	for _, r := range result.Skills {
		oc.incomplete = oc.incomplete || r.Chunks.Failed+r.Chunks.NotAnalyzed > 0
	}
	outErr := rec.finish(result, s.selected, result.Duration)
	c.finish(result, s.selected, oc.interrupted)
	if logs != nil && ctx.Err() == nil {
		p.cleanLogs(ctx, c, logs, settings.Logs, &o)
	}
	if oc.interrupted {
		runErr = nil
	}
	return oc, errors.Join(runError(runErr), fixErr, outErr, terminalError(c.term.outErr()))
}

// scanRun is the middle part of a scan: the run itself.
type scanRun struct {
	c        *console
	rec      *recorder
	policies map[string]scanner.Policy
	fixes    *fixer              // nil: they are not asked for
	selected []scanner.Selection // by skill, in order
}

func (s *scanRun) run(ctx context.Context, skills []scanner.Skill, files []diff.File, opts scanner.Options) (*scanner.RunReport, error) {
	if len(files) == 0 {
		s.c.event(scanner.EventPlanned{})
		return &scanner.RunReport{}, nil
	}
	opts.OnEvent = func(e scanner.Event) {
		if e, ok := e.(scanner.EventSkill); ok {
			s.skill(e.Report)
			return
		}
		if e, ok := e.(scanner.EventPlanned); ok && s.fixes != nil {
			s.fixes.begin(e.Files)
		}
		s.c.event(e)
	}
	result, err := scanner.Run(ctx, skills, files, opts)
	if result == nil {
		result = &scanner.RunReport{}
	}
	for _, r := range result.Skills[min(len(s.selected), len(result.Skills)):] {
		s.skill(r)
	}
	return result, err
}

// skill takes the report of a skill when its turn has come.
func (s *scanRun) skill(report *scanner.SkillReport) {
	sel := scanner.Select(report, s.policies[report.Skill])
	s.selected = append(s.selected, sel)
	s.rec.skill(report, sel)
	s.c.skill(report, sel)
}

// terminalError words a failure to write the terminal channel.
func terminalError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("write the report: %w", bareError(err))
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
		rec.warn(cleanLine(err.Error()))
		return nil
	}
	if rec.log, err = logs.Create(rec.run); err != nil {
		rec.warn(cleanLine(err.Error()))
		rec.log = nil
	}
	return logs
}

// sourceOf returns a reader of the files that keeps the last one: findings come
// sorted, and those of a file often one after the other.
func sourceOf(fsys fs.FS) func(string) ([]byte, error) {
	var last string
	var data []byte
	var err error
	return func(path string) ([]byte, error) {
		if path != last {
			last = path
			data, err = fs.ReadFile(fsys, path)
		}
		return data, err
	}
}
