package main

import (
	"context"
	"strings"

	"github.com/codescan-dev/scanner/internal/term"
	"github.com/codescan-dev/scanner/internal/text"
	"github.com/codescan-dev/scanner/jsonl"
	"github.com/codescan-dev/scanner/project"
)

// explain is the command of that name.
func (p *process) explain(ctx context.Context, pr *project.Project, o *options) (err error) {
	var log *jsonl.Log
	if o.log != "" {
		if log, err = readLog(ctx, o.log, true); err != nil {
			return err
		}
	}
	var sections []project.Section
	if o.finding != "" {
		sections, err = pr.ExplainFinding(ctx, o.Options, log, o.finding)
	} else {
		sections, err = pr.Explain(ctx, o.Options, o.Paths[0])
	}
	if err != nil {
		return err
	}
	var b strings.Builder
	for i, s := range sections {
		if s.Detail && o.level < term.Verbose {
			continue
		}
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString(text.OneLine(s.Title) + "\n")
		for _, fact := range s.Facts {
			b.WriteString("  " + strings.Join(term.Wrap(text.OneLine(fact), helpWidth-4), "\n    ") + "\n")
		}
		if s.Text != "" {
			b.WriteString("----\n" + strings.TrimSuffix(text.Clean(s.Text), "\n") + "\n----\n")
		}
	}
	return p.print(b.String())
}
