package project

import (
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
	"github.com/codescan-dev/scanner/internal/dotdir"
)

// Review is what [Project.PlanReview] scans: a pull request, or, without a Base,
// whole files of HEAD below the paths of the skills with a schedule trigger.
type Review struct {
	// Base and Head are the commits of the pull request.
	Base, Head string
	// Target is the branch that the change goes into, as the clone has it. If it
	// contains Base, its commit is used instead.
	Target string
	// Action is what happened to the pull request; it selects triggers. Empty selects
	// all for pull requests, as for a group of them in a merge queue.
	Action string
	// Draft is set if the pull request is a draft.
	Draft bool
	// Title and Description are those of the pull request. They are untrusted.
	Title, Description string
	// TrustHead takes the configuration, skills and attributes from Head instead
	// of from Base.
	TrustHead bool
	// KeyOptional runs the patterns of the skills if there are no credentials for
	// a model.
	KeyOptional bool
	// Foreign is set for a change whose author the team does not trust, as in a pull
	// request from a fork: the cache of the team is not used.
	Foreign bool
}

// ReviewPlan is the plan of a review.
type ReviewPlan struct {
	*Plan
	// Head is the commit that is scanned.
	Head string
	// Known are the names of all configured skills.
	Known []string
	// NoKey is set when no model is called since there are no credentials.
	NoKey bool
	// IgnoreFile is the text of .scanner/ignore.toml of the commit that decides about
	// the review; empty if it has none.
	IgnoreFile string
}

// NoTriggerError is the error of a review that no skill is configured for.
type NoTriggerError struct {
	// Commit is the commit of the configuration.
	Commit string
	Event  config.Event
}

func (e *NoTriggerError) Error() string {
	text := fmt.Sprintf("no skill of %s at %.7s has a trigger for %s", configName, e.Commit, e.Event.Type)
	if e.Event.Action != "" {
		text += " with the action " + e.Event.Action
	}
	if e.Event.Draft {
		text += ", as a draft"
	}
	return text
}

// Hint describes how to make the event start a skill.
func (e *NoTriggerError) Hint() string {
	keys := fmt.Sprintf("triggers = [{ type = %q }]", e.Event.Type)
	switch {
	case e.Event.Type == config.TriggerSchedule:
		keys = `paths = ["**"] and ` + keys
	case e.Event.Action != "":
		keys = fmt.Sprintf("triggers = [{ type = %q, actions = [%q] }]", e.Event.Type, e.Event.Action)
	}
	toml := "version = 1\n[[skills]]\nname = \"x\"\n" + strings.ReplaceAll(keys, " and ", "\n")
	if _, err := config.Parse("", []byte(toml)); err != nil {
		return fmt.Sprintf("no trigger can have the action %q: leave it out of the types that start the workflow", e.Event.Action)
	}
	return "give skills " + keys
}

// PlanReview plans a review. The configuration, skills and attributes come from a
// commit that the author of the change does not control, and the user's
// configuration is ignored if it is inside of the repository.
func (p *Project) PlanReview(ctx context.Context, r Review, opts Options) (*ReviewPlan, error) {
	if p.repo == nil {
		return nil, p.noRepo
	}
	if r.Base != "" && opts.Shard.Count > 0 {
		return nil, usagef("--shard: a pull request is not split, only a scan of whole files")
	}
	event := config.Event{Type: config.TriggerPullRequest, Action: r.Action, Draft: r.Draft}
	if r.Base != "" && r.Target != "" {
		r.Base = p.tipOf(ctx, r.Target, r.Base)
	}
	policyCommit := r.Base
	if r.Base == "" {
		event = config.Event{Type: config.TriggerSchedule}
		r.Head = p.repo.HeadSHA()
	}
	if r.Base == "" || r.TrustHead {
		policyCommit = r.Head
	}
	if r.Head == "" {
		return nil, errors.New("the repository has no commit to scan")
	}
	var mergeBase string
	if r.Base != "" {
		var err error
		if mergeBase, err = p.repo.MergeBase(ctx, r.Base, r.Head); err != nil {
			return nil, commitError(err)
		}
	}
	policy, err := p.revision(ctx, policyCommit)
	if err != nil {
		return nil, err
	}
	plan := &ReviewPlan{Plan: &Plan{p: p, opts: opts, scope: fmt.Sprint(mergeBase, r.TrustHead), foreign: r.Foreign}, Head: r.Head}
	plan.opts.Fix, plan.opts.Base, plan.opts.Staged = nil, "", false // of local runs only
	if err := plan.configure(ctx, policy, policyCommit, event); err != nil {
		return nil, err
	}
	if err := plan.findFiles(ctx, r, policy, policyCommit); err != nil {
		return nil, err
	}
	var base fs.FS // a change must not mark its own findings as fine
	if policyCommit != r.Head {
		base = policy
	}
	if err := plan.newSuppressor(policy.Follow(), base); err != nil {
		return nil, err
	}
	data, err := readIgnoreFile(policy.Follow())
	if err != nil {
		return nil, err
	}
	plan.IgnoreFile = string(data)
	err = plan.complete(ctx, r.Head)
	if _, none := errors.AsType[*NoCredentialsError](err); none && r.KeyOptional {
		plan.opts.Offline, plan.NoKey = true, true
		err = plan.complete(ctx, r.Head)
	}
	return plan, err
}

// tipOf returns the commit of a branch that contains a commit, or else that commit: the
// clone may not have the branch, or an old state of it.
func (p *Project) tipOf(ctx context.Context, branch, commit string) string {
	if base, err := p.repo.MergeBase(ctx, commit, branch); err != nil || base != commit {
		return commit
	}
	tip, err := p.repo.MergeBase(ctx, branch, branch)
	if err != nil {
		return commit
	}
	return tip
}

// configure reads the configuration and the skills of a commit.
func (pl *ReviewPlan) configure(ctx context.Context, policy *gitdiff.FS, commit string, event config.Event) error {
	p := pl.p
	file, err := configAt(policy, commit)
	if err != nil {
		return err
	}
	pl.Known = file.SkillNames()
	for _, name := range pl.opts.Flags.Skills {
		if !slices.Contains(pl.Known, name) {
			return WithHint(usagef("--skill: no skill %q in %s at %.12s", name, configName, commit),
				"in a workflow, triggers in "+configName+" start skills; --skill chooses among them")
		}
	}
	userDir := p.trustedConfigDir()
	user, err := readUser(userDir)
	if err != nil {
		return err
	}
	if pl.Settings, err = p.resolve(file, user, &event, pl.opts.Flags); err != nil {
		return err
	}
	if len(pl.Settings.Skills) == 0 {
		return &NoTriggerError{Commit: commit, Event: event}
	}
	pl.Skills, err = p.skills(ctx, policy.Follow(), skillsBelow(userDir), pl.Settings, true)
	return err
}

// findFiles finds the files to scan: the changes of the pull request, with the
// attributes of the commit of the policy, or the files below the paths of the
// skills.
func (pl *ReviewPlan) findFiles(ctx context.Context, r Review, policy *gitdiff.FS, policyCommit string) error {
	contents, err := pl.p.revision(ctx, r.Head)
	if err != nil {
		return err
	}
	pl.Contents = contents
	if r.Base == "" {
		pl.Files, err = pl.p.repo.AllOf(ctx, r.Head)
		pl.Files = slices.DeleteFunc(pl.Files, func(f diff.File) bool {
			return !slices.ContainsFunc(pl.Skills, func(s scanner.Skill) bool {
				return slices.ContainsFunc(s.Paths, func(glob string) bool { return diff.Match(glob, f.Path) })
			})
		})
		return gitError(err)
	}
	src := gitdiff.Source{Base: r.Base, Head: r.Head}
	if !r.TrustHead { // a change must not keep itself from being scanned
		src.Attributes = policyCommit
	}
	pl.pull = &scanner.PullRequest{Title: r.Title, Description: r.Description}
	limited, cancel, _ := pl.p.withTimeout(ctx, pl.opts.Timeout)
	defer cancel()
	pl.Files, err = pl.p.repo.Changes(limited, src)
	pl.PolicyFiles = policyFiles(pl.Files, pl.Settings, policy.Resolve)
	return gitError(err)
}

// revision returns the files of a commit.
func (p *Project) revision(ctx context.Context, commit string) (*gitdiff.FS, error) {
	fsys, err := p.repo.RevisionFS(ctx, commit)
	if err != nil {
		return nil, gitError(err)
	}
	p.closers = append(p.closers, func() { fsys.Close() })
	return fsys, nil
}

// trustedConfigDir returns the directory of the user's configuration; empty if
// there is none, or if it is inside of the repository, where the author of a
// change could have written it.
func (p *Project) trustedConfigDir() string {
	dir := p.env.configDir()
	if dir == "" || !p.Contains(dir) {
		return dir
	}
	if _, err := os.Lstat(dir); err == nil {
		p.env.warn(Important, "the user's configuration is ignored: its directory is inside of the repository")
	}
	return ""
}

// configAt returns the configuration of a commit; nil if it has none.
func configAt(files *gitdiff.FS, commit string) (*config.File, error) {
	data, err := fs.ReadFile(files.Follow(), configName)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, usagef("configuration %q at %.12s: %w", configName, commit, dotdir.Cause(err))
	}
	file, err := config.Parse(configName, data)
	if err != nil {
		return nil, usagef("at %.12s: %w", commit, err)
	}
	return file, nil
}
