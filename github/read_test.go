package github

import (
	"errors"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/githubtest"
	"github.com/google/go-cmp/cmp"
)

func TestManyExistingComments(t *testing.T) {
	_, p := numbered("big.go", 1200)
	h := newHost(t, parse(t, p))
	all := many(1000, "big.go")
	r := resultOf(t, skillOf("code-review", all[:500]...))
	r.Files = h.Files
	post(t, h, r)
	r.Policy = "p2"
	r.Skills = []SkillResult{skillOf("code-review", all[500:]...), skillOf("other")}
	r.Skills[0].Report.PatternsOnly = true // so that nothing is resolved
	post(t, h, r)
	if len(h.Comments) != 1000 {
		t.Fatalf("%d comments", len(h.Comments))
	}
	mark, requests := len(h.Writes), len(h.Requests)
	post(t, h, r)
	if got := h.Writes[mark:]; len(got) != 0 {
		t.Errorf("writes: %q", got)
	}
	if n := len(h.Requests) - requests; n > 60 {
		t.Errorf("%d requests", n)
	}
}

func TestFindPullRequest(t *testing.T) {
	h := newHost(t, parse(t, patch))
	h.Pulls = []githubtest.Pull{
		{Number: 5, Head: headSHA, HeadRef: "topic", HeadRepo: "fork/r", Closed: true},
		{Number: 6, Head: nextSHA, HeadRef: "topic", HeadRepo: "fork/r"},
		{Number: 7, HeadRef: "topic", HeadRepo: "fork/r"},
		{Number: 8, Head: headSHA, HeadRef: "topic", HeadRepo: "fork/other"},
		{Number: 9, Head: headSHA, HeadRef: "another", HeadRepo: "fork/r"},
	}
	ev := Event{Name: EventWorkflowRun, Repo: Repo{"o", "r"}, Head: headSHA, HeadRef: "topic", HeadRepo: Repo{"fork", "r"}}
	n, err := clientOf(t, h).FindPullRequest(t.Context(), ev)
	if n != 7 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	ev.Head = strings.Repeat("3", 40)
	if _, err := clientOf(t, h).FindPullRequest(t.Context(), ev); !errors.Is(err, ErrHeadMoved) {
		t.Errorf("error %v", err)
	}
	files, err := clientOf(t, h).Files(t.Context(), 7)
	if d := cmp.Diff(files, []diff.File{
		{Path: "app/db.go", Hunks: h.Files[0].Hunks},
		{Path: "docs/read me.md", Status: diff.Added, Hunks: h.Files[1].Hunks},
	}); d != "" || err != nil {
		t.Errorf("%v\n%s", err, d)
	}
}
