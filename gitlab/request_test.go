package gitlab_test

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/codescan-dev/scanner/gitlab"
	"github.com/codescan-dev/scanner/internal/gitlabtest"
	"github.com/codescan-dev/scanner/internal/hosttest"
	"github.com/codescan-dev/scanner/review"
)

// answering answers requests for the merge request with a status, header and body, and
// lets a host answer the others.
type answering struct {
	*gitlabtest.Host
	status int
	header http.Header
	body   string
	err    error
	n      int
}

func (a *answering) RoundTrip(req *http.Request) (*http.Response, error) {
	if !strings.HasSuffix(req.URL.Path, "/merge_requests/7") {
		return a.Host.RoundTrip(req)
	}
	if a.n++; a.err != nil {
		return nil, a.err
	}
	if a.header == nil {
		a.header = make(http.Header)
	}
	return &http.Response{StatusCode: a.status, Header: a.header, Body: io.NopCloser(strings.NewReader(a.body)), Request: req}, nil
}

// TestFailures has the errors for what the host answers. The statuses are those of
// https://docs.gitlab.com/api/rest/troubleshooting/#status-codes, the limits those of
// https://docs.gitlab.com/administration/settings/user_and_ip_rate_limits/#response-headers.
func TestFailures(t *testing.T) {
	const doing = "reading the merge request: "
	for _, tt := range []struct {
		name     string
		a        answering
		want     string // of the error
		is       func(error) bool
		attempts int
		waited   time.Duration // at least
	}{
		{"wrong token", answering{status: 401, body: `{"message":"401 Unauthorized"}`}, "", is(review.ErrUnauthorized), 1, 0},
		{"gone", answering{status: 404, body: `{"message":"404 Not found"}`}, doing + "not found, or the token has no access to it", nil, 1, 0},
		{"refused", answering{status: 400, body: `{"message":{"x":["is secret-token\u001b[31m\nbad"]}}`}, doing + "the code host refused it with status 400: {x: [is [redacted] bad]}", nil, 1, 0},
		{"refused without a reason", answering{status: 409}, doing + "the code host refused it with status 409", nil, 1, 0},
		{"broken", answering{status: 502, body: "<html>secret-token"}, doing + "the code host answered with status 502", nil, 5, 15 * time.Second},
		{"no answer", answering{err: errors.New("dial secret-token: refused")}, doing + "dial [redacted]: refused", nil, 5, 15 * time.Second},
		{"no JSON", answering{status: 200, body: "<html>"}, doing + "invalid character '<' looking for beginning of value", nil, 5, 15 * time.Second},
		{"null", answering{status: 200, body: "null"}, doing + "the answer is empty", nil, 5, 15 * time.Second},
		{"without a head", answering{status: 200, body: `{"iid":7}`}, doing + "the answer is empty", nil, 5, 15 * time.Second},
		{"a limit", answering{status: 429, header: http.Header{"Retry-After": {"20"}}}, "", isLimit(20 * time.Second), 5, 80 * time.Second},
		{"a limit until a time", answering{status: 429, header: http.Header{"Ratelimit-Reset": {"946684850"}}}, "", isLimit(time.Second), 5, 50 * time.Second},
		{"a limit without a time", answering{status: 429}, "", isLimit(time.Minute), 5, 4 * time.Minute},
		{"a long limit", answering{status: 429, header: http.Header{"Ratelimit-Reset": {"946688400"}}}, "", isLimit(time.Hour), 1, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tt.a.Host = newHost(t)
				start := time.Now() // 2000-01-01
				_, err := clientOf(t, &tt.a).Read(t.Context(), 7, headSHA)
				if err == nil || tt.want != "" && err.Error() != tt.want || tt.is != nil && !tt.is(err) {
					t.Errorf("error %v, want %s", err, tt.want)
				}
				if tt.a.n != tt.attempts || time.Since(start) < tt.waited {
					t.Errorf("%d attempts in %s", tt.a.n, time.Since(start))
				}
			})
		})
	}
}

func is(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}

func isLimit(wait time.Duration) func(error) bool {
	return func(err error) bool {
		e, ok := errors.AsType[*review.LimitError](err)
		return ok && e.Wait == wait
	}
}

// TestDenied posts with tokens that lack something.
func TestDenied(t *testing.T) {
	const lacks = "the token permissions are insufficient for "
	for _, tt := range []struct {
		name             string
		deny             string
		role             int
		warning          string
		writes, comments int
	}{
		{"scope read_api", "api", gitlabtest.Developer, lacks + "creating a commit status: add `scope api, role Developer` ({error: insufficient_scope}, ", 0, 0},
		{"no scope for merge requests", "read_api", gitlabtest.Developer, "", 0, 0},
		{"role Reporter", "", gitlabtest.Reporter, lacks + "creating a commit status: add `scope api, role Developer` (403 Forbidden)", 2, 1},
		{"no pipelines", "read statuses", gitlabtest.Developer, lacks + "reading the commit statuses: add `scope api, role Developer`", 2, 1},
		{"protected branch", "status", gitlabtest.Developer, lacks + "creating a commit status: add `scope api, role Developer`", 2, 1},
		{"locked merge request", "comment", gitlabtest.Developer, "add `scope api, role Reporter`", 1, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHost(t)
			h.Roles[h.Account] = tt.role
			h.Deny[tt.deny] = true
			out, err := review.Post(t.Context(), clientOf(t, h), resultOf(t, skillOf("code-review", found("SQL injection", "app/db.go", 13, 0))), false)
			if tt.deny == "read_api" {
				if _, denied := errors.AsType[*review.PermissionError](err); !denied {
					t.Errorf("error %v", err)
				}
				return
			}
			if err != nil || !strings.Contains(strings.Join(out.Warnings, "\n"), tt.warning) {
				t.Errorf("error %v, warnings %q", err, out.Warnings)
			}
			if n := len(titles(h)); n != tt.comments || out.Writes != tt.writes {
				t.Errorf("%d comments, %d writes", n, out.Writes)
			}
		})
	}
}

// TestJobToken has the token of a job, which can read merge requests and their notes
// alone: https://docs.gitlab.com/ci/jobs/ci_job_token/#job-token-access.
func TestJobToken(t *testing.T) {
	h := newHost(t)
	c, err := gitlab.NewClient(project(t, "g/sub/p"), gitlab.Config{HTTP: &http.Client{Transport: h}, Token: token, JobToken: true, BaseURL: gitlabtest.WebURL})
	if err != nil {
		t.Fatal(err)
	}
	r := resultOf(t, skillOf("code-review", found("SQL injection", "app/db.go", 13, 0)))
	out, err := review.Post(t.Context(), c, r, false)
	if err != nil || len(out.Denied) != 2 || !out.NoChecks || len(h.Writes) > 0 {
		t.Errorf("error %v, outcome %+v, writes %q", err, out, h.Writes)
	}
	h.Push(nextSHA, h.Files)
	if _, err := review.Post(t.Context(), c, r, false); !errors.Is(err, review.ErrHeadMoved) {
		t.Errorf("error %v", err)
	}
	if _, err := c.Files(t.Context(), 7); err == nil || errors.Is(err, review.ErrUnauthorized) {
		t.Errorf("error %v", err)
	}
}

// TestPages reads more than a page of everything.
func TestPages(t *testing.T) {
	h := newHost(t)
	for i := range 250 {
		h.Add(person, "note "+strconv.Itoa(i), nil)
		h.Statuses = append(h.Statuses, &gitlabtest.Status{ID: h.NextID(), User: person, SHA: headSHA, Name: "job " + strconv.Itoa(i), State: "success"})
	}
	r := resultOf(t, skillOf("code-review", found("SQL injection", "app/db.go", 13, 0)))
	post(t, h, r)
	mark := len(h.Writes)
	if post(t, h, r); len(h.Writes) != mark {
		t.Errorf("writes %q", h.Writes[mark:])
	}
	h.Fault = func(req *http.Request, _ int) hosttest.Fault {
		if req.URL.Query().Get("page") == "3" {
			return hosttest.Forbidden
		}
		return hosttest.NoFault
	}
	if s, err := clientOf(t, h).Read(t.Context(), 7, headSHA); err != nil || !s.NoPull || len(s.Summaries) > 0 {
		t.Errorf("a page is missing: %+v, %v", s, err)
	}
}

// TestOddAnswers has answers that are JSON of another kind. None may be taken
// for an empty list, since everything would be posted again.
func TestOddAnswers(t *testing.T) {
	r := resultOf(t, skillOf("code-review", found("SQL injection", "app/db.go", 13, 0)))
	for _, tt := range []struct {
		method, path string
		fails        []string
	}{
		{"GET", "/user", []string{"null", "{}", "[]", "[null]", `"x"`, ""}},
		{"GET", "/merge_requests/7", []string{"null", "{}", "[]", "[null]", `"x"`, ""}},
		{"GET", "/discussions", []string{"null", "{}", "[null]", `"x"`, ""}},
		{"GET", "/commits/" + headSHA + "/statuses", []string{"null", "{}", "[null]", `"x"`, ""}},
		{"POST", "/statuses/" + headSHA, []string{"[]", `"x"`, ""}},
		{"POST", "/discussions", []string{"[]", `"x"`, ""}},
		{"POST", "/notes", []string{"[]", `"x"`, ""}},
	} {
		for _, body := range []string{"null", "{}", "[]", "[null]", `[{"notes":[null]}]`, `{"notes":[null]}`, `"x"`, ""} {
			synctest.Test(t, func(t *testing.T) {
				h := newHost(t)
				c := clientOf(t, roundTripper(func(req *http.Request) (*http.Response, error) {
					if req.Method == tt.method && strings.HasSuffix(req.URL.Path, tt.path) {
						return &http.Response{StatusCode: 200, Header: make(http.Header), Body: io.NopCloser(strings.NewReader(body)), Request: req}, nil
					}
					return h.RoundTrip(req)
				}))
				out, err := review.Post(t.Context(), c, r, false)
				if slices.Contains(tt.fails, body) && (err == nil || tt.method == "GET" && len(h.Writes) > 0) {
					t.Errorf("%s %s %s: %d writes, error %v", tt.method, tt.path, body, out.Writes, err)
				}
			})
		}
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
