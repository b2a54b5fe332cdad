package provider

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/cenkalti/backoff/v4"
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

// RetryPolicy says how often and after what delay a request is tried again.
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

// Validate returns an error that names the field that has a value without
// meaning: a negative other than -1.
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
// last attempt. It is the one retry loop; providers make single attempts.
//
// Every attempt holds a slot of l while f runs and gives it back before the
// wait, so a request that waits blocks no other. A nil l means no limit.
//
// An error of f is tried again when its [Kind] is Retryable. A plain
// [context.DeadlineExceeded] while ctx is alive is the deadline of that one
// attempt, which f sets: it becomes an *[Error] of [KindTimeout]. The RetryAfter
// of a retryable error is the least delay, up to [MaxRetryAfter], and pauses l:
// what the provider asks of one request holds for all.
//
// When ctx has ended, that decides, whatever f returned: the error is, or wraps,
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
	return p.retry(ctx, l, f, notify, fullJitter)
}

// retry is Retry with the source of randomness as an argument.
func (p RetryPolicy) retry(ctx context.Context, l *Limiter, f func(context.Context) error, notify func(attempt, max int, delay time.Duration, err error), draw func(ceiling time.Duration) time.Duration) (int, error) {
	if err := p.Validate(); err != nil {
		return 0, err
	}
	var (
		attempts int
		last     error // of the last attempt that ended before ctx did
		final    bool  // last is not to be retried
		wait     = &delays{ceilings: p.ceilings(), draw: draw}
	)
	operation := func() error {
		release, err := l.acquire(ctx)
		if err != nil {
			return backoff.Permanent(err)
		}
		attempts++
		defer release()
		if err = f(ctx); err == nil {
			return nil
		}
		if cerr := ctx.Err(); cerr != nil {
			return backoff.Permanent(cerr)
		}
		last = asTimeout(err)
		if final = !KindOf(last).Retryable(); final {
			return backoff.Permanent(last)
		}
		// Before the slot is given back, so that nobody gets it in between.
		wait.floor = retryAfter(last)
		l.pause(wait.floor)
		return last
	}
	allowed := p.Retries()
	err := backoff.RetryNotify(operation,
		backoff.WithContext(backoff.WithMaxRetries(wait, uint64(allowed)), ctx),
		func(err error, delay time.Duration) {
			if notify != nil {
				notify(attempts, allowed, delay, err)
			}
		})

	retries := max(attempts-1, 0)
	if err == nil {
		return retries, nil
	}
	// The library drops the last error when ctx ends, and unwraps permanent
	// ones, so what is returned is put together here.
	cerr := ctx.Err()
	switch {
	case final || cerr == nil:
		return retries, last
	case last == nil:
		return retries, cerr
	default:
		return retries, fmt.Errorf("%w while waiting to retry: %w", cerr, last)
	}
}

// ceilings returns the sequence of the largest delays: InitialDelay, doubling.
func (p RetryPolicy) ceilings() backoff.BackOff {
	initial := p.InitialDelay
	switch {
	case initial == 0:
		initial = DefaultInitialDelay
	case initial < 0:
		return &backoff.ZeroBackOff{}
	}
	return backoff.NewExponentialBackOff(
		backoff.WithInitialInterval(min(initial, MaxDelay)),
		backoff.WithMultiplier(2),
		backoff.WithMaxInterval(MaxDelay),
		backoff.WithRandomizationFactor(0), // delays draws
		backoff.WithMaxElapsedTime(0),      // the number of retries is the bound
	)
}

// delays draws every delay between zero and the ceiling of its turn, but never
// below floor.
type delays struct {
	ceilings backoff.BackOff
	draw     func(ceiling time.Duration) time.Duration
	floor    time.Duration
}

var _ backoff.BackOff = (*delays)(nil)

func (d *delays) NextBackOff() time.Duration {
	return max(d.draw(d.ceilings.NextBackOff()), d.floor)
}

func (d *delays) Reset() { d.ceilings.Reset() }

// fullJitter returns a duration between zero and ceiling, both included.
func fullJitter(ceiling time.Duration) time.Duration {
	return time.Duration(rand.Int64N(int64(ceiling) + 1))
}

// asTimeout classifies the end of an attempt's own deadline.
func asTimeout(err error) error {
	if KindOf(err) == KindUnknown && errors.Is(err, context.DeadlineExceeded) {
		return &Error{Kind: KindTimeout, Message: "no answer in time", Err: err}
	}
	return err
}

// retryAfter returns the wait that err asks for, in its bounds.
func retryAfter(err error) time.Duration {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return 0
	}
	return min(max(e.RetryAfter, 0), MaxRetryAfter)
}

// acquire is Acquire for a Limiter that may be nil.
func (l *Limiter) acquire(ctx context.Context) (release func(), err error) {
	if l == nil {
		return func() {}, ctx.Err()
	}
	return l.Acquire(ctx)
}

// pause is Pause for a Limiter that may be nil.
func (l *Limiter) pause(d time.Duration) {
	if l != nil {
		l.Pause(d)
	}
}
