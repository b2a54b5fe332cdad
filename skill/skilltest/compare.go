package skilltest

import (
	"bytes"
	"encoding/json"
	"slices"

	linediff "github.com/rogpeppe/go-internal/diff"
)

// perRun are the keys of what differs between two runs with the same result: when, where
// and at which commit they were made, how long they took, which provider answered, and at what cost.
var perRun = []string{"run", "durationMs", "elapsedMs", "provider", "costUSD"}

// DiffLogs compares two reports in JSON Lines, without what differs from run to run: the
// object run, durations, costs and the provider. The model, the findings and the tokens count.
// It returns a unified diff of indented JSON with sorted keys; empty if the reports are equal.
// A line that is not JSON is compared as it is.
func DiffLogs(want, got []byte) string {
	return string(linediff.Diff("want", records(want), "got", records(got)))
}

// records returns all records as indented JSON.
func records(log []byte) []byte {
	var all bytes.Buffer
	for record := range bytes.Lines(log) {
		var value any
		dec := json.NewDecoder(bytes.NewReader(record))
		dec.UseNumber()
		if dec.Decode(&value) != nil {
			all.Write(append(bytes.TrimRight(record, "\r\n"), '\n'))
			continue
		}
		enc := json.NewEncoder(&all)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		_ = enc.Encode(forget(value)) // it was JSON
	}
	return all.Bytes()
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
