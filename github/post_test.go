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
	"github.com/codescan-dev/scanner/internal/hosttest"
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
		h.Fault = func(*http.Request, int) hosttest.Fault { return hosttest.Unauthorized }
		_, err := review.Post(t.Context(), clientOf(t, h), resultOf(t, skillOf("code-review", a)), false)
		if !errors.Is(err, review.ErrUnauthorized) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("check runs may be read, not written", func(t *testing.T) {
		h := newHost(t, parse(t, patch))
		h.Fault = func(req *http.Request, n int) hosttest.Fault {
			if req.Method == "POST" && strings.HasSuffix(req.URL.Path, "/check-runs") {
				return hosttest.Forbidden
			}
			return hosttest.NoFault
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
