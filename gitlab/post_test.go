package gitlab_test

import (
	"flag"
	"os"
	"testing"

	"github.com/codescan-dev/scanner"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files")

// TestPost posts a review, and nothing more for the same head.
func TestPost(t *testing.T) {
	h := newHost(t)
	fix := found("Unused constant", "new.go", 3, 0)
	fix.SuggestedFix = &scanner.SuggestedFix{
		Description: "Drop it.", Diff: "-var x = 1\n+var _ = 1",
		Edits: []scanner.Edit{{Line: 3, Old: []string{"var x = 1"}, New: []string{"var _ = 1"}}},
	}
	r := resultOf(t, skillOf("code-review",
		found("SQL injection", "app/db.go", 13, 16), found("Unchanged line", "app/db.go", 46, 0),
		found("Context to added line", "app/db.go", 44, 45), found("Renamed file", "docs/read me.md", 2, 0),
		fix, found("Not in the diff", "app/db.go", 30, 0),
	))
	out := post(t, h, r)
	if want := len(h.Writes); out.Writes != want {
		t.Errorf("%d writes, want %d", out.Writes, want)
	}
	if want := h.URL(h.Discussions[len(h.Discussions)-1]); out.SummaryURL != want {
		t.Errorf("summary at %q, want %q", out.SummaryURL, want)
	}
	got := h.Dump()
	if *update {
		if err := os.WriteFile("testdata/post.txt", []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/post.txt")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(got, string(want)); d != "" {
		t.Errorf("-got +want:\n%s", d)
	}

	before := len(h.Writes)
	if out := post(t, h, r); out.Writes != 0 || len(h.Writes) != before {
		t.Errorf("second run: %d writes, %q", out.Writes, h.Writes[before:])
	}
	s, err := clientOf(t, h).Read(t.Context(), 7, headSHA)
	if err != nil {
		t.Fatal(err)
	}
	earlier, done := s.Done(headSHA, "p1", []string{"code-review"})
	if !done || earlier.Counts.Medium != 6 || earlier.URL != out.SummaryURL {
		t.Errorf("done %v: %+v", done, earlier)
	}
	h.Statuses = nil
	if s, _ := clientOf(t, h).Read(t.Context(), 7, headSHA); true {
		if _, done := s.Done(headSHA, "p1", []string{"code-review"}); done {
			t.Error("done without a commit status")
		}
	}
}
