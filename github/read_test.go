package github

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/githubtest"
	"github.com/codescan-dev/scanner/review"
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
	r.Skills = []review.SkillResult{skillOf("code-review", all[500:]...), skillOf("other")}
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
	head := review.Head{Commit: headSHA, Ref: "topic", Repo: "fork/r"}
	n, err := clientOf(t, h).FindPullRequest(t.Context(), head)
	if n != 7 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	head.Commit = strings.Repeat("3", 40)
	if _, err := clientOf(t, h).FindPullRequest(t.Context(), head); !errors.Is(err, review.ErrHeadMoved) {
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

// TestEmptyAnswers has a host that once gives each reading request an empty
// answer: that does not mean that nothing is there.
func TestEmptyAnswers(t *testing.T) {
	for _, body := range []string{"", " \n", "null"} {
		t.Run(strconv.Quote(body), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHost(t, parse(t, patch))
				r := resultOf(t, skillOf("code-review", found("a", "app/db.go", 13, 0)))
				post(t, h, r)
				want := h.Dump()
				seen := make(map[string]bool)
				rt := roundTrip(func(req *http.Request) (*http.Response, error) {
					if req.Method == http.MethodGet && !seen[req.URL.Path] {
						seen[req.URL.Path] = true
						return respond(req, 200, body), nil
					}
					return h.RoundTrip(req)
				})
				if _, err := review.Post(t.Context(), clientOf(t, rt), r, false); err != nil {
					t.Fatal(err)
				}
				if len(seen) != 5 {
					t.Errorf("empty answers: %v", seen)
				}
				if d := cmp.Diff(h.Dump(), want); d != "" {
					t.Errorf("the host (-got +want):\n%s", d)
				}
			})
		})
	}

	rt := roundTrip(func(req *http.Request) (*http.Response, error) { return respond(req, 200, ""), nil })
	synctest.Test(t, func(t *testing.T) {
		if _, err := clientOf(t, rt).Read(t.Context(), 7, headSHA); !errors.Is(err, errEmpty) {
			t.Errorf("a host with empty answers: %v", err)
		}
	})
}

// TestReplies reads who replied, and whether what they write decides anything.
func TestReplies(t *testing.T) {
	h := newHost(t, parse(t, patch))
	h.Permissions = map[string]string{"owner": "admin", "dev": "write", "reader": "read", "outsider": "none"}
	post(t, h, resultOf(t, skillOf("code-review", found("SQL injection", "app/db.go", 13, 0))))
	reply := func(user, body string, to int64) {
		h.Comments = append(h.Comments, &githubtest.Comment{ID: h.NextID(), User: user, Body: body, Path: "app/db.go", InReplyTo: to})
	}
	ours := h.Comments[0].ID
	for _, user := range []string{"owner", "dev", "reader", "outsider", "unknown", "dev", "other[bot]"} {
		reply(user, "No.", ours)
	}
	reply(bot, h.Comments[0].Body, ours)
	other := &githubtest.Comment{ID: h.NextID(), User: "dev", Body: "Why?", Path: "app/db.go", Line: 13}
	h.Comments = append(h.Comments, other)
	reply("owner", "Because.", other.ID)
	read := func() (got []string) {
		s, err := clientOf(t, h).Read(t.Context(), 7, headSHA)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range s.Threads[0].Replies {
			got = append(got, fmt.Sprint(r.Author, " ", r.MayWrite))
		}
		if n := len(s.Threads[1].Replies); n != 1 {
			t.Errorf("thread of a person: %d replies", n)
		}
		return got
	}
	mark := len(h.Requests)
	if d := cmp.Diff(read(), []string{"owner true", "dev true", "reader false", "outsider false", "unknown false", "dev true"}); d != "" {
		t.Errorf("replies (-got +want):\n%s", d)
	}
	asked := 0
	for _, req := range h.Requests[mark:] {
		if strings.Contains(req, "/collaborators/") {
			asked++
		}
	}
	if asked != 5 {
		t.Errorf("%d requests for permissions, want one for each account", asked)
	}
	h.Deny["metadata: read"] = true
	if got := read(); got[0] != "owner false" || got[1] != "dev false" {
		t.Errorf("without the permission to ask: %q", got)
	}
}
