package gitlabtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/codescan-dev/scanner/internal/hosttest"
)

var (
	_ http.Handler      = (*Host)(nil)
	_ http.RoundTripper = (*Host)(nil)
)

// ServeHTTP answers a request.
func (h *Host) ServeHTTP(w http.ResponseWriter, req *http.Request) { h.answer(req).Write(w) }

// RoundTrip answers a request without a network.
func (h *Host) RoundTrip(req *http.Request) (*http.Response, error) {
	return hosttest.RoundTrip(req, h.answer)
}

func message(status int, text string, header ...string) *hosttest.Answer {
	return hosttest.Reply(status, map[string]any{"message": text}, header...)
}

// answer answers a request, or does what the test wants instead.
func (h *Host) answer(req *http.Request) *hosttest.Answer {
	h.Lock()
	defer h.Unlock()
	_, route, ok := strings.Cut(req.URL.EscapedPath(), "/api/v4/")
	if !ok {
		h.Problem("%s %s: not below /api/v4/", req.Method, req.URL.Path)
		return message(404, "404 Not Found")
	}
	uri := route
	if req.URL.RawQuery != "" {
		uri += "?" + req.URL.RawQuery
	}
	h.Record(req, uri)
	c := &call{req: req, query: req.URL.Query()}
	for s := range strings.SplitSeq(route, "/") {
		part, err := url.PathUnescape(s)
		if err != nil {
			h.Problem("%s %s: %v", req.Method, uri, err)
		}
		c.parts = append(c.parts, part)
	}
	if a := h.authenticate(c, uri); a != nil {
		return a
	}
	return h.Answer(req, h.fail, func() *hosttest.Answer { return h.serve(c) })
}

// fail returns the answer to a request that goes wrong.
func (h *Host) fail(fault hosttest.Fault) *hosttest.Answer {
	switch fault {
	case hosttest.BadGateway:
		return message(502, "502 Bad Gateway")
	case hosttest.Secondary:
		return hosttest.Reply(429, map[string]any{"message": map[string]any{"error": "This endpoint has been requested too many times. Try again later."}}, "Retry-After", h.RetryAfter)
	case hosttest.Primary:
		return &hosttest.Answer{Status: 429, Body: []byte("Retry later\n"), Header: http.Header{"Ratelimit-Remaining": {"0"}, "Ratelimit-Reset": {"99999999999"}, "Content-Type": {"text/plain"}}}
	case hosttest.Forbidden:
		return message(403, "403 Forbidden")
	default:
		return message(401, "401 Unauthorized")
	}
}

// authenticate returns the refusal of a request; nil if it may be made. What the token
// of a job can read is in the documentation of GitLab CI/CD job tokens, "Job token
// access".
func (h *Host) authenticate(c *call, uri string) *hosttest.Answer {
	token, isBearer := strings.CutPrefix(c.req.Header.Get("Authorization"), "Bearer ")
	job := c.req.Header.Get("Job-Token")
	switch {
	case !isBearer && job == "":
		h.Problem("%s %s: no token", c.req.Method, uri)
		return message(401, "401 Unauthorized")
	case h.Token != "" && token+job != h.Token:
		h.Problem("%s %s: wrong token", c.req.Method, uri)
		return message(401, "401 Unauthorized")
	case job != "":
		p := c.parts
		if c.req.Method != http.MethodGet || len(p) < 3 || p[2] != "merge_requests" || len(p) > 4 && p[4] != "notes" {
			return message(401, "401 Unauthorized")
		}
	case h.Deny["read_api"], h.Deny["api"] && c.req.Method != http.MethodGet:
		return hosttest.Reply(403, map[string]any{
			"error": "insufficient_scope", "error_description": "The request requires higher privileges than provided by the access token.", "scope": "api",
		})
	}
	return nil
}

// refusal is how the parts of the host refuse a request.
type refusal struct {
	status int
	msg    any
}

// call is a request that is being answered.
type call struct {
	req   *http.Request
	parts []string // of the path
	query url.Values
	body  map[string]any
	// header are pairs of names and values for the answer.
	header []string
}

func (h *Host) serve(c *call) (a *hosttest.Answer) {
	defer func() {
		if e := recover(); e != nil {
			r, ok := e.(refusal)
			if !ok {
				panic(e)
			}
			a = hosttest.Reply(r.status, map[string]any{"message": r.msg})
		}
	}()
	if c.req.Body != nil {
		data, err := io.ReadAll(c.req.Body)
		if err == nil && len(data) > 0 {
			if c.req.Header.Get("Content-Type") != "application/json" {
				h.Problem("%s: body of type %q", c.req.URL, c.req.Header.Get("Content-Type"))
			}
			err = json.Unmarshal(data, &c.body)
		}
		if err != nil {
			h.Problem("%s: %v", c.req.URL, err)
			panic(refusal{400, "400 Bad request"})
		}
	}
	if c.req.Method != http.MethodGet {
		h.Writes = append(h.Writes, c.req.Method+" "+strings.Join(c.parts, "/"))
	}
	if strings.Join(c.parts, "/") == "user" && c.req.Method == http.MethodGet {
		return hosttest.Reply(200, map[string]any{"id": UserID(h.Account), "username": h.Account, "bot": isBot(h.Account)})
	}
	if len(c.parts) < 2 || c.parts[0] != "projects" {
		h.Problem("unexpected request %s %s", c.req.Method, c.req.URL)
		panic(refusal{404, "404 Not Found"})
	}
	id, ours := h.projectID(c.parts[1])
	if len(c.parts) == 2 {
		return hosttest.Reply(200, map[string]any{"id": id, "path_with_namespace": c.parts[1], "resolve_outdated_diff_discussions": h.ResolveOutdated})
	}
	if !ours {
		panic(refusal{404, "404 Project Not Found"})
	}
	c.parts = c.parts[2:]
	if c.req.Method == http.MethodGet {
		return hosttest.Reply(200, h.read(c), c.header...)
	}
	status, out := h.write(c)
	return hosttest.Reply(status, out)
}

// projectID returns the number of a project, and whether it is the one of the host.
func (h *Host) projectID(s string) (id int64, ours bool) {
	if s == h.Project || s == strconv.FormatInt(h.ProjectID, 10) {
		return h.ProjectID, true
	}
	if id, ok := h.Projects[s]; ok {
		return id, false
	}
	panic(refusal{404, "404 Project Not Found"})
}

func isBot(user string) bool { return strings.Contains(user, "_bot_") }

// is reports whether a request has this method and path, in which "*" is any element
// and "N" the number of the merge request.
func (h *Host) is(c *call, method, pattern string) bool {
	return c.req.Method == method && hosttest.Matches(c.parts, pattern, h.Number)
}

// page returns the page of a list that a request asks for, as the documentation of the
// REST API, "Pagination", describes it.
func page[T any](c *call, list []T) []T {
	out, n, next := hosttest.Page(c.req, list, 20)
	x := ""
	if next > 0 {
		x = strconv.Itoa(next)
	}
	c.header = append(c.header, "X-Page", strconv.Itoa(n), "X-Next-Page", x, "X-Total", strconv.Itoa(len(list)))
	return out
}

// role panics unless the account has a role in the project.
func (h *Host) role(least int) {
	if h.Roles[h.Account] < least {
		panic(refusal{403, "403 Forbidden"})
	}
}

func (h *Host) may(action string) {
	if h.Deny[action] {
		panic(refusal{403, "403 Forbidden"})
	}
}

func (h *Host) userJSON(name string) any {
	if name == "" {
		return nil
	}
	return map[string]any{"id": UserID(name), "username": name, "name": name, "state": "active"}
}

func (h *Host) discussion(id string) *Discussion {
	i := slices.IndexFunc(h.Discussions, func(d *Discussion) bool { return d.ID == id })
	if i < 0 {
		panic(refusal{404, "404 Discussion Not Found"})
	}
	return h.Discussions[i]
}

func (h *Host) note(id string) *Note {
	for _, d := range h.Discussions {
		for _, n := range d.Notes {
			if strconv.FormatInt(n.ID, 10) == id {
				return n
			}
		}
	}
	panic(refusal{404, "404 Note Not Found"})
}

func (h *Host) noteJSON(d *Discussion, n *Note) map[string]any {
	m := map[string]any{
		"id": n.ID, "type": nil, "body": n.Body, "author": h.userJSON(n.User), "system": n.System,
		"noteable_type": "MergeRequest", "noteable_iid": h.Number, "resolvable": d.Notes[0].Position != nil,
	}
	if p := d.Notes[0].Position; p != nil {
		m["type"] = "DiffNote"
		m["resolved"], m["resolved_by"] = d.Notes[0].Resolved, h.userJSON(d.Notes[0].ResolvedBy)
		m["position"] = map[string]any{
			"base_sha": p.Base, "start_sha": p.Start, "head_sha": p.Head, "position_type": "text",
			"old_path": p.OldPath, "new_path": p.NewPath, "old_line": lineJSON(p.OldLine), "new_line": lineJSON(p.NewLine),
		}
	} else if len(d.Notes) > 1 {
		m["type"] = "DiscussionNote"
	}
	return m
}

func lineJSON(n int) any {
	if n == 0 {
		return nil
	}
	return n
}

func (h *Host) discussionJSON(d *Discussion) any {
	var notes []any
	for _, n := range d.Notes {
		notes = append(notes, h.noteJSON(d, n))
	}
	return map[string]any{"id": d.ID, "individual_note": d.Notes[0].Position == nil && len(d.Notes) == 1, "notes": notes}
}

func (s *Status) json(h *Host) any {
	return map[string]any{
		"id": s.ID, "sha": s.SHA, "ref": s.Ref, "status": s.State, "name": s.Name,
		"description": s.Description, "target_url": s.TargetURL, "author": h.userJSON(s.User), "allow_failure": false,
	}
}

func (h *Host) mergeJSON(m *Merge) map[string]any {
	state, head, notes := "opened", m.Head, 0
	if m.Closed {
		state = "closed"
	}
	if m.Number == h.Number {
		head = h.Head
		for _, d := range h.Discussions {
			notes += len(d.Notes)
		}
	}
	return map[string]any{
		"user_notes_count": notes,
		"id":               9000 + m.Number, "iid": m.Number, "project_id": h.ProjectID, "target_project_id": h.ProjectID, "source_project_id": m.Source,
		"title": m.Title, "state": state, "source_branch": m.Branch, "target_branch": "main", "sha": head, "author": h.userJSON(h.Author),
		"web_url":   fmt.Sprintf("%s/%s/-/merge_requests/%d", WebURL, h.Project, m.Number),
		"diff_refs": map[string]any{"base_sha": BaseSHA, "start_sha": StartSHA, "head_sha": head},
	}
}
