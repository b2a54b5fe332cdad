package github

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/codescan-dev/scanner/internal/httperr"
	"github.com/codescan-dev/scanner/internal/posting"
	"github.com/codescan-dev/scanner/internal/text"
	gh "github.com/google/go-github/v92/github"
)

// task describes a request.
type task = posting.Task

// judge returns what the error of a request means.
func judge(err error) posting.Verdict {
	if wait, ok := limitOf(err); ok {
		return posting.Verdict{Kind: posting.Limited, Wait: wait}
	}
	v := posting.Verdict{Reason: reason(err)}
	e, _ := errors.AsType[*graphQLError](err)
	switch status := statusOf(err); {
	case errors.Is(err, errRedirect):
	case e != nil && e.kind == "INSUFFICIENT_SCOPES", strings.HasPrefix(message(err), "Resource not accessible by "):
		v = posting.Verdict{Kind: posting.Denied, Permission: permissionOf(err), Reason: message(err)}
	case status == http.StatusUnauthorized:
		v.Kind = posting.Unauthorized
	case status == http.StatusForbidden:
		// Permissions do not help: the conversation is locked, or the organization wants
		// single sign-on, or lets only some addresses in.
		v.Kind = posting.Forbidden
	case e != nil && e.kind == "", e == nil && (status == 0 || status >= 500):
		v.Kind = posting.Unanswered
	}
	return v
}

// limitOf reports whether a limit was hit, and how long it lasts. If the host gives
// no time it is a minute, as its documentation asks for.
func limitOf(err error) (time.Duration, bool) {
	if e, ok := errors.AsType[*gh.RateLimitError](err); ok {
		return max(time.Until(e.Rate.Reset.Time), time.Second), true
	}
	if e, ok := errors.AsType[*gh.AbuseRateLimitError](err); ok {
		if e.RetryAfter != nil {
			return max(*e.RetryAfter, time.Second), true
		}
		return time.Minute, true
	}
	if e, ok := errors.AsType[*graphQLError](err); ok && e.kind == "RATE_LIMITED" {
		return time.Minute, true
	}
	e, ok := errors.AsType[*gh.ErrorResponse](err)
	if !ok {
		return 0, false
	}
	switch e.Response.StatusCode {
	case http.StatusUnprocessableEntity:
		return time.Minute, strings.Contains(err.Error(), "submitted too quickly")
	case http.StatusTooManyRequests, http.StatusForbidden:
		if d := httperr.RetryAfter(e.Response.Header, time.Now()); d > 0 {
			return max(d, time.Second), true
		}
	}
	return time.Minute, e.Response.StatusCode == http.StatusTooManyRequests
}

// statusOf returns the status of an answer with an error; 0 if there was none.
func statusOf(err error) int {
	if e, ok := errors.AsType[*gh.ErrorResponse](err); ok {
		return e.Response.StatusCode
	}
	return 0
}

// message returns what the host answered to a refused request; empty if that was nothing.
func message(err error) string {
	if e, ok := errors.AsType[*gh.ErrorResponse](err); ok {
		return e.Message
	}
	if e, ok := errors.AsType[*graphQLError](err); ok {
		return e.message
	}
	return ""
}

// permissionOf returns the permissions that the host names for a refused request, as a
// workflow writes them. In its header, "issues=write; pull_requests=write", one of them
// is enough.
func permissionOf(err error) string {
	e, ok := errors.AsType[*gh.ErrorResponse](err)
	if !ok {
		return ""
	}
	named := text.Truncate(text.OneLine(e.Response.Header.Get("X-Accepted-GitHub-Permissions")), 100)
	return strings.NewReplacer(" ", "", "_", "-", "=", ": ", ";", "` or `", ",", "` and `").Replace(named)
}

// reason returns why a request failed.
func reason(err error) string {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err.Error() // the address adds nothing
	}
	e, ok := errors.AsType[*gh.ErrorResponse](err)
	if !ok {
		return err.Error()
	}
	status := e.Response.StatusCode
	switch {
	case status == http.StatusNotFound:
		return "not found, or the token has no access to it"
	case status >= 500:
		return fmt.Sprintf("the code host answered with status %d", status)
	}
	parts := []string{fmt.Sprintf("the code host refused it with status %d", status), e.Message}
	for _, d := range e.Errors {
		parts = append(parts, cmp.Or(d.Message, strings.TrimSpace(d.Field+" "+strings.ReplaceAll(d.Code, "_", " "))))
	}
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), ": ")
}

// errEmpty is retryable: if it counted as an answer without entries, everything
// would be posted again.
var errEmpty = errors.New("the answer is empty")

// pages collects the pages of a list.
func pages[T any](ctx context.Context, c *Client, t task, list func(gh.ListOptions) ([]T, *gh.Response, error)) ([]T, error) {
	var all []T
	opts := gh.ListOptions{PerPage: 100, Page: 1}
	for {
		var page []T
		var next int
		err := c.call.Call(ctx, t, func() error {
			var resp *gh.Response
			var err error
			page, resp, err = list(opts)
			switch {
			case err != nil:
				return err
			case page == nil: // the library returns no error for an empty body
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
