// Package format writes durations, token counts and costs, by the formatting
// rules that hold for all reports. Each rounds to the precision of a form before
// it decides whether the form fits.
package format

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"
)

// Duration writes a duration as "850ms", "12.3s" or "2m 5s": 999.6 ms is "1.0s",
// 59.96 s is "1m 0s".
func Duration(d time.Duration) string {
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

// Tokens writes a token count: as it is below 1000, else in thousands with one
// decimal.
func Tokens(n int64) string {
	if n < 1000 {
		return strconv.FormatInt(n, 10)
	}
	tenths := (n + 50) / 100
	return fmt.Sprintf("%d.%dk", tenths/10, tenths%10)
}

// Count writes "1 fix", "2 fixes".
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// Size writes a number of bytes.
func Size(n int64) string {
	for i, unit := range []string{"GiB", "MiB", "KiB"} {
		if base := int64(1) << (30 - 10*i); n >= base {
			return fmt.Sprintf("%.1f %s", float64(n)/float64(base), unit)
		}
	}
	return fmt.Sprintf("%d B", n)
}

// Cost writes a cost in US dollars with two decimals, or with four when it is
// below one cent. Nil is "cost unknown".
func Cost(usd *float64) string {
	if usd == nil {
		return "cost unknown"
	}
	if math.Round(*usd*1e4) < 100 {
		return "$" + strconv.FormatFloat(*usd, 'f', 4, 64)
	}
	return "$" + strconv.FormatFloat(*usd, 'f', 2, 64)
}

// Distinct returns the texts that are not empty, each once, in their order.
func Distinct(texts []string) []string {
	var list []string
	for _, s := range texts {
		if s != "" && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}
