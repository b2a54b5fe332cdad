package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/format"
	"github.com/codescan-dev/scanner/internal/term"
	"github.com/codescan-dev/scanner/project"
	"github.com/codescan-dev/scanner/review"
)

// showOutcome shows the outcome of posting a result, or with dryRun what would be
// posted.
func showOutcome(c *term.Console, level term.Verbosity, out *review.Outcome, dryRun bool, err error) {
	for _, msg := range out.Warnings {
		c.Warn(term.Quiet, msg)
	}
	dryRun = dryRun && err == nil
	if dryRun {
		c.Note(term.Quiet, fmt.Sprintf("Plan: %s, nothing is posted", format.Count(out.Plan.Writes(), "write", "writes")))
	}
	if out.Plan != nil && (dryRun || level >= term.Verbose) {
		for line := range strings.Lines(out.Plan.String()) {
			c.Note(term.Quiet, strings.TrimSuffix(line, "\n"))
		}
	}
	if dryRun {
		return
	}
	text := "Posted: " + format.Count(out.Writes, "write", "writes")
	switch {
	case out.Writes == 0 && (err != nil || len(out.Warnings) > 0):
		return
	case out.Writes == 0:
		text = "Nothing to post: everything is up to date"
	}
	if out.SummaryURL != "" {
		text += ", " + out.SummaryURL
	}
	c.Note(term.Normal, text)
}

// hostError adds a hint to an error of the code host.
func (w *workflow) hostError(err error) error {
	var limit *review.LimitError
	switch {
	case errors.Is(err, review.ErrHeadMoved):
		return project.WithHint(err, "nothing was posted; the run for the new head reviews it")
	case errors.Is(err, review.ErrUnauthorized):
		return project.WithHint(err, w.hints.token)
	case errors.As(err, &limit):
		return project.WithHint(err, "run it again later: it continues where this run ended")
	}
	return err
}

// earlier looks for an earlier review of the same head.
func (a *actionRun) earlier(ctx context.Context, policy string) (review.Earlier, bool, error) {
	if a.w.event.number == 0 || a.w.noToken != nil {
		return review.Earlier{}, false, nil
	}
	var skills []string
	for i := range a.plan.Skills {
		skills = append(skills, a.plan.Skills[i].Name)
	}
	return review.FindEarlier(ctx, a.w.host, a.w.event.number, a.plan.Head, policy, skills)
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
