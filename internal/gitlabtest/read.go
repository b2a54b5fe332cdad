package gitlabtest

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/codescan-dev/scanner/diff"
)

// read answers a request that changes nothing.
func (h *Host) read(c *call) any {
	get := func(pattern string) bool { return h.is(c, http.MethodGet, pattern) }
	switch {
	case get("members/all/*"):
		for name, role := range h.Roles {
			if strconv.FormatInt(UserID(name), 10) == c.parts[2] {
				return map[string]any{"id": UserID(name), "username": name, "access_level": role}
			}
		}
		panic(refusal{404, "404 Not found"})
	case get("repository/commits/*/statuses"):
		h.may("read statuses")
		if !slices.Contains(h.Commits, c.parts[2]) {
			panic(refusal{404, "404 Commit Not Found"})
		}
		return page(c, h.latestStatuses(c.parts[2]))
	case get("merge_requests"):
		return page(c, h.findMerges(c))
	case get("merge_requests/*"):
		for i := range h.Merges {
			if strconv.Itoa(h.Merges[i].Number) == c.parts[1] {
				return h.mergeJSON(&h.Merges[i])
			}
		}
		panic(refusal{404, "404 Not found"})
	case get("merge_requests/N/diffs"):
		return page(c, h.diffs())
	case get("merge_requests/N/discussions"):
		list := []any{}
		for _, d := range h.Discussions {
			list = append(list, h.discussionJSON(d))
		}
		return page(c, list)
	}
	h.Problem("unexpected request %s %s", c.req.Method, c.req.URL)
	panic(refusal{404, "404 Not Found"})
}

// latestStatuses lists the last status of each name and ref, as without "all".
func (h *Host) latestStatuses(sha string) []any {
	list := []any{}
	for i, s := range h.Statuses {
		replaced := slices.ContainsFunc(h.Statuses[i+1:], func(o *Status) bool { return o.SHA == s.SHA && o.Name == s.Name && o.Ref == s.Ref })
		if s.SHA == sha && !replaced {
			list = append(list, s.json(h))
		}
	}
	return list
}

// findMerges lists merge requests by their state and source branch.
func (h *Host) findMerges(c *call) []any {
	list := []any{}
	for i := range h.Merges {
		m := &h.Merges[i]
		state, branch := c.query.Get("state"), c.query.Get("source_branch")
		if state == "opened" && m.Closed || state == "closed" && !m.Closed || branch != "" && branch != m.Branch {
			continue
		}
		mr := h.mergeJSON(m)
		delete(mr, "diff_refs") // only a single one has them
		list = append(list, mr)
	}
	return list
}

func (h *Host) diffs() []any {
	list := []any{}
	for i := range h.Files {
		f := &h.Files[i]
		var text strings.Builder
		for _, k := range f.Hunks {
			fmt.Fprintf(&text, "@@ -%d,%d +%d,%d @@ %s\n%s", k.OldStart, k.OldLines, k.NewStart, k.NewLines, k.Section, k.Body)
		}
		old := f.OldPath
		if old == "" {
			old = f.Path
		}
		list = append(list, map[string]any{
			"old_path": old, "new_path": f.Path, "a_mode": fmt.Sprintf("%o", f.OldMode), "b_mode": fmt.Sprintf("%o", f.Mode), "diff": text.String(),
			"new_file": f.Status == diff.Added, "renamed_file": f.Status == diff.Renamed, "deleted_file": f.Status == diff.Deleted,
			"generated_file": false, "collapsed": false, "too_large": false,
		})
	}
	return list
}
