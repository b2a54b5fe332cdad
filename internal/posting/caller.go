// Package posting is what the clients of code hosts share: requests that are repeated
// while a host is busy ([Caller]), and the writes of a plan, of which a host may refuse
// some ([Writer]).
package posting

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/codescan-dev/scanner/internal/httperr"
	"github.com/codescan-dev/scanner/internal/retry"
	"github.com/codescan-dev/scanner/review"
)

// Task describes a request.
type Task struct {
	Doing      string // for messages: "creating a review"
	Permission string // what it needs
	// Once is set for a write that must not be repeated when there was no answer:
	// it may have been carried out.
	Once bool
}

// needs returns the permission that is missing, of which the host may name some. That of
// the task covers more requests, if it is for the same.
func (t Task) needs(named string) string {
	resource, _, _ := strings.Cut(t.Permission, " ")
	if named == "" || resource != "" && strings.Contains(named, resource) {
		return t.Permission
	}
	return named
}

// Kind is what the error of a request means.
type Kind int

// The kinds of errors.
const (
	// Refused is an answer that another attempt does not change.
	Refused Kind = iota
	// Unanswered means that there was no answer, or none that could be read.
	Unanswered
	// Unauthorized means that the host does not accept the token.
	Unauthorized
	// Denied means that the token lacks the permission.
	Denied
	// Forbidden means that all writes of the kind are refused, for another reason.
	Forbidden
	// Limited means that a rate limit was hit.
	Limited
)

// Verdict is what the error of a request means.
type Verdict struct {
	Kind Kind
	// Wait is how long a limit lasts.
	Wait time.Duration
	// Permission is what the host names; empty if it names none.
	Permission string
	// Reason is for people. It is untrusted, and may contain the token.
	Reason string
}

// Caller makes requests.
type Caller struct {
	// Judge returns what the error of a request means.
	Judge func(error) Verdict
	// Clean makes the texts of a host safe for messages.
	Clean httperr.Cleaner
	// Log receives messages about waits and repeated requests; it may be nil.
	Log func(string)
}

const (
	maxRetries = 4
	// maxWait is the longest wait for a rate limit to reset.
	maxWait = 2 * time.Minute
)

// Call makes a request, and repeats it when the host is busy. The error is or wraps
// [review.ErrUnauthorized], a [*review.PermissionError], a [*review.LimitError],
// [review.ErrUnanswered] for a write that must not be repeated, or what request
// returned.
func (c *Caller) Call(ctx context.Context, t Task, request func() error) error {
	policy := retry.Policy{Retries: maxRetries, Initial: time.Second, Max: time.Minute}
	return retry.Do(ctx, policy, func() (again bool, wait time.Duration, err error) {
		if err = request(); err == nil {
			return false, 0, nil
		}
		switch v := c.Judge(err); v.Kind {
		case Limited:
			return v.Wait <= maxWait, v.Wait, &review.LimitError{Doing: t.Doing, Wait: v.Wait}
		case Unauthorized:
			return false, 0, fmt.Errorf("%w while %s", review.ErrUnauthorized, t.Doing)
		case Denied:
			return false, 0, &review.PermissionError{Doing: t.Doing, Permission: t.needs(v.Permission), Reason: c.Clean.Clean(v.Reason)}
		default:
			return v.Kind == Unanswered && !t.Once, 0, &failure{t.Doing + ": " + c.Clean.Clean(v.Reason), err, v.Kind, t.Once}
		}
	}, func(delay time.Duration, err error) {
		if c.Log != nil {
			c.Log(fmt.Sprintf("%v: trying again in %s", err, delay.Round(time.Second)))
		}
	})
}

// failure is a request that failed. The texts of the host and the library are not
// part of its message as they are: an answer may repeat the token.
type failure struct {
	text string
	err  error
	kind Kind
	once bool
}

func (e *failure) Error() string { return e.text }

func (e *failure) Unwrap() error { return e.err }

// Is makes the failure of a write that must not be repeated an
// [review.ErrUnanswered].
func (e *failure) Is(target error) bool {
	return target == review.ErrUnanswered && e.once && e.kind == Unanswered
}

// IsFatal reports whether an error of [Caller.Call] ends the posting. The refusal of
// one request does not.
func IsFatal(err error) bool {
	return !IsDenied(err) && (!IsFailure(err) || IsUnanswered(err))
}

// IsDenied reports whether the token lacks a permission.
func IsDenied(err error) bool {
	_, ok := errors.AsType[*review.PermissionError](err)
	return ok
}

// IsFailure reports whether a request was refused, or not answered, other than for its
// token or a limit.
func IsFailure(err error) bool {
	_, ok := errors.AsType[*failure](err)
	return ok
}

// IsUnanswered reports whether a request was not answered.
func IsUnanswered(err error) bool {
	e, ok := errors.AsType[*failure](err)
	return ok && e.kind == Unanswered
}

func isForbidden(err error) bool {
	e, ok := errors.AsType[*failure](err)
	return ok && e.kind == Forbidden
}
