// Package retry is the loop that repeats what failed, for requests to models and
// to code hosts.
package retry

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/cenkalti/backoff/v4"
)

// Policy bounds the repetitions.
type Policy struct {
	// Retries is the number of attempts after the first.
	Retries int
	// Initial is the delay before the first retry. It doubles with every retry,
	// up to Max. Zero means no delay.
	Initial, Max time.Duration
	// Jitter changes a delay, see [FullJitter]. Nil leaves it as it is.
	Jitter func(delay time.Duration) time.Duration
}

// Do calls attempt until it succeeds, fails for good, or the policy is used up. It
// returns nil or the error of the last attempt.
//
// With an error, attempt reports whether it is to be called again, and how long to
// wait at least; the delay of the policy can be longer.
//
// When ctx has ended, that overrides what attempt returned: the error is, or
// wraps, ctx.Err(). It also wraps the error that was being waited out, if there
// was one.
//
// notify, if not nil, is called before each wait, with the delay and the error
// that is the reason.
func Do(ctx context.Context, p Policy, attempt func() (again bool, wait time.Duration, err error), notify func(delay time.Duration, err error)) error {
	if notify == nil {
		notify = func(time.Duration, error) {}
	}
	var last error // of the last attempt that ended before ctx did
	d := &delays{ceilings: p.ceilings(), jitter: p.Jitter}
	err := backoff.RetryNotify(func() error {
		if err := ctx.Err(); err != nil {
			return backoff.Permanent(err)
		}
		again, wait, err := attempt()
		if err == nil {
			return nil
		}
		if cerr := ctx.Err(); cerr != nil {
			return backoff.Permanent(cerr)
		}
		if last = err; !again {
			return backoff.Permanent(err)
		}
		d.floor = wait
		return err
	}, backoff.WithContext(backoff.WithMaxRetries(d, uint64(p.Retries)), ctx), func(err error, delay time.Duration) { notify(delay, err) })

	// The library drops the last error when ctx ends, and unwraps permanent ones.
	switch cerr := ctx.Err(); {
	case err == nil:
		return nil
	case cerr == nil:
		return last
	case last == nil:
		return cerr
	default:
		return fmt.Errorf("%w while waiting to retry: %w", cerr, last)
	}
}

func (p Policy) ceilings() backoff.BackOff {
	if p.Initial <= 0 {
		return &backoff.ZeroBackOff{}
	}
	return backoff.NewExponentialBackOff(
		backoff.WithInitialInterval(min(p.Initial, p.Max)),
		backoff.WithMultiplier(2),
		backoff.WithMaxInterval(p.Max),
		backoff.WithRandomizationFactor(0), // Jitter is for that
		backoff.WithMaxElapsedTime(0),      // the number of retries is the bound
	)
}

// delays applies the jitter to every delay, which is never below the floor.
type delays struct {
	ceilings backoff.BackOff
	jitter   func(time.Duration) time.Duration
	floor    time.Duration
}

var _ backoff.BackOff = (*delays)(nil)

func (d *delays) NextBackOff() time.Duration {
	delay := d.ceilings.NextBackOff()
	if d.jitter != nil {
		delay = d.jitter(delay)
	}
	return max(delay, d.floor)
}

func (d *delays) Reset() { d.ceilings.Reset() }

// FullJitter returns a duration between zero and delay, both included, so that
// requests which failed together do not come back together.
func FullJitter(delay time.Duration) time.Duration {
	return time.Duration(rand.Int64N(int64(delay) + 1))
}
