package gitlabtest

import (
	"crypto/sha1"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// write answers a request that changes something.
func (h *Host) write(c *call) (status int, out any) {
	is := func(method, pattern string) bool { return h.is(c, method, pattern) }
	switch {
	case is(http.MethodPost, "statuses/*"):
		h.may("status")
		h.role(Developer)
		return 201, h.createStatus(c.parts[1], c.body)
	case is(http.MethodPost, "merge_requests/N/notes"):
		h.may("comment")
		h.role(Guest)
		d := h.Add(h.Account, h.text(c.body["body"]), nil)
		return 201, h.noteJSON(d, d.Notes[0])
	case is(http.MethodPost, "merge_requests/N/discussions"):
		h.may("comment")
		h.role(Guest)
		body := h.text(c.body["body"])
		at, ok := c.body["position"].(map[string]any)
		if !ok {
			h.Problem("a discussion without a position")
			panic(refusal{400, "position is missing"})
		}
		return 201, h.discussionJSON(h.Add(h.Account, body, h.position(at)))
	case is(http.MethodPut, "merge_requests/N/discussions/*"):
		resolved, ok := c.body["resolved"].(bool)
		if !ok {
			panic(refusal{400, "resolved is missing"})
		}
		// "You must have at least the Developer role, or be the author of the change
		// being reviewed."
		if h.Account != h.Author {
			h.role(Developer)
		}
		h.may("resolve")
		d := h.discussion(c.parts[3])
		if d.Notes[0].Position == nil {
			panic(refusal{403, "403 Forbidden"})
		}
		d.Notes[0].Resolved, d.Notes[0].ResolvedBy = resolved, ""
		if resolved {
			d.Notes[0].ResolvedBy = h.Account
		}
		return 200, h.discussionJSON(d)
	case is(http.MethodPut, "merge_requests/N/notes/*"):
		h.may("comment")
		n := h.note(c.parts[3])
		if n.User != h.Account && h.Roles[h.Account] < Maintainer {
			panic(refusal{403, "403 Forbidden"})
		}
		n.Body = h.text(c.body["body"])
		return 200, h.noteJSON(&Discussion{Notes: []*Note{n}}, n)
	}
	h.Problem("unexpected write %s %s", c.req.Method, c.req.URL)
	panic(refusal{404, "404 Not Found"})
}

// maxNote is the length of a note in characters.
const maxNote = 1_000_000

// command is a quick action: a word after a slash at the start of a line. The real host
// looks for those it knows, outside of some blocks of code; this one for all.
var command = regexp.MustCompile(`(?m)^/[A-Za-z]\w*.*$`)

// text returns a note as the host keeps it: without carriage returns, without quick
// actions, which it runs, and without white space at its end.
func (h *Host) text(v any) string {
	s, _ := v.(string)
	s = strings.ReplaceAll(s, "\r", "")
	h.Commands = append(h.Commands, command.FindAllString(s, -1)...)
	s = strings.TrimRight(command.ReplaceAllString(s, ""), " \t\n")
	switch {
	case s == "":
		panic(refusal{400, `400 Bad request - Note {:note=>["can't be blank"]}`})
	case utf8.RuneCountInString(s) > maxNote:
		panic(refusal{400, `400 Bad request - Note {:note=>["is too long (maximum is 1000000 characters)"]}`})
	}
	return s
}

// number returns a whole number of a body; 0 if there is none.
func number(v any) int {
	f, _ := v.(float64)
	return int(f)
}

var lineCodeRefusal = refusal{400, `400 Bad request - Note {:line_code=>["can't be blank", "must be a valid line code"], :position=>["is incomplete"]}`}

// position returns the place of a discussion. The documentation of the Discussions API,
// "Create a new thread in the merge request diff", has the rules: on an added line there
// must not be an old line, and an unchanged line needs both.
func (h *Host) position(m map[string]any) *Position {
	text := func(key string) string { s, _ := m[key].(string); return s }
	p := &Position{
		Base: text("base_sha"), Start: text("start_sha"), Head: text("head_sha"),
		OldPath: text("old_path"), NewPath: text("new_path"), OldLine: number(m["old_line"]), NewLine: number(m["new_line"]),
	}
	for _, key := range []string{"base_sha", "start_sha", "head_sha", "position_type"} {
		if text(key) == "" {
			panic(refusal{400, "position[" + key + "] is missing"})
		}
	}
	if text("position_type") != "text" || p.Base != BaseSHA || p.Start != StartSHA || p.Head != h.Head {
		panic(lineCodeRefusal)
	}
	old := p.NewPath
	for i := range h.Files {
		if f := &h.Files[i]; f.Path == p.NewPath && f.OldPath != "" {
			old = f.OldPath
		}
	}
	lines := linesOf(h.Files, p.NewPath)
	at := slices.IndexFunc(lines, func(l diffLine) bool { return l.newLine == p.NewLine && l.oldLine == p.OldLine })
	if at < 0 || p.OldPath != old || h.RefuseLine != nil && h.RefuseLine(p.NewPath, p.NewLine) {
		panic(lineCodeRefusal)
	}
	if v, ok := m["line_range"].(map[string]any); ok {
		start, end := h.rangeLine(p.NewPath, lines, v["start"]), h.rangeLine(p.NewPath, lines, v["end"])
		if start.newLine > end.newLine || end != lines[at] {
			panic(refusal{400, `400 Bad request - Note {:position=>["is invalid"]}`})
		}
		p.From = start.newLine
	}
	return p
}

// rangeLine returns the line that an end of a range is about: "Parameters for multiline
// comments" and "Line code" in the documentation of the Discussions API.
func (h *Host) rangeLine(path string, lines []diffLine, v any) diffLine {
	m, _ := v.(map[string]any)
	for _, l := range lines {
		kind := "old"
		if l.oldLine == 0 {
			kind = "new"
		}
		if m["line_code"] == fmt.Sprintf("%x_%d_%d", sha1.Sum([]byte(path)), l.old, l.newLine) && m["type"] == kind {
			return l
		}
	}
	panic(refusal{400, `400 Bad request - Note {:position=>["must be a valid json schema"]}`})
}

// createStatus makes a commit status. It belongs to the newest pipeline of the commit,
// else to a new one of a branch that has it.
func (h *Host) createStatus(sha string, body map[string]any) any {
	text := func(key string) string { s, _ := body[key].(string); return s }
	if !slices.Contains(h.Commits, sha) {
		panic(refusal{404, "404 Commit Not Found"})
	}
	s := &Status{
		User: h.Account, SHA: sha, Ref: text("ref"), Name: text("name"), State: text("state"),
		Description: text("description"), TargetURL: text("target_url"),
	}
	if id, ok := body["pipeline_id"]; ok && (s.Ref != "" || number(id) != h.Pipelines[sha]) {
		panic(refusal{404, "404 Pipeline for pipeline_id, sha and ref Not Found"})
	}
	if s.Ref == "" {
		if slices.Contains(h.Detached, sha) {
			panic(refusal{404, "404 References for commit Not Found"})
		}
		s.Ref = "topic"
	}
	if !slices.Contains([]string{"pending", "running", "success", "failed", "canceled"}, s.State) {
		panic(refusal{400, "state does not have a valid value"})
	}
	for key, value := range map[string]string{"name": s.Name, "description": s.Description, "target_url": s.TargetURL} {
		if utf8.RuneCountInString(value) > 255 {
			panic(refusal{400, map[string]any{key: []string{"is too long (maximum is 255 characters)"}}})
		}
	}
	if u, err := url.Parse(s.TargetURL); s.TargetURL != "" && (err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http") {
		panic(refusal{400, map[string]any{"target_url": []string{"is blocked: Only allowed schemes are http, https"}}})
	}
	s.ID = h.NextID()
	h.Statuses = append(h.Statuses, s)
	return s.json(h)
}
