package gitlab

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/codescan-dev/scanner/internal/httperr"
	"github.com/codescan-dev/scanner/internal/posting"
	gl "gitlab.com/gitlab-org/api/client-go"
)

// task describes a request.
type task = posting.Task

// What tokens need.
const (
	readPermission    = "scope read_api, role Reporter"
	commentPermission = "scope api, role Reporter"
	statusPermission  = "scope api, role Developer"
)

// judge returns what the error of a request means.
func (c *Client) judge(err error) posting.Verdict {
	if e, ok := errors.AsType[*url.Error](err); ok {
		v := posting.Verdict{Kind: posting.Unanswered, Reason: e.Err.Error()} // the address adds nothing
		if errors.Is(err, errRedirect) {
			v.Kind = posting.Refused
		}
		return v
	}
	if errors.Is(err, gl.ErrNotFound) {
		return posting.Verdict{Reason: "not found, or the token has no access to it"}
	}
	e, ok := errors.AsType[*gl.ErrorResponse](err)
	if !ok {
		return posting.Verdict{Kind: posting.Unanswered, Reason: err.Error()}
	}
	switch status := e.Response.StatusCode; {
	case status == http.StatusTooManyRequests:
		return posting.Verdict{Kind: posting.Limited, Wait: limitOf(e.Response.Header, time.Now())}
	case status == http.StatusForbidden, status == http.StatusUnauthorized && c.cfg.JobToken:
		return posting.Verdict{Kind: posting.Denied, Reason: reasonOf(e)}
	case status == http.StatusUnauthorized:
		return posting.Verdict{Kind: posting.Unauthorized}
	case status >= 500:
		return posting.Verdict{Kind: posting.Unanswered, Reason: fmt.Sprintf("the code host answered with status %d", status)}
	default:
		return posting.Verdict{Reason: strings.TrimSuffix(fmt.Sprintf("the code host refused it with status %d: %s", status, reasonOf(e)), ": ")}
	}
}

// reasonOf returns the text of an error of the host.
func reasonOf(e *gl.ErrorResponse) string {
	if s, ok := strings.CutPrefix(e.Message, "{message: "); ok {
		return strings.TrimSuffix(s, "}")
	}
	return e.Message
}

// limitOf returns how long a limit lasts. If the host gives no time it is a minute:
// its limits are for that long.
func limitOf(h http.Header, now time.Time) time.Duration {
	if d := httperr.RetryAfter(h, now); d > 0 {
		return max(d, time.Second)
	}
	if s, err := strconv.ParseInt(h.Get("RateLimit-Reset"), 10, 64); err == nil {
		return min(max(time.Unix(s, 0).Sub(now), time.Second), 24*time.Hour)
	}
	return time.Minute
}

// isNotFound reports whether the host does not know what a request is about, or hides it.
func isNotFound(err error) bool { return errors.Is(err, gl.ErrNotFound) }

// errEmpty is retryable: if it counted as an answer without entries, everything
// would be posted again.
var errEmpty = errors.New("the answer is empty")

// pages collects the pages of a list.
func pages[T any](ctx context.Context, c *Client, t task, list func(gl.ListOptions) ([]*T, *gl.Response, error)) ([]*T, error) {
	var all []*T
	opts := gl.ListOptions{PerPage: 100, Page: 1}
	for {
		var page []*T
		var next int64
		err := c.call.Call(ctx, t, func() error {
			var resp *gl.Response
			var err error
			page, resp, err = list(opts)
			switch {
			case err != nil:
				return err
			case page == nil, slices.Contains(page, nil):
				return errEmpty
			}
			next = resp.NextPage
			return nil
		})
		if err != nil {
			return nil, err
		}
		all = append(all, page...)
		if next <= opts.Page {
			return all, nil
		}
		opts.Page = next
	}
}
