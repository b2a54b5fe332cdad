package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/codescan-dev/scanner"
)

// formatDuration writes a duration as "850ms", "12.3s" or "2m 5s". It rounds to
// the precision of a form before it decides whether the form fits, so that
// 999.6 ms is "1.0s" and 59.96 s is "1m 0s".
func formatDuration(d time.Duration) string {
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

// formatTokens writes a token count: as it is below 1000, else in thousands
// with one decimal.
func formatTokens(n int64) string {
	if n < 1000 {
		return strconv.FormatInt(n, 10)
	}
	tenths := (n + 50) / 100
	return fmt.Sprintf("%d.%dk", tenths/10, tenths%10)
}

// formatCost writes a cost in US dollars with two decimals, or with four when
// it is below one cent. An unknown cost is not free, and says so.
func formatCost(usd *float64) string {
	if usd == nil {
		return "cost unknown"
	}
	if math.Round(*usd*1e4) < 100 {
		return "$" + strconv.FormatFloat(*usd, 'f', 4, 64)
	}
	return "$" + strconv.FormatFloat(*usd, 'f', 2, 64)
}

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
