package provider

import (
	"context"
	"time"
)

// Limiter bounds the requests in flight and makes all of them wait together
// when a provider asks for time. One Limiter is shared by everything that talks
// to the same provider. It is safe for concurrent use.
type Limiter struct {
	// implemented by the provider helper
}

// DefaultConcurrency is the number of requests in flight when nothing else is
// asked for.
const DefaultConcurrency = 8

// NewLimiter returns a Limiter that lets n requests run at a time. n < 1 means
// [DefaultConcurrency].
func NewLimiter(n int) *Limiter { return &Limiter{} }

// Acquire waits for a free slot and for the end of any pause, in the order of
// the calls. It returns ctx's error when ctx ends first; then no slot is held.
// The caller must call release exactly once.
func (l *Limiter) Acquire(ctx context.Context) (release func(), err error) { return func() {}, nil }

// Pause keeps every later Acquire waiting until d has passed from now. Pauses
// do not add up: the latest end counts. Slots already held are not affected.
func (l *Limiter) Pause(d time.Duration) {}
