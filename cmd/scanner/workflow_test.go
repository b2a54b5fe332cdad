package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// example matches an example of a page: a part of a golden of a script, which begins
// with a heading.
var example = regexp.MustCompile(`(?s)<!-- example (\S+) (\S+): (.*?) -->\n.*?<!-- end -->`)

// TestGoldenPullRequests sees that the comments of docs/pull-requests.md are those of
// the scripts.
func TestGoldenPullRequests(t *testing.T) {
	const file = "../../docs/pull-requests.md"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want, n := string(data), 0
	got := example.ReplaceAllStringFunc(want, func(old string) string {
		n++
		m := example.FindStringSubmatch(old)
		begin, _, _ := strings.Cut(old, "\n")
		return begin + "\n" + quoted(t, m[1], m[2], m[3]) + "<!-- end -->"
	})
	if n == 0 {
		t.Error("no examples")
	}
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if d := cmp.Diff(got, want); d != "" {
		t.Errorf("got (-) differs from %s (+); -update rewrites it:\n%s", file, d)
	}
}

// quoted returns the part of a golden below a heading, as a quotation without hidden
// markers.
func quoted(t *testing.T, script, golden, heading string) string {
	archive, err := txtar.ParseFile(filepath.Join("testdata", "script", script))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	found, blank := false, true
	for _, f := range archive.Files {
		if f.Name != golden {
			continue
		}
		for line := range strings.Lines(string(f.Data)) {
			line = strings.TrimSuffix(line, "\n")
			if line != "" && !strings.HasPrefix(line, " ") {
				found = b.Len() == 0 && strings.HasPrefix(line, heading)
				continue
			}
			line = strings.TrimPrefix(line, "  ")
			if !found || strings.HasPrefix(line, "<!-- scanner:") || blank && line == "" {
				continue
			}
			blank = line == ""
			b.WriteString(strings.TrimRight("> "+line, " ") + "\n")
		}
	}
	if b.Len() == 0 {
		t.Errorf("%s: no %q in %s", script, heading, golden)
	}
	return strings.TrimSuffix(b.String(), ">\n")
}
