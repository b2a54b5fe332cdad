package github

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/codescan-dev/scanner/internal/githubtest"
	"github.com/codescan-dev/scanner/review"
	"github.com/google/go-cmp/cmp"
)

// TestRefusedReview has a host that refuses whole reviews.
func TestRefusedReview(t *testing.T) {
	const post, comment = "POST repos/o/r/pulls/7/reviews", "POST repos/o/r/pulls/7/comments"
	comments := func(n int) []string { return slices.Repeat([]string{comment}, n) }
	tests := []struct {
		name     string
		findings int
		lines    int  // that the host accepts
		bare     bool // whether it accepts a review without comments
		want     []string
		warning  string
		done     bool
	}{
		{"one line", 3, 2, true, slices.Concat([]string{post, post}, comments(3)), `commenting on big.go:3 "problem baac of kind baac": the code host refused it with status 422: Unprocessable Entity: Pull request review thread line must be part of the diff: it is in the summary`, true},
		{"a line of several batches", 70, 32, true, slices.Concat([]string{post, post, post}, comments(30), []string{post}, comments(10)), "it is in the summary", true},
		{"without comments, too", 70, 0, false, []string{post, post}, "creating a review: the code host refused it with status 422: No more reviews", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, p := numbered("big.go", 100)
			h := newHost(t, parse(t, p))
			h.RefuseLine = func(_ string, line int) bool { return line > tt.lines }
			rt := roundTrip(func(req *http.Request) (*http.Response, error) {
				resp, err := h.RoundTrip(req)
				if !tt.bare && err == nil && strings.HasSuffix(req.URL.Path, "/reviews") && req.Method == http.MethodPost {
					return respond(req, 422, `{"message":"No more reviews"}`), nil
				}
				return resp, err
			})
			findings := many(tt.findings, "big.go")
			findings[0].Location.EndLine = 2
			r := resultOf(t, skillOf("code-review", findings...))
			r.Files = h.Files
			out, err := review.Post(t.Context(), clientOf(t, rt), r, false)
			if err != nil {
				t.Fatal(err)
			}
			got := slices.DeleteFunc(h.Writes, func(w string) bool { return !strings.Contains(w, "/pulls/") })
			if d := cmp.Diff(got, tt.want); d != "" {
				t.Errorf("writes (-got +want):\n%s", d)
			}
			if !strings.Contains(strings.Join(out.Warnings, "\n"), tt.warning) || isDone(t, h, r) != tt.done {
				t.Errorf("done: %t, warnings %q", !tt.done, out.Warnings)
			}
			if tt.bare && (h.Comments[0].StartLine != 1 || h.Comments[0].Line != 2) {
				t.Errorf("lines of the first comment: %d-%d", h.Comments[0].StartLine, h.Comments[0].Line)
			}
			for i, f := range r.Skills[0].Report.Findings {
				if got := strings.Contains(h.IssueComments[0].Body, f.Description); got != (!tt.bare || i >= tt.lines) {
					t.Errorf("details of finding %d in the summary: %t", i, got)
				}
			}
		})
	}
}

// TestReasons has a host that refuses requests for reasons that a permission does not
// help against.
func TestReasons(t *testing.T) {
	const (
		locked    = "Unable to create comment because issue is locked."
		saml      = "Resource protected by organization SAML enforcement. You must grant your Personal Access token access to this organization."
		addresses = "Although you appear to have the correct authorization credentials, the `o` organization has an IP allow list enabled, and your IP address is not permitted to access this resource."
		notAnApp  = "You must authenticate via a GitHub App."
	)
	writes := func(msg string) func(*http.Request) string {
		return func(req *http.Request) string {
			if githubtest.IsWrite(req) && !strings.HasSuffix(req.URL.Path, "/check-runs") {
				return msg
			}
			return ""
		}
	}
	all := func(msg string) func(*http.Request) string { return func(*http.Request) string { return msg } }
	tests := []struct {
		name, account string
		refuse        func(*http.Request) string
		err, warning  string
		writes        int // that were tried
		noChecks      bool
	}{
		{"locked", bot, writes(locked), "", "creating a review: the code host refused it with status 403: " + locked, 2, false},
		{"locked, and nothing else can be posted", "robot", writes(locked), "creating a check run: the code host refused it with status 403: " + notAnApp, locked, 2, true},
		{"single sign-on", bot, all(saml), "reading the pull request: the code host refused it with status 403: " + saml, "", 0, false},
		{"a list of addresses", bot, all(addresses), "reading the pull request: the code host refused it with status 403: " + addresses, "", 0, false},
		{"an account that makes no check runs", "robot", nil, "", notAnApp, 3, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := newHost(t, parse(t, patch))
			h.Account, h.Refuse = tt.account, tt.refuse
			out, err := review.Post(t.Context(), clientOf(t, h), resultOf(t, skillOf("code-review", found("SQL injection", "app/db.go", 13, 0))), false)
			if got := fmt.Sprint(err); got != tt.err && (err != nil || tt.err != "") {
				t.Errorf("error %q, want %q", got, tt.err)
			}
			if !strings.Contains(strings.Join(out.Warnings, "\n"), tt.warning) || len(out.Denied) > 0 || out.NoChecks != tt.noChecks {
				t.Errorf("outcome %+v", out)
			}
			if len(h.Writes) > tt.writes {
				t.Errorf("writes %q", h.Writes)
			}
		})
	}
}

// TestNoGraphQL has a host whose GraphQL API fails: comments are posted and edited
// without it, as long as the account is known.
func TestNoGraphQL(t *testing.T) {
	const msg = "Something went wrong while executing your query."
	tests := []struct {
		name, account string
		fails         string // a part of the queries that fail
		posts         bool
	}{
		{"the threads", bot, "reviewThreads", true},
		{"all of it", "robot", "", true},
		{"all of it, for an app", bot, "", false},
		{"changes", bot, "mutation", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHost(t, parse(t, patch))
				h.Account = tt.account
				h.GraphQLError = func(query string) string {
					if strings.Contains(query, tt.fails) {
						return msg
					}
					return ""
				}
				r := resultOf(t, skillOf("code-review", found("SQL injection", "app/db.go", 13, 0)))
				if !tt.posts {
					_, err := review.Post(t.Context(), clientOf(t, h), r, false)
					if err == nil || err.Error() != "reading the review threads: graphql: "+msg || len(h.Writes) > 0 {
						t.Errorf("error %v, writes %q", err, h.Writes)
					}
					return
				}
				post(t, h, r)
				h.Push(nextSHA, h.Files)
				r.Head, r.Skills = nextSHA, []review.SkillResult{skillOf("code-review")}
				out := post(t, h, r)
				if len(h.Comments) != 1 || !strings.HasPrefix(h.Comments[0].Body, "**No longer found**") || !strings.Contains(strings.Join(out.Warnings, "\n"), msg) {
					t.Errorf("warnings %q\n%s", out.Warnings, h.Dump())
				}
				mark := len(h.Writes)
				post(t, h, r)
				if got := inlineWrites(h.Writes[mark:]); len(got) > 0 {
					t.Errorf("writes of another run: %q", got)
				}
			})
		})
	}
}

// TestHiddenComments has a token that cannot resolve threads. The description that
// requests are held against has no GraphQL: the mutations minimizeComment(subjectId,
// classifier RESOLVED) and unminimizeComment(subjectId), and the fields isMinimized and
// viewerCanMinimize of a comment, are in schema.graphql of octokit/graphql-schema, which
// also warns that minimizedReason is not written as the classifier is.
func TestHiddenComments(t *testing.T) {
	h := newHost(t, parse(t, patch))
	h.Deny["contents: write"] = true
	r := resultOf(t, skillOf("code-review", found("SQL injection", "app/db.go", 13, 0), found("Unused call", "app/db.go", 45, 0)))
	step := func(head string, skill review.SkillResult, want ...string) {
		t.Helper()
		mark := len(h.Writes)
		r.Head, r.Skills = head, []review.SkillResult{skill}
		h.Push(head, h.Files)
		if out := post(t, h, r); len(out.Warnings) > 0 {
			t.Errorf("warnings %q", out.Warnings)
		}
		if d := cmp.Diff(inlineWrites(h.Writes[mark:]), want); d != "" {
			t.Errorf("writes (-got +want):\n%s", d)
		}
	}
	both := r.Skills[0]
	step(headSHA, both, "review")
	first, second := h.Threads[h.Comments[0].ID], h.Threads[h.Comments[1].ID]
	// A person hides the other one, which stays so.
	second.Minimized = true
	step(nextSHA, skillOf("code-review", both.Report.Findings[1]), "resolve", "hide", "edit")
	if !first.Minimized || first.Resolved {
		t.Errorf("%+v", first)
	}
	step(nextSHA, skillOf("code-review", both.Report.Findings[1]))
	step(headSHA, both, "show", "edit")
	if first.Minimized || !second.Minimized {
		t.Errorf("%+v, %+v", first, second)
	}
	step(headSHA, both)
	// The comment is hidden, and the answer to the rest is missing.
	first.Minimized = true
	step(nextSHA, skillOf("code-review", both.Report.Findings[1]), "resolve", "edit")
}
