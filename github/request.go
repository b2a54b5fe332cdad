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
	"github.com/codescan-dev/scanner/internal/retry"
	"github.com/codescan-dev/scanner/internal/text"
	"github.com/codescan-dev/scanner/review"
	gh "github.com/google/go-github/v92/github"
)

// task describes a request.
type task struct {
	doing      string // for messages: "creating a review"
	permission string // what it needs
	// once is set for a write that must not be repeated when there was no answer:
	// it may have been carried out.
	once bool
}

const (
	maxRetries = 4
	// maxWait is the longest wait for a rate limit to reset.
	maxWait = 2 * time.Minute
)

// call makes a request, and repeats it when the host is busy.
func (c *Client) call(ctx context.Context, t task, request func() error) error {
	policy := retry.Policy{Retries: maxRetries, Initial: time.Second, Max: time.Minute}
	return retry.Do(ctx, policy, func() (again bool, wait time.Duration, err error) {
		if err = request(); err == nil {
			return false, 0, nil
		}
		if wait, ok := limitOf(err); ok {
			return wait <= maxWait, wait, &review.LimitError{Doing: t.doing, Wait: wait}
		}
		if !isTransient(err) {
			return false, 0, c.refusal(t, err)
		}
		return !t.once, 0, c.failed(t, err)
	}, func(delay time.Duration, err error) {
		c.log(fmt.Sprintf("%v: trying again in %s", err, delay.Round(time.Second)))
	})
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

// isTransient reports whether a request may succeed when it is made again.
func isTransient(err error) bool {
	if errors.Is(err, errRedirect) {
		return false
	}
	if e, ok := errors.AsType[*graphQLError](err); ok {
		return e.kind == ""
	}
	// Without a status there was no answer, or none that could be read.
	status := statusOf(err)
	return status == 0 || status >= 500
}

// refusal returns the error that a refusal means to a caller.
func (c *Client) refusal(t task, err error) error {
	e, isGraphQL := errors.AsType[*graphQLError](err)
	switch status := statusOf(err); {
	case status == http.StatusUnauthorized:
		return fmt.Errorf("%w while %s", review.ErrUnauthorized, t.doing)
	case status == http.StatusForbidden && lacksPermission(err), isGraphQL && (e.kind == "FORBIDDEN" && lacksPermission(err) || e.kind == "INSUFFICIENT_SCOPES"):
		return &review.PermissionError{Doing: t.doing, Permission: permissionOf(t, err), Reason: c.clean(message(err))}
	}
	return c.failed(t, err)
}

// lacksPermission reports whether a refusal is about the permissions of the token. The
// host also refuses for other reasons, which a permission does not help against: a
// locked conversation, single sign-on, a list of addresses.
func lacksPermission(err error) bool {
	return strings.HasPrefix(message(err), "Resource not accessible by ")
}

// message returns what the host answered to a refused request.
func message(err error) string {
	if e, ok := errors.AsType[*gh.ErrorResponse](err); ok {
		return e.Message
	}
	e, _ := errors.AsType[*graphQLError](err)
	return e.message
}

// permissionOf returns the permission that a refused request needs. The host names
// some in a header, as in "issues=write; pull_requests=write", of which one is enough.
// The one that later requests need, too, may be among them, or be named for reading.
func permissionOf(t task, err error) string {
	e, ok := errors.AsType[*gh.ErrorResponse](err)
	if !ok {
		return t.permission
	}
	named := strings.NewReplacer(" ", "", "_", "-", "=", ": ").Replace(text.OneLine(e.Response.Header.Get("X-Accepted-GitHub-Permissions")))
	resource, _, _ := strings.Cut(t.permission, " ")
	if named == "" || strings.Contains(named, resource) {
		return t.permission
	}
	return strings.NewReplacer(";", "` or `", ",", "` and `").Replace(text.Truncate(named, 100))
}

// failure is a request that failed. The texts of the host and the library are not
// part of its message as they are: an answer may repeat the token.
type failure struct {
	text string
	err  error
	once bool
}

func (e *failure) Error() string { return e.text }

func (e *failure) Unwrap() error { return e.err }

// Is makes the failure of a write that must not be repeated an
// [review.ErrUnanswered].
func (e *failure) Is(target error) bool {
	return target == review.ErrUnanswered && e.once && isTransient(e.err)
}

// failed returns an error with the reason why a request failed.
func (c *Client) failed(t task, err error) error {
	return &failure{t.doing + ": " + c.clean(reason(err)), err, t.once}
}

// clean makes a text of the host fit for a message.
func (c *Client) clean(s string) string {
	// The token may be complete only when the text is clean, and must not be cut.
	return text.Truncate(c.redact(text.OneLine(c.redact(s))), 400)
}

// redact returns s without the token.
func (c *Client) redact(s string) string {
	if c.token == "" {
		return s
	}
	return strings.ReplaceAll(s, c.token, "***")
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
		err := c.call(ctx, t, func() error {
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
