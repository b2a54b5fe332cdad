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
