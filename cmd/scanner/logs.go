package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/codescan-dev/scanner/config"
	"github.com/codescan-dev/scanner/jsonl"
)

// cleanLogs deals with expired logs as logs.cleanup says.
func (p *process) cleanLogs(ctx context.Context, c *console, logs *jsonl.Dir, s config.LogSettings, o *scanOptions) {
	if s.Cleanup == "never" {
		return
	}
	days := int(s.Retention / (24 * time.Hour))
	expired, err := logs.Expired(p.now(), days)
	if err != nil {
		c.warn(normal, cleanLine(err.Error()))
		return
	}
	if len(expired) == 0 || s.Cleanup == "ask" && !p.confirm(ctx, c, o, len(expired), days) {
		return
	}
	if _, err := logs.Delete(expired); err != nil {
		c.warn(normal, cleanLine(err.Error()))
	}
}

// confirm asks whether to delete logs. Where nobody can be asked nothing is
// deleted.
func (p *process) confirm(ctx context.Context, c *console, o *scanOptions, n, days int) bool {
	_, in := p.columns(p.stdin)
	_, out := p.columns(p.stderr)
	if !in || !out || !c.live || c.level == quiet || o.diffFile == "-" {
		return false
	}
	c.term.printErr(fmt.Sprintf("Delete %s older than %s? [y/N] ", plural(n, "log"), plural(days, "day")))
	answer, _ := p.readAnswer(ctx)
	switch strings.ToLower(answer) {
	case "y", "yes":
		return true
	}
	return false
}
