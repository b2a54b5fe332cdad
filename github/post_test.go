package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/githubtest"
	"github.com/codescan-dev/scanner/review"
	"github.com/google/go-cmp/cmp"
)

func post(t testing.TB, h *githubtest.Host, r review.Result) *review.Outcome {
	t.Helper()
	out, err := review.Post(t.Context(), clientOf(t, h), r, false)
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

// many returns findings with titles that do not resemble each other.
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
	if out.Writes != 3 || out.SummaryURL == "" {
		t.Errorf("outcome: %+v", out)
	}
}

// TestSameHead shows that a reviewed head is recognized before a model is called,
// and that even a plan for it has no write.
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
			r.Skills[0].Selection = selection(r.Skills[0].Report, tt.policy)
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

func TestHeadMoved(t *testing.T) {
	a := found("SQL injection", "app/db.go", 13, 0)
	t.Run("before", func(t *testing.T) {
		h := newHost(t, parse(t, patch))
		h.Push(nextSHA, h.Files)
		_, err := review.Post(t.Context(), clientOf(t, h), resultOf(t, skillOf("code-review", a)), false)
		if !errors.Is(err, review.ErrHeadMoved) || len(h.Writes) > 0 {
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
		_, err := review.Post(t.Context(), clientOf(t, h), resultOf(t, skillOf("code-review", a)), false)
		if !errors.Is(err, review.ErrHeadMoved) || len(h.Writes) > 0 {
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
		_, err := review.Post(t.Context(), clientOf(t, h), resultOf(t, skillOf("code-review", a)), false)
		if !errors.Is(err, review.ErrHeadMoved) || len(h.Comments)+len(h.IssueComments) > 0 {
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
		{"checks: write", "the token permissions are insufficient for reading the check runs: add `checks: write` (Resource not accessible by integration)", 1, 0},
		{"pull-requests: write", "the token permissions are insufficient for creating a review: add `pull-requests: write` (Resource not accessible by integration)", 0, 1},
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
		_, err := review.Post(t.Context(), clientOf(t, h), resultOf(t, skillOf("code-review", a)), false)
		if !errors.Is(err, review.ErrUnauthorized) {
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

// TestSeveralEvents has two skills that run for different events.
func TestSeveralEvents(t *testing.T) {
	h := newHost(t, parse(t, patch))
	a := resultOf(t, skillOf("code-review", found("SQL injection", "app/db.go", 13, 0)))
	b := resultOf(t, skillOf("security", found("Unused call", "app/db.go", 45, 0)))
	b.Policy = "p2"
	post(t, h, a)
	post(t, h, b)
	if got, _, _ := strings.Cut(h.IssueComments[0].Body, "\n"); got != "## Scanner: 1 finding (0 high, 1 medium, 0 low), in addition to earlier runs" {
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
	for policy, skill := range map[string]string{"p1": "code-review", "p2": "security"} {
		if _, ok := s.Done(headSHA, policy, []string{skill}); !ok {
			t.Errorf("%s is not done", policy)
		}
		if _, ok := s.Done(headSHA, policy, []string{"x"}); ok {
			t.Errorf("%s is done for a skill that did not run", policy)
		}
	}
	for _, tt := range []struct {
		r    review.Result
		want string
	}{{c, "## Scanner: no findings, in addition to earlier runs"}, {d, "## Scanner: no findings"}} {
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
	out, err := review.Post(t.Context(), clientOf(t, h), r, true)
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
	_, err := review.Post(ctx, clientOf(t, h), resultOf(t, skillOf("code-review", found("a", "app/db.go", 13, 0))), false)
	if !errors.Is(err, context.Canceled) || len(h.IssueComments) > 0 {
		t.Errorf("error %v, %d summaries", err, len(h.IssueComments))
	}
}
