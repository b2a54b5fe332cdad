package githubtest

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/codescan-dev/scanner/diff"
)

// read answers a request that changes nothing.
func (h *Host) read(c *call) any {
	get := func(pattern string) bool { return h.is(c, http.MethodGet, pattern) }
	switch {
	case get("commits/*/check-runs"):
		h.need("checks: read")
		var list []any
		for _, k := range h.Checks {
			if k.Head == c.parts[1] {
				list = append(list, k.json())
			}
		}
		return map[string]any{"total_count": len(list), "check_runs": page(c, list)}
	}
	if get("collaborators/*/permission") {
		h.need("metadata: read")
		p := h.Permissions[c.parts[1]]
		if p == "" {
			panic(refusal{status: 404, msg: c.parts[1] + " is not a user"})
		}
		return map[string]any{"permission": p, "user": user(c.parts[1])}
	}
	h.need("pull-requests: read")
	switch {
	case get("pulls"):
		return page(c, h.findPulls(c))
	case get("pulls/*"):
		for i := range h.Pulls {
			if int64(h.Pulls[i].Number) == c.id(1) {
				return h.pullJSON(&h.Pulls[i])
			}
		}
	case get("pulls/N/files"):
		return page(c, h.fileList())
	case get("pulls/N/comments"):
		return page(c, commentList(h.Comments))
	case get("issues/N/comments"):
		return page(c, commentList(h.IssueComments))
	case get("pulls/N/reviews"):
		var list []any
		for _, r := range h.Reviews {
			list = append(list, map[string]any{
				"id": r.ID, "user": user(r.User), "body": r.Body, "state": r.State, "commit_id": r.Commit,
				"html_url": fmt.Sprintf("%s/r/%d", WebURL, r.ID),
			})
		}
		return page(c, list)
	}
	panic(refusal{status: 404, msg: "not found"})
}

func user(login string) map[string]any {
	kind := "User"
	if strings.HasSuffix(login, "[bot]") {
		kind = "Bot"
	}
	return map[string]any{"login": login, "type": kind}
}

// findPulls lists pull requests by their state and head.
func (h *Host) findPulls(c *call) []any {
	q := c.req.URL.Query()
	var list []any
	for i := range h.Pulls {
		p := &h.Pulls[i]
		owner, _, _ := strings.Cut(p.HeadRepo, "/")
		if state := q.Get("state"); p.Closed != (state == "closed") && state != "all" {
			continue
		}
		if head := q.Get("head"); head == "" || strings.EqualFold(head, owner+":"+p.HeadRef) {
			list = append(list, h.pullJSON(p))
		}
	}
	return list
}

func (h *Host) pullJSON(p *Pull) any {
	state, head, comments, lines := "open", p.Head, 0, 0
	if p.Closed {
		state = "closed"
	}
	if p.Number == h.Number {
		head, comments, lines = h.Head, len(h.IssueComments), len(h.Comments)
	}
	return map[string]any{
		"number": p.Number, "state": state, "title": p.Title, "body": p.Body,
		"head":     map[string]any{"sha": head, "ref": p.HeadRef, "repo": map[string]any{"full_name": p.HeadRepo}},
		"base":     map[string]any{"ref": "main", "repo": map[string]any{"full_name": h.Repo}},
		"html_url": fmt.Sprintf("%s/%s/pull/%d", WebURL, h.Repo, p.Number), "comments": comments, "review_comments": lines,
	}
}

func (h *Host) fileList() []any {
	var list []any
	for i := range h.Files {
		f := &h.Files[i]
		m := map[string]any{"filename": f.Path, "status": "modified"}
		switch f.Status {
		case diff.Added:
			m["status"] = "added"
		case diff.Deleted:
			m["status"] = "removed"
		case diff.Renamed:
			m["status"] = "renamed"
		case diff.Copied:
			m["status"] = "copied"
		}
		if f.OldPath != "" {
			m["previous_filename"] = f.OldPath
		}
		var patch strings.Builder
		for _, k := range f.Hunks {
			fmt.Fprintf(&patch, "@@ -%d,%d +%d,%d @@ %s\n%s", k.OldStart, k.OldLines, k.NewStart, k.NewLines, k.Section, k.Body)
		}
		if patch.Len() > 0 {
			m["patch"] = strings.TrimSuffix(patch.String(), "\n")
		}
		list = append(list, m)
	}
	return list
}

func commentList(comments []*Comment) []any {
	var list []any
	for _, c := range comments {
		list = append(list, c.json())
	}
	return list
}

func (c *Comment) json() map[string]any {
	m := map[string]any{"id": c.ID, "user": user(c.User), "body": c.Body, "html_url": fmt.Sprintf("%s/c/%d", WebURL, c.ID)}
	if c.Path != "" {
		m["path"] = c.Path
	}
	if c.Line > 0 {
		m["line"] = c.Line
	}
	if c.StartLine > 0 {
		m["start_line"] = c.StartLine
	}
	if c.InReplyTo > 0 {
		m["in_reply_to_id"] = c.InReplyTo
	}
	return m
}

func (c *Check) json() map[string]any {
	return map[string]any{
		"id": c.ID, "name": c.Name, "head_sha": c.Head, "external_id": c.External, "status": c.Status, "conclusion": c.Conclusion,
		"html_url": fmt.Sprintf("%s/runs/%d", WebURL, c.ID), "app": map[string]any{"slug": c.App},
		"output": map[string]any{"title": c.Title, "summary": c.Summary, "annotations_count": len(c.Annotations)},
	}
}
