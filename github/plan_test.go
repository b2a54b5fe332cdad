package github

import (
	"slices"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/githubtest"
	"github.com/codescan-dev/scanner/review"
	"github.com/google/go-cmp/cmp"
)

// inlineWrites returns the writes other than those of check runs and summaries, in
// short.
func inlineWrites(list []string) []string {
	var got []string
	for _, w := range list {
		switch {
		case strings.Contains(w, "unresolveReviewThread"):
			got = append(got, "open")
		case strings.Contains(w, "resolveReviewThread"):
			got = append(got, "resolve")
		case strings.Contains(w, "unminimizeComment"):
			got = append(got, "show")
		case strings.Contains(w, "minimizeComment"):
			got = append(got, "hide")
		case strings.HasSuffix(w, "/reviews"):
			got = append(got, "review")
		case strings.HasSuffix(w, "/dismissals"):
			got = append(got, "dismiss")
		case strings.HasPrefix(w, "PATCH repos/o/r/pulls/comments/"):
			got = append(got, "edit")
		case strings.Contains(w, "check-runs"), strings.Contains(w, "issues/"):
		default:
			got = append(got, w)
		}
	}
	return got
}

// TestSameLine has findings on one line, or on lines with the same text, whose
// titles resemble each other.
func TestSameLine(t *testing.T) {
	const (
		byName = "User input reaches the query that is built in this function without any check of the name"
		byID   = "User input reaches the query that is built in this function without any check of the id"
		other  = "User input reaches the query that is built in this function without any check of the name!"
	)
	if !scanner.SimilarTitles(byName, byID) || !scanner.SimilarTitles(other, byID) {
		t.Fatal("the titles are not similar")
	}
	at := func(title string, line int) scanner.Finding { return found(title, "app/db.go", line, 0) }
	tests := []struct {
		name          string
		first, second []scanner.Finding
		want          []string
	}{
		{"again", []scanner.Finding{at(byName, 13), at(byID, 13)}, []scanner.Finding{at(byName, 13), at(byID, 13)}, nil},
		{"in another order", []scanner.Finding{at(byName, 13), at(byID, 13)}, []scanner.Finding{at(byID, 13), at(byName, 13)}, nil},
		// The reworded one comes first, and must not take the thread of the other.
		{"one reworded", []scanner.Finding{at(byID, 13), at(byName, 13)}, []scanner.Finding{at(other, 13), at(byID, 13)}, nil},
		{"one fixed", []scanner.Finding{at(byName, 13), at(byID, 13)}, []scanner.Finding{at(byID, 13)}, []string{"resolve"}},
		{"one more", []scanner.Finding{at(byName, 13)}, []scanner.Finding{at(byID, 13), at(byName, 13)}, []string{"review"}},
		// Lines 14 and 15 have the same text.
		{"two lines", []scanner.Finding{at(byName, 14), at(byName, 15)}, []scanner.Finding{at(byName, 14), at(byName, 15)}, nil},
		{"two lines, one fixed", []scanner.Finding{at(byName, 14), at(byName, 15)}, []scanner.Finding{at(byName, 15)}, []string{"resolve"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := newHost(t, parse(t, patch))
			r := resultOf(t, skillOf("code-review", tt.first...))
			post(t, h, r)
			bodies := make(map[int64]string)
			for _, c := range h.Comments {
				bodies[c.ID] = c.Body
			}
			mark := len(h.Writes)
			r.Head, r.Skills = nextSHA, []review.SkillResult{skillOf("code-review", tt.second...)}
			h.Push(nextSHA, h.Files)
			out := post(t, h, r)
			if d := cmp.Diff(inlineWrites(h.Writes[mark:]), tt.want); d != "" {
				t.Errorf("writes (-got +want):\n%s\n%s", d, out.Plan)
			}
			// What was resolved is what is gone.
			for _, c := range h.Comments {
				gone := !slices.ContainsFunc(tt.second, func(f scanner.Finding) bool {
					return c.Line == f.Location.StartLine && strings.HasPrefix(strings.ReplaceAll(f.Title, "!", ""), strings.Trim(strings.SplitN(c.Body, "\n", 2)[0], "*"))
				})
				if got := h.Threads[c.ID].Resolved; got != gone {
					t.Errorf("comment on line %d %.60q: resolved %t", c.Line, c.Body, got)
				}
			}
		})
	}
}

// TestOtherTools has comments of our account that another tool made: all
// workflows of a repository share one account.
func TestOtherTools(t *testing.T) {
	a := found("SQL injection", "app/db.go", 13, 0)
	h := newHost(t, parse(t, patch))
	add := func(body string) *githubtest.Comment {
		c := &githubtest.Comment{ID: h.NextID(), User: bot, Path: "app/db.go", Line: 13, Body: body}
		h.Comments = append(h.Comments, c)
		h.Threads[c.ID] = &githubtest.Thread{}
		return c
	}
	add("**SQL injection**\n\nWhy SQL injection matters.")
	add("<!-- another-tool:finding e30= -->")
	add("quoted:\n\n" + marker("finding", findingMarker{Skill: "code-review", Path: "app/db.go", Line: hash(16, "x"), Title: a.Title}) + "\n\nend")
	h.IssueComments = append(h.IssueComments, &githubtest.Comment{ID: h.NextID(), User: bot, Body: "## Scanner: no findings"})
	h.Reviews = append(h.Reviews, &githubtest.Review{ID: h.NextID(), User: bot, State: "CHANGES_REQUESTED", Body: "Please sign."})
	h.Checks = append(h.Checks, &githubtest.Check{ID: h.NextID(), Name: "scanner/code-review", Head: headSHA, App: "github-actions", Status: "in_progress"})
	theirs := h.Dump()

	r := resultOf(t, skillOf("code-review", a))
	post(t, h, r)
	if len(h.Comments) != 4 || len(h.IssueComments) != 2 || len(h.Reviews) != 2 || len(h.Checks) != 2 {
		t.Errorf("what another tool wrote was taken for ours:\n%s", h.Dump())
	}
	r.Head, r.Skills = nextSHA, []review.SkillResult{skillOf("code-review")}
	h.Push(nextSHA, h.Files)
	post(t, h, r)
	h.Comments, h.IssueComments, h.Reviews, h.Checks, h.Head = h.Comments[:3], h.IssueComments[:1], h.Reviews[:1], h.Checks[:1], headSHA
	if d := cmp.Diff(h.Dump(), theirs); d != "" {
		t.Errorf("what another tool wrote was changed:\n%s", d)
	}
}

// TestRequestsBySkill has two skills that ask for changes on their own.
func TestRequestsBySkill(t *testing.T) {
	a, b := found("SQL injection", "app/db.go", 13, 0), found("Unused call", "app/db.go", 45, 0)
	skill := func(name string, blocks bool, f ...scanner.Finding) review.SkillResult {
		s := skillOf(name, f...)
		s.RequestChanges, s.Selection.Fails = true, blocks
		return s
	}
	states := func(h *githubtest.Host) string {
		var list []string
		for _, r := range h.Reviews {
			list = append(list, r.State)
		}
		return strings.Join(list, " ")
	}
	h := newHost(t, parse(t, patch))
	step := func(want string, skills ...review.SkillResult) {
		t.Helper()
		r := resultOf(t, skills...)
		out := post(t, h, r)
		if got := states(h); got != want {
			t.Fatalf("reviews: %s, want %s\n%s", got, want, out.Plan)
		}
	}
	step("CHANGES_REQUESTED", skill("one", true, a))
	// Another skill asks for changes on its own, in another run and in the same.
	step("CHANGES_REQUESTED CHANGES_REQUESTED", skill("two", true, b))
	step("CHANGES_REQUESTED CHANGES_REQUESTED", skill("one", true, a), skill("two", true, b))
	// What one no longer asks for, the other still does.
	step("DISMISSED CHANGES_REQUESTED", skill("one", false), skill("two", true, b))
	step("DISMISSED CHANGES_REQUESTED", skill("one", false))
	step("DISMISSED DISMISSED", skill("two", false))
	step("DISMISSED DISMISSED CHANGES_REQUESTED", skill("one", true, a), skill("two", false))
	for _, p := range h.Problems {
		t.Error(p)
	}
}

// TestRenamed shows what happens to a comment when its file has another name.
func TestRenamed(t *testing.T) {
	a := found("SQL injection", "app/db.go", 13, 0)
	h := newHost(t, parse(t, patch))
	r := resultOf(t, skillOf("code-review", a))
	post(t, h, r)
	renamed := parse(t, strings.Replace(patch, "diff --git a/app/db.go b/app/db.go\n--- a/app/db.go\n+++ b/app/db.go\n",
		"diff --git a/app/db.go b/db/query.go\nsimilarity index 90%\nrename from app/db.go\nrename to db/query.go\n--- a/app/db.go\n+++ b/db/query.go\n", 1))
	b := found("SQL injection", "db/query.go", 13, 0)
	r.Head, r.Files, r.Skills = nextSHA, renamed, []review.SkillResult{skillOf("code-review", b)}
	r.Skills[0].Report.Files = []scanner.FileReport{{Path: "db/query.go"}}
	h.Push(nextSHA, renamed)
	h.Comments[0].Line = 0 // outdated
	mark := len(h.Writes)
	out := post(t, h, r)
	if got := inlineWrites(h.Writes[mark:]); got != nil {
		t.Errorf("%s\n%s", got, out.Plan)
	}
	// A file that is deleted is not one that was skipped.
	gone := parse(t, "diff --git a/app/db.go b/app/db.go\ndeleted file mode 100644\n--- a/app/db.go\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n")
	const thirdSHA = "3333333333333333333333333333333333333333"
	h.Push(thirdSHA, gone)
	r.Head, r.Files, r.Skills = thirdSHA, gone, []review.SkillResult{skillOf("code-review")}
	r.Skills[0].Report.SkippedFiles = []scanner.SkippedFile{{Filename: "app/db.go", Reason: "deleted"}}
	mark = len(h.Writes)
	out = post(t, h, r)
	if d := cmp.Diff(inlineWrites(h.Writes[mark:]), []string{"resolve"}); d != "" {
		t.Errorf("%s\n%s", d, out.Plan)
	}
}

// TestNextHead shows what happens to a comment when the head moves on.
func TestNextHead(t *testing.T) {
	a, b := found("SQL injection through the name parameter", "app/db.go", 13, 0), found("Unused call", "app/db.go", 45, 0)
	b.Description = "Because."
	tests := []struct {
		name  string
		setup func(*githubtest.Host)
		edit  func(*review.Result)
		want  []string // writes, without those of check runs and the summary
		kept  string   // a reason in the plan
	}{
		{
			"a person replied", func(h *githubtest.Host) {
				h.Comments = append(h.Comments, &githubtest.Comment{ID: h.NextID(), User: person, Body: "No, see #1.", Path: "app/db.go", InReplyTo: h.Comments[1].ID})
			}, func(r *review.Result) { r.Skills[0] = skillOf("code-review", a) }, nil, "a person replied",
		},
		{
			"a bot replied", func(h *githubtest.Host) {
				h.Comments = append(h.Comments, &githubtest.Comment{ID: h.NextID(), User: "other[bot]", Body: "ok", Path: "app/db.go", InReplyTo: h.Comments[1].ID})
			}, func(r *review.Result) { r.Skills[0] = skillOf("code-review", a) }, []string{"resolve"}, "",
		},
		{
			"patterns only", nil, func(r *review.Result) {
				r.Skills[0] = skillOf("code-review", a)
				r.Skills[0].Report.PatternsOnly = true
			}, nil, "did not look at everything",
		},
		{"another skill", nil, func(r *review.Result) { r.Skills[0] = skillOf("security") }, nil, "the skill did not run"},
		{
			"hidden", nil, func(r *review.Result) {
				r.Skills[0].Selection = selection(r.Skills[0].Report, scanner.Policy{ReportOn: scanner.ThresholdHigh})
			}, nil, "not shown on this line",
		},
		{
			"skipped", nil, func(r *review.Result) {
				r.Skills[0] = skillOf("code-review")
				r.Skills[0].Report.SkippedFiles = []scanner.SkippedFile{{Filename: "app/db.go", Reason: "too-large"}}
			}, nil, "the file was not read",
		},
		{
			"another line of the hunk with the same title", nil, func(r *review.Result) {
				x := b
				x.Location = &scanner.Location{Path: "app/db.go", StartLine: 43}
				r.Skills[0] = skillOf("code-review", a, x)
			}, nil, "already posted",
		},
		{
			"another hunk with the same title", nil, func(r *review.Result) {
				x := b
				x.Location = &scanner.Location{Path: "app/db.go", StartLine: 13}
				r.Skills[0] = skillOf("code-review", a, x)
			}, []string{"review", "resolve"}, "",
		},
		{
			"untrusted", nil, func(r *review.Result) {
				r.Skills[0] = skillOf("code-review", a)
				r.Untrusted = true
			}, nil, "resolves nothing",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := newHost(t, parse(t, patch))
			first := resultOf(t, skillOf("code-review", a, b))
			post(t, h, first)
			if tt.setup != nil {
				tt.setup(h)
			}
			mark := len(h.Writes)
			r := first
			r.Head = nextSHA
			r.Skills = slices.Clone(first.Skills)
			tt.edit(&r)
			h.Push(nextSHA, r.Files)
			out := post(t, h, r)
			if d := cmp.Diff(inlineWrites(h.Writes[mark:]), tt.want); d != "" {
				t.Errorf("writes (-got +want):\n%s\n%s", d, out.Plan)
			}
			if !strings.Contains(out.Plan.String(), tt.kept) {
				t.Errorf("no %q in\n%s", tt.kept, out.Plan)
			}
			if tt.want == nil && len(titles(h)) != 2 && tt.name != "a person replied" {
				t.Errorf("comments: %q", titles(h))
			}
			// A second run on this head has nothing to do.
			mark = len(h.Writes)
			if out := post(t, h, r); len(h.Writes[mark:]) > 0 {
				t.Errorf("writes of the second run: %q\n%s", h.Writes[mark:], out.Plan)
			}
		})
	}
}
