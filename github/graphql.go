package github

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
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
          comments(first: 1) { nodes { fullDatabaseId } }
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
		// The number is written as a string, since it does not fit an Int.
		Nodes []struct{ FullDatabaseID json.Number }
	}
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
		err := c.call(ctx, task{doing: "reading the review threads", permission: pullsPermission}, func() error {
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

// setResolved resolves a thread, or undoes that.
func (c *Client) setResolved(ctx context.Context, node string, resolved bool) error {
	name, t := "resolveReviewThread", task{doing: "resolving a review thread", permission: resolvePermission}
	if !resolved {
		name, t.doing = "unresolveReviewThread", "opening a review thread again"
	}
	text := fmt.Sprintf(`mutation($id: ID!) { %s(input: {threadId: $id}) { thread { isResolved } } }`, name)
	return c.call(ctx, t, func() error {
		var data json.RawMessage
		return c.query(ctx, text, map[string]any{"id": node}, &data)
	})
}
