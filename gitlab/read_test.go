package gitlab_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/gitlabtest"
	"github.com/codescan-dev/scanner/review"
	"github.com/google/go-cmp/cmp"
)

// TestReplies reads who replied, and whether what they write decides anything.
func TestReplies(t *testing.T) {
	h := newHost(t)
	h.Roles["owner"], h.Roles["reader"] = 50, gitlabtest.Reporter
	post(t, h, resultOf(t, skillOf("code-review", found("SQL injection", "app/db.go", 13, 0))))
	ours := h.Discussions[0]
	for _, user := range []string{"owner", person, "reader", "outsider", person, "group_1_bot_0a", "service_account_x", "author"} {
		h.Reply(ours, user, "No.")
	}
	h.Reply(ours, h.Account, ours.Notes[0].Body)
	h.Reply(ours, person, "resolved all threads")
	ours.Notes[len(ours.Notes)-1].System = true
	other := h.Add(person, "Why?", &gitlabtest.Position{Base: gitlabtest.BaseSHA, Start: gitlabtest.StartSHA, Head: headSHA, OldPath: "app/db.go", NewPath: "app/db.go", NewLine: 13})
	h.Reply(other, "owner", "Because.")
	mark := len(h.Requests)
	s, err := clientOf(t, h).Read(t.Context(), 7, headSHA)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range s.Threads[0].Replies {
		got = append(got, fmt.Sprint(r.Author, " ", r.MayWrite))
	}
	if d := cmp.Diff(got, []string{"owner true", person + " true", "reader false", "outsider false", person + " true", "author true"}); d != "" {
		t.Errorf("replies (-got +want):\n%s", d)
	}
	if n := strings.Count(fmt.Sprint(h.Requests[mark:]), "/members/all/"); n != 6 {
		t.Errorf("%d requests for roles, want one for each account", n)
	}
	if n := len(s.Threads[1].Replies); n != 1 {
		t.Errorf("thread of a person: %d replies", n)
	}
}

// TestThreads reads where discussions are, and whose work their state is.
func TestThreads(t *testing.T) {
	h := newHost(t)
	post(t, h, resultOf(t, skillOf("code-review", found("SQL injection", "app/db.go", 13, 0), found("Renamed", "docs/read me.md", 2, 0), found("Gone", "app/db.go", 45, 0))))
	h.Add(person, "Hello.", nil)
	d := h.Discussions
	d[0].Notes[0].Resolved, d[0].Notes[0].ResolvedBy = true, h.Account
	d[1].Notes[0].Resolved, d[1].Notes[0].ResolvedBy = true, person
	files := parse(t, strings.Replace(patch, "+	c()\n", "+	e()\n", 1))
	files[0].Hunks[0].NewStart++
	h.Push(nextSHA, files)
	read := func() (got []string) {
		s, err := clientOf(t, h).Read(t.Context(), 7, nextSHA)
		if err != nil {
			t.Fatal(err)
		}
		if s.Head != nextSHA || len(s.Summaries) != 1 || !s.NoReviews || !s.MakesChecks {
			t.Errorf("state %+v", s)
		}
		for _, th := range s.Threads {
			got = append(got, fmt.Sprintf("%s:%d resolved %t person %t may %t", th.Path, th.Line, th.Resolved, th.PersonResolved, th.MayResolve))
		}
		return got
	}
	want := []string{
		"app/db.go:14 resolved true person false may true", "docs/read me.md:2 resolved true person true may true", "app/db.go:0 resolved false person false may true",
	}
	if d := cmp.Diff(read(), want); d != "" {
		t.Errorf("threads (-got +want):\n%s", d)
	}
	h.Account = person // of a personal token, whose owner did not write these
	if got := read(); !strings.HasSuffix(got[0], "person true may true") {
		t.Errorf("threads of another account: %q", got)
	}
}

// TestFork posts on the merge request of a fork, whose commits are in no branch and no
// pipeline of the project.
func TestFork(t *testing.T) {
	h := newHost(t)
	h.Detached = []string{headSHA}
	post(t, h, resultOf(t, skillOf("code-review", found("SQL injection", "app/db.go", 13, 0))))
	if len(h.Statuses) != 1 || h.Statuses[0].Ref != "refs/merge-requests/7/head" {
		t.Errorf("statuses %+v", h.Statuses)
	}
}

// TestStatus makes commit statuses whose texts fit, for every conclusion.
func TestStatus(t *testing.T) {
	h := newHost(t)
	r := resultOf(t, skillOf("passes"), skillOf("finds", found("SQL injection", "app/db.go", 13, 0)), skillOf("fails", found("SQL injection", "app/db.go", 13, 0)))
	r.Skills[2].Selection.Fails = true
	r.RunURL = gitlabtest.WebURL + "/g/sub/p/-/jobs/1?" + strings.Repeat("x", 300)
	post(t, h, r)
	var got []string
	for _, s := range h.Statuses {
		got = append(got, s.Name+" "+s.State)
		if page, _, _ := strings.Cut(s.TargetURL, "#"); page != gitlabtest.WebURL {
			t.Errorf("address %s", s.TargetURL)
		}
	}
	if d := cmp.Diff(got, []string{"scanner/passes success", "scanner/finds success", "scanner/fails failed"}); d != "" {
		t.Errorf("statuses (-got +want):\n%s", d)
	}

	whole := resultOf(t, skillOf("passes"))
	whole.Number = 0
	post(t, h, whole)
	if s := h.Statuses[len(h.Statuses)-1]; s.Name != "scanner/passes (whole files)" || !strings.HasPrefix(s.TargetURL, gitlabtest.WebURL+"/g/sub/p/-/commit/"+headSHA+"#") {
		t.Errorf("status %+v", s)
	}
}

func TestFindPullRequest(t *testing.T) {
	h := newHost(t)
	h.Projects["fork/p"] = 99
	h.Merges = append(h.Merges,
		gitlabtest.Merge{Number: 8, Branch: "topic", Head: nextSHA, Source: 99},
		gitlabtest.Merge{Number: 9, Branch: "topic", Head: nextSHA, Source: 42},
		gitlabtest.Merge{Number: 10, Branch: "topic", Head: nextSHA, Source: 99, Closed: true},
		gitlabtest.Merge{Number: 11, Branch: "twice", Head: nextSHA, Source: 99}, gitlabtest.Merge{Number: 12, Branch: "twice", Head: nextSHA, Source: 99},
	)
	for _, tt := range []struct {
		head review.Head
		want int
		err  string
	}{
		{review.Head{Commit: headSHA, Repo: "g/sub/p", Ref: "topic"}, 7, ""},
		{review.Head{Commit: nextSHA, Repo: "fork/p", Ref: "topic"}, 8, ""},
		{review.Head{Commit: nextSHA, Repo: "42", Ref: "topic"}, 9, ""},
		{review.Head{Commit: headSHA, Repo: "fork/p", Ref: "topic"}, 0, "no open merge request has the head"},
		{review.Head{Commit: nextSHA, Repo: "99", Ref: "twice"}, 0, "2 open merge requests have the head"},
		{review.Head{Commit: nextSHA, Repo: "other/p", Ref: "topic"}, 0, "not found, or the token has no access to it"},
		{review.Head{Commit: "abc", Repo: "g/p", Ref: "topic"}, 0, "not known"},
	} {
		n, err := clientOf(t, h).FindPullRequest(t.Context(), tt.head)
		if n != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%+v: %d, %v", tt.head, n, err)
		}
		if strings.HasPrefix(tt.err, "no open") && !errors.Is(err, review.ErrHeadMoved) {
			t.Errorf("error %v", err)
		}
	}
}

func TestFiles(t *testing.T) {
	h := newHost(t)
	h.Files = append(h.Files, diff.File{Path: "gone", Status: diff.Deleted, OldMode: 0o100644})
	files, err := clientOf(t, h).Files(t.Context(), 7)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(files, h.Files); d != "" {
		t.Errorf("files (-got +want):\n%s", d)
	}
}

// TestResolvedByPush has a project that resolves what a push makes outdated: that nobody
// looked at a discussion must not hide its finding.
func TestResolvedByPush(t *testing.T) {
	for _, auto := range []bool{false, true} {
		h := newHost(t)
		h.ResolveOutdated = auto
		r := resultOf(t, skillOf("code-review", found("SQL injection", "app/db.go", 45, 0), found("Another problem", "new.go", 3, 0)))
		post(t, h, r)
		if !auto {
			h.Discussions[0].Notes[0].Resolved, h.Discussions[0].Notes[0].ResolvedBy = true, person
		}
		h.Push(nextSHA, parse(t, strings.Replace(patch, "+	c()\n", "+	e()\n", 1)))
		s, err := clientOf(t, h).Read(t.Context(), 7, nextSHA)
		if err != nil {
			t.Fatal(err)
		}
		if th := s.Threads[0]; !th.Resolved || th.Line != 0 || th.PersonResolved == auto {
			t.Errorf("resolved by the push %t: %+v", auto, th)
		}
	}
}

// TestRenamed recognizes the discussion of a file that a push renamed.
func TestRenamed(t *testing.T) {
	h := newHost(t)
	r := resultOf(t, skillOf("code-review", found("SQL injection", "app/db.go", 13, 0)))
	post(t, h, r)
	files := parse(t, strings.NewReplacer("--- a/app/db.go\n+++ b/app/db.go", "similarity index 90%\nrename from app/db.go\nrename to app/store.go\n--- a/app/db.go\n+++ b/app/store.go",
		"diff --git a/app/db.go b/app/db.go", "diff --git a/app/db.go b/app/store.go").Replace(patch))
	h.Push(nextSHA, files)
	r = resultOf(t, skillOf("code-review", found("SQL injection", "app/store.go", 13, 0)))
	r.Head, r.Files = nextSHA, files
	r.Skills[0].Report.Files[0].Path = "app/store.go"
	post(t, h, r)
	if got := titles(h); len(got) != 1 || h.Discussions[0].Notes[0].Resolved {
		t.Errorf("discussions %q\n%s", got, h.Dump())
	}
}

// TestRenamedNew has a discussion of a new file. The host lets it follow a rename, of
// which the change then shows nothing.
func TestRenamedNew(t *testing.T) {
	h := newHost(t)
	post(t, h, resultOf(t, skillOf("code-review", found("Unused", "new.go", 3, 0))))
	files := parse(t, strings.ReplaceAll(patch, "new.go", "x.go"))
	h.Push(nextSHA, files)
	at := h.Discussions[0].Notes[0].Position
	at.OldPath, at.NewPath, at.Head = "x.go", "x.go", nextSHA
	r := resultOf(t, skillOf("code-review", found("Unused", "x.go", 3, 0)))
	r.Head, r.Files = nextSHA, files
	r.Skills[0].Report.Files[2].Path = "x.go"
	post(t, h, r)
	if got := titles(h); len(got) != 1 || h.Discussions[0].Notes[0].Resolved {
		t.Errorf("discussions %q\n%s", got, h.Dump())
	}
}
