package term

import (
	"fmt"
	"strings"
	"time"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/format"
)

// Fixes is what happened to the suggested fixes of a run, in addition to the
// outcomes in its reports.
type Fixes struct {
	// DryRun is set when the fixes were printed as a patch.
	DryRun bool
	// Stopped is why no fix was applied; empty if that was not prevented.
	Stopped string
	// Undo is a command that reverts the fixes; empty if none was applied.
	Undo string
}

// ShowFixes makes the summary show the outcomes of suggested fixes.
func (c *Console) ShowFixes(f Fixes) { c.fixes = &f }

// Checking shows that fixes are tried with commands, the try-th time.
func (c *Console) Checking(fixes int, commands []string, try int) {
	c.term.update(func() { c.tries = try })
	if try > 1 {
		return
	}
	c.Note(Normal, fmt.Sprintf("Checking %s with %s", format.Count(fixes, "fix", "fixes"), strings.Join(commands, ", ")))
	c.status(func(elapsed time.Duration) []string {
		return []string{"checking fixes", fmt.Sprintf("try %d", c.tries), wholeSeconds(elapsed)}
	})
}

// CheckFailed shows a command that failed, and the end of its output.
func (c *Console) CheckFailed(command string, err error, output string) {
	c.Note(Verbose, fmt.Sprintf("Check failed: %s: %v", command, err))
	for line := range strings.Lines(output) {
		c.Note(Verbose, "  "+strings.TrimRight(line, "\r\n"))
	}
}

// The values of [scanner.FixOutcome.Status].
const (
	fixPlanned = "planned"
	fixApplied = "applied"
	fixCovered = "covered"
	fixRefused = "refused"
)

// fixOutcome is the outcome of a suggested fix with the names of the findings.
type fixOutcome struct {
	scanner.FixOutcome
	name string
	by   string // the name of the finding whose fix covers this one
}

// fixOutcomes returns the outcomes of the fixes of all reports.
func fixOutcomes(run *scanner.RunReport) []fixOutcome {
	names := make(map[string]string) // by id of the finding, merged ones included
	for _, r := range run.Skills {
		titles := make(map[string]string)
		for _, f := range r.Findings {
			titles[f.ID] = f.Title
			names[f.ID] = findingName(f.Location, f.Title)
		}
		for _, g := range r.MergeGroups {
			for _, m := range g.Merged {
				names[m.ID] = findingName(m.Location, titles[g.Primary])
			}
		}
	}
	var outcomes []fixOutcome
	for _, r := range run.Skills {
		for _, o := range r.Fixes {
			name := names[o.Finding]
			if o.Merged != "" {
				name = names[o.Merged]
			}
			outcomes = append(outcomes, fixOutcome{FixOutcome: o, name: name, by: names[o.By]})
		}
	}
	return outcomes
}

func findingName(l *scanner.Location, title string) string {
	if l == nil {
		return cleanWords(title)
	}
	return startOf(*l) + ": " + cleanWords(title)
}

// lines returns what the summary shows: how many fixes were applied, and why the
// others were not.
func (f *Fixes) lines(outcomes []fixOutcome) []string {
	switch {
	case f.Stopped != "":
		return []string{"Fixes: none applied, " + f.Stopped}
	case len(outcomes) == 0:
		return []string{"Fixes: none suggested"}
	}
	counts := make(map[string]int)
	reasons := make(map[string]int)
	for _, o := range outcomes {
		counts[o.Status]++
		if o.Status == fixRefused {
			reasons[o.Reason]++
		}
	}
	done := fmt.Sprintf("%d applied", counts[fixApplied])
	if f.DryRun {
		done = fmt.Sprintf("%d in the patch", counts[fixPlanned])
	}
	parts := []string{done}
	if n := counts[fixCovered]; n > 0 {
		parts = append(parts, fmt.Sprintf("%d identical to another", n))
	}
	if n := counts[fixRefused]; n > 0 {
		parts = append(parts, fmt.Sprintf("%d not applied (%s)", n, countReasons(reasons, nil)))
	}
	lines := []string{"Fixes: " + strings.Join(parts, ", ")}
	if f.Undo != "" {
		lines = append(lines, "Undo: "+f.Undo)
	}
	return lines
}

// missing reports whether some fixes were not applied.
func (f *Fixes) missing(outcomes []fixOutcome) bool {
	for _, o := range outcomes {
		if o.Status == fixRefused {
			return true
		}
	}
	return f.Stopped != ""
}

// details returns a line for each fix.
func (f *Fixes) details(outcomes []fixOutcome) []string {
	var lines []string
	for _, o := range outcomes {
		switch {
		case o.Status == fixApplied:
			lines = append(lines, "Fix applied: "+o.name)
		case o.Status == fixCovered && o.by != "":
			lines = append(lines, fmt.Sprintf("Fix is identical to another: %s (%s)", o.name, o.by))
		case o.Status == fixRefused:
			lines = append(lines, fmt.Sprintf("Fix not applied: %s: %s: %s", o.name, o.Reason, o.Message))
		case f.DryRun && f.Stopped == "":
			lines = append(lines, "Fix in the patch: "+o.name)
		default:
			lines = append(lines, "Fix not applied: "+o.name)
		}
	}
	return lines
}
