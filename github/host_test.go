package github

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/codescan-dev/scanner/diff"
)

const (
	bot    = "github-actions[bot]"
	person = "alice"
)

// host is a code host that keeps state, and refuses what the real one refuses.
// It is an http.RoundTripper, so that no network and no time is needed.
type host struct {
	t       testing.TB
	account string // of the token
	head    string
	heads   map[string]bool // commits of the pull request
	files   []diff.File
	nextID  int64

	issues   []*hostComment
	comments []*hostComment
	reviews  []*hostReview
	checks   []*hostCheck
	threads  map[int64]*hostThread // by first comment

	deny       map[string]bool // permissions that the token lacks
	noGraphQL  bool
	fault      func(req *http.Request, n int) string
	onRequest  func(req *http.Request)
	requests   []string // method and path
	writes     []string
	n          int
	retryAfter string
}

type hostComment struct {
	ID        int64
	User      string
	Body      string
	Path      string
	Line      int
	StartLine int
	InReplyTo int64
}

type hostReview struct {
	ID     int64
	User   string
	Body   string
	State  string
	Commit string
}

type hostCheck struct {
	ID                   int64
	Name, Head, External string
	App                  string
	Status, Conclusion   string
	Title, Summary       string
	Annotations          []map[string]any
}

type hostThread struct {
	Resolved   bool
	ResolvedBy string
}

func newHost(t testing.TB, files []diff.File) *host {
	return &host{
		t: t, account: bot, head: headSHA, heads: map[string]bool{headSHA: true}, files: files, nextID: 100,
		threads: make(map[int64]*hostThread), deny: make(map[string]bool), retryAfter: "30",
	}
}

// push moves the head.
func (h *host) push(sha string, files []diff.File) {
	h.head, h.files = sha, files
	h.heads[sha] = true
}

func (h *host) id() int64 {
	h.nextID++
	return h.nextID
}

func (h *host) client(t testing.TB) *Client {
	t.Helper()
	c, err := NewClient(Repo{"o", "r"}, Config{
		HTTP: &http.Client{Transport: h}, Token: "secret", BaseURL: "http://host.test/api/v3", Log: func(s string) { t.Log(s) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// RoundTrip answers a request, or does what the fault of the test says: "before"
// and "after" answer 502 instead of, or in spite of, doing it; "lost" drops the
// answer; "secondary", "primary" and "forbidden" refuse it.
func (h *host) RoundTrip(req *http.Request) (*http.Response, error) {
	h.n++
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	if err := requests.add(req); err != nil {
		return nil, err
	}
	h.requests = append(h.requests, req.Method+" "+req.URL.RequestURI())
	if got := req.Header.Get("Authorization"); got != "Bearer secret" {
		h.t.Errorf("%s %s: Authorization %q", req.Method, req.URL, got)
	}
	if h.onRequest != nil {
		h.onRequest(req)
	}
	mode := ""
	if h.fault != nil {
		mode = h.fault(req, h.n)
	}
	answer := func(status int, body string, header ...string) (*http.Response, error) {
		w := httptest.NewRecorder()
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		io.WriteString(w, body)
		resp := w.Result()
		resp.Request = req
		return resp, nil
	}
	switch mode {
	case "before":
		return answer(502, "bad gateway")
	case "secondary":
		return answer(403, `{"message":"You have exceeded a secondary rate limit","documentation_url":"https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits"}`, "Retry-After", h.retryAfter)
	case "primary":
		return answer(403, `{"message":"API rate limit exceeded"}`, "X-RateLimit-Remaining", "0", "X-RateLimit-Limit", "1000", "X-RateLimit-Reset", "99999999999")
	case "forbidden":
		return answer(403, `{"message":"Resource not accessible by integration"}`)
	case "unauthorized":
		return answer(401, `{"message":"Bad credentials"}`)
	}
	w := httptest.NewRecorder()
	h.serve(w, req)
	switch mode {
	case "after":
		return answer(502, "bad gateway")
	case "lost":
		return nil, errors.New("connection reset by peer")
	}
	resp := w.Result()
	resp.Request = req
	return resp, nil
}

type httpError struct {
	status int
	msg    string
}

func (h *host) serve(w http.ResponseWriter, req *http.Request) {
	path := strings.TrimPrefix(req.URL.Path, "/api/v3/")
	var body map[string]any
	if req.Body != nil {
		data, _ := io.ReadAll(req.Body)
		if len(data) > 0 {
			if err := json.Unmarshal(data, &body); err != nil {
				h.t.Errorf("%s %s: %v", req.Method, path, err)
			}
		}
	}
	defer func() {
		if e := recover(); e != nil {
			he, ok := e.(httpError)
			if !ok {
				panic(e)
			}
			w.WriteHeader(he.status)
			json.NewEncoder(w).Encode(map[string]any{"message": http.StatusText(he.status), "errors": []string{he.msg}})
		}
	}()
	parts := strings.Split(path, "/")
	match := func(method, pattern string) bool {
		want := strings.Split(pattern, "/")
		if req.Method != method || len(want) != len(parts) {
			return false
		}
		for i := range want {
			if want[i] != "*" && want[i] != parts[i] {
				return false
			}
		}
		return true
	}
	num := func(i int) int64 {
		n, err := strconv.ParseInt(parts[i], 10, 64)
		if err != nil {
			panic(httpError{404, "not found"})
		}
		return n
	}
	var out any
	status := 200
	switch {
	case match("POST", "/api/graphql"):
		out = h.graphQL(body)
	case match("GET", "user"):
		if strings.HasSuffix(h.account, "[bot]") {
			panic(httpError{403, "Resource not accessible by integration"})
		}
		out = map[string]any{"login": h.account}
	case match("GET", "repos/o/r/pulls/7"):
		out = map[string]any{"number": 7, "state": "open", "head": map[string]any{"sha": h.head}}
	case match("GET", "repos/o/r/pulls"):
		out = []any{
			map[string]any{"number": 6, "head": map[string]any{"sha": nextSHA, "repo": map[string]any{"full_name": "fork/r"}}},
			map[string]any{"number": 7, "head": map[string]any{"sha": h.head, "repo": map[string]any{"full_name": "fork/r"}}},
		}
	case match("GET", "repos/o/r/pulls/7/files"):
		out = []any{map[string]any{"filename": "a.go", "status": "added", "patch": "@@ -0,0 +1,2 @@\n+a\n+b"}, map[string]any{"filename": "x.png", "status": "modified"}}
	case match("GET", "repos/o/r/pulls/7/comments"):
		var list []any
		for _, c := range h.comments {
			list = append(list, h.commentJSON(c))
		}
		out = h.page(w, req, list)
	case match("GET", "repos/o/r/issues/7/comments"):
		var list []any
		for _, c := range h.issues {
			list = append(list, h.commentJSON(c))
		}
		out = h.page(w, req, list)
	case match("GET", "repos/o/r/pulls/7/reviews"):
		var list []any
		for _, r := range h.reviews {
			list = append(list, map[string]any{"id": r.ID, "user": user(r.User), "body": r.Body, "state": r.State})
		}
		out = h.page(w, req, list)
	case match("GET", "repos/o/r/commits/*/check-runs"):
		h.need("checks: write")
		var list []any
		for _, c := range h.checks {
			if c.Head == parts[4] {
				list = append(list, c.json())
			}
		}
		out = map[string]any{"total_count": len(list), "check_runs": h.page(w, req, list)}
	case match("GET", "repos/o/r/check-runs/*"):
		out = h.check(num(4)).json()
	case req.Method == "GET":
		panic(httpError{404, "not found"})
	default:
		h.writes = append(h.writes, req.Method+" "+path)
		switch {
		case match("POST", "repos/o/r/pulls/7/reviews"):
			h.need("pull-requests: write")
			out = h.createReview(body)
		case match("PUT", "repos/o/r/pulls/7/reviews/*/dismissals"):
			h.need("pull-requests: write")
			i := slices.IndexFunc(h.reviews, func(r *hostReview) bool { return r.ID == num(6) })
			if i < 0 || h.reviews[i].State != "CHANGES_REQUESTED" {
				panic(httpError{422, "Can not dismiss a review that does not request changes"})
			}
			h.text(body["message"])
			h.reviews[i].State = "DISMISSED"
			out = map[string]any{"id": num(6), "state": "DISMISSED"}
		case match("PATCH", "repos/o/r/pulls/comments/*"):
			out = h.edit(h.comments, num(5), body)
		case match("POST", "repos/o/r/issues/7/comments"):
			h.need("pull-requests: write")
			c := &hostComment{ID: h.id(), User: h.account, Body: h.text(body["body"])}
			h.issues = append(h.issues, c)
			out, status = h.commentJSON(c), 201
		case match("PATCH", "repos/o/r/issues/comments/*"):
			out = h.edit(h.issues, num(5), body)
		case match("POST", "repos/o/r/check-runs"):
			h.need("checks: write")
			if !strings.HasSuffix(h.account, "[bot]") {
				panic(httpError{403, "You must authenticate via a GitHub App."})
			}
			c := &hostCheck{ID: h.id(), App: strings.TrimSuffix(h.account, "[bot]"), Status: "queued"}
			c.Head = body["head_sha"].(string)
			h.setCheck(c, body)
			h.checks = append(h.checks, c)
			out, status = c.json(), 201
		case match("PATCH", "repos/o/r/check-runs/*"):
			h.need("checks: write")
			c := h.check(num(4))
			if c.App+"[bot]" != h.account {
				panic(httpError{403, "not your check run"})
			}
			h.setCheck(c, body)
			out = c.json()
		default:
			h.t.Errorf("unexpected write %s %s", req.Method, path)
			panic(httpError{404, "not found"})
		}
	}
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(out)
}

func (h *host) need(permission string) {
	if h.deny[permission] {
		panic(httpError{403, "Resource not accessible by integration"})
	}
}

// text checks a text as the host does.
func (h *host) text(v any) string {
	s, _ := v.(string)
	if s == "" {
		panic(httpError{422, "body is missing"})
	}
	if utf8.RuneCountInString(s) > 65536 {
		panic(httpError{422, "body is too long"})
	}
	return s
}

func user(login string) map[string]any {
	kind := "User"
	if strings.HasSuffix(login, "[bot]") {
		kind = "Bot"
	}
	return map[string]any{"login": login, "type": kind}
}

func (h *host) commentJSON(c *hostComment) map[string]any {
	m := map[string]any{"id": c.ID, "user": user(c.User), "body": c.Body, "html_url": fmt.Sprintf("https://host.test/c/%d", c.ID)}
	if c.Path != "" {
		m["path"] = c.Path
	}
	if c.Line > 0 {
		m["line"] = c.Line
	}
	if c.InReplyTo > 0 {
		m["in_reply_to_id"] = c.InReplyTo
	}
	return m
}

func (c *hostCheck) json() map[string]any {
	return map[string]any{
		"id": c.ID, "name": c.Name, "external_id": c.External, "status": c.Status, "conclusion": c.Conclusion,
		"html_url": fmt.Sprintf("https://host.test/runs/%d", c.ID), "app": map[string]any{"slug": c.App},
		"output": map[string]any{"annotations_count": len(c.Annotations)},
	}
}

func (h *host) page(w http.ResponseWriter, req *http.Request, list []any) []any {
	size, _ := strconv.Atoi(req.URL.Query().Get("per_page"))
	page, _ := strconv.Atoi(req.URL.Query().Get("page"))
	if size < 1 || size > 100 {
		size = 30
	}
	from := min(max(page-1, 0)*size, len(list))
	to := min(from+size, len(list))
	if to < len(list) {
		u := *req.URL
		q := u.Query()
		q.Set("page", strconv.Itoa(max(page, 1)+1))
		u.RawQuery = q.Encode()
		w.Header().Set("Link", fmt.Sprintf("<%s>; rel=\"next\"", u.String()))
	}
	return append([]any{}, list[from:to]...)
}

func (h *host) edit(list []*hostComment, id int64, body map[string]any) any {
	h.need("pull-requests: write")
	for _, c := range list {
		if c.ID == id {
			if c.User != h.account {
				panic(httpError{403, "not your comment"})
			}
			c.Body = h.text(body["body"])
			return h.commentJSON(c)
		}
	}
	panic(httpError{404, "no such comment"})
}

func (h *host) check(id int64) *hostCheck {
	for _, c := range h.checks {
		if c.ID == id {
			return c
		}
	}
	panic(httpError{404, "no such check run"})
}

func (h *host) setCheck(c *hostCheck, body map[string]any) {
	c.Name = h.text(body["name"])
	if v, ok := body["external_id"].(string); ok {
		c.External = v
	}
	if v, ok := body["status"].(string); ok {
		c.Status = v
	}
	if v, ok := body["conclusion"].(string); ok {
		c.Conclusion, c.Status = v, "completed"
	}
	if c.Status == "completed" && !slices.Contains([]string{"success", "neutral", "failure"}, c.Conclusion) {
		panic(httpError{422, "conclusion is missing"})
	}
	out, ok := body["output"].(map[string]any)
	if !ok {
		return
	}
	c.Title, c.Summary = h.text(out["title"]), h.text(out["summary"])
	list, _ := out["annotations"].([]any)
	if len(list) > 50 {
		panic(httpError{422, "more than 50 annotations"})
	}
	for _, v := range list {
		a := v.(map[string]any)
		if h.text(a["path"]) == "" || a["start_line"].(float64) < 1 || a["end_line"].(float64) < a["start_line"].(float64) ||
			utf8.RuneCountInString(h.text(a["title"])) > 255 || len(h.text(a["message"])) > 65535 ||
			!slices.Contains([]string{"notice", "warning", "failure"}, a["annotation_level"].(string)) {
			panic(httpError{422, "bad annotation"})
		}
		c.Annotations = append(c.Annotations, a)
	}
}

func (h *host) createReview(body map[string]any) any {
	r := &hostReview{User: h.account, Body: h.text(body["body"])}
	switch body["event"] {
	case "COMMENT":
		r.State = "COMMENTED"
	case "REQUEST_CHANGES":
		r.State = "CHANGES_REQUESTED"
	default:
		h.t.Errorf("review with event %v", body["event"])
	}
	r.Commit, _ = body["commit_id"].(string)
	if !h.heads[r.Commit] {
		panic(httpError{422, "commit_id is not part of the pull request"})
	}
	var made []*hostComment
	list, _ := body["comments"].([]any)
	for _, v := range list {
		c := v.(map[string]any)
		hc := &hostComment{User: h.account, Body: h.text(c["body"]), Path: h.text(c["path"]), Line: int(c["line"].(float64))}
		if c["side"] != "RIGHT" {
			panic(httpError{422, "side is missing"})
		}
		start := hc.Line
		if v, ok := c["start_line"].(float64); ok {
			start = int(v)
			hc.StartLine = start
			if start >= hc.Line || c["start_side"] != "RIGHT" {
				panic(httpError{422, "start_line must precede the end line."})
			}
		}
		if !h.inDiff(hc.Path, start, hc.Line) {
			panic(httpError{422, "Pull request review thread line must be part of the diff"})
		}
		made = append(made, hc)
	}
	r.ID = h.id()
	h.reviews = append(h.reviews, r)
	for _, c := range made {
		c.ID = h.id()
		h.comments = append(h.comments, c)
		h.threads[c.ID] = &hostThread{}
	}
	return map[string]any{"id": r.ID}
}

// inDiff reports whether one hunk shows both lines.
func (h *host) inDiff(path string, start, end int) bool {
	for i := range h.files {
		if f := &h.files[i]; f.Path == path {
			for _, hunk := range f.Hunks {
				if hunk.NewStart <= start && end < hunk.NewStart+hunk.NewLines {
					return true
				}
			}
		}
	}
	return false
}

func (h *host) graphQL(body map[string]any) any {
	fail := func(kind, msg string) any {
		return map[string]any{"data": nil, "errors": []any{map[string]any{"type": kind, "message": msg}}}
	}
	if h.noGraphQL {
		panic(httpError{404, "not found"})
	}
	text := body["query"].(string)
	vars, _ := body["variables"].(map[string]any)
	if strings.HasPrefix(text, "mutation") {
		h.writes = append(h.writes, "POST graphql "+text)
		if h.deny["contents: write"] {
			return fail("FORBIDDEN", "Resource not accessible by integration")
		}
		id, err := strconv.ParseInt(strings.TrimPrefix(vars["id"].(string), "node"), 10, 64)
		t := h.threads[id]
		if err != nil || t == nil {
			return fail("NOT_FOUND", "no such thread")
		}
		t.Resolved = !strings.Contains(text, "unresolve")
		t.ResolvedBy = ""
		if t.Resolved {
			t.ResolvedBy = strings.TrimSuffix(h.account, "[bot]")
		}
		return map[string]any{"data": map[string]any{}}
	}
	var nodes []any
	for _, c := range h.comments {
		t := h.threads[c.ID]
		if t == nil {
			continue
		}
		n := map[string]any{
			"id": fmt.Sprintf("node%d", c.ID), "isResolved": t.Resolved,
			"viewerCanResolve": !t.Resolved, "viewerCanUnresolve": t.Resolved,
			"comments": map[string]any{"nodes": []any{map[string]any{"databaseId": c.ID}}},
		}
		if t.ResolvedBy != "" {
			n["resolvedBy"] = map[string]any{"login": t.ResolvedBy}
		}
		nodes = append(nodes, n)
	}
	from := 0
	if s, ok := vars["after"].(string); ok {
		from, _ = strconv.Atoi(s)
	}
	to := min(from+100, len(nodes))
	return map[string]any{"data": map[string]any{
		"viewer": map[string]any{"login": h.account},
		"repository": map[string]any{"pullRequest": map[string]any{"reviewThreads": map[string]any{
			"pageInfo": map[string]any{"hasNextPage": to < len(nodes), "endCursor": strconv.Itoa(to)},
			"nodes":    append([]any{}, nodes[from:to]...),
		}}},
	}}
}

// mark returns how many writes there were, and the writes since such a mark.
func (h *host) mark() int               { return len(h.writes) }
func (h *host) since(mark int) []string { return h.writes[mark:] }

// bodies returns the inline comments' first lines, sorted.
func (h *host) titles() []string {
	var list []string
	for _, c := range h.comments {
		first, _, _ := strings.Cut(c.Body, "\n")
		list = append(list, first)
	}
	slices.Sort(list)
	return list
}

func readAll(req *http.Request) (string, error) {
	data, err := io.ReadAll(req.Body)
	req.Body = io.NopCloser(strings.NewReader(string(data)))
	return string(data), err
}

func respond(req *http.Request, status int, body string) *http.Response {
	w := httptest.NewRecorder()
	w.WriteHeader(status)
	io.WriteString(w, body)
	resp := w.Result()
	resp.Request = req
	return resp
}
