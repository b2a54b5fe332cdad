package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/config"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/diff/gitdiff"
	"github.com/codescan-dev/scanner/internal/term"
	"github.com/codescan-dev/scanner/review"
)

// workflowScan is what a workflow scans: a pull request, or whole files.
type workflowScan struct {
	w    *workflow
	head string // the commit that is scanned
	// from is the commit that decides how: the base of a pull request, unless
	// its head is trusted.
	from string
	// since is the merge base of a pull request, of which the changes are
	// scanned; empty for whole files.
	since    string
	policy   *gitdiff.FS // the files of from
	before   fs.FS       // see diff.Chunking.Before
	userDir  string      // the user's own configuration; empty: there is none
	settings *config.Settings
	known    []string // the names of all skills, whatever starts them
	skills   []scanner.Skill
	target   *scanned
	closers  []func()
}

func (r *workflowScan) close() {
	for _, f := range r.closers {
		f()
	}
}

// newWorkflowScan finds out what the event of a workflow asks for. Without a skill
// for the event there is nothing to scan, and no target.
func (p *process) newWorkflowScan(ctx context.Context, c *term.Console, pr *project, w *workflow, o *scanOptions) (*workflowScan, error) {
	r := &workflowScan{w: w, head: pr.headSHA(), from: pr.headSHA(), userDir: p.configDir()}
	if r.userDir != "" && within(pr.root, r.userDir) {
		// Whoever wrote the change could have written it.
		if _, err := os.Lstat(r.userDir); err == nil {
			c.Warn(term.Quiet, "the configuration of the user is not read: its folder is inside of the repository")
		}
		r.userDir = ""
	}
	if w.event.number > 0 {
		r.head, r.from = w.event.head.Commit, w.event.base
		if o.trustHead {
			r.from = r.head
		}
		var err error
		if r.since, err = pr.repo.MergeBase(ctx, w.event.base, w.event.head.Commit); err != nil {
			return r, missingCommit(err)
		}
	}
	if r.head == "" {
		return r, errors.New("the repository has no commit to scan")
	}
	var err error
	if r.policy, err = r.open(ctx, pr, r.from); err != nil {
		return r, err
	}
	if err := r.configure(p, o); err != nil {
		return r, err
	}
	if len(r.settings.Skills) == 0 {
		return r, nil
	}
	if r.skills, err = p.skills(r.policy.Follow(), r.userDir, r.settings, c.Warn); err != nil {
		return r, err
	}
	return r, r.find(ctx, pr, o)
}

// missingCommit words the error about a commit of a pull request that is not in
// the clone: nobody chose it, so it does not mean that there are no changes.
func missingCommit(err error) error {
	if e, ok := errors.AsType[*gitdiff.Error](err); ok && e.Kind == gitdiff.UnresolvedBase {
		return withHint(asUsage(err), e.Hint)
	}
	return gitError(err)
}

// open returns the files of a commit.
func (r *workflowScan) open(ctx context.Context, pr *project, commit string) (*gitdiff.FS, error) {
	fsys, err := pr.repo.RevisionFS(ctx, commit)
	if err != nil {
		return nil, gitError(err)
	}
	r.closers = append(r.closers, func() { fsys.Close() })
	return fsys, nil
}

// configure resolves the settings for the event from the configuration of the
// commit that decides.
func (r *workflowScan) configure(p *process, o *scanOptions) error {
	var file *config.File
	data, err := fs.ReadFile(r.policy.Follow(), configName)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return usagef("configuration %q at %.12s: %w", configName, r.from, bareError(err))
	default:
		if file, err = config.Parse(configName, data); err != nil {
			return asUsage(fmt.Errorf("at %.12s: %w", r.from, err))
		}
	}
	r.known = file.SkillNames()
	if err := r.checkNames(o.flags.Skills); err != nil {
		return err
	}
	r.settings, err = p.resolve(file, r.userDir, r.trigger(), o)
	return err
}

// checkNames refuses names of skills that no event could ever start.
func (r *workflowScan) checkNames(names []string) error {
	for _, name := range names {
		if !slices.Contains(r.known, name) {
			return withHint(usagef("--skill: no skill %q in %s at %.12s", name, configName, r.from),
				"in a workflow, triggers in "+configName+" start skills; --skill chooses among them")
		}
	}
	return nil
}

// trigger returns what starts skills.
func (r *workflowScan) trigger() *config.Event {
	if r.w.event.number > 0 {
		return &config.Event{Type: config.TriggerPullRequest, Action: r.w.event.action}
	}
	return &config.Event{Type: config.TriggerSchedule}
}

// find finds the files to scan: those that the pull request changes, or all
// below the paths of the skills.
func (r *workflowScan) find(ctx context.Context, pr *project, o *scanOptions) error {
	contents, err := r.open(ctx, pr, r.head)
	if err != nil {
		return err
	}
	t := &scanned{contents: contents, close: func() {}}
	if r.since == "" {
		if t.files, err = pr.repo.AllOf(ctx, r.head); err != nil {
			return gitError(err)
		}
		t.files = slices.DeleteFunc(t.files, func(f diff.File) bool {
			return !slices.ContainsFunc(r.skills, func(s scanner.Skill) bool {
				return slices.ContainsFunc(s.Paths, func(glob string) bool { return diff.Match(glob, f.Path) })
			})
		})
	} else {
		src := gitdiff.Source{Base: r.w.event.base, Head: r.head}
		if !o.trustHead {
			// What a change says about itself must not keep it from being read.
			src.Attributes = r.from
			r.before = r.policy
		}
		if t.files, err = pr.repo.Changes(ctx, src); err != nil {
			return gitError(err)
		}
	}
	t.all = t.files
	r.target = t
	return nil
}

// names returns the names of the skills.
func (r *workflowScan) names() []string {
	names := make([]string, len(r.skills))
	for i := range r.skills {
		names[i] = r.skills[i].Name
	}
	return names
}

// hash identifies everything that decides about the result besides the code that
// is scanned. space identifies the provider.
func (r *workflowScan) hash(o *scanOptions, opts *scanner.Options, space string) string {
	parts := []string{version, r.since, fmt.Sprint(opts.PatternsOnly, opts.Verify, o.trustHead), space}
	for _, o := range r.settings.Explain() {
		parts = append(parts, o.Key, o.Value)
	}
	for _, p := range r.settings.Defaults.Chunking.FilePatterns {
		parts = append(parts, p.Pattern, p.Mode)
	}
	for i := range r.skills {
		s := &r.skills[i]
		parts = append(parts, s.Name, s.Description, s.Instructions, strings.Join(s.AllowedTools, ","))
		for j := range s.Patterns {
			t := &s.Patterns[j]
			parts = append(parts, t.ID, t.Regexp.String(), string(t.Severity), string(t.Confidence), t.Title, t.Description, strings.Join(t.Files, "\n"))
			if t.Replacement != nil {
				parts = append(parts, "replacement", *t.Replacement)
			}
		}
	}
	// Attributes and marks of generated code decide which files are read at all.
	for i := range r.target.files {
		f := &r.target.files[i]
		parts = append(parts, f.Path, fmt.Sprint(f.Generated))
		if r.before != nil {
			data, _ := fs.ReadFile(r.before, cmp.Or(f.OldPath, f.Path))
			parts = append(parts, string(data))
		}
	}
	return review.PolicyHash(parts...)
}

// result returns the result of a run for the code host, without policy and notes.
func (r *workflowScan) result(s *session, o *scanOptions, runErr error) review.Result {
	res := review.Result{
		Number: r.w.event.number, Head: r.head,
		Skipped:  s.result.Skipped,
		Duration: s.result.Duration, Stopped: s.result.Stopped,
		ReportOnSuccess: r.settings.Defaults.ReportOnSuccess,
		Known:           r.known,
		Flavor:          r.w.flavor, RunURL: r.w.runURL,
	}
	if runErr != nil {
		res.Stopped = runError(runErr)
	}
	if res.Number > 0 {
		res.Files, res.Contents = s.target.files, s.target.contents
		res.PolicyFiles, res.TrustHead = policyFiles(s.target.all, r.settings, r.policy.Resolve), o.trustHead
	}
	for _, set := range r.settings.Skills {
		sr := review.SkillResult{RequestChanges: set.RequestChanges}
		for i, report := range s.result.Skills {
			if report.Skill == set.Name {
				sr.Report, sr.Selection = report, s.selected[i]
			}
		}
		if sr.Report == nil {
			// It had nothing to look at.
			sr.Report = &scanner.SkillReport{Skill: set.Name}
			sr.Selection = scanner.Select(sr.Report, set.Policy())
		}
		res.Skills = append(res.Skills, sr)
	}
	return res
}
