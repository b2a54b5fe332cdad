package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/codescan-dev/scanner/internal/complete"
)

// maxCompleteTime ends a completion, for which somebody waits.
const maxCompleteTime = 2 * time.Second

// completion is the command of that name.
func (p *process) completion(_ context.Context, o *options) error {
	script, err := complete.Script(o.Paths[0])
	if err != nil {
		return fmt.Errorf("completion: %w", unknown("shell", o.Paths[0], complete.Shells, "one of "+strings.Join(complete.Shells, ", ")))
	}
	_, err = p.stdout.Write(script)
	return err
}

// complete prints completions for the script of a shell.
func (p *process) complete(ctx context.Context, shell string, words []string) int {
	ctx, cancel := context.WithTimeout(ctx, maxCompleteTime)
	defer cancel()
	line := complete.Parse(shell, words)
	line.Write(p.stdout, p.candidates(ctx, line.Before, line.Last))
	return 0
}
