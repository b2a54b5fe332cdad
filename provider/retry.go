package provider

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/codescan-dev/scanner/internal/retry"
)

// The defaults and bounds of a [RetryPolicy].
const (
	DefaultMaxRetries   = 3
	DefaultInitialDelay = time.Second
	// MaxDelay is where the ceiling of the delay stops doubling.
	MaxDelay = 30 * time.Second
	// MaxRetryAfter is the longest wait that a provider can ask for.
	MaxRetryAfter = 60 * time.Second
)

// RetryPolicy bounds how often, and after what delay, a request is tried again.
// The zero value is the documented default.
type RetryPolicy struct {
	// MaxRetries is the number of attempts after the first. 0 means
	// [DefaultMaxRetries], -1 none.
	MaxRetries int
	// InitialDelay is the ceiling of the first delay; it doubles with every
	// retry, up to [MaxDelay]. The delay itself is drawn between zero and the
	// ceiling (full jitter), so that requests which failed together do not come
	// back together. 0 means [DefaultInitialDelay], -1 no delay.
	InitialDelay time.Duration
}

// Validate returns an error that names a field with a negative value other than
// -1.
func (p RetryPolicy) Validate() error {
	if p.MaxRetries < -1 {
		return fmt.Errorf("invalid retry policy: MaxRetries is %d; want a number of retries, 0 for the default (%d) or -1 for none",
			p.MaxRetries, DefaultMaxRetries)
	}
	if p.InitialDelay < -1 {
		return fmt.Errorf("invalid retry policy: InitialDelay is %v; want a duration, 0 for the default (%v) or -1 for none",
			p.InitialDelay, DefaultInitialDelay)
	}
	return nil
}

// Retries returns the number of retries that p allows, with the default filled
// in.
func (p RetryPolicy) Retries() int {
	switch {
	case p.MaxRetries == 0:
		return DefaultMaxRetries
	case p.MaxRetries < 0:
		return 0
	}
	return p.MaxRetries
}

// Retry calls f until it succeeds, fails for good, or the policy is used up. It
// returns the number of retries that were begun, and nil or the error of the
// last attempt. It is the only retry loop; providers make single attempts.
//
// Every attempt holds a slot of l while f runs and gives it back before the
// wait, so a request that waits blocks no other.
//
// An error of f is tried again when its [Kind] is Retryable. A plain
// [context.DeadlineExceeded] while ctx is alive is the deadline of that one
// attempt, which f sets: it becomes an *[Error] of [KindTimeout]. The RetryAfter
// of a retryable error is the least delay, up to [MaxRetryAfter], and pauses l:
// it holds for all requests.
//
// When ctx has ended, that overrides what f returned: the error is, or wraps,
// ctx.Err(). It also wraps the failure that was being waited out, if there was
// one.
//
// notify, if not nil, is called before each wait with the number of the coming
// retry (from 1), the number of retries that are allowed, the delay, and the
// error that is the reason. It must not block.
//
// A policy that does not pass [RetryPolicy.Validate] is an error, and f is not
// called.
func (p RetryPolicy) Retry(ctx context.Context, l *Limiter, f func(context.Context) error, notify func(attempt, max int, delay time.Duration, err error)) (retries int, err error) {
	if err := p.Validate(); err != nil {
		return 0, err
	}
	attempts, allowed := 0, p.Retries()
	err = retry.Do(ctx, retry.Policy{Retries: allowed, Initial: p.initialDelay(), Max: MaxDelay, Jitter: retry.FullJitter}, func() (bool, time.Duration, error) {
		release, err := l.Acquire(ctx)
		if err != nil {
			return false, 0, err
		}
		defer release()
		attempts++
		err = asTimeout(f(ctx))
		again, wait := KindOf(err).Retryable(), retryAfter(err)
		if again {
			l.Pause(wait) // before the slot is given back, so that no other request gets it in between
		}
		return again, wait, err
	}, func(delay time.Duration, err error) {
		if notify != nil {
			notify(attempts, allowed, delay, err)
		}
	})
	return max(attempts-1, 0), err
}

// initialDelay returns InitialDelay with the default filled in.
func (p RetryPolicy) initialDelay() time.Duration {
	if p.InitialDelay == 0 {
		return DefaultInitialDelay
	}
	return max(p.InitialDelay, 0)
}

// asTimeout classifies the end of an attempt's own deadline.
func asTimeout(err error) error {
	if KindOf(err) == KindUnknown && errors.Is(err, context.DeadlineExceeded) {
		return &Error{Kind: KindTimeout, Message: "no answer in time", Err: err}
	}
	return err
}

// retryAfter returns the wait that err requests, within its bounds.
func retryAfter(err error) time.Duration {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return 0
	}
	return min(max(e.RetryAfter, 0), MaxRetryAfter)
}
