package main

import (
	"errors"
	"fmt"
	"strings"

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
