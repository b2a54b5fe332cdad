package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/config"
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
	r := project.Review{TrustHead: o.trustHead, KeyOptional: ev.restricted, Foreign: ev.foreign}
	if ev.base != "" {
		r.Base, r.Target, r.Head, r.Action, r.Draft = ev.base, ev.target, ev.head.Commit, ev.action, ev.draft
		r.Title, r.Description = ev.title, ev.body
	}
	plan, err := pr.PlanReview(ctx, r, o.Options)
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
		c.Hint(term.Quiet, triggerHint(none.Event))
	}
	return w.write(outputs{}, "## Scanner: nothing was analyzed\n\n"+text.OneLine(none.Error())+".\n")
}

// triggerHint describes how to make an event start a skill.
func triggerHint(e config.Event) string {
	keys := fmt.Sprintf("triggers = [{ type = %q }]", e.Type)
	switch {
	case e.Type == config.TriggerSchedule:
		keys = `paths = ["**"] and ` + keys
	case e.Action != "":
		keys = fmt.Sprintf("triggers = [{ type = %q, actions = [%q] }]", e.Type, e.Action)
	}
	toml := "version = 1\n[[skills]]\nname = \"x\"\n" + strings.ReplaceAll(keys, " and ", "\n")
	if _, err := config.Parse("", []byte(toml)); err != nil {
		return fmt.Sprintf("no trigger can have the action %q: leave it out of the types that start the workflow", e.Action)
	}
	return "give skills " + keys
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

// earlier looks for an earlier review of the same head, and checks that the pull
// request still has that head.
func (a *actionRun) earlier(ctx context.Context, policy string) (review.Earlier, bool, error) {
	number := a.w.event.number
	if number == 0 || a.w.noToken != nil {
		return review.Earlier{}, false, nil
	}
	state, err := a.w.host.Read(ctx, number, a.plan.Head)
	if err != nil {
		return review.Earlier{}, false, err
	}
	if state.Head != a.plan.Head {
		return review.Earlier{}, false, review.ErrHeadMoved
	}
	var skills []string
	for i := range a.plan.Skills {
		skills = append(skills, a.plan.Skills[i].Name)
	}
	earlier, done := state.Done(a.plan.Head, policy, skills)
	return earlier, done, nil
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

// result returns the result of a run for the code host, without policy and notes.
func (a *actionRun) result(run *project.Result) review.Result {
	plan, report := a.plan, run.Report
	res := review.Result{
		Number: a.w.event.number, Head: plan.Head,
		Duration: report.Duration, Stopped: report.Stopped,
		ReportOnSuccess: plan.Settings.Defaults.ReportOnSuccess,
		Known:           plan.Known,
		Flavor:          a.w.flavor, RunURL: a.w.runURL,
	}
	res.MergeGroup = res.Number == 0 && a.w.event.base != ""
	if a.w.event.base != "" {
		res.Files, res.PolicyFiles, res.TrustHead = plan.Files, plan.PolicyFiles, a.o.trustHead
		res.IgnoreFile = &plan.IgnoreFile
	}
	for _, set := range plan.Settings.Skills {
		sr := review.SkillResult{RequestChanges: set.RequestChanges}
		for i, r := range report.Skills {
			if r.Skill == set.Name {
				sr.Report, sr.Selection = r, run.Selections[i]
			}
		}
		if sr.Report == nil {
			// It had nothing to look at. What no skill looked at was for a single one.
			sr.Report = &scanner.SkillReport{Skill: set.Name}
			if len(plan.Settings.Skills) == 1 {
				sr.Report.SkippedFiles = report.Skipped
			}
			sr.Selection, _ = scanner.Select(sr.Report, set.Policy()) // the configuration is valid
		}
		res.Skills = append(res.Skills, sr)
	}
	return res
}

// post posts a result. Where the token lacks the permission to make check runs,
// findings become annotations of the workflow run.
func (a *actionRun) post(ctx context.Context, res *review.Result) error {
	out, err := review.Post(ctx, a.w.host, *res, a.o.dryRun)
	if len(out.Denied) > 0 && a.w.event.restricted {
		out.Warnings = []string{a.w.hints.readOnly}
	}
	showOutcome(a.c, a.o.level, out, a.o.dryRun, err)
	found := slices.ContainsFunc(res.Skills, func(s review.SkillResult) bool { return len(s.Selection.Shown) > 0 })
	unposted := out.NoComments || len(out.Denied) > 0 && out.Writes == 0 && out.SummaryURL == ""
	if found && unposted && a.w.annotations == nil && !a.w.event.restricted {
		err = cmp.Or(err, errors.New("no finding could be posted: the token lacks the permissions"))
	}
	if out.NoChecks {
		a.annotate(res)
	}
	return a.w.hostError(err)
}

// annotate prints findings as commands to the runner, which shows them next to
// the lines.
func (a *actionRun) annotate(res *review.Result) {
	if a.w.annotations == nil {
		return // the log has them
	}
	for _, command := range a.w.annotations(*res) {
		a.c.Command(command)
	}
}
