package review_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/gitlab"
	"github.com/codescan-dev/scanner/internal/gitlabtest"
	"github.com/codescan-dev/scanner/internal/hosttest"
	"github.com/codescan-dev/scanner/review"
)

// gitLab is GitLab with the token of a project.
type gitLab struct {
	t testing.TB
	h *gitlabtest.Host
	// hook is called before the write that brings wait to 0.
	hook func()
	wait int
}

var _ site = (*gitLab)(nil)

func newGitLab(t testing.TB, head string, files []diff.File) site {
	g := &gitLab{t: t, h: gitlabtest.New(head, files)}
	g.h.Roles["maintainer"], g.h.Roles["passer-by"] = gitlabtest.Maintainer, gitlabtest.Reporter
	t.Cleanup(func() {
		for _, p := range slices.Concat(g.h.Problems, g.h.Commands) {
			t.Error(p)
		}
	})
	return g
}

func (g *gitLab) project() gitlab.Project {
	p, err := gitlab.ParseProject(g.h.Project)
	if err != nil {
		g.t.Fatal(err)
	}
	return p
}

func (g *gitLab) client() review.Host {
	c, err := gitlab.NewClient(g.project(), gitlab.Config{HTTP: &http.Client{Transport: g}, Token: "secret", BaseURL: gitlabtest.WebURL + "/api/v4"})
	if err != nil {
		g.t.Fatal(err)
	}
	return c
}

func (g *gitLab) flavor() review.Flavor { return gitlab.Flavor(gitlabtest.WebURL, g.project()) }

func (g *gitLab) RoundTrip(req *http.Request) (*http.Response, error) {
	if g.hook != nil && req.Method != http.MethodGet {
		if g.wait--; g.wait == 0 {
			hook := g.hook
			g.hook = nil
			hook()
		}
	}
	return g.h.RoundTrip(req)
}

func (g *gitLab) before(n int, f func()) { g.wait, g.hook = n, f }

func (g *gitLab) push(commit string, files []diff.File) { g.h.Push(commit, files) }

func (g *gitLab) page() page {
	p := page{Checks: make(map[string]bool)}
	for _, d := range g.h.Discussions {
		n := d.Notes[0]
		switch at := n.Position; {
		case n.User != g.h.Account:
		case at == nil:
			p.Summaries = append(p.Summaries, n.Body)
		default:
			line := at.NewLine
			if at.Head != g.h.Head {
				line = 0
			}
			closed := n.Resolved || strings.HasPrefix(n.Body, "**No longer found**")
			p.Comments = append(p.Comments, comment{at.NewPath, line, n.Body, closed})
		}
	}
	for _, s := range g.h.Statuses {
		if skill, ok := strings.CutPrefix(s.Name, "scanner/"); ok && s.SHA == g.h.Head && s.User == g.h.Account && !strings.Contains(skill, " ") {
			p.Checks[skill] = s.State == "failed"
			p.Blocked = p.Blocked || p.Checks[skill]
		}
	}
	return p
}

func (g *gitLab) writes() int { return len(g.h.Writes) }

// find returns the discussion with a title.
func (g *gitLab) find(title string) *gitlabtest.Discussion {
	i := slices.IndexFunc(g.h.Discussions, func(d *gitlabtest.Discussion) bool { return strings.HasPrefix(d.Notes[0].Body, "**"+title+"**") })
	if i < 0 {
		g.t.Fatalf("no discussion %q", title)
	}
	return g.h.Discussions[i]
}

func (g *gitLab) reply(title string, writer bool, text string) {
	user := "passer-by"
	if writer {
		user = "maintainer"
	}
	g.h.Reply(g.find(title), user, text)
}

func (g *gitLab) resolve(title string) {
	n := g.find(title).Notes[0]
	n.Resolved, n.ResolvedBy = true, "maintainer"
}

func (g *gitLab) forge() {
	for _, d := range g.h.Discussions {
		for _, n := range d.Notes {
			n.User = "project_1_bot_2"
		}
	}
	for _, s := range g.h.Statuses {
		s.User = "project_1_bot_2"
	}
}

func (g *gitLab) deny(p power) {
	g.h.Deny[map[power]string{resolving: "resolve", commenting: "comment", checking: "status"}[p]] = true
}

func (g *gitLab) refuse(path string, line int) {
	g.h.RefuseLine = func(p string, l int) bool { return p == path && l == line }
}

func (g *gitLab) fail(n int, f fault) {
	if n == 0 {
		g.h.Fault = nil
		return
	}
	g.h.FailWrite(n, map[fault]hosttest.Fault{
		dropped: hosttest.Cut, lost: hosttest.CutDone, broken: hosttest.BadGatewayDone,
		tooQuick: hosttest.Secondary, limited: hosttest.Primary,
	}[f])
}
