package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/fix"
	"github.com/codescan-dev/scanner/github"
	"github.com/codescan-dev/scanner/internal/format"
	"github.com/codescan-dev/scanner/internal/term"
	"github.com/codescan-dev/scanner/redact"
)

// showOutcome shows what became of a result that was posted, or with dryRun what
// would be posted.
func showOutcome(c *term.Console, level term.Verbosity, out *github.Outcome, dryRun bool, err error) {
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
		text = "Nothing to post: everything is there"
	}
	if out.SummaryURL != "" {
		text += ", " + out.SummaryURL
	}
	c.Note(term.Normal, text)
}

// hostError adds to an error of the code host what can be done about it.
func hostError(err error) error {
	var limit *github.LimitError
	switch {
	case errors.Is(err, github.ErrHeadMoved):
		return withHint(err, "nothing is posted about it any more; the run for the new head reviews it")
	case errors.Is(err, github.ErrUnauthorized):
		return withHint(err, "check GITHUB_TOKEN: ${{ github.token }} is valid until the job ends")
	case errors.As(err, &limit):
		return withHint(err, "run it again later: it goes on where this run ended")
	}
	return err
}

// applyFix returns the text of a file with a suggested fix, and whether the fix
// can be applied, by the rules of --fix.
func applyFix(path, text string, suggested scanner.SuggestedFix) (string, bool) {
	plan := fix.NewPlan(fix.Input{
		Suggestions: []fix.Suggestion{{Path: path, Fix: suggested}},
		Files:       []string{path},
		Read:        func(string) ([]byte, error) { return []byte(text), nil },
		Redacted:    redact.HasPlaceholder,
	})
	if len(plan.Changes) != 1 {
		return "", false
	}
	return string(plan.Changes[0].After), true
}
