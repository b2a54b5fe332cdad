package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/codescan-dev/scanner/internal/format"
	"github.com/codescan-dev/scanner/internal/term"
	"github.com/codescan-dev/scanner/internal/text"
	"github.com/codescan-dev/scanner/project"
	"github.com/codescan-dev/scanner/review"
)

// action is the command of that name: it scans what the event of a workflow is
// about, and posts the result on the code host.
func (p *process) action(ctx context.Context, o *options) (*project.Result, error) {
	c := p.console(o)
	defer c.Close()
	w, err := p.workflow(c)
	if err != nil {
		return nil, err
	}
	ev := &w.event
	if w.noToken != nil && !ev.restricted {
		return nil, w.noToken
	}
	if ev.followUp {
		return nil, project.WithHint(usagef("scanner action does not handle the event %q", ev.name),
			"scanner post posts the log of the other workflow")
	}
	pr, err := p.openProject(ctx, c, o)
	if err != nil {
		return nil, err
	}
	defer pr.Close()
	if o.baseline != "" && ev.base != "" && !o.trustHead && pr.Contains(o.baseline) {
		return nil, project.WithHint(usagef("--baseline: %q is in the checkout, where the author of a pull request could have written it", o.baseline),
			"write the file of the base elsewhere: git show "+ev.base+":"+filepath.ToSlash(o.baseline)+" >/tmp/baseline.jsonl")
	}
	if err := o.readBaseline(ctx); err != nil {
		return nil, err
	}
	plan, err := pr.PlanReview(ctx, project.Review{
		Base: ev.base, Target: ev.target, Head: ev.head.Commit, Action: ev.action, Draft: ev.draft,
		Title: ev.title, Description: ev.body,
		TrustHead: o.trustHead, KeyOptional: ev.restricted, Foreign: ev.foreign,
	}, o.Options)
	if none, ok := errors.AsType[*project.NoTriggerError](err); ok {
		return nil, w.noSkill(c, none)
	}
	if _, ok := errors.AsType[*project.NoCredentialsError](err); ok {
		err = project.WithHint(err, w.hints.modelKey+", or run the patterns of the skills without a model: --offline")
	}
	if err != nil {
		return nil, err
	}
	a := &actionRun{p: p, c: c, o: o, w: w, project: pr, plan: plan}
	return a.run(ctx)
}

// noSkill reports that no skill is configured for the event. That is what drafts = false
// asks for.
func (w *workflow) noSkill(c *term.Console, none *project.NoTriggerError) error {
	c.Open(version)
	msg := none.Error() + ": nothing was analyzed"
	if none.Event.Draft {
		c.Note(term.Normal, msg)
	} else {
		c.Warn(term.Quiet, msg)
		c.Hint(term.Quiet, none.Hint())
	}
	return w.write(outputs{}, "## Scanner: nothing was analyzed\n\n"+text.OneLine(none.Error())+".\n")
}

// actionRun is a run of the action.
type actionRun struct {
	p       *process
	c       *term.Console
	o       *options
	w       *workflow
	project *project.Project
	plan    *project.ReviewPlan
}

// run recognizes a head that was reviewed before, or scans it and posts the
// result.
func (a *actionRun) run(ctx context.Context) (*project.Result, error) {
	policy := a.plan.PolicyHash(version)
	earlier, done, err := a.earlier(ctx, policy)
	denied, silent := errors.AsType[*review.PermissionError](err)
	silent = silent || a.w.noToken != nil
	switch {
	case silent && a.w.event.restricted:
		a.c.Warn(term.Quiet, a.w.hints.readOnly)
	case silent && a.w.annotations == nil: // findings would be nowhere
		return nil, denied
	case silent: // the token cannot read the state of the host: nothing is posted
		a.c.Warn(term.Quiet, denied.Error())
	case err != nil:
		return nil, a.w.hostError(err)
	case done:
		return a.replay(earlier)
	}
	var notes []string
	if a.plan.NoKey {
		notes = append(notes, "The workflow has no key for a model, as usual for "+cmp.Or(a.w.flavor.Change, "pull request")+"s from forks: only the pattern rules of the skills ran.")
		a.c.Warn(term.Quiet, notes[0])
	}
	run, report, err := a.p.runPlan(ctx, a.c, a.project, a.plan.Plan, a.o)
	if run == nil {
		return nil, err
	}
	res := a.result(run)
	if n := len(run.Ignores); n > 0 {
		notes = append(notes, fmt.Sprintf("The change adds %s, which take effect after the merge:\n- %s",
			format.Count(n, "ignore", "ignores"), strings.Join(run.Ignores, "\n- ")))
	}
	res.Policy, res.Notes = policy, notes
	var postErr error
	switch {
	case a.o.Shard.Count > 0: // scanner merge makes the report
		a.w.summary = envFile{}
	case run.Interrupted: // the log has the result, and there will be another run
	case silent:
		a.annotate(&res)
	default:
		postErr = a.post(ctx, &res)
	}
	return run, errors.Join(err, postErr, a.w.writeResult(&res, report))
}

// replay reports again what an earlier run found.
func (a *actionRun) replay(earlier review.Earlier) (*project.Result, error) {
	a.c.Open(version)
	counts := term.Counts(earlier.Counts)
	msg := fmt.Sprintf("%.7s was reviewed before with the same policy: %s", a.plan.Head, counts)
	summary := "## Scanner: " + counts + "\n\nThis commit was reviewed before with the same policy.\n"
	if earlier.URL != "" {
		msg += ", " + earlier.URL
		summary += "\n" + text.OneLine(earlier.URL) + "\n"
	}
	a.c.Earlier(earlier.Counts, msg)
	return &project.Result{Fails: earlier.Fails}, a.w.write(outputs{counts: earlier.Counts}, summary)
}
