package githubtest

import (
	"fmt"
	"strconv"
	"strings"
)

// graphQL answers the queries and mutations of the client. Their names and fields are
// those of the schema that GitHub publishes (octokit/graphql-schema). It has no word
// about permissions: that resolving needs "contents: write", and not what comments need,
// is what apps observe (github.com/orgs/community/discussions/44650).
func (h *Host) graphQL(body map[string]any) any {
	text, _ := body["query"].(string)
	vars, _ := body["variables"].(map[string]any)
	if h.GraphQLError != nil {
		if msg := h.GraphQLError(text); msg != "" {
			return failed("", msg)
		}
	}
	if strings.HasPrefix(text, "mutation") {
		h.Writes = append(h.Writes, "POST graphql "+text)
		return h.mutate(text, vars)
	}
	data := map[string]any{"viewer": map[string]any{"login": h.Account}}
	if strings.Contains(text, "reviewThreads") {
		if h.Deny["pull-requests: read"] {
			return failed("FORBIDDEN", "Resource not accessible by integration")
		}
		owner, _ := vars["owner"].(string)
		name, _ := vars["name"].(string)
		if !strings.EqualFold(owner+"/"+name, h.Repo) || number(vars["number"]) != h.Number {
			return failed("NOT_FOUND", "Could not resolve to a PullRequest")
		}
		after, _ := vars["after"].(string)
		data["repository"] = map[string]any{"pullRequest": map[string]any{"reviewThreads": h.threadPage(after)}}
	}
	return map[string]any{"data": data}
}

func failed(kind, msg string) any {
	return map[string]any{"data": nil, "errors": []any{map[string]any{"type": kind, "message": msg}}}
}

func (h *Host) mutate(text string, vars map[string]any) any {
	kind, resolves := "node", strings.Contains(text, "esolveReviewThread(input: {threadId: $id})")
	if !resolves {
		kind = "comment"
	}
	if h.Deny["pull-requests: write"] || resolves && h.Deny["contents: write"] {
		return failed("FORBIDDEN", "Resource not accessible by integration")
	}
	node, _ := vars["id"].(string)
	id, err := strconv.ParseInt(strings.TrimPrefix(node, kind), 10, 64)
	t := h.Threads[id]
	if err != nil || t == nil {
		return failed("NOT_FOUND", "Could not resolve to a node")
	}
	switch {
	case resolves:
	case strings.Contains(text, "unminimizeComment(input: {subjectId: $id})"):
		t.Minimized = false
		return map[string]any{"data": map[string]any{}}
	case strings.Contains(text, "minimizeComment(input: {subjectId: $id, classifier: RESOLVED})"):
		t.Minimized = true
		return map[string]any{"data": map[string]any{}}
	default:
		h.Problem("unexpected mutation %s", text)
		return failed("undefinedField", "Field doesn't exist on type 'Mutation'")
	}
	t.Resolved, t.ResolvedBy = !strings.Contains(text, "unresolveReviewThread"), ""
	if t.Resolved {
		t.ResolvedBy = strings.TrimSuffix(h.Account, "[bot]")
	}
	return map[string]any{"data": map[string]any{}}
}

func (h *Host) threadPage(after string) any {
	nodes := []any{}
	for _, c := range h.Comments {
		t := h.Threads[c.ID]
		if t == nil {
			continue
		}
		n := map[string]any{
			"id": fmt.Sprintf("node%d", c.ID), "isResolved": t.Resolved,
			"viewerCanResolve": !t.Resolved, "viewerCanUnresolve": t.Resolved,
			"comments": map[string]any{"nodes": []any{map[string]any{
				"id": fmt.Sprintf("comment%d", c.ID), "fullDatabaseId": strconv.FormatInt(c.ID, 10),
				"isMinimized": t.Minimized, "viewerCanMinimize": c.User == h.Account && !h.Deny["pull-requests: write"],
			}}},
		}
		if t.ResolvedBy != "" {
			n["resolvedBy"] = map[string]any{"login": t.ResolvedBy}
		}
		nodes = append(nodes, n)
	}
	from, _ := strconv.Atoi(after)
	from = min(max(from, 0), len(nodes))
	to := min(from+100, len(nodes))
	return map[string]any{
		"pageInfo": map[string]any{"hasNextPage": to < len(nodes), "endCursor": strconv.Itoa(to)},
		"nodes":    nodes[from:to],
	}
}
