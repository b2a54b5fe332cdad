package provider

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

// DefaultConcurrency is the number of requests in flight by default.
const DefaultConcurrency = 8

// Limiter bounds the requests in flight and makes all of them wait together
// when a provider requests it. All requests to the same provider share one
// Limiter.
//
// Slots are handed out in the order of the calls, so no request starves. The zero
// Limiter is ready to use, with [DefaultConcurrency] slots. A Limiter is safe for
// concurrent use and must not be copied.
type Limiter struct {
	size  int // 0 means DefaultConcurrency
	once  sync.Once
	slots *semaphore.Weighted

	mu    sync.Mutex
	until time.Time // no slot is handed out before
}

// NewLimiter returns a Limiter that lets n requests run at a time. n < 1 means
// [DefaultConcurrency].
func NewLimiter(n int) *Limiter {
	return &Limiter{size: max(n, 0)}
}

// Size returns the number of slots.
func (l *Limiter) Size() int {
	if l.size == 0 {
		return DefaultConcurrency
	}
	return l.size
}

// acquire waits for a free slot and for the end of any pause, in the order of
// the calls. It returns ctx's error when ctx ends first; then no slot is held
// and release is nil.
//
// The caller must call release when the request is over. Further calls of
// release do nothing.
func (l *Limiter) acquire(ctx context.Context) (release func(), err error) {
	l.once.Do(func() { l.slots = semaphore.NewWeighted(int64(l.Size())) })
	if err := l.slots.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	release = sync.OnceFunc(func() { l.slots.Release(1) })
	// A pause can be made longer while requests wait for it. They hold slots, which
	// no other request could use.
	for d := l.paused(); d > 0; d = l.paused() {
		select {
		case <-time.After(d):
		case <-ctx.Done():
			release()
			return nil, ctx.Err()
		}
	}
	return release, nil
}

// pause keeps every later acquire, and all that are waiting now, until d has
// passed from now. Pauses do not add up: the latest end counts. Slots already
// held are not affected.
func (l *Limiter) pause(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if until := time.Now().Add(d); until.After(l.until) {
		l.until = until
	}
}

// paused returns how long the pause lasts.
func (l *Limiter) paused() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Until(l.until)
}
