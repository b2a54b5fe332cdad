package github

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/githubtest"
	"github.com/codescan-dev/scanner/internal/hosttest"
	"github.com/codescan-dev/scanner/review"
)

// TestDone has everything that keeps a head from counting as reviewed.
func TestDone(t *testing.T) {
	a := found("SQL injection", "app/db.go", 13, 0)
	refuse := func(method, suffix string, f hosttest.Fault) func(*githubtest.Host) {
		return func(h *githubtest.Host) {
			h.Fault = func(req *http.Request, _ int) hosttest.Fault {
				if req.Method == method && strings.HasSuffix(req.URL.Path, suffix) {
					return f
				}
				return hosttest.NoFault
			}
		}
	}
	deny := func(list ...string) func(*githubtest.Host) {
		return func(h *githubtest.Host) {
			for _, p := range list {
				h.Deny[p] = true
			}
		}
	}
	tests := []struct {
		name     string
		findings []scanner.Finding
		edit     func(*review.Result)
		setup    func(*githubtest.Host) // before it is posted
		later    func(*githubtest.Host)
		want     bool
	}{
		{"findings", []scanner.Finding{a}, nil, nil, nil, true},
		{"nothing to report", nil, nil, nil, nil, true},
		{"nothing found, and something to report", nil, func(r *review.Result) { r.PolicyFiles = []string{"scanner.toml"} }, nil, nil, true},
		{"incomplete", []scanner.Finding{a}, func(r *review.Result) { r.Skills[0].Report.FailedHunks = 1 }, nil, nil, false},
		{"incomplete, nothing found", nil, func(r *review.Result) { r.Skills[0].Report.FailedHunks = 1 }, nil, nil, false},
		{"unverified", []scanner.Finding{a}, func(r *review.Result) { r.Untrusted = true }, nil, nil, false},
		{"unverified, nothing found", nil, func(r *review.Result) { r.Untrusted = true }, nil, nil, false},

		{"check runs denied", []scanner.Finding{a}, nil, deny("checks: write"), nil, false},
		{"check runs denied, nothing found", nil, nil, deny("checks: write"), nil, false},
		// With the permission given later, the check runs are still to be made.
		{"check runs denied, then allowed", []scanner.Finding{a}, nil, deny("checks: write"), func(h *githubtest.Host) { clear(h.Deny) }, false},
		{"check runs cannot even be read", []scanner.Finding{a}, nil, deny("checks: write", "checks: read"), nil, true},
		{"check runs cannot even be read, then allowed", []scanner.Finding{a}, nil, deny("checks: write", "checks: read"), func(h *githubtest.Host) { clear(h.Deny) }, false},
		{"an account that is not an app", []scanner.Finding{a}, nil, func(h *githubtest.Host) { h.Account = "robot" }, nil, true},
		{"one of two check runs refused", []scanner.Finding{a}, func(r *review.Result) { r.Skills = append(r.Skills, skillOf("security")) }, func(h *githubtest.Host) {
			h.FailWrite(2, hosttest.Forbidden)
		}, nil, false},
		{"comments denied", []scanner.Finding{a}, nil, deny("pull-requests: write"), nil, false},
		{"summary denied", []scanner.Finding{a}, nil, refuse("POST", "/issues/7/comments", hosttest.Forbidden), nil, false},
		{"review denied", []scanner.Finding{a}, nil, refuse("POST", "/reviews", hosttest.Forbidden), nil, false},

		// Nothing was found, and the run ended before it could report the rest.
		{"summary cut off", nil, func(r *review.Result) { r.Notes = []string{"n"} }, refuse("POST", "/issues/7/comments", hosttest.Primary), nil, false},
		{"reportOnSuccess", nil, func(r *review.Result) { r.ReportOnSuccess = true }, refuse("POST", "/issues/7/comments", hosttest.Forbidden), nil, false},
		{"a comment is left", nil, nil, nil, func(h *githubtest.Host) {
			h.Comments = append(h.Comments, &githubtest.Comment{ID: 1, User: bot, Path: "p", Line: 1, Body: "x\n\n" + marker("finding", findingMarker{Skill: "code-review", Path: "p"})})
			h.Threads[1] = &githubtest.Thread{}
		}, false},
		{"a request for changes is left", nil, nil, nil, func(h *githubtest.Host) {
			h.Reviews = append(h.Reviews, &githubtest.Review{ID: 1, User: bot, State: "CHANGES_REQUESTED", Body: "x\n\n" + marker("review", struct{}{})})
		}, false},
		{"an unverified summary is left", nil, nil, nil, func(h *githubtest.Host) {
			h.IssueComments = append(h.IssueComments, &githubtest.Comment{ID: 1, User: bot, Body: marker("summary", summaryMarker{Head: headSHA, Untrusted: true})})
		}, false},
		{"the head moved", nil, nil, nil, func(h *githubtest.Host) { h.Push(nextSHA, h.Files) }, false},

		// The account of a workflow is shared: any text that another workflow
		// repeats can hold a marker. A check run cannot be made by a text.
		{"a text of our account poses as a summary", []scanner.Finding{a}, nil, nil, func(h *githubtest.Host) { h.Checks = nil }, false},
		{"with a check run of another policy", []scanner.Finding{a}, nil, nil, func(h *githubtest.Host) {
			h.Checks[0].External = strings.Replace(h.Checks[0].External, hash(16, "p1"), hash(16, "p2"), 1)
		}, false},
		{"with a check run of another app", []scanner.Finding{a}, nil, nil, func(h *githubtest.Host) { h.Checks[0].App = "other" }, false},
		{"with an unverified check run", []scanner.Finding{a}, nil, nil, func(h *githubtest.Host) {
			h.Checks[0].External = strings.Replace(h.Checks[0].External, "trusted", "untrusted", 1)
		}, false},
		{"with a check run that was cut short", []scanner.Finding{a}, nil, nil, func(h *githubtest.Host) { h.Checks[0].Status = "in_progress" }, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := newHost(t, parse(t, patch))
			r := resultOf(t, skillOf("code-review", tt.findings...))
			if tt.edit != nil {
				tt.edit(&r)
			}
			if tt.setup != nil {
				tt.setup(h)
			}
			if _, err := review.Post(t.Context(), clientOf(t, h), r, false); err != nil && !isLimitError(err) {
				t.Fatal(err)
			}
			h.Fault = nil
			if tt.later != nil {
				tt.later(h)
			}
			if got := isDone(t, h, r); got != tt.want {
				t.Errorf("done: %t\n%s", got, h.Dump())
			}
			other := r
			other.Policy = "p2"
			if isDone(t, h, other) && r.Policy != other.Policy && tt.name != "with a check run of another policy" {
				t.Error("done with another policy")
			}
		})
	}
}

// TestDoneWithoutPermission shows that another run of a head that is not done,
// because something was denied, writes nothing either.
func TestDoneWithoutPermission(t *testing.T) {
	h := newHost(t, parse(t, patch))
	h.Deny["checks: write"] = true
	r := resultOf(t, skillOf("code-review", found("SQL injection", "app/db.go", 13, 0)))
	post(t, h, r)
	before := h.Dump()
	out := post(t, h, r)
	if h.Dump() != before || out.Writes != 0 || out.SummaryURL == "" {
		t.Errorf("%d writes, summary %q\n%s", out.Writes, out.SummaryURL, h.Dump())
	}
	// With the permission, what was missing is made, and nothing else.
	clear(h.Deny)
	mark := len(h.Writes)
	post(t, h, r)
	if got := h.Writes[mark:]; !slices.Equal(got, []string{"POST repos/o/r/check-runs", "PATCH repos/o/r/issues/comments/" + fmt.Sprint(h.IssueComments[0].ID)}) || !isDone(t, h, r) {
		t.Errorf("writes %q", got)
	}
}
