package githubtest

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/hosttest"
	"github.com/google/go-cmp/cmp"
)

const (
	sha  = "1111111111111111111111111111111111111111"
	next = "2222222222222222222222222222222222222222"
)

func files(t *testing.T) []diff.File {
	t.Helper()
	f, err := diff.Parse([]byte("--- a/f.go\n+++ b/f.go\n@@ -1,2 +1,3 @@\n package f\n+var x = 1\n var z int\n"))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// send makes a request over the loopback.
func send(t *testing.T, url, method, path, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer secret")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, ""
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(bytes.TrimSpace(data))
}

func TestHost(t *testing.T) {
	comment := func(line string) string {
		return `{"commit_id":"` + sha + `","event":"COMMENT","body":"b","comments":[{"path":"f.go","side":"RIGHT","body":"c","line":` + line + `}]}`
	}
	check := func(rest string) string { return `{"name":"k","head_sha":"` + sha + `"` + rest + `}` }
	tests := []struct {
		name, method, path, body string
		setup                    func(*Host)
		status                   int
		want                     string // a part of the answer
		writes                   int
	}{
		{"pull request", "GET", "/repos/o/r/pulls/7", "", nil, 200, `"sha":"` + sha, 0},
		{"below the prefix", "GET", "/api/v3/repos/o/r/pulls/7", "", nil, 200, `"sha":"` + sha, 0},
		{"another repository", "GET", "/repos/o/x/pulls/7", "", nil, 404, "", 0},
		{"another pull request", "POST", "/repos/o/r/pulls/8/reviews", comment("2"), nil, 404, "", 1},
		{"files", "GET", "/repos/o/r/pulls/7/files", "", nil, 200, `@@ -1,2 +1,3 @@`, 0},
		{"review", "POST", "/repos/o/r/pulls/7/reviews", comment("3"), nil, 200, "COMMENTED", 1},
		{"line outside of the diff", "POST", "/repos/o/r/pulls/7/reviews", comment("4"), nil, 422, "part of the diff", 1},
		{"approval", "POST", "/repos/o/r/pulls/7/reviews", `{"commit_id":"` + sha + `","event":"APPROVE","body":"b"}`, nil, 422, "", 1},
		{"denied", "POST", "/repos/o/r/issues/7/comments", `{"body":"b"}`, (*Host).ReadOnly, 403, "not accessible", 1},
		{"too long", "POST", "/repos/o/r/issues/7/comments", `{"body":"` + strings.Repeat("é", 65537) + `"}`, nil, 422, "too long", 1},
		{"long enough", "POST", "/repos/o/r/issues/7/comments", `{"body":"` + strings.Repeat("é", 65536) + `"}`, nil, 201, "", 1},
		{"comment of another", "PATCH", "/repos/o/r/issues/comments/1", `{"body":"b"}`, func(h *Host) { h.IssueComments = []*Comment{{ID: 1, User: "alice"}} }, 403, "", 1},
		{"check run", "POST", "/repos/o/r/check-runs", check(`,"conclusion":"neutral"`), nil, 201, "completed", 1},
		{"check run without an app", "POST", "/repos/o/r/check-runs", check(""), func(h *Host) { h.Account = "robot" }, 403, "", 1},
		{"check run of an unknown commit", "POST", "/repos/o/r/check-runs", `{"name":"k","head_sha":"` + next + `"}`, nil, 422, "", 1},
		{"check run that is cancelled", "POST", "/repos/o/r/check-runs", check(`,"conclusion":"cancelled"`), nil, 422, "", 1},
		{"too many annotations", "POST", "/repos/o/r/check-runs", check(`,"output":{"title":"t","summary":"s","annotations":[` + strings.Repeat("{},", 50) + `{}]}`), nil, 422, "50", 1},
		{"viewer", "POST", "/graphql", `{"query":"query { viewer { login } }"}`, nil, 200, Bot, 0},
		{"viewer below the prefix", "POST", "/api/graphql", `{"query":"query { viewer { login } }"}`, nil, 200, Bot, 0},
		{"resolve", "POST", "/graphql", `{"query":"mutation { resolveReviewThread(input: {threadId: $id}) { clientMutationId } }","variables":{"id":"node1"}}`, func(h *Host) { h.Threads[1] = &Thread{} }, 200, `{}`, 1},
		{"cannot resolve", "POST", "/graphql", `{"query":"mutation { resolveReviewThread(input: {threadId: $id}) { clientMutationId } }","variables":{"id":"node1"}}`, func(h *Host) { h.Deny["contents: write"] = true }, 200, "FORBIDDEN", 1},
		{"502", "POST", "/repos/o/r/issues/7/comments", `{"body":"b"}`, func(h *Host) { h.FailWrite(1, hosttest.BadGateway) }, 502, "", 0},
		{"502, done", "POST", "/repos/o/r/issues/7/comments", `{"body":"b"}`, func(h *Host) { h.FailWrite(1, hosttest.BadGatewayDone) }, 502, "", 1},
		{"cut, done", "POST", "/repos/o/r/issues/7/comments", `{"body":"b"}`, func(h *Host) { h.FailWrite(1, hosttest.CutDone) }, 0, "", 1},
		{"the second write", "POST", "/repos/o/r/issues/7/comments", `{"body":"b"}`, func(h *Host) { h.FailWrite(2, hosttest.CutDone) }, 201, "", 1},
		{"the head moves", "GET", "/repos/o/r/pulls/7", "", func(h *Host) { h.PushAfter(1, next) }, 200, next, 0},
		{"the head moves later", "GET", "/repos/o/r/pulls/7", "", func(h *Host) { h.PushAfter(2, next) }, 200, sha, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := New(sha, files(t))
			if tt.setup != nil {
				tt.setup(h)
			}
			srv := httptest.NewServer(h)
			defer srv.Close()
			status, body := send(t, srv.URL, tt.method, tt.path, tt.body)
			h.Do(func() {
				if status != tt.status || !strings.Contains(body, tt.want) || len(h.Writes) != tt.writes {
					t.Errorf("got %d %.200s, writes %q", status, body, h.Writes)
				}
			})
		})
	}
}

// TestDump shows that a dump has everything but the contents of markers.
func TestDump(t *testing.T) {
	h := New(sha, files(t))
	srv := httptest.NewServer(h)
	defer srv.Close()
	for _, req := range [][3]string{
		{"POST", "/repos/o/r/issues/7/comments", `{"body":"a\n\nb\n<!-- scanner:summary YQ== -->"}`},
		{"POST", "/repos/o/r/pulls/7/reviews", `{"commit_id":"` + sha + `","event":"REQUEST_CHANGES","body":"b","comments":[{"path":"f.go","side":"RIGHT","body":"c","start_line":2,"start_side":"RIGHT","line":3}]}`},
		{"POST", "/graphql", `{"query":"mutation { resolveReviewThread(input: {threadId: $id}) { clientMutationId } }","variables":{"id":"node3000000003"}}`},
		{"POST", "/repos/o/r/check-runs", `{"name":"k","head_sha":"` + sha + `","conclusion":"neutral","output":{"title":"t","summary":"s","annotations":[{"path":"f.go","start_line":2,"end_line":2,"annotation_level":"notice","title":"x","message":"y"}]}}`},
	} {
		if status, body := send(t, srv.URL, req[0], req[1], req[2]); status > 299 {
			t.Fatal(status, body)
		}
	}
	h.Do(func() { h.Reply(h.Comments[0], "alice", "no") })
	want := `pull request 7 at 1111111111111111111111111111111111111111

comment by github-actions[bot]
  a

  b
  <!-- scanner:summary -->

review by github-actions[bot]: CHANGES_REQUESTED at 1111111111111111111111111111111111111111
  b

inline comment by github-actions[bot] on "f.go" lines 2-3, resolved by github-actions
  c

reply by alice
  no

check run "k" by github-actions at 1111111111111111111111111111111111111111: completed neutral
  t

  s

  notice "f.go" 2-2 "x"
  y
`
	if d := cmp.Diff(h.Dump(), want); d != "" {
		t.Errorf("(-got +want):\n%s", d)
	}
}

func TestToken(t *testing.T) {
	h := New(sha, nil)
	h.Token = "another"
	srv := httptest.NewServer(h)
	defer srv.Close()
	if status, _ := send(t, srv.URL, "GET", "/repos/o/r/pulls/7", ""); status != 401 || len(h.Problems) != 1 {
		t.Errorf("status %d, problems %q", status, h.Problems)
	}
}
