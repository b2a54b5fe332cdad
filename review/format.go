package review

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/codescan-dev/scanner"
)

// countsText writes "3 findings (1 high, 2 medium, 0 low)".
func countsText(c scanner.SeverityCounts) string {
	return fmt.Sprintf("%s (%d high, %d medium, %d low)", plural(c.Total(), "finding"), c.High, c.Medium, c.Low)
}

// plural writes "1 file", "2 files".
func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + one + "s"
}

// countText writes "2 builtin, 1 pattern", in the order of the names.
func countText(names []string) string {
	counts := make(map[string]int)
	for _, n := range names {
		counts[n]++
	}
	keys := slices.Sorted(maps.Keys(counts))
	if len(keys) > maxNotes {
		keys = keys[:maxNotes]
	}
	for i, n := range keys {
		// Some of this stands in HTML, where backticks make no code.
		keys[i] = fmt.Sprintf("%d %s", counts[n], titleText(strings.ReplaceAll(n, "`", "'")))
	}
	return strings.Join(keys, ", ")
}
