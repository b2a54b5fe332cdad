package review

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/format"
)

// countsText writes "3 findings (1 high, 2 medium, 0 low)", or "no findings".
func countsText(c scanner.SeverityCounts) string {
	if c.Total() == 0 {
		return "no findings"
	}
	return fmt.Sprintf("%s (%d high, %d medium, %d low)", plural(c.Total(), "finding"), c.High, c.Medium, c.Low)
}

// plural writes "1 file", "2 files".
func plural(n int, one string) string { return format.Count(n, one, one+"s") }

// countText writes "2 builtin, 1 pattern", in the order of the names.
func countText(names []string) string {
	counts := make(map[string]int)
	for _, n := range names {
		counts[n]++
	}
	keys := slices.Sorted(maps.Keys(counts))
	for i, n := range keys {
		// In HTML, backticks do not mean code.
		keys[i] = fmt.Sprintf("%d %s", counts[n], titleText(strings.ReplaceAll(n, "`", "'")))
	}
	return joinFitting(keys, ", ", maxNames, "%d more")
}

// fit joins parts, leaving out those that would make the text longer than limit.
func fit(parts []string, limit int) string {
	var b strings.Builder
	for _, p := range parts {
		if p == "" || b.Len()+len(p)+2 > limit {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(p)
	}
	return b.String()
}

// joinFitting joins the first of the items that fit in limit bytes. If there are
// others, it appends more, a format for their number.
func joinFitting(items []string, sep string, limit int, more string) string {
	limit -= len(more) + 10
	var b strings.Builder
	for i, item := range items {
		if b.Len()+len(sep)+len(item) > limit {
			if limit > 0 {
				b.WriteString(sep + fmt.Sprintf(more, len(items)-i))
			}
			break
		}
		if i > 0 {
			b.WriteString(sep)
		}
		b.WriteString(item)
	}
	return b.String()
}
