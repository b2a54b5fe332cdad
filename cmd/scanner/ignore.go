package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/codescan-dev/scanner/internal/text"
	"github.com/codescan-dev/scanner/project"
)

// ignore is the command of that name: it marks a finding as fine, or lists those that
// are.
func (p *process) ignore(ctx context.Context, pr *project.Project, o *options) error {
	if o.list {
		return p.listIgnored(pr)
	}
	f, places, err := pr.Ignore(ctx, o.Paths[0], o.reason, o.until)
	if err != nil {
		return err
	}
	msg := "added to .scanner/ignore.toml: " + text.OneLine(f.Title)
	if places > 1 {
		msg += fmt.Sprintf(", in %d places", places)
	}
	return p.print(msg + "\n")
}

// listIgnored prints the entries, one a line.
func (p *process) listIgnored(pr *project.Project) error {
	list, err := pr.Ignored()
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, f := range list {
		line := fmt.Sprintf("%s: %s: %s (%s): %s", cmp.Or(f.State, "applies"), f.Path, f.Title, f.Of, f.Reason)
		if f.By != "" {
			line += ", by " + f.By
		}
		if f.Until != "" {
			line += ", until " + f.Until
		}
		b.WriteString(text.OneLine(line) + "\n")
	}
	return p.print(b.String())
}
