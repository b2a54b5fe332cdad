package gitlab_test

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/gitlab"
	"github.com/codescan-dev/scanner/internal/gitlabtest"
	"github.com/codescan-dev/scanner/review"
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

// TestLaterRuns resolves discussions whose findings are gone, opens them again, edits
// notes where the token cannot resolve, and keeps one summary.
func TestLaterRuns(t *testing.T) {
	h := newHost(t)
	a, b := found("SQL injection", "app/db.go", 13, 16), found("Unused call", "app/db.go", 45, 0)
	run := func(head string, findings ...scanner.Finding) {
		t.Helper()
		h.Push(head, h.Files)
		r := resultOf(t, skillOf("code-review", findings...))
		r.Head = head
		post(t, h, r)
	}
	state := func() (list []string) {
		for _, d := range h.Discussions {
			if n := d.Notes[0]; n.Position != nil {
				first, _, _ := strings.Cut(n.Body, "\n")
				list = append(list, fmt.Sprint(first, " ", n.Resolved))
			}
		}
		return list
	}
	run(headSHA, a, b)
	run(nextSHA, b)
	if d := cmp.Diff(state(), []string{"**SQL injection** true", "**Unused call** false"}); d != "" {
		t.Errorf("gone (-got +want):\n%s", d)
	}
	run(nextSHA, a, b)
	if d := cmp.Diff(state(), []string{"**SQL injection** false", "**Unused call** false"}); d != "" {
		t.Errorf("found again (-got +want):\n%s", d)
	}
	h.Deny["resolve"] = true
	run(headSHA, b)
	run(nextSHA, b)
	if d := cmp.Diff(state(), []string{"**No longer found** as of " + headSHA + ". false", "**Unused call** false"}); d != "" {
		t.Errorf("gone, and the token cannot resolve (-got +want):\n%s", d)
	}
	if n := len(h.Discussions); n != 3 {
		t.Errorf("%d discussions, want one for each finding and the summary", n)
	}
}

// TestPipeline adds commit statuses to a pipeline, and to the newest one of the commit
// where that is of another commit.
func TestPipeline(t *testing.T) {
	for _, id := range []int{77, 78} {
		h := newHost(t)
		h.Pipelines = map[string]int{headSHA: 77}
		var status string
		h.OnRequest = func(req *http.Request) {
			if strings.Contains(req.URL.Path, "/statuses/") {
				data, _ := io.ReadAll(req.Body)
				req.Body = io.NopCloser(bytes.NewReader(data))
				status = string(data)
			}
		}
		c, err := gitlab.NewClient(project(t, "g/sub/p"), gitlab.Config{
			HTTP: &http.Client{Transport: recording{h}}, Token: token, BaseURL: gitlabtest.WebURL, PipelineID: int64(id),
		})
		if err != nil {
			t.Fatal(err)
		}
		out, err := review.Post(t.Context(), c, resultOf(t, skillOf("code-review")), false)
		if err != nil || len(out.Warnings) > 0 || len(h.Statuses) != 1 {
			t.Errorf("pipeline %d: %d statuses, warnings %q, error %v", id, len(h.Statuses), out.Warnings, err)
		}
		if strings.Contains(status, `"pipeline_id":77`) != (id == 77) || strings.Contains(status, `"ref"`) {
			t.Errorf("pipeline %d: %s", id, status)
		}
	}
}
