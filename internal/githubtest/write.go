package githubtest

import (
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"
)

// The limits of the host, in characters unless noted.
const (
	maxText           = 65536
	maxAnnotations    = 50 // of a request
	maxAnnotationText = 64 << 10
	maxTitle          = 255
)

// write answers a request that changes something.
func (h *Host) write(c *call) (status int, out any) {
	is := func(method, pattern string) bool { return h.is(c, method, pattern) }
	switch {
	case is(http.MethodPost, "check-runs"):
		return 201, h.createCheck(c.body)
	case is(http.MethodPatch, "check-runs/*"):
		h.need("checks: write")
		k := h.check(c.id(1))
		if k.App+"[bot]" != h.Account {
			panic(refusal{status: 403, msg: "not your check run"})
		}
		h.setCheck(k, c.body)
		return 200, k.json()
	}
	switch {
	case is(http.MethodPost, "pulls/N/reviews"):
		h.need("pull-requests: write")
		return 200, h.createReview(c.body)
	case is(http.MethodPut, "pulls/N/reviews/*/dismissals"):
		h.need("pull-requests: write")
		i := slices.IndexFunc(h.Reviews, func(r *Review) bool { return r.ID == c.id(3) })
		if i < 0 {
			panic(refusal{status: 404, msg: "no such review"})
		}
		if h.Reviews[i].State != "CHANGES_REQUESTED" && h.Reviews[i].State != "APPROVED" {
			panic(refusal{status: 422, msg: "Can not dismiss a commented pull request review"})
		}
		text(c.body["message"])
		h.Reviews[i].State = "DISMISSED"
		return 200, map[string]any{"id": c.id(3), "state": "DISMISSED"}
	case is(http.MethodPost, "pulls/N/comments"):
		h.need("pull-requests: write")
		m := h.draft(c.body)
		if commit, _ := c.body["commit_id"].(string); !slices.Contains(h.Commits, commit) {
			panic(refusal{status: 422, msg: "commit_id is not part of the pull request"})
		}
		h.add(m)
		return 201, m.json()
	case is(http.MethodPatch, "pulls/comments/*"):
		return 200, h.edit(h.Comments, c.id(2), c.body)
	case is(http.MethodPost, "issues/N/comments"):
		h.need("pull-requests: write", "issues=write; pull_requests=write")
		m := &Comment{ID: h.NextID(), User: h.Account, Body: text(c.body["body"])}
		h.IssueComments = append(h.IssueComments, m)
		return 201, m.json()
	case is(http.MethodPatch, "issues/comments/*"):
		return 200, h.edit(h.IssueComments, c.id(2), c.body)
	}
	h.Problem("unexpected write %s %s", c.req.Method, route(c.req))
	panic(refusal{status: 404, msg: "not found"})
}

// text returns a text that the host accepts.
func text(v any) string {
	s, _ := v.(string)
	if s == "" {
		panic(refusal{status: 422, msg: "body is missing"})
	}
	if utf8.RuneCountInString(s) > maxText {
		panic(refusal{status: 422, msg: "body is too long (maximum is 65536 characters)"})
	}
	return s
}

// number returns a whole number of a body; 0 if there is none.
func number(v any) int {
	f, _ := v.(float64)
	return int(f)
}

func (h *Host) edit(list []*Comment, id int64, body map[string]any) any {
	h.need("pull-requests: write")
	i := slices.IndexFunc(list, func(c *Comment) bool { return c.ID == id })
	if i < 0 {
		panic(refusal{status: 404, msg: "no such comment"})
	}
	if list[i].User != h.Account {
		panic(refusal{status: 403, msg: "not your comment"})
	}
	list[i].Body = text(body["body"])
	return list[i].json()
}

func (h *Host) createCheck(body map[string]any) any {
	h.need("checks: write")
	if !h.isBot() {
		panic(refusal{status: 403, msg: "You must authenticate via a GitHub App."})
	}
	k := &Check{App: strings.TrimSuffix(h.Account, "[bot]"), Status: "queued"}
	k.Head, _ = body["head_sha"].(string)
	if !slices.Contains(h.Commits, k.Head) {
		panic(refusal{status: 422, msg: "No commit found for SHA: " + k.Head})
	}
	h.setCheck(k, body)
	k.ID = h.NextID()
	h.Checks = append(h.Checks, k)
	return k.json()
}

// setCheck makes all changes of a request, or none.
func (h *Host) setCheck(k *Check, body map[string]any) {
	n := *k
	n.Name = text(body["name"])
	if v, ok := body["external_id"].(string); ok {
		n.External = v
	}
	if v, ok := body["status"].(string); ok {
		n.Status = v
	}
	if v, ok := body["conclusion"].(string); ok {
		n.Conclusion, n.Status = v, "completed"
	}
	if n.Status == "completed" && !slices.Contains([]string{"success", "neutral", "failure"}, n.Conclusion) {
		panic(refusal{status: 422, msg: "conclusion is missing"})
	}
	if out, ok := body["output"].(map[string]any); ok {
		n.Title, n.Summary = text(out["title"]), text(out["summary"])
		list, _ := out["annotations"].([]any)
		if len(list) > maxAnnotations {
			panic(refusal{status: 422, msg: "No more than 50 annotations are allowed"})
		}
		for _, v := range list {
			a, _ := v.(map[string]any)
			level, _ := a["annotation_level"].(string)
			if text(a["path"]) == "" || number(a["start_line"]) < 1 || number(a["end_line"]) < number(a["start_line"]) ||
				utf8.RuneCountInString(text(a["title"])) > maxTitle || len(text(a["message"])) > maxAnnotationText ||
				!slices.Contains([]string{"notice", "warning", "failure"}, level) {
				panic(refusal{status: 422, msg: "Invalid annotation"})
			}
			n.Annotations = append(slices.Clip(n.Annotations), a)
		}
	}
	*k = n
}

func (h *Host) createReview(body map[string]any) any {
	r := &Review{User: h.Account, Body: text(body["body"])}
	switch body["event"] {
	case "COMMENT":
		r.State = "COMMENTED"
	case "REQUEST_CHANGES":
		r.State = "CHANGES_REQUESTED"
	default:
		h.Problem("review with event %v", body["event"])
		panic(refusal{status: 422, msg: "event"})
	}
	r.Commit, _ = body["commit_id"].(string)
	if !slices.Contains(h.Commits, r.Commit) {
		panic(refusal{status: 422, msg: "commit_id is not part of the pull request"})
	}
	var made []*Comment
	list, _ := body["comments"].([]any)
	for _, v := range list {
		m, _ := v.(map[string]any)
		made = append(made, h.draft(m))
	}
	r.ID = h.NextID()
	h.Reviews = append(h.Reviews, r)
	for _, c := range made {
		h.add(c)
	}
	return map[string]any{"id": r.ID, "state": r.State}
}

// add adds a comment on a line.
func (h *Host) add(c *Comment) {
	c.ID = h.NextID()
	h.Comments = append(h.Comments, c)
	h.Threads[c.ID] = &Thread{}
}

// draft returns a new comment on a line.
func (h *Host) draft(m map[string]any) *Comment {
	c := &Comment{User: h.Account, Body: text(m["body"]), Path: text(m["path"]), Line: number(m["line"])}
	if m["side"] != "RIGHT" {
		panic(refusal{status: 422, msg: "side is missing"})
	}
	start := c.Line
	if v, ok := m["start_line"]; ok {
		start = number(v)
		c.StartLine = start
		if start >= c.Line || m["start_side"] != "RIGHT" {
			panic(refusal{status: 422, msg: "Pull request review thread start line must precede the end line."})
		}
	}
	if !h.inDiff(c.Path, start, c.Line) || h.RefuseLine != nil && h.RefuseLine(c.Path, c.Line) {
		panic(refusal{status: 422, msg: "Pull request review thread line must be part of the diff"})
	}
	return c
}

// inDiff reports whether one hunk shows both lines.
func (h *Host) inDiff(path string, start, end int) bool {
	for i := range h.Files {
		f := &h.Files[i]
		if f.Path != path || strings.ToValidUTF8(path, "\uFFFD") != path {
			continue
		}
		for _, k := range f.Hunks {
			if k.NewStart <= start && end < k.NewStart+k.NewLines {
				return true
			}
		}
	}
	return false
}
