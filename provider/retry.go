package provider

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/codescan-dev/scanner/internal/retry"
)

const (
	defaultMaxRetries   = 3
	defaultInitialDelay = time.Second
	// maxDelay is the largest ceiling of a delay.
	maxDelay = 30 * time.Second
	// maxRetryAfter is the longest wait that a provider can request.
	maxRetryAfter = 60 * time.Second
)

// The values of a [RetryPolicy] that mean none, for which 0 is the default.
const (
	NoRetries int           = -1
	NoDelay   time.Duration = -1
)

// RetryPolicy bounds how often, and after what delay, a request is tried again.
type RetryPolicy struct {
	// MaxRetries is the number of attempts after the first. 0 means 3; with
	// [NoRetries], or any negative number, there are none.
	MaxRetries int
	// InitialDelay is the ceiling of the first delay; it doubles with every
	// retry, up to 30 seconds. The delay itself is drawn between zero and the
	// ceiling (full jitter), so that requests which failed together do not come
	// back together. 0 means one second; with [NoDelay], or any negative
	// duration, there is no delay.
	InitialDelay time.Duration
	// First is set for a request that continues what others began: it starts before
	// those that wait, as all retries do.
	First bool
}

// Retry calls f until it succeeds, fails for good, or the policy is used up. It
// returns the number of retries that were begun, and nil or the error of the
// last attempt. It is the only retry loop; providers make single attempts.
//
// Every attempt holds a slot of l while f runs and gives it back before the
// wait, so a request that waits blocks no other.
//
// admit, if not nil, is called when it is the turn of an attempt, with l locked. If it
// returns false, the attempt and all that wait behind it wait on, and it is called
// again when one that holds a slot has ended: it must return true when none does. After
// true, f is called in any case.
//
// An error of f is tried again when its [Kind] is Retryable and it does not end the
// run ([EndsRun]). A plain [context.DeadlineExceeded] while ctx is alive is the
// deadline of that one attempt, which f sets: it becomes an *[Error] of
// [KindTimeout]. The RetryAfter of a retryable error is the least delay, up to one
// minute, and pauses l: it holds for all requests.
//
// When ctx has ended, that overrides what f returned: the error is, or wraps,
// ctx.Err(). It also wraps the failure that was being waited out, if there was
// one.
//
// notify, if not nil, is called before each wait with the number of the coming
// retry (from 1), the number of retries that are allowed, the delay, and the
// error that is the reason. It must not block.
func (p RetryPolicy) Retry(ctx context.Context, l *Limiter, admit func() bool, f func(context.Context) error, notify func(attempt, max int, delay time.Duration, err error)) (retries int, err error) {
	attempts, allowed := 0, max(cmp.Or(p.MaxRetries, defaultMaxRetries), 0)
	policy := retry.Policy{
		Retries: allowed,
		Initial: max(cmp.Or(p.InitialDelay, defaultInitialDelay), 0),
		Max:     maxDelay,
		Jitter:  retry.FullJitter,
	}
	try := func(first bool) (again, free bool, wait time.Duration, err error) {
		release, err := l.acquire(ctx, first, admit)
		if err != nil {
			return false, false, 0, err
		}
		defer release()
		start := time.Now()
		err = asTimeout(f(ctx))
		// Before the slot is given back, so that no other request gets it in between.
		again, wait = KindOf(err).Retryable() && !EndsRun(err), retryAfter(err)
		switch {
		case err == nil:
			l.success()
		case again && KindOf(err) == KindRateLimit:
			free = l.refused(start, wait)
		case again:
			l.pause(wait)
		}
		return again, free, wait, err
	}
	err = retry.Do(ctx, policy, func() (bool, time.Duration, error) {
		attempts++
		for first := p.First || attempts > 1; ; first = true {
			again, free, wait, err := try(first)
			if !free || ctx.Err() != nil {
				return again, wait, err
			}
		}
	}, func(delay time.Duration, err error) {
		if notify != nil {
			notify(attempts, allowed, delay, err)
		}
	})
	return max(attempts-1, 0), err
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
	return min(max(e.RetryAfter, 0), maxRetryAfter)
}
