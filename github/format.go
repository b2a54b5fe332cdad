package github

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

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
	var keys []string
	for n := range counts {
		keys = append(keys, n)
	}
	slices.Sort(keys)
	if len(keys) > maxNotes {
		keys = keys[:maxNotes]
	}
	for i, n := range keys {
		keys[i] = fmt.Sprintf("%d %s", counts[n], titleText(n))
	}
	return strings.Join(keys, ", ")
}

// durationText, tokens and costText round to the shown precision first, then
// choose the form.

func durationText(d time.Duration) string {
	d = max(d, 0)
	if ms := d.Round(time.Millisecond); ms < time.Second {
		return fmt.Sprintf("%dms", ms.Milliseconds())
	}
	if tenths := d.Round(time.Second / 10); tenths < time.Minute {
		n := tenths / (time.Second / 10)
		return fmt.Sprintf("%d.%ds", n/10, n%10)
	}
	s := d.Round(time.Second) / time.Second
	return fmt.Sprintf("%dm %ds", s/60, s%60)
}

func tokens(n int64) string {
	if n < 1000 {
		return strconv.FormatInt(n, 10)
	}
	tenths := (n + 50) / 100
	return fmt.Sprintf("%d.%dk", tenths/10, tenths%10)
}

func costText(usd *float64) string {
	if usd == nil {
		return "cost unknown"
	}
	if math.Round(*usd*1e4) < 100 {
		return "$" + strconv.FormatFloat(*usd, 'f', 4, 64)
	}
	return "$" + strconv.FormatFloat(*usd, 'f', 2, 64)
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
