package term

import (
	"fmt"
	"strings"

	"github.com/codescan-dev/scanner"
)

// Counts writes "3 findings (1 high, 2 medium, 0 low)". The plural does not depend
// on the number.
func Counts(c scanner.SeverityCounts) string {
	return fmt.Sprintf("%d findings (%d high, %d medium, %d low)", c.Total(), c.High, c.Medium, c.Low)
}

// suppressedFinding writes a finding that is not reported, with the reason.
func suppressedFinding(s *scanner.Suppressed) string {
	text, reason := s.Title, string(s.Reason)
	if s.Location != nil {
		text = startOf(*s.Location) + ": " + text
	}
	if s.Check {
		reason += ", but it changed since"
	}
	if s.Note != "" {
		reason += ": " + s.Note
	}
	return "Suppressed: " + text + " (" + reason + ")"
}

// formatHidden writes the line about the findings that the thresholds hide, or
// nothing if they hide none.
func formatHidden(h scanner.Hidden) string {
	if h.Total() == 0 {
		return ""
	}
	var reasons []string
	for setting, c := range h.Reasons() {
		if n := c.Total(); n > 0 {
			reasons = append(reasons, fmt.Sprintf("%d by %s", n, setting))
		}
	}
	return fmt.Sprintf("Hidden: %d findings (%s)", h.Total(), strings.Join(reasons, ", "))
}
