package main

import (
	"context"
	"fmt"
	"time"

	"github.com/codescan-dev/scanner/internal/format"
	"github.com/codescan-dev/scanner/internal/text"
	"github.com/codescan-dev/scanner/project"
)

// cache is the command of that name.
func (p *process) cache(ctx context.Context, pr *project.Project, _ *options) error {
	u, err := pr.Cache(ctx, false)
	if err != nil {
		return err
	}
	oldest := "none"
	if u.Entries > 0 {
		oldest = "oldest used " + age(p.now().Sub(u.Oldest)) + " ago"
	}
	_, err = fmt.Fprintf(p.stdout, "place: %s\nsize:  %s (at most %s)\nage:   %s (at most %s)\n",
		text.Visible(u.Dir), u, format.Size(u.MaxSize), oldest, age(u.MaxAge))
	return err
}

// cleanCache is the command "cache clean".
func (p *process) cleanCache(ctx context.Context, pr *project.Project, _ *options) error {
	u, err := pr.Cache(ctx, true)
	if err == nil {
		_, err = fmt.Fprintf(p.stdout, "deleted %s\n", u)
	}
	return err
}

// age writes a duration in its largest whole unit, as in the configuration.
func age(d time.Duration) string {
	switch {
	case d >= 24*time.Hour:
		return fmt.Sprintf("%dd", d/(24*time.Hour))
	case d >= time.Hour:
		return fmt.Sprintf("%dh", d/time.Hour)
	}
	return fmt.Sprintf("%dm", max(d, 0)/time.Minute)
}
