package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/format"
	"github.com/codescan-dev/scanner/internal/term"
	"github.com/codescan-dev/scanner/project"
)

// estimate shows what a plan is going to do, instead of doing it.
func (p *process) estimate(ctx context.Context, c *term.Console, plan *project.Plan, o *options) error {
	e, err := plan.Estimate(ctx)
	if err != nil {
		return err
	}
	if o.toStdout() {
		return json.NewEncoder(&pipe{p.stdout, p.gone}).Encode(e)
	}
	c.Open(version)
	chunks := 0
	for _, f := range e.Files {
		chunks += f.Chunks
	}
	if chunks == 0 {
		c.Note(term.Normal, "No changes found")
	} else {
		c.Note(term.Normal, fmt.Sprintf("Found %d changed files with %d chunks", len(e.Files), chunks))
	}
	for _, f := range e.Files {
		c.Note(term.Normal, fmt.Sprintf("%s: %s", diff.QuotePath(f.Path), format.Count(f.Chunks, "chunk", "chunks")))
	}
	c.Skipped(e.Skipped)
	var all scanner.Usage
	for _, s := range e.Skills {
		all = all.Add(s.Usage)
		model := ""
		if s.Model != "" {
			model = " with " + s.Model
		}
		c.Note(term.Quiet, fmt.Sprintf("Skill %s%s, %s, %d cached%s", s.Skill, model, format.Count(s.Chunks, "chunk", "chunks"), s.Cached, expected(s.Usage)))
	}
	if len(e.Skills) > 1 {
		c.Note(term.Quiet, "All skills"+expected(all))
	}
	if !all.IsZero() {
		c.Note(term.Normal, "Nothing was sent. The numbers are for one answer of 2,000 tokens about each chunk that is not cached, without tools, second opinions, retries, and what an agent CLI adds.")
	}
	return c.Err()
}

// expected formats what is going to be used; empty if that is nothing.
func expected(u scanner.Usage) string {
	if u.IsZero() {
		return ""
	}
	return fmt.Sprintf(": about %s input, %s output, %s", format.Tokens(u.InputTokens), format.Tokens(u.OutputTokens), format.Cost(u.CostUSD))
}
