package term

import (
	"fmt"
	"strings"
	"time"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/format"
)

// plain shows a run for logs: one line per message, each with its time, without
// escape sequences.
type plain struct {
	now   func() time.Time
	level Verbosity
}

var _ view = (*plain)(nil)

// plainTime is ISO 8601 with milliseconds, in UTC.
const plainTime = "2006-01-02T15:04:05.000Z"

func (p *plain) lines(messages ...string) string {
	var b strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&b, "[%s] scanner: %s\n", p.now().UTC().Format(plainTime), strings.ReplaceAll(m, "\n", `\n`))
	}
	return b.String()
}

func (p *plain) opening(version string) string { return p.lines("Scanner v" + version) }

func (p *plain) plan(files []scanner.PlannedFile, chunks int) string {
	return p.lines(fmt.Sprintf("Found %d changed files with %d chunks", len(files), chunks))
}

func (p *plain) skill(name string) string { return p.lines("Skill " + cleanLine(name)) }

func (p *plain) file(f *orderedFile) string {
	return p.lines(append([]string{f.title()}, f.lines()...)...)
}

func (p *plain) findings(string) string { return "" }

func (p *plain) finding(f *scanner.Finding, places []scanner.Location, skill string) string {
	text := fmt.Sprintf("%s: %s (%s)", f.Severity, strings.TrimSpace(cleanLine(f.Title)), cleanLine(skill))
	var messages []string
	shown, found := map[string]bool{}, map[scanner.Location]bool{} // a rule can match every line
	for _, l := range places {
		if at := startOf(l); !shown[at] {
			messages = append(messages, at+": "+text)
			shown[at] = true
		}
		found[l] = true
	}
	if len(places) == 0 {
		messages = append(messages, text)
	}
	if p.level >= Verbose {
		messages = append(messages, cleanLine(f.Description), cleanLine(identity(f)))
		if f.Rule != "" {
			messages = append(messages, "rule "+cleanLine(f.Rule))
		}
		for _, l := range f.AdditionalLocations {
			if !found[l] {
				messages = append(messages, "also at "+rangeOf(l))
			}
		}
	}
	return p.lines(messages...)
}

func (p *plain) summary(s *summary) string {
	messages := append([]string{"Summary: " + Counts(s.counts)}, s.notes()...)
	return p.lines(append(messages,
		fmt.Sprintf("Usage: %s input, %s output, %s", format.Tokens(s.usage.InputTokens), format.Tokens(s.usage.OutputTokens), usageCost(s.usage)),
		"Total time: "+format.Duration(s.duration),
	)...)
}

func (p *plain) note(msg string) string      { return p.lines(msg) }
func (p *plain) warning(msg string) string   { return p.lines("warning: " + msg) }
func (p *plain) fatal(lines []string) string { return p.lines(lines...) }

func (p *plain) debug(msg string, lines []string) string {
	messages := []string{"[debug] " + cleanLine(msg)}
	for _, line := range lines {
		messages = append(messages, strings.TrimRight("[debug] "+indent+line, " "))
	}
	return p.lines(messages...)
}
