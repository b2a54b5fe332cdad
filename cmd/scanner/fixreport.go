package main

import (
	"fmt"
	"strings"

	"github.com/codescan-dev/scanner/fix"
)

// fixReport says what became of the suggested fixes of a run.
type fixReport struct {
	outcomes []fix.Outcome
	dryRun   bool
	// stopped says why nothing was done; empty if something was.
	stopped string
	// undo says how to take back what was done; empty if nothing was.
	undo string
}

// lines returns what the summary says: how many fixes were applied, and for
// which reasons the others were not.
func (r *fixReport) lines() []string {
	n := fix.Count(r.outcomes)
	var parts []string
	switch {
	case r.stopped != "":
		return []string{"Fixes: none applied, " + r.stopped}
	case len(r.outcomes) == 0:
		return []string{"Fixes: none suggested"}
	case r.dryRun:
		parts = append(parts, fmt.Sprintf("%d in the patch", n.Planned))
	default:
		parts = append(parts, fmt.Sprintf("%d applied", n.Applied))
	}
	if n.Covered > 0 {
		parts = append(parts, fmt.Sprintf("%d the same as another", n.Covered))
	}
	if n.Refused > 0 {
		var reasons []string
		for _, c := range n.Reasons {
			reasons = append(reasons, fmt.Sprintf("%d %s", c.Count, c.Reason))
		}
		parts = append(parts, fmt.Sprintf("%d refused (%s)", n.Refused, strings.Join(reasons, ", ")))
	}
	lines := []string{"Fixes: " + strings.Join(parts, ", ")}
	if r.undo != "" {
		lines = append(lines, "Undo: "+r.undo)
	}
	return lines
}

// refused reports whether a fix was not applied.
func (r *fixReport) refused() bool {
	return r.stopped != "" || fix.Count(r.outcomes).Refused > 0
}

// details returns a line for each fix.
func (r *fixReport) details() []string {
	var lines []string
	for i := range r.outcomes {
		o := &r.outcomes[i]
		name := suggestionName(&o.Suggestion)
		switch {
		case o.Status == fix.StatusApplied:
			lines = append(lines, "Fix applied: "+name)
		case o.Status == fix.StatusCovered && o.By >= 0:
			lines = append(lines, fmt.Sprintf("Fix is the same as another: %s (%s)", name, suggestionName(&r.outcomes[o.By].Suggestion)))
		case o.Status == fix.StatusRefused:
			lines = append(lines, fmt.Sprintf("Fix refused: %s: %s: %s", name, o.Reason, cleanLine(o.Message)))
		case r.dryRun && r.stopped == "":
			lines = append(lines, "Fix in the patch: "+name)
		default:
			lines = append(lines, "Fix not applied: "+name)
		}
	}
	return lines
}

// suggestionName names a fix by the place and the title of its finding.
func suggestionName(s *fix.Suggestion) string {
	title := cleanWords(s.Title)
	if s.Path == "" {
		return title
	}
	return fmt.Sprintf("%s:%d: %s", cleanPath(s.Path), s.Line, title)
}
