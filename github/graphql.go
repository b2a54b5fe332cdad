package github

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
)

// graphQLError is an error of the GraphQL API, which comes with status 200.
type graphQLError struct {
	// kind is FORBIDDEN, NOT_FOUND, RATE_LIMITED, ..., or the code of an error in
	// the query, such as undefinedField; empty for an internal error.
	kind    string
	message string
}

func (e *graphQLError) Error() string {
	return "graphql: " + e.message
}

// query makes one request of the GraphQL API.
func (c *Client) query(ctx context.Context, text string, variables map[string]any, data any) error {
	req, err := c.gh.NewRequest(ctx, http.MethodPost, c.graphQL, map[string]any{"query": text, "variables": variables})
	if err != nil {
		return err
	}
	var answer struct {
		Data   json.RawMessage `json:"data"`
		Errors []struct {
			Type    string `json:"type"`
			Message string `json:"message"`
			More    struct {
				Code string `json:"code"`
			} `json:"extensions"`
		} `json:"errors"`
	}
	if _, err := c.gh.Do(req, &answer); err != nil {
		return err
	}
	if len(answer.Errors) > 0 {
		e := &answer.Errors[0]
		return &graphQLError{cmp.Or(e.Type, e.More.Code), e.Message}
	}
	if string(answer.Data) == "null" { // else nothing would be known as the account's
		return errEmpty
	}
	return json.Unmarshal(answer.Data, data)
}

const threadsQuery = `query($owner: String!, $name: String!, $number: Int!, $after: String) {
  viewer { login }
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviewThreads(first: 100, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes {
          id isResolved viewerCanResolve viewerCanUnresolve
          resolvedBy { login }
          comments(first: 1) { nodes { id fullDatabaseId isMinimized viewerCanMinimize } }
        }
      }
    }
  }
}`

// threadInfo is what only the GraphQL API knows about a thread.
type threadInfo struct {
	ID                 string
	IsResolved         bool
	ViewerCanResolve   bool
	ViewerCanUnresolve bool
	ResolvedBy         *struct{ Login string }
	Comments           struct {
		Nodes []commentInfo
	}
}

// commentInfo is what only the GraphQL API knows about a comment. The reason why it is
// hidden is not read: it is not written as the mutation takes it.
type commentInfo struct {
	ID string
	// The number is written as a string, since it does not fit an Int.
	FullDatabaseID    json.Number
	IsMinimized       bool
	ViewerCanMinimize bool
}

// threads returns the login of the account and, by their first comment, the
// threads of a pull request.
func (c *Client) threads(ctx context.Context, number int) (login string, byComment map[int64]threadInfo, err error) {
	byComment = make(map[int64]threadInfo)
	vars := map[string]any{"owner": c.repo.Owner, "name": c.repo.Name, "number": number}
	for {
		var data struct {
			Viewer     struct{ Login string }
			Repository struct {
				PullRequest struct {
					ReviewThreads struct {
						PageInfo struct {
							HasNextPage bool
							EndCursor   string
						}
						Nodes []threadInfo
					}
				}
			}
		}
		err := c.call.Call(ctx, task{Doing: "reading the review threads", Permission: pullsPermission}, func() error {
			return c.query(ctx, threadsQuery, vars, &data)
		})
		if err != nil {
			return "", nil, err
		}
		t := &data.Repository.PullRequest.ReviewThreads
		for _, n := range t.Nodes {
			if len(n.Comments.Nodes) == 0 {
				continue
			}
			if id, err := n.Comments.Nodes[0].FullDatabaseID.Int64(); err == nil {
				byComment[id] = n
			}
		}
		if !t.PageInfo.HasNextPage || t.PageInfo.EndCursor == "" {
			return data.Viewer.Login, byComment, nil
		}
		vars["after"] = t.PageInfo.EndCursor
	}
}

// mutation is a change that only the GraphQL API has.
type mutation struct {
	doing, permission string
	// target names what is changed, of which the other mutation undoes this one.
	target string
	field  string
}

var (
	resolveThread = mutation{"resolving a review thread", resolvePermission, "thread", "resolveReviewThread(input: {threadId: $id})"}
	openThread    = mutation{"opening a review thread again", resolvePermission, "thread", "unresolveReviewThread(input: {threadId: $id})"}
	hideComment   = mutation{"hiding a review comment", pullsPermission, "comment", "minimizeComment(input: {subjectId: $id, classifier: RESOLVED})"}
	showComment   = mutation{"showing a review comment again", pullsPermission, "comment", "unminimizeComment(input: {subjectId: $id})"}
)

// mutate makes a change to a node. It may be made twice.
func (c *Client) mutate(ctx context.Context, m mutation, node string) error {
	return c.call.Call(ctx, task{Doing: m.doing, Permission: m.permission}, func() error {
		var data json.RawMessage
		return c.query(ctx, "mutation($id: ID!) { "+m.field+" { clientMutationId } }", map[string]any{"id": node}, &data)
	})
}
