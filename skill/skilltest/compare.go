package skilltest

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// perRun are the keys of what differs between two runs with the same result: when, where
// and at which commit they were made, how long they took, and who answered.
var perRun = []string{"run", "durationMs", "elapsedMs", "provider"}

// DiffLogs compares two reports in JSON Lines, without what differs from run to run: the
// object run, durations, and the provider. The model, the findings and the usage count. It
// returns the lines that differ, of indented JSON with sorted keys, those of want after a
// "-" and those of got after a "+", with lines around them; empty if the reports are equal.
// A line that is not JSON is compared as it is.
func DiffLogs(want, got []byte) string {
	return diffLines(records(want), records(got))
}

// records returns the lines of all records as indented JSON.
func records(log []byte) (lines []string) {
	for record := range bytes.Lines(log) {
		var value any
		dec := json.NewDecoder(bytes.NewReader(record))
		dec.UseNumber()
		text := string(record)
		if dec.Decode(&value) == nil {
			var b strings.Builder
			enc := json.NewEncoder(&b)
			enc.SetEscapeHTML(false)
			enc.SetIndent("", "  ")
			_ = enc.Encode(forget(value)) // it was JSON
			text = b.String()
		}
		lines = append(lines, strings.Split(strings.TrimRight(text, "\r\n"), "\n")...)
	}
	return lines
}

// forget removes what differs between runs, and returns value.
func forget(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key := range v {
			if slices.Contains(perRun, key) {
				delete(v, key)
			} else {
				forget(v[key])
			}
		}
	case []any:
		for _, item := range v {
			forget(item)
		}
	}
	return value
}

// maxTable bounds the memory for aligning lines. Where more differ, they are not aligned.
const maxTable = 1 << 22

// diffLines returns the lines of a and b that differ, and 3 around them.
func diffLines(a, b []string) string {
	start, end := 0, 0 // equal lines
	for start < min(len(a), len(b)) && a[start] == b[start] {
		start++
	}
	for end < min(len(a), len(b))-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	n, m := len(a)-end, len(b)-end
	if start == n && start == m {
		return ""
	}
	var table []int32 // the most lines that a[i:n] and b[j:m] have in common
	at := func(i, j int) int { return (i-start)*(m-start+1) + j - start }
	if size := at(n, m) + 1; size <= maxTable {
		table = make([]int32, size)
		for i := n - 1; i >= start; i-- {
			for j := m - 1; j >= start; j-- {
				table[at(i, j)] = max(table[at(i+1, j)], table[at(i, j+1)])
				if a[i] == b[j] {
					table[at(i, j)] = table[at(i+1, j+1)] + 1
				}
			}
		}
	}
	var lines []string // with marks
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < start, i >= n && j >= m, i < n && j < m && table != nil && a[i] == b[j]:
			lines = append(lines, "  "+a[i])
			i, j = i+1, j+1
		case j == m, i < n && (table == nil || table[at(i+1, j)] >= table[at(i, j+1)]):
			lines = append(lines, "- "+a[i])
			i++
		default:
			lines = append(lines, "+ "+b[j])
			j++
		}
	}
	var out strings.Builder
	for i, line := range lines {
		near := lines[max(0, i-3):min(len(lines), i+4)]
		if slices.ContainsFunc(near, func(line string) bool { return line[0] != ' ' }) {
			out.WriteString(line + "\n")
		} else if !strings.HasSuffix(out.String(), "...\n") {
			out.WriteString("...\n")
		}
	}
	return out.String()
}
