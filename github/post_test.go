package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/githubtest"
	"github.com/google/go-cmp/cmp"
)

func post(t testing.TB, h *githubtest.Host, r Result) *Outcome {
	t.Helper()
	out, err := clientOf(t, h).Post(t.Context(), r, false)
	if err != nil {
		t.Fatalf("post: %v\nwrites: %s", err, strings.Join(h.Writes, "\n"))
	}
	for _, w := range out.Warnings {
		t.Log("warning:", w)
	}
	return out
}

// numbered returns a file of n lines and its diff as an added file.
func numbered(path string, n int) (string, string) {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "line %d of the file\n", i)
	}
	return b.String(), newFile(path, b.String())
}

// words are findings with titles that do not resemble each other.
func many(n int, path string) []scanner.Finding {
	var list []scanner.Finding
	for i := range n {
		word := strings.Map(func(r rune) rune { return 'a' + r - '0' }, fmt.Sprint(1000+i))
		list = append(list, found("problem "+word+" of kind "+word, path, i+1, 0))
	}
	return list
}

func TestFirstRun(t *testing.T) {
	a, b := found("SQL injection", "app/db.go", 13, 16), found("Unused call", "app/db.go", 45, 0)
	c := found("No tests", "", 0, 0)
	h := newHost(t, parse(t, patch))
	out := post(t, h, resultOf(t, skillOf("code-review", a, b, c)))
	if d := cmp.Diff(h.Writes[0:], []string{
		"POST repos/o/r/check-runs", "POST repos/o/r/pulls/7/reviews", "POST repos/o/r/issues/7/comments",
	}); d != "" {
		t.Errorf("writes (-got +want):\n%s", d)
	}
	if d := cmp.Diff(titles(h), []string{"**SQL injection**", "**Unused call**"}); d != "" {
		t.Error(d)
	}
	if c := h.Comments[0]; c.StartLine != 13 || c.Line != 16 {
		t.Errorf("comment at %d-%d", c.StartLine, c.Line)
	}
	if got := h.IssueComments[0].Body; !strings.Contains(got, "No tests") || !strings.Contains(got, "[check run](https://host.test/runs/") {
		t.Errorf("summary:\n%s", got)
	}
	if k := h.Checks[0]; k.Status != "completed" || k.Conclusion != "neutral" || len(k.Annotations) != 2 {
		t.Errorf("check run: %+v", k)
	}
	if out.Writes != 3 || out.SummaryURL == "" || out.Checks["code-review"] == "" {
		t.Errorf("outcome: %+v", out)
	}
}

// TestSameHead shows that a head that was reviewed is recognized before the
// model is asked, and that even a plan for it has no write.
func TestSameHead(t *testing.T) {
	for _, tt := range []struct {
		name     string
		findings []scanner.Finding
		policy   scanner.Policy
		fails    bool
	}{
		{"findings", []scanner.Finding{found("a", "app/db.go", 13, 0)}, scanner.Policy{FailOn: scanner.ThresholdMedium}, true},
		{"no findings, no summary", nil, scanner.Policy{}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHost(t, parse(t, patch))
			r := resultOf(t, skillOf("code-review", tt.findings...))
			r.Skills[0].Selection = scanner.Select(r.Skills[0].Report, tt.policy)
			post(t, h, r)
			mark := len(h.Writes)

			s, err := clientOf(t, h).Read(t.Context(), 7, headSHA)
			if err != nil {
				t.Fatal(err)
			}
			earlier, ok := s.Done(headSHA, "p1", []string{"code-review"})
			if !ok || earlier.Fails != tt.fails || earlier.Counts.Total() != len(tt.findings) {
				t.Errorf("Done: %+v, %t", earlier, ok)
			}
			for _, other := range [][3]string{{nextSHA, "p1", "code-review"}, {headSHA, "p2", "code-review"}} {
				if _, ok := s.Done(other[0], other[1], []string{other[2]}); ok {
					t.Errorf("Done(%q) is true", other)
				}
			}
			if tt.findings == nil {
				if _, ok := s.Done(headSHA, "p1", []string{"code-review", "another"}); ok {
					t.Error("done for a skill that did not run")
				}
			}

			out := post(t, h, r)
			if got := h.Writes[mark:]; len(got) > 0 || out.Writes > 0 || out.Plan.Writes() > 0 {
				t.Errorf("writes: %q\n%s", got, out.Plan)
			}
		})
	}
}

func TestIncompleteIsNotDone(t *testing.T) {
	h := newHost(t, parse(t, patch))
	r := resultOf(t, skillOf("code-review"))
	r.Stopped = errors.New("stopped")
	post(t, h, r)
	s, err := clientOf(t, h).Read(t.Context(), 7, headSHA)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := s.Done(headSHA, "p1", []string{"code-review"}); ok {
		t.Error("an incomplete review is done")
	}
}

// shifted returns the diff of the test with everything n lines further down.
func shifted(t testing.TB, n int) []diff.File {
	files := parse(t, patch)
	for i := range files {
		if files[i].Path == "app/db.go" {
			for j := range files[i].Hunks {
				files[i].Hunks[j].NewStart += n
			}
		}
	}
	return files
}

// TestNextHead shows what becomes of a comment when the head moves on.
func TestNextHead(t *testing.T) {
	a, b := found("SQL injection through the name parameter", "app/db.go", 13, 0), found("Unused call", "app/db.go", 45, 0)
	b.Description = "Because."
	tests := []struct {
		name  string
		setup func(*githubtest.Host)
		edit  func(*Result)
		want  []string // writes, without those of check runs and the summary
		kept  string   // a reason in the plan
	}{
		{"fixed", nil, func(r *Result) { r.Skills[0] = skillOf("code-review", a) }, []string{"resolve"}, ""},
		{
			"fixed, may not resolve", func(h *githubtest.Host) { h.Deny["contents: write"] = true },
			func(r *Result) { r.Skills[0] = skillOf("code-review", a) }, []string{"resolve", "PATCH comment"}, "",
		},
		{
			"fixed, no GraphQL", func(h *githubtest.Host) { h.NoGraphQL, h.Account, h.Deny["checks: read"] = true, "robot", true },
			func(r *Result) { r.Skills[0] = skillOf("code-review", a) }, []string{"PATCH comment"}, "",
		},
		{
			"moved by 50 lines", nil, func(r *Result) {
				r.Files = shifted(t, 50)
				x, y := a, b
				x.Location = &scanner.Location{Path: "app/db.go", StartLine: 63}
				y.Location = &scanner.Location{Path: "app/db.go", StartLine: 95}
				r.Skills[0] = skillOf("code-review", x, y)
			}, nil, "already posted",
		},
		{
			"reworded a little", nil, func(r *Result) {
				x := a
				x.Title = "SQL injection through name parameter!"
				r.Skills[0] = skillOf("code-review", x, b)
			}, nil, "already posted",
		},
		{
			"a person replied", func(h *githubtest.Host) {
				h.Comments = append(h.Comments, &githubtest.Comment{ID: h.NextID(), User: person, Body: "No, see #1.", Path: "app/db.go", InReplyTo: h.Comments[1].ID})
			}, func(r *Result) { r.Skills[0] = skillOf("code-review", a) }, nil, "a person replied",
		},
		{
			"a bot replied", func(h *githubtest.Host) {
				h.Comments = append(h.Comments, &githubtest.Comment{ID: h.NextID(), User: "other[bot]", Body: "ok", Path: "app/db.go", InReplyTo: h.Comments[1].ID})
			}, func(r *Result) { r.Skills[0] = skillOf("code-review", a) }, []string{"resolve"}, "",
		},
		{
			"a person resolved it", func(h *githubtest.Host) {
				h.Threads[h.Comments[1].ID].Resolved = true
				h.Threads[h.Comments[1].ID].ResolvedBy = person
			}, func(r *Result) {}, nil, "a person resolved it",
		},
		{
			"incomplete", nil, func(r *Result) {
				r.Skills[0] = skillOf("code-review", a)
				r.Skills[0].Report.Chunks = scanner.ChunkCounts{Total: 2, Analyzed: 1, Failed: 1}
			}, nil, "did not look at everything",
		},
		{
			"patterns only", nil, func(r *Result) {
				r.Skills[0] = skillOf("code-review", a)
				r.Skills[0].Report.PatternsOnly = true
			}, nil, "did not look at everything",
		},
		{"another skill", nil, func(r *Result) { r.Skills[0] = skillOf("security") }, nil, "the skill did not run"},
		{
			"hidden", nil, func(r *Result) {
				r.Skills[0].Selection = scanner.Select(r.Skills[0].Report, scanner.Policy{ReportOn: scanner.ThresholdHigh})
			}, nil, "not shown on this line",
		},
		{
			"skipped", nil, func(r *Result) {
				r.Skills[0] = skillOf("code-review")
				r.Skipped = []scanner.SkippedFile{{Filename: "app/db.go", Reason: "too-large"}}
			}, nil, "the file was skipped",
		},
		{
			"another line with the same title", nil, func(r *Result) {
				x := b
				x.Location = &scanner.Location{Path: "app/db.go", StartLine: 43}
				r.Skills[0] = skillOf("code-review", a, x)
			}, []string{"POST review", "resolve"}, "",
		},
		{
			"untrusted", nil, func(r *Result) {
				r.Skills[0] = skillOf("code-review", a)
				r.Untrusted = true
			}, nil, "resolves nothing",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := newHost(t, parse(t, patch))
			first := resultOf(t, skillOf("code-review", a, b))
			if tt.name == "fixed, no GraphQL" {
				tt.setup(h)
			}
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
			var got []string
			for _, w := range h.Writes[mark:] {
				switch {
				case strings.Contains(w, "resolveReviewThread"):
					got = append(got, "resolve")
				case strings.HasPrefix(w, "PATCH repos/o/r/pulls/comments/"):
					got = append(got, "PATCH comment")
				case strings.HasSuffix(w, "/reviews"):
					got = append(got, "POST review")
				case strings.Contains(w, "check-runs"), strings.Contains(w, "issues"):
				default:
					got = append(got, w)
				}
			}
			if d := cmp.Diff(got, tt.want); d != "" {
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

// TestFoundAgain shows that a finding that was gone is not posted twice when it
// is back.
func TestFoundAgain(t *testing.T) {
	for _, may := range []bool{true, false} {
		t.Run(fmt.Sprint("may resolve: ", may), func(t *testing.T) {
			a := found("SQL injection", "app/db.go", 13, 0)
			h := newHost(t, parse(t, patch))
			h.Deny["contents: write"] = !may
			r := resultOf(t, skillOf("code-review", a))
			post(t, h, r)
			body := h.Comments[0].Body
			h.Push(nextSHA, h.Files)
			r.Head, r.Skills = nextSHA, []SkillResult{skillOf("code-review")}
			post(t, h, r)
			if got := strings.HasPrefix(h.Comments[0].Body, "**No longer found**"); got == may {
				t.Errorf("comment says that the finding is gone: %t", got)
			}
			h.Push(headSHA, h.Files)
			r.Head, r.Skills = headSHA, []SkillResult{skillOf("code-review", a)}
			post(t, h, r)
			if len(h.Comments) != 1 || h.Comments[0].Body != body || h.Threads[h.Comments[0].ID].Resolved {
				t.Errorf("comments: %q, thread %+v", titles(h), h.Threads[h.Comments[0].ID])
			}
		})
	}
}

// TestForgedMarkers shows that markers of other accounts are no markers.
func TestForgedMarkers(t *testing.T) {
	a := found("SQL injection", "app/db.go", 13, 0)
	r := resultOf(t, skillOf("code-review", a))
	real := newHost(t, parse(t, patch))
	post(t, real, r)

	h := newHost(t, parse(t, patch))
	for _, c := range real.Comments {
		c.User = person
		h.Comments = append(h.Comments, c)
		h.Threads[c.ID] = &githubtest.Thread{}
	}
	for _, c := range real.IssueComments {
		c.User = "other[bot]"
		h.IssueComments = append(h.IssueComments, c)
	}
	for _, k := range real.Checks {
		k.App = "other"
		h.Checks = append(h.Checks, k)
	}
	for _, v := range real.Reviews {
		v.User = person
		v.State = "CHANGES_REQUESTED"
		h.Reviews = append(h.Reviews, v)
	}
	s, err := clientOf(t, h).Read(t.Context(), 7, headSHA)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := s.Done(headSHA, "p1", []string{"code-review"}); ok {
		t.Error("a forged summary counts as done")
	}
	post(t, h, r)
	if d := cmp.Diff(h.Writes[0:], real.Writes[0:]); d != "" {
		t.Errorf("writes (-got +want):\n%s", d)
	}

	// A comment of the own account on another file is not the one it claims.
	h2 := newHost(t, parse(t, patch))
	post(t, h2, r)
	h2.Comments[0].Path = "docs/read me.md"
	mark := len(h2.Writes)
	post(t, h2, r)
	if got := h2.Writes[mark:]; len(got) != 1 || !strings.HasSuffix(got[0], "/reviews") {
		t.Errorf("writes: %q", got)
	}
}

// TestLostAnswers lets the answer to each write get lost in turn.
func TestLostAnswers(t *testing.T) {
	text, p := numbered("big.go", 200)
	_ = text
	for _, mode := range []githubtest.Fault{githubtest.BadGatewayDone, githubtest.CutDone, githubtest.BadGateway, githubtest.Cut, githubtest.Secondary} {
		t.Run(string(mode), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHost(t, parse(t, p))
				r := resultOf(t, skillOf("code-review", many(80, "big.go")...))
				r.Files = h.Files
				r.Skills[0].RequestChanges, r.Skills[0].Selection.Fails = true, true
				failed := make(map[string]bool)
				h.Fault = func(req *http.Request, n int) githubtest.Fault {
					key := fmt.Sprint(req.Method, req.URL.Path, len(h.Reviews), len(h.Checks))
					if req.Method == "GET" || failed[key] {
						return githubtest.NoFault
					}
					failed[key] = true
					return mode
				}
				post(t, h, r)
				want := newHost(t, h.Files)
				post(t, want, r)
				if len(h.Comments) != 80 || len(h.Reviews) != 3 || len(h.IssueComments) != 1 || len(h.Checks) != 1 || len(h.Checks[0].Annotations) != 80 {
					t.Errorf("%d comments, %d reviews, %d summaries, %d check runs, %d annotations", len(h.Comments), len(h.Reviews), len(h.IssueComments), len(h.Checks), len(h.Checks[0].Annotations))
				}
				if d := cmp.Diff(titles(h), titles(want)); d != "" {
					t.Error(d)
				}
				if h.Checks[0].Conclusion != "failure" || h.Reviews[0].State != "CHANGES_REQUESTED" || h.Reviews[1].State != "COMMENTED" {
					t.Errorf("check %q, reviews %q, %q", h.Checks[0].Conclusion, h.Reviews[0].State, h.Reviews[1].State)
				}
				// Whatever was lost, the next run finds all in place.
				h.Fault = nil
				mark := len(h.Writes)
				if out := post(t, h, r); len(h.Writes[mark:]) > 0 {
					t.Errorf("writes of the second run: %q\n%s", h.Writes[mark:], out.Plan)
				}
			})
		})
	}
}

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

// TestLimitHalfWay ends each run at its third write until all is done.
func TestLimitHalfWay(t *testing.T) {
	_, p := numbered("big.go", 200)
	h := newHost(t, parse(t, p))
	r := resultOf(t, skillOf("code-review", many(130, "big.go")...))
	r.Files = h.Files
	runs := 0
	for ; runs < 20; runs++ {
		writes := 0
		h.Fault = func(req *http.Request, n int) githubtest.Fault {
			if req.Method == "GET" || strings.HasSuffix(req.URL.Path, "graphql") {
				return githubtest.NoFault
			}
			if writes++; writes > 2 {
				return githubtest.Primary
			}
			return githubtest.NoFault
		}
		_, err := clientOf(t, h).Post(t.Context(), r, false)
		if err == nil {
			break
		}
		if limit, ok := errors.AsType[*LimitError](err); !ok {
			t.Fatalf("run %d: %v (%T)", runs, err, limit)
		}
		s, err := clientOf(t, h).Read(t.Context(), 7, headSHA)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := s.Done(headSHA, "p1", []string{"code-review"}); ok {
			t.Fatal("done half way")
		}
	}
	if runs < 3 || len(h.Comments) != 130 || len(h.IssueComments) != 1 || len(h.Checks) != 1 || len(h.Checks[0].Annotations) != 130 || h.Checks[0].Status != "completed" {
		t.Errorf("after %d runs: %d comments, %d summaries, %d check runs", runs, len(h.Comments), len(h.IssueComments), len(h.Checks))
	}
}

func TestHeadMoved(t *testing.T) {
	a := found("SQL injection", "app/db.go", 13, 0)
	t.Run("before", func(t *testing.T) {
		h := newHost(t, parse(t, patch))
		h.Push(nextSHA, h.Files)
		_, err := clientOf(t, h).Post(t.Context(), resultOf(t, skillOf("code-review", a)), false)
		if !errors.Is(err, ErrHeadMoved) || len(h.Writes) > 0 {
			t.Errorf("error %v, writes %q", err, h.Writes)
		}
	})
	t.Run("while reading", func(t *testing.T) {
		h := newHost(t, parse(t, patch))
		h.OnRequest = func(req *http.Request) {
			if strings.HasSuffix(req.URL.Path, "/check-runs") && req.Method == "GET" {
				h.Push(nextSHA, h.Files)
			}
		}
		_, err := clientOf(t, h).Post(t.Context(), resultOf(t, skillOf("code-review", a)), false)
		if !errors.Is(err, ErrHeadMoved) || len(h.Writes) > 0 {
			t.Errorf("error %v, writes %q", err, h.Writes)
		}
	})
	t.Run("while writing", func(t *testing.T) {
		h := newHost(t, parse(t, patch))
		h.OnRequest = func(req *http.Request) {
			if strings.HasSuffix(req.URL.Path, "/check-runs") && req.Method == "POST" {
				h.Push(nextSHA, h.Files)
			}
		}
		_, err := clientOf(t, h).Post(t.Context(), resultOf(t, skillOf("code-review", a)), false)
		if !errors.Is(err, ErrHeadMoved) || len(h.Comments)+len(h.IssueComments) > 0 {
			t.Errorf("error %v, writes %q", err, h.Writes)
		}
	})
}

func TestPermissions(t *testing.T) {
	a := found("SQL injection", "app/db.go", 13, 0)
	tests := []struct {
		deny    string
		want    string // warning
		reviews int
		checks  int
	}{
		{"checks: write", "the token permissions are insufficient for reading the check runs: add `checks: write`", 1, 0},
		{"pull-requests: write", "the token permissions are insufficient for creating a review: add `pull-requests: write`", 0, 1},
	}
	for _, tt := range tests {
		t.Run(tt.deny, func(t *testing.T) {
			h := newHost(t, parse(t, patch))
			h.Deny[tt.deny] = true
			h.Deny["checks: read"] = tt.checks == 0
			out := post(t, h, resultOf(t, skillOf("code-review", a)))
			if !slices.Contains(out.Warnings, tt.want) || !slices.Equal(out.Denied, []string{tt.deny}) {
				t.Errorf("warnings %q, denied %q", out.Warnings, out.Denied)
			}
			if len(h.Reviews) != tt.reviews || len(h.Checks) != tt.checks {
				t.Errorf("%d reviews, %d check runs", len(h.Reviews), len(h.Checks))
			}
		})
	}
	t.Run("bad token", func(t *testing.T) {
		h := newHost(t, parse(t, patch))
		h.Fault = func(*http.Request, int) githubtest.Fault { return githubtest.Unauthorized }
		_, err := clientOf(t, h).Post(t.Context(), resultOf(t, skillOf("code-review", a)), false)
		if !errors.Is(err, ErrUnauthorized) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("check runs may be read, not written", func(t *testing.T) {
		h := newHost(t, parse(t, patch))
		h.Fault = func(req *http.Request, n int) githubtest.Fault {
			if req.Method == "POST" && strings.HasSuffix(req.URL.Path, "/check-runs") {
				return githubtest.Forbidden
			}
			return githubtest.NoFault
		}
		out := post(t, h, resultOf(t, skillOf("code-review", a)))
		if len(h.Reviews) != 1 || len(h.IssueComments) != 1 || len(out.Denied) != 1 {
			t.Errorf("%d reviews, %d summaries, denied %q", len(h.Reviews), len(h.IssueComments), out.Denied)
		}
	})
}

// TestRefusedLines has findings on lines that our diff shows and the host's does
// not.
func TestRefusedLines(t *testing.T) {
	_, p := numbered("big.go", 100)
	ours := parse(t, p)
	h := newHost(t, parse(t, p))
	h.Files[0].Hunks[0].NewLines = 95
	r := resultOf(t, skillOf("code-review", many(100, "big.go")...))
	r.Files = ours
	out := post(t, h, r)
	if len(h.Comments) != 95 || len(out.Warnings) != 5 {
		t.Errorf("%d comments, warnings %q", len(h.Comments), out.Warnings)
	}
	body := h.IssueComments[0].Body
	for i := 96; i <= 100; i++ {
		if f := r.Skills[0].Report.Findings[i-1]; !strings.Contains(body, f.Description) {
			t.Errorf("no details of %q in the summary", f.Title)
		}
	}
}

func TestEightyFindings(t *testing.T) {
	_, p := numbered("big.go", 100)
	h := newHost(t, parse(t, p))
	r := resultOf(t, skillOf("code-review", many(80, "big.go")...))
	r.Files = h.Files
	post(t, h, r)
	if len(h.Comments) != 80 || len(h.Reviews) != 3 || len(h.Checks[0].Annotations) != 80 {
		t.Errorf("%d comments in %d reviews, %d annotations", len(h.Comments), len(h.Reviews), len(h.Checks[0].Annotations))
	}
}

func TestReviewState(t *testing.T) {
	a := found("SQL injection", "app/db.go", 13, 0)
	blocking := func(r Result) Result {
		r.Skills = slices.Clone(r.Skills)
		r.Skills[0].RequestChanges, r.Skills[0].Selection.Fails = true, true
		return r
	}
	h := newHost(t, parse(t, patch))
	first := blocking(resultOf(t, skillOf("code-review", a)))
	post(t, h, first)
	if len(h.Reviews) != 1 || h.Reviews[0].State != "CHANGES_REQUESTED" {
		t.Fatalf("reviews %+v", h.Reviews[0])
	}

	// Still blocking: the request stands.
	h.Push(nextSHA, h.Files)
	next := first
	next.Head = nextSHA
	post(t, h, next)
	if len(h.Reviews) != 1 {
		t.Errorf("%d reviews", len(h.Reviews))
	}

	// An incomplete, an untrusted and another skill's run dismiss nothing.
	fixed := resultOf(t, skillOf("code-review"))
	fixed.Head = nextSHA
	incomplete, untrusted, other := fixed, fixed, fixed
	incomplete.Stopped = errors.New("stopped")
	untrusted.Untrusted = true
	other.Skills = []SkillResult{skillOf("security")}
	for name, r := range map[string]Result{"incomplete": incomplete, "untrusted": untrusted, "other": other} {
		post(t, h, r)
		if h.Reviews[0].State != "CHANGES_REQUESTED" {
			t.Fatalf("%s: %s", name, h.Reviews[0].State)
		}
	}

	// The review of a person with the same state stays.
	h.Reviews = append(h.Reviews, &githubtest.Review{ID: h.NextID(), User: person, State: "CHANGES_REQUESTED", Body: h.Reviews[0].Body})
	out := post(t, h, fixed)
	if h.Reviews[0].State != "DISMISSED" || h.Reviews[1].State != "CHANGES_REQUESTED" {
		t.Errorf("reviews %s, %s\n%s", h.Reviews[0].State, h.Reviews[1].State, out.Plan)
	}

	// With no new comment, the request is a review of its own.
	h.Push(headSHA, h.Files)
	post(t, h, resultOf(t, skillOf("code-review", a)))
	n := len(h.Reviews)
	post(t, h, first)
	if len(h.Reviews) != n+1 || h.Reviews[n].State != "CHANGES_REQUESTED" {
		t.Errorf("%d reviews", len(h.Reviews)-n)
	}
}

func TestOwnPullRequest(t *testing.T) {
	h := newHost(t, parse(t, patch))
	r := resultOf(t, skillOf("code-review", found("SQL injection", "app/db.go", 13, 0)))
	r.Skills[0].RequestChanges, r.Skills[0].Selection.Fails = true, true
	c, err := NewClient(Repo{"o", "r"}, Config{Token: "secret", HTTP: &http.Client{Transport: refuseRequests{h}}, BaseURL: "http://host.test/api/v3/"})
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.Post(t.Context(), r, false)
	if err != nil {
		t.Fatal(err)
	}
	if len(h.Comments) != 1 || h.Reviews[0].State != "COMMENTED" || len(out.Warnings) != 1 {
		t.Errorf("%d comments, warnings %q", len(h.Comments), out.Warnings)
	}
}

func TestUntrusted(t *testing.T) {
	a := found("SQL injection", "app/db.go", 13, 16)
	a.SuggestedFix = &scanner.SuggestedFix{Description: "d", Diff: "@@ -13 +13 @@\n-\tq := \"select * from users where name = '\" + name + \"'\"\n+\tevil()\n"}
	h := newHost(t, parse(t, patch))
	trusted := resultOf(t, skillOf("code-review", a, found("Unused call", "app/db.go", 45, 0)))
	trusted.Skills[0].RequestChanges, trusted.Skills[0].Selection.Fails = true, true
	post(t, h, trusted)
	summary, verdict := h.IssueComments[0].Body, *h.Checks[0]

	forged := resultOf(t, skillOf("code-review"), skillOf("evil @alice <!-- scanner:summary -->", many(10000, "app/db.go")...))
	forged.Skills[1].Report.Findings[0].Location.Path = "other.go"
	forged.Skills[1].Selection = scanner.Select(forged.Skills[1].Report, scanner.Policy{})
	forged.Skills[1].RequestChanges, forged.Skills[1].Selection.Fails = true, true
	forged, left := Vet(forged)
	if len(left) != 2 {
		t.Errorf("left out: %q", left)
	}
	post(t, h, forged)
	if h.IssueComments[0].Body != summary || len(h.IssueComments) != 1 {
		t.Error("an unverified result replaced a verified summary")
	}
	if verdict.Conclusion != "failure" || h.Checks[0].Conclusion != "failure" {
		t.Error("the verdict changed")
	}
	for _, k := range h.Checks[1:] {
		if k.Conclusion != "neutral" || !strings.HasSuffix(k.Name, "(unverified)") {
			t.Errorf("check run %q: %q", k.Name, k.Conclusion)
		}
	}
	if h.Reviews[0].State != "CHANGES_REQUESTED" {
		t.Errorf("review %s", h.Reviews[0].State)
	}
	for _, rev := range h.Reviews[1:] {
		if rev.State != "COMMENTED" {
			t.Errorf("review %s", rev.State)
		}
	}
	for _, th := range h.Threads {
		if th.Resolved {
			t.Error("a thread was resolved")
		}
	}

	// What a forged log made others say does not stand for a verified finding.
	h = newHost(t, parse(t, patch))
	log, _ := Vet(resultOf(t, skillOf("code-review", a)))
	post(t, h, log)
	if strings.Contains(h.Comments[0].Body, "```suggestion") {
		t.Error("an unverified fix is suggested")
	}
	if s, err := clientOf(t, h).Read(t.Context(), 7, headSHA); err != nil {
		t.Fatal(err)
	} else if _, ok := s.Done(headSHA, "p1", []string{"code-review"}); ok {
		t.Error("an unverified result is done")
	}
	post(t, h, trusted)
	if len(h.Comments) != 3 {
		t.Errorf("%d comments", len(h.Comments))
	}
}

// TestSeveralEvents has two skills that run for different events.
func TestSeveralEvents(t *testing.T) {
	h := newHost(t, parse(t, patch))
	a := resultOf(t, skillOf("code-review", found("SQL injection", "app/db.go", 13, 0)))
	b := resultOf(t, skillOf("security", found("Unused call", "app/db.go", 45, 0)))
	b.Policy = "p2"
	post(t, h, a)
	post(t, h, b)
	if got, _, _ := strings.Cut(h.IssueComments[0].Body, "\n"); got != "## Scanner: 1 finding (0 high, 1 medium, 0 low), besides those of earlier runs" {
		t.Errorf("headline %q", got)
	}
	c := resultOf(t, skillOf("security"))
	c.Policy = "p3"
	d := resultOf(t, skillOf("code-review"))
	d.Policy = "p4"
	if len(h.IssueComments) != 1 || !strings.Contains(h.IssueComments[0].Body, "SQL injection") || !strings.Contains(h.IssueComments[0].Body, "Unused call") {
		t.Errorf("summary:\n%s", h.IssueComments[0].Body)
	}
	s, err := clientOf(t, h).Read(t.Context(), 7, headSHA)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{"p1", "p2"} {
		if _, ok := s.Done(headSHA, p, []string{"x"}); !ok {
			t.Errorf("%s is not done", p)
		}
	}
	for _, tt := range []struct {
		r    Result
		want string
	}{{c, "## Scanner: no findings, besides those of earlier runs"}, {d, "## Scanner: no findings"}} {
		post(t, h, tt.r)
		if got, _, _ := strings.Cut(h.IssueComments[0].Body, "\n"); got != tt.want {
			t.Errorf("headline %q, want %q", got, tt.want)
		}
	}
}

func TestReportOnSuccess(t *testing.T) {
	for _, on := range []bool{false, true} {
		h := newHost(t, parse(t, patch))
		r := resultOf(t, skillOf("code-review"))
		r.ReportOnSuccess = on
		post(t, h, r)
		if got := len(h.IssueComments) == 1; got != on {
			t.Errorf("reportOnSuccess %t: a comment: %t", on, got)
		}
		if h.Checks[0].Conclusion != "success" {
			t.Errorf("check run %q", h.Checks[0].Conclusion)
		}
	}
}

func TestDryRun(t *testing.T) {
	h := newHost(t, parse(t, patch))
	r := resultOf(t, skillOf("code-review", found("SQL injection", "app/db.go", 13, 16)))
	out, err := clientOf(t, h).Post(t.Context(), r, true)
	if err != nil {
		t.Fatal(err)
	}
	want := "create  check run \"scanner/code-review\": neutral\n" +
		"create  comment app/db.go:13-16 \"SQL injection\": new finding\n" +
		"create  summary comment: there is none\n"
	if d := cmp.Diff(out.Plan.String(), want); d != "" || len(h.Writes) > 0 {
		t.Errorf("writes %q\n%s", h.Writes, d)
	}
}

func TestSchedule(t *testing.T) {
	h := newHost(t, nil)
	r := resultOf(t, skillOf("code-review", found("SQL injection", "app/db.go", 13, 16)))
	r.Number, r.Files = 0, nil
	post(t, h, r)
	if d := cmp.Diff(h.Writes[0:], []string{"POST repos/o/r/check-runs"}); d != "" {
		t.Error(d)
	}
	mark := len(h.Writes)
	post(t, h, r)
	if got := h.Writes[mark:]; len(got) > 0 {
		t.Errorf("writes: %q", got)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	h := newHost(t, parse(t, patch))
	h.OnRequest = func(req *http.Request) {
		if req.Method == "POST" && strings.HasSuffix(req.URL.Path, "/reviews") {
			cancel()
		}
	}
	_, err := clientOf(t, h).Post(ctx, resultOf(t, skillOf("code-review", found("a", "app/db.go", 13, 0))), false)
	if !errors.Is(err, context.Canceled) || len(h.IssueComments) > 0 {
		t.Errorf("error %v, %d summaries", err, len(h.IssueComments))
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

// refuseRequests is the host for a pull request of the token's own account.
type refuseRequests struct{ h *githubtest.Host }

func (r refuseRequests) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method == "POST" && strings.HasSuffix(req.URL.Path, "/reviews") {
		data, err := readAll(req)
		if err != nil {
			return nil, err
		}
		if strings.Contains(data, "REQUEST_CHANGES") {
			return respond(req, 422, `{"message":"Unprocessable Entity","errors":["Can not request changes on your own pull request"]}`), nil
		}
	}
	return r.h.RoundTrip(req)
}
