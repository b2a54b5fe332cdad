package github

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/codescan-dev/scanner/internal/githubtest"
	"github.com/codescan-dev/scanner/internal/hosttest"
	"github.com/codescan-dev/scanner/review"
	"github.com/google/go-cmp/cmp"
)

// allWrites returns a host on which an earlier head was reviewed, and a result for
// the next head whose posting takes a write of every kind: check runs in several
// parts, reviews, threads to resolve and to open again, a comment to edit, a
// request to dismiss, and the summary.
func allWrites(t *testing.T) (*githubtest.Host, review.Result) {
	_, p := numbered("big.go", 200)
	h := newHost(t, parse(t, p))
	all := many(120, "big.go")
	r := resultOf(t, skillOf("code-review", all[:6]...))
	r.Files = h.Files
	r.Skills[0].RequestChanges, r.Skills[0].Selection.Fails = true, true
	post(t, h, r)
	// The first comment is marked as gone, the second is resolved.
	h.Deny["contents: write"] = true
	first := r
	first.Skills = []review.SkillResult{skillOf("code-review", all[1:6]...)}
	first.Skills[0].RequestChanges, first.Skills[0].Selection.Fails = true, true
	post(t, h, first)
	clear(h.Deny)
	*h.Threads[h.Comments[1].ID] = githubtest.Thread{Resolved: true, ResolvedBy: "github-actions"}
	h.Push(nextSHA, h.Files)
	h.Writes, h.Requests = nil, nil

	r.Head = nextSHA
	r.Skills = []review.SkillResult{skillOf("code-review", slices.Concat(all[:4], all[12:])...), skillOf("other")}
	return h, r
}

// isWrite reports whether a request asks for a change.
func isWrite(req *http.Request) bool {
	if req.Method == http.MethodGet {
		return false
	}
	body, err := readAll(req)
	return err == nil && (!strings.HasSuffix(req.URL.Path, "/graphql") || strings.Contains(body, `"mutation`))
}

// TestFaults lets every write of a run fail in every way in turn. What the run and
// the next one leave is what a run leaves with which nothing went wrong.
func TestFaults(t *testing.T) {
	ref, r := allWrites(t)
	post(t, ref, r)
	want, writes := ref.Dump(), len(ref.Writes)
	kinds := make(map[string]bool)
	for _, w := range ref.Writes {
		w, _, _ = strings.Cut(digits.ReplaceAllString(w, "N"), "(input")
		kinds[w] = true
	}
	if d := cmp.Diff(slices.Sorted(maps.Keys(kinds)), []string{
		"PATCH repos/o/r/check-runs/N", "PATCH repos/o/r/issues/comments/N", "PATCH repos/o/r/pulls/comments/N",
		"POST graphql mutation($id: ID!) { resolveReviewThread", "POST graphql mutation($id: ID!) { unminimizeComment", "POST graphql mutation($id: ID!) { unresolveReviewThread",
		"POST repos/o/r/check-runs", "POST repos/o/r/pulls/N/reviews", "PUT repos/o/r/pulls/N/reviews/N/dismissals",
	}); d != "" {
		t.Fatalf("kinds of writes (-got +want):\n%s", d)
	}
	for _, fault := range []hosttest.Fault{
		hosttest.BadGateway, hosttest.BadGatewayDone, hosttest.Cut, hosttest.CutDone, hosttest.Secondary, hosttest.Primary,
	} {
		t.Run(string(fault), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				step := 1
				if testing.Short() {
					step = 4
				}
				for i := 1; i <= writes; i += step {
					h, r := allWrites(t)
					n := 0
					h.Fault = func(req *http.Request, _ int) hosttest.Fault {
						if isWrite(req) {
							n++
						}
						if isWrite(req) && n == i {
							return fault
						}
						return hosttest.NoFault
					}
					out, err := review.Post(t.Context(), clientOf(t, h), r, false)
					if limited := isLimitError(err); limited != (fault == hosttest.Primary) || err != nil && !limited {
						t.Fatalf("write %d: error %v", i, err)
					}
					// What a run that was cut short leaves is not done.
					if isDone(t, h, r) != (err == nil) {
						t.Errorf("write %d: done is %t, with error %v", i, err != nil, err)
					}
					h.Fault = nil
					if err != nil {
						out = post(t, h, r)
					}
					if d := cmp.Diff(h.Dump(), want); d != "" {
						t.Errorf("write %d (-got +want):\n%s\n%s", i, d, out.Plan)
					}
					before := len(h.Writes)
					post(t, h, r)
					if got := h.Writes[before:]; len(got) > 0 || !isDone(t, h, r) {
						t.Errorf("write %d: writes of another run: %q", i, got)
					}
				}
			})
		})
	}
}

// isDone reports whether a result is recognized as posted.
func isDone(t *testing.T, h *githubtest.Host, r review.Result) bool {
	t.Helper()
	s, err := clientOf(t, h).Read(t.Context(), r.Number, r.Head)
	if err != nil {
		t.Fatal(err)
	}
	var skills []string
	for i := range r.Skills {
		skills = append(skills, r.Skills[i].Report.Skill)
	}
	_, ok := s.Done(r.Head, r.Policy, skills)
	return ok
}

// TestHeadMovesAnytime lets the head move before each request in turn. From then
// on nothing is written to the pull request, but for a write that is on its way.
func TestHeadMovesAnytime(t *testing.T) {
	const thirdSHA = "3333333333333333333333333333333333333333"
	ref, r := allWrites(t)
	post(t, ref, r)
	requests := len(ref.Requests)
	for i := 1; i <= requests; i++ {
		h, r := allWrites(t)
		h.PushAfter(i, thirdSHA)
		push, from := h.OnRequest, -1
		h.OnRequest = func(req *http.Request) {
			push(req)
			if len(h.Requests) == i {
				from = len(h.Writes)
				if isWrite(req) {
					from++
				}
			}
		}
		_, err := review.Post(t.Context(), clientOf(t, h), r, false)
		if i < requests && !errors.Is(err, review.ErrHeadMoved) {
			t.Fatalf("request %d: error %v", i, err)
		}
		late := slices.DeleteFunc(h.Writes[from:], func(w string) bool { return strings.Contains(w, "/check-runs") })
		if len(late) > 0 {
			t.Errorf("request %d: %q", i, late)
		}
	}
}

// TestLimitAtEveryWrite ends each run at its n-th write until all is done.
func TestLimitAtEveryWrite(t *testing.T) {
	ref, r := allWrites(t)
	post(t, ref, r)
	for n := 2; n < 6; n++ {
		h, r := allWrites(t)
		runs := 0
		for ; runs < 40; runs++ {
			writes := 0
			h.Fault = func(req *http.Request, _ int) hosttest.Fault {
				if isWrite(req) {
					writes++
				}
				if isWrite(req) && writes >= n {
					return hosttest.Primary
				}
				return hosttest.NoFault
			}
			if _, err := review.Post(t.Context(), clientOf(t, h), r, false); err == nil {
				break
			} else if !isLimitError(err) {
				t.Fatal(err)
			}
		}
		if d := cmp.Diff(h.Dump(), ref.Dump()); d != "" || runs < 2 {
			t.Errorf("%d writes a run, %d runs (-got +want):\n%s", n-1, runs, d)
		}
	}
}

// TestReadOnly has the token that a pull request from a fork gets.
func TestReadOnly(t *testing.T) {
	a := found("SQL injection", "app/db.go", 13, 0)
	t.Run("first run", func(t *testing.T) {
		_, p := numbered("big.go", 100)
		h := newHost(t, parse(t, p))
		h.ReadOnly()
		r := resultOf(t, skillOf("code-review", many(80, "big.go")...), skillOf("security", many(1, "big.go")...))
		r.Skills[0].RequestChanges, r.Skills[0].Selection.Fails, r.Files = true, true, h.Files
		out := post(t, h, r)
		if d := cmp.Diff(out.Denied, []string{"checks: write", "pull-requests: write"}); d != "" || out.Writes != 0 {
			t.Errorf("%d writes, denied %s", out.Writes, d)
		}
		if d := cmp.Diff(h.Writes, []string{"POST repos/o/r/check-runs", "POST repos/o/r/pulls/7/reviews"}); d != "" {
			t.Errorf("tried (-got +want):\n%s", d)
		}
		if isDone(t, h, r) {
			t.Error("done, although nothing was posted")
		}
	})
	t.Run("something is there", func(t *testing.T) {
		h, r := allWrites(t)
		before := h.Dump()
		h.ReadOnly()
		r.Skills = []review.SkillResult{skillOf("code-review"), skillOf("other")}
		out := post(t, h, r)
		if h.Dump() != before || len(h.Writes) > 3 || len(out.Denied) != 2 {
			t.Errorf("writes %q, denied %q", h.Writes, out.Denied)
		}
	})
	t.Run("no permission to read", func(t *testing.T) {
		for _, deny := range []string{"pull-requests: read", "checks: read"} {
			h := newHost(t, parse(t, patch))
			h.Deny[deny], h.Deny["pull-requests: write"] = true, deny == "pull-requests: read"
			out := post(t, h, resultOf(t, skillOf("code-review", a)))
			want := strings.Replace(deny, "read", "write", 1)
			if d := cmp.Diff(out.Denied, []string{want}); d != "" {
				t.Errorf("%s: denied %s", deny, d)
			}
			if got, want := fmt.Sprint(len(h.Checks), len(h.Reviews), len(h.IssueComments)), map[string]string{
				"pull-requests: read": "1 0 0", "checks: read": "0 1 1",
			}[deny]; got != want {
				t.Errorf("%s: check runs, reviews, summaries: %s, want %s", deny, got, want)
			}
		}
	})
}

// TestRefusedEdit has a comment that can be neither resolved nor edited: the next
// run tries it again.
func TestRefusedEdit(t *testing.T) {
	h := newHost(t, parse(t, patch))
	h.Deny["contents: write"] = true
	r := resultOf(t, skillOf("code-review", found("SQL injection", "app/db.go", 13, 0)))
	post(t, h, r)
	h.Push(nextSHA, h.Files)
	r.Head, r.Skills = nextSHA, []review.SkillResult{skillOf("code-review")}
	rt := roundTrip(func(req *http.Request) (*http.Response, error) {
		if req.Method == "PATCH" && strings.Contains(req.URL.Path, "/pulls/comments/") {
			return respond(req, 422, `{"message":"Validation Failed"}`), nil
		}
		return h.RoundTrip(req)
	})
	out, err := review.Post(t.Context(), clientOf(t, rt), r, false)
	if err != nil || len(out.Warnings) != 1 || isDone(t, h, r) {
		t.Errorf("warnings %q, error %v", out.Warnings, err)
	}
	post(t, h, r)
	if !isDone(t, h, r) || !strings.Contains(h.Comments[0].Body, "No longer found") {
		t.Errorf("not done:\n%s", h.Dump())
	}
}

// TestRefusedDismissal has a rule of the branch that lets others dismiss reviews
// only: everything else is posted.
func TestRefusedDismissal(t *testing.T) {
	h := newHost(t, parse(t, patch))
	r := resultOf(t, skillOf("code-review", found("SQL injection", "app/db.go", 13, 0)))
	r.Skills[0].RequestChanges, r.Skills[0].Selection.Fails = true, true
	post(t, h, r)
	h.Push(nextSHA, h.Files)
	r.Head, r.Skills = nextSHA, []review.SkillResult{skillOf("code-review")}
	h.Fault = func(req *http.Request, _ int) hosttest.Fault {
		if strings.HasSuffix(req.URL.Path, "/dismissals") {
			return hosttest.Forbidden
		}
		return hosttest.NoFault
	}
	out := post(t, h, r)
	if len(out.Warnings) != 1 || !strings.Contains(h.IssueComments[0].Body, nextSHA) || isDone(t, h, r) {
		t.Errorf("warnings %q\n%s", out.Warnings, h.Dump())
	}
	h.Fault = nil
	post(t, h, r)
	if h.Reviews[0].State != "DISMISSED" || !isDone(t, h, r) {
		t.Errorf("not done:\n%s", h.Dump())
	}
}
