package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/codescan-dev/scanner/internal/complete"
	"github.com/codescan-dev/scanner/internal/nearest"
	"github.com/codescan-dev/scanner/project"
)

// maxCompleteTime ends a completion, for which somebody waits.
const maxCompleteTime = 2 * time.Second

// completion is the command of that name.
func (p *process) completion(_ context.Context, o *options) error {
	script, err := complete.Script(o.Paths[0])
	if err != nil {
		hint := "one of " + strings.Join(complete.Shells, ", ")
		if near := nearest.Word(o.Paths[0], complete.Shells); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		return project.WithHint(usagef("completion: unknown shell %q", o.Paths[0]), hint)
	}
	_, err = p.stdout.Write(script)
	return err
}

// complete prints the completions that the script of a shell wants.
func (p *process) complete(ctx context.Context, shell string, words []string) int {
	ctx, cancel := context.WithTimeout(ctx, maxCompleteTime)
	defer cancel()
	line := complete.Parse(shell, words)
	line.Write(p.stdout, p.candidates(ctx, line.Before, line.Last))
	return 0
}
