package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/codescan-dev/scanner"
)

// formatCounts writes "3 findings (1 high, 2 medium, 0 low)". The plural stays,
// whatever the number.
func formatCounts(c scanner.SeverityCounts) string {
	return fmt.Sprintf("%d findings (%d high, %d medium, %d low)", c.Total(), c.High, c.Medium, c.Low)
}

// formatHidden writes the line that tells what the thresholds held back, or
// nothing if they held back nothing.
func formatHidden(h scanner.Hidden) string {
	if h.Total() == 0 {
		return ""
	}
	var reasons []string
	if n := h.ReportOn.Total(); n > 0 {
		reasons = append(reasons, fmt.Sprintf("%d by reportOn", n))
	}
	if n := h.MaxFindings.Total(); n > 0 {
		reasons = append(reasons, fmt.Sprintf("%d by maxFindings", n))
	}
	return fmt.Sprintf("Hidden: %d findings (%s)", h.Total(), strings.Join(reasons, ", "))
}

// plural writes "1 file", "2 files".
func plural(n int, one string) string { return pluralOf(n, one, one+"s") }

// pluralOf writes "1 fix", "2 fixes".
func pluralOf(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
