package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/format"
)

// progress is what the status line shows.
type progress struct {
	done, total int // chunks
	findings    int
	usage       scanner.Usage
}

// add counts a chunk that is done.
func (p *progress) add(e scanner.EventChunk) {
	p.done++
	p.findings += len(e.Findings)
	p.usage = p.usage.Add(e.Usage)
}

const spinner = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"

// line returns the status line, at most width columns wide. The last column
// stays free: a terminal may wrap when it is written to.
func (p progress) line(elapsed time.Duration, width int) string {
	frames := []rune(spinner)
	parts := []string{
		fmt.Sprintf("%d/%d chunks", p.done, p.total),
		plural(p.findings, "finding"),
	}
	if !p.usage.IsZero() {
		parts = append(parts,
			format.Tokens(p.usage.InputTokens)+" in / "+format.Tokens(p.usage.OutputTokens)+" out",
			format.Cost(p.usage.CostUSD))
	}
	parts = append(parts, formatElapsed(elapsed))
	s := string(frames[int(elapsed/statusInterval)%len(frames)]) + " " + strings.Join(parts, " · ")
	return truncate(s, width-1)
}

// formatElapsed is formatDuration in whole seconds: tenths that change ten
// times a second only flicker.
func formatElapsed(d time.Duration) string {
	if d = d.Truncate(time.Second); d >= time.Minute {
		return format.Duration(d)
	}
	return fmt.Sprintf("%ds", d/time.Second)
}
