package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/codescan-dev/scanner/config"
	"github.com/codescan-dev/scanner/internal/format"
	"github.com/codescan-dev/scanner/internal/term"
	"github.com/codescan-dev/scanner/jsonl"
)

// cleanLogs deals with expired logs as logs.cleanup says.
func (p *process) cleanLogs(ctx context.Context, c *term.Console, logs *jsonl.Dir, s config.LogSettings, o *scanOptions) {
	if s.Cleanup == "never" {
		return
	}
	days := int(s.Retention / (24 * time.Hour))
	expired, err := logs.Expired(p.now(), days)
	if err != nil {
		c.Warn(term.Normal, err.Error())
		return
	}
	if len(expired) == 0 || s.Cleanup == "ask" && !p.confirm(ctx, c, o, len(expired), days) {
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
