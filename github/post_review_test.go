package github

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner/internal/githubtest"
	"github.com/codescan-dev/scanner/review"
)

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
	blocking := func(r review.Result) review.Result {
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

	// Still blocking: the request stays.
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
	other.Skills = []review.SkillResult{skillOf("security")}
	for name, r := range map[string]review.Result{"incomplete": incomplete, "untrusted": untrusted, "other": other} {
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

	// With no new comment, the request is a separate review.
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
	out, err := review.Post(t.Context(), c, r, false)
	if err != nil {
		t.Fatal(err)
	}
	if len(h.Comments) != 1 || h.Reviews[0].State != "COMMENTED" || len(out.Warnings) != 1 {
		t.Errorf("%d comments, warnings %q", len(h.Comments), out.Warnings)
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
