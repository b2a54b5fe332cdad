package review_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/github"
	"github.com/codescan-dev/scanner/internal/githubtest"
	"github.com/codescan-dev/scanner/internal/hosttest"
	"github.com/codescan-dev/scanner/review"
)

// gitHub is GitHub with the token of a workflow.
type gitHub struct {
	t testing.TB
	h *githubtest.Host
	// hook is called before the write that brings wait to 0.
	hook func()
	wait int
}

var _ site = (*gitHub)(nil)

func newGitHub(t testing.TB, head string, files []diff.File) site {
	g := &gitHub{t: t, h: githubtest.New(head, files)}
	g.h.Permissions = map[string]string{"maintainer": "write", "passer-by": "read"}
	t.Cleanup(func() {
		for _, p := range g.h.Problems {
			t.Error(p)
		}
	})
	return g
}

func (g *gitHub) client() review.Host {
	c, err := github.NewClient(github.Repo{Owner: "o", Name: "r"}, github.Config{HTTP: &http.Client{Transport: g}, Token: "secret"})
	if err != nil {
		g.t.Fatal(err)
	}
	return c
}

func (g *gitHub) flavor() review.Flavor {
	return github.Flavor("", github.Repo{Owner: "o", Name: "r"})
}

func (g *gitHub) RoundTrip(req *http.Request) (*http.Response, error) {
	if g.hook != nil && githubtest.IsWrite(req) {
		if g.wait--; g.wait == 0 {
			hook := g.hook
			g.hook = nil
			hook()
		}
	}
	return g.h.RoundTrip(req)
}

func (g *gitHub) before(n int, f func()) { g.wait, g.hook = n, f }

func (g *gitHub) push(commit string, files []diff.File) { g.h.Push(commit, files) }

func (g *gitHub) page() page {
	p := page{Checks: make(map[string]bool)}
	for _, c := range g.h.Comments {
		if c.User == g.h.Account && c.InReplyTo == 0 {
			th := g.h.Threads[c.ID]
			closed := th.Resolved || th.Minimized || strings.HasPrefix(c.Body, "**No longer found**")
			p.Comments = append(p.Comments, comment{c.Path, c.Line, c.Body, closed})
		}
	}
	for _, c := range g.h.IssueComments {
		if c.User == g.h.Account {
			p.Summaries = append(p.Summaries, c.Body)
		}
	}
	for _, k := range g.h.Checks {
		if skill, ok := strings.CutPrefix(k.Name, "scanner/"); ok && k.Head == g.h.Head && k.App+"[bot]" == g.h.Account && !strings.Contains(skill, " ") {
			p.Checks[skill] = k.Conclusion == "failure"
		}
	}
	p.Blocked = slices.ContainsFunc(g.h.Reviews, func(r *githubtest.Review) bool {
		return r.User == g.h.Account && r.State == "CHANGES_REQUESTED"
	})
	return p
}

func (g *gitHub) writes() int { return len(g.h.Writes) }

// find returns the comment with a title.
func (g *gitHub) find(title string) *githubtest.Comment {
	i := slices.IndexFunc(g.h.Comments, func(c *githubtest.Comment) bool { return strings.HasPrefix(c.Body, "**"+title+"**") })
	if i < 0 {
		g.t.Fatalf("no comment %q", title)
	}
	return g.h.Comments[i]
}

func (g *gitHub) reply(title string, writer bool, text string) {
	login := "passer-by"
	if writer {
		login = "maintainer"
	}
	g.h.Reply(g.find(title), login, text)
}

func (g *gitHub) resolve(title string) {
	*g.h.Threads[g.find(title).ID] = githubtest.Thread{Resolved: true, ResolvedBy: "maintainer"}
}

func (g *gitHub) forge() {
	for _, c := range slices.Concat(g.h.Comments, g.h.IssueComments) {
		c.User = "other[bot]"
	}
	for _, r := range g.h.Reviews {
		r.User = "other[bot]"
	}
	for _, k := range g.h.Checks {
		k.App = "other"
	}
}

func (g *gitHub) deny(p power) {
	g.h.Deny[map[power]string{resolving: "contents: write", commenting: "pull-requests: write", checking: "checks: write"}[p]] = true
}

func (g *gitHub) refuse(path string, line int) {
	g.h.RefuseLine = func(p string, l int) bool { return p == path && l == line }
}

func (g *gitHub) fail(n int, f fault) {
	if n == 0 {
		g.h.Fault = nil
		return
	}
	g.h.FailWrite(n, map[fault]hosttest.Fault{
		dropped: hosttest.Cut, lost: hosttest.CutDone, broken: hosttest.BadGatewayDone,
		tooQuick: hosttest.Secondary, limited: hosttest.Primary,
	}[f])
}
