package gitlabtest

import (
	"crypto/sha1"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner/diff"
)

const head = "1111111111111111111111111111111111111111"

func newHost(t *testing.T) *Host {
	files, err := diff.Parse([]byte("--- a/a.go\n+++ b/a.go\n@@ -10,3 +10,4 @@\n one\n-two\n+2\n+2b\n three\n"))
	if err != nil {
		t.Fatal(err)
	}
	return New(head, files)
}

// do makes a request and returns the status and the text of the answer.
func do(t *testing.T, h *Host, method, path string, body any) (int, string) {
	t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), method, WebURL+"/api/v4/projects/g%2Fsub%2Fp/"+path, strings.NewReader(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer x")
	req.Header.Set("Content-Type", "application/json")
	resp, err := h.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(answer)
}

// TestPositions has the rules of "Create a new thread in the merge request diff" and
// "Parameters for multiline comments" in https://docs.gitlab.com/api/discussions/.
func TestPositions(t *testing.T) {
	code := func(old, line int) string { return fmt.Sprintf("%x_%d_%d", sha1.Sum([]byte("a.go")), old, line) }
	type m = map[string]any
	end := func(old, line int, kind string) m { return m{"line_code": code(old, line), "type": kind} }
	for _, tt := range []struct {
		name string
		set  m // over the position of the added line 11
		want int
	}{
		{"added", nil, 201},
		{"unchanged, with both lines", m{"old_line": 10, "new_line": 10}, 201},
		{"unchanged, with the new line alone", m{"new_line": 10}, 400},
		{"unchanged behind the change", m{"old_line": 12, "new_line": 13}, 201},
		{"unchanged, with a wrong old line", m{"old_line": 13, "new_line": 13}, 400},
		{"added, with an old line", m{"old_line": 11}, 400},
		{"removed", m{"old_line": 11, "new_line": nil}, 201},
		{"not in the diff", m{"new_line": 30}, 400},
		{"another file", m{"new_path": "b.go"}, 400},
		{"another old file", m{"old_path": "b.go"}, 400},
		{"another head", m{"head_sha": StartSHA}, 400},
		{"another base", m{"base_sha": StartSHA}, 400},
		{"without a start", m{"start_sha": nil}, 400},
		{"of an image", m{"position_type": "image"}, 400},
		{"several lines", m{"line_range": m{"start": end(10, 10, "old"), "end": end(12, 11, "new")}}, 201},
		{"several lines, ending elsewhere", m{"line_range": m{"start": end(10, 10, "old"), "end": end(12, 12, "new")}}, 400},
		{"several lines, of a wrong type", m{"line_range": m{"start": end(10, 10, "new"), "end": end(12, 11, "new")}}, 400},
		{"several lines, with a wrong code", m{"line_range": m{"start": end(9, 10, "old"), "end": end(12, 11, "new")}}, 400},
		{"several lines backwards", m{"line_range": m{"start": end(12, 12, "new"), "end": end(12, 11, "new")}}, 400},
	} {
		h := newHost(t)
		position := m{
			"position_type": "text", "base_sha": BaseSHA, "start_sha": StartSHA, "head_sha": head,
			"old_path": "a.go", "new_path": "a.go", "new_line": 11,
		}
		for k, v := range tt.set {
			position[k] = v
		}
		status, answer := do(t, h, "POST", "merge_requests/7/discussions", m{"body": "x", "position": position})
		if status != tt.want || len(h.Discussions) != map[int]int{201: 1}[status] {
			t.Errorf("%s: status %d, %s", tt.name, status, answer)
		}
		if status == 400 && strings.HasPrefix(tt.name, "unchanged") && !strings.Contains(answer, `can't be blank`) {
			t.Errorf("%s: %s", tt.name, answer)
		}
	}
}

// TestNotes has what the host makes of texts:
// https://docs.gitlab.com/user/project/quick_actions/.
func TestNotes(t *testing.T) {
	h := newHost(t)
	status, _ := do(t, h, "POST", "merge_requests/7/notes", map[string]any{"body": "a\r\n/close now\n/shrug\n /merge\nx /merge \n\n"})
	if got := h.Discussions[0].Notes[0].Body; status != 201 || got != "a\n\n\n /merge\nx /merge" {
		t.Errorf("status %d, note %q", status, got)
	}
	if got := strings.Join(h.Commands, "|"); got != "/close now|/shrug" {
		t.Errorf("quick actions %q", got)
	}
	for _, body := range []any{"", nil, "/close", strings.Repeat("x", maxNote+1)} {
		if status, _ := do(t, h, "POST", "merge_requests/7/notes", map[string]any{"body": body}); status != 400 {
			t.Errorf("%.10v: status %d", body, status)
		}
	}
	other := h.Add("alice", "x", nil)
	path := fmt.Sprintf("merge_requests/7/notes/%d", other.Notes[0].ID)
	if status, _ := do(t, h, "PUT", path, map[string]any{"body": "y"}); status != 403 {
		t.Errorf("note of another: status %d", status)
	}
	h.Roles[Bot] = Maintainer
	if status, _ := do(t, h, "PUT", path, map[string]any{"body": "y"}); status != 200 {
		t.Errorf("note of another, as a maintainer: status %d", status)
	}
}

// TestStatuses has the rules of "Set commit pipeline status" in
// https://docs.gitlab.com/api/commits/.
func TestStatuses(t *testing.T) {
	type m = map[string]any
	for _, tt := range []struct {
		name string
		set  m // over a status that the host accepts
		sha  string
		want int
	}{
		{"accepted", nil, head, 201},
		{"no such state", m{"state": "neutral"}, head, 400},
		{"no state", m{"state": nil}, head, 400},
		{"long description", m{"description": strings.Repeat("é", 256)}, head, 400},
		{"long address", m{"target_url": "https://a.test/" + strings.Repeat("x", 250)}, head, 400},
		{"no address", m{"target_url": "javascript:x"}, head, 400},
		{"another commit", nil, StartSHA, 404},
		{"a pipeline", m{"pipeline_id": 5}, head, 201},
		{"another pipeline", m{"pipeline_id": 6}, head, 404},
		{"a fork", nil, "f" + head[1:], 404},
		{"a fork, with a name", m{"ref": "refs/merge-requests/7/head"}, "f" + head[1:], 201},
	} {
		h := newHost(t)
		h.Pipelines = map[string]int{head: 5}
		h.Commits, h.Detached = append(h.Commits, "f"+head[1:]), []string{"f" + head[1:]}
		body := m{"state": "failed", "name": "x", "description": "y", "target_url": "https://a.test/b#c"}
		for k, v := range tt.set {
			body[k] = v
		}
		if status, answer := do(t, h, "POST", "statuses/"+tt.sha, body); status != tt.want {
			t.Errorf("%s: status %d, %s", tt.name, status, answer)
		}
		h.Roles[Bot] = Reporter
		if status, _ := do(t, h, "POST", "statuses/"+tt.sha, body); status != 403 {
			t.Errorf("%s, as a reporter: status %d", tt.name, status)
		}
	}
}
