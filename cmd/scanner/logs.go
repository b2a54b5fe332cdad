package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/codescan-dev/scanner/config"
	"github.com/codescan-dev/scanner/internal/format"
	"github.com/codescan-dev/scanner/internal/term"
	"github.com/codescan-dev/scanner/jsonl"
)

// cleanLogs deals with expired logs as logs.cleanup says.
func (p *process) cleanLogs(ctx context.Context, c *term.Console, logs *jsonl.Dir, s *config.Settings, o *scanOptions) {
	if s.Logs.Cleanup == "never" {
		return
	}
	days := s.Logs.RetentionDays
	expired, err := logs.Expired(p.now(), days)
	if err != nil {
		c.Warn(term.Normal, err.Error())
		return
	}
	if len(expired) == 0 || s.Logs.Cleanup == "ask" && !p.confirm(ctx, c, o, len(expired), days) {
		return
	}
	if _, err := logs.Delete(expired); err != nil {
		c.Warn(term.Normal, err.Error())
	}
}

// confirm asks whether to delete logs. Where nobody can be asked nothing is
// deleted.
func (p *process) confirm(ctx context.Context, c *term.Console, o *scanOptions, n, days int) bool {
	_, in := p.columns(p.stdin)
	_, out := p.columns(p.stderr)
	if !in || !out || !c.Interactive() || o.diffFile == "-" {
		return false
	}
	c.Ask(fmt.Sprintf("Delete %s older than %s? [y/N] ", format.Count(n, "log", "logs"), format.Count(days, "day", "days")))
	answer, _ := p.readAnswer(ctx)
	switch strings.ToLower(answer) {
	case "y", "yes":
		return true
	}
	return false
}
