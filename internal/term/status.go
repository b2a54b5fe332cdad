package term

import (
	"fmt"
	"strings"
	"time"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/format"
)

// progress holds the numbers of the status line.
type progress struct {
	done, total int // chunks
	findings    int
	usage       scanner.Usage
}

// add adds a chunk that is done.
func (p *progress) add(e scanner.EventChunk) {
	p.done++
	p.findings += len(e.Findings)
	p.usage = p.usage.Add(e.Usage)
}

const spinner = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"

// line returns the status line for a terminal of a width in columns.
func (p progress) line(elapsed time.Duration, width int) string {
	parts := []string{
		fmt.Sprintf("%d/%d chunks", p.done, p.total),
		format.Count(p.findings, "finding", "findings"),
	}
	if !p.usage.IsZero() {
		parts = append(parts,
			format.Tokens(p.usage.InputTokens)+" in / "+format.Tokens(p.usage.OutputTokens)+" out",
			format.Cost(p.usage.CostUSD))
	}
	return statusLine(elapsed, width, parts...)
}

// statusLine returns a status line with a spinner before its parts and the time
// after them. The last column stays free: a terminal may wrap when it is written
// to.
func statusLine(elapsed time.Duration, width int, parts ...string) string {
	frames := []rune(spinner)
	frame := string(frames[int(elapsed/statusInterval)%len(frames)])
	return truncate(frame+" "+strings.Join(append(parts, wholeSeconds(elapsed)), " · "), width-1)
}

// wholeSeconds writes a duration without tenths, which would only flicker.
func wholeSeconds(d time.Duration) string {
	if d = d.Truncate(time.Second); d >= time.Minute {
		return format.Duration(d)
	}
	return fmt.Sprintf("%ds", d/time.Second)
}
