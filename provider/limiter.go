package provider

import (
	"container/list"
	"context"
	"sync"
	"time"
)

// DefaultConcurrency is the number of requests in flight by default.
const DefaultConcurrency = 8

// Limiter bounds the requests in flight, and adapts to what a provider accepts.
// All requests to the same provider share one Limiter.
//
// Requests start in the order in which they wait, those that were refused for a
// rate limit before all others.
//
// A refusal lowers the number in flight to what the server accepted. If the server
// refuses even a single request, or accepts one more after a while although none
// has ended, it limits the rate. The Limiter then counts how many requests are
// accepted between two refusals, and keeps that distance between the starts. After
// ten requests without a refusal it tries one more in flight, or a distance that is
// shorter by up to a tenth; after a Retry-After also not before ten times that wait,
// which holds all requests.
//
// The zero Limiter is ready to use, with [DefaultConcurrency] slots. A Limiter is
// safe for concurrent use and must not be copied.
type Limiter struct {
	size int // 0 means DefaultConcurrency

	mu      sync.Mutex
	waiting list.List // of *waiter
	running int
	timer   *time.Timer // calls dispatch when a wait ends
	until   time.Time   // no request starts before

	learned
}

// NewLimiter returns a Limiter that lets at most n requests run at a time. n < 1
// means [DefaultConcurrency].
func NewLimiter(n int) *Limiter {
	return &Limiter{size: max(n, 0)}
}

// Size returns the largest number of requests in flight.
func (l *Limiter) Size() int {
	if l.size == 0 {
		return DefaultConcurrency
	}
	return l.size
}

// waiter is a request that waits for its start.
type waiter struct {
	start chan struct{} // closed when it may start
	admit func() bool   // see [RetryPolicy.Retry]; may be nil
}

// acquire waits until a request may start: in the order of the calls, or before
// all others if it was refused before, and when admit returns true. It returns ctx's
// error when ctx ends first; then release is nil.
//
// The caller must call release when the request is over. Further calls of
// release do nothing.
func (l *Limiter) acquire(ctx context.Context, first bool, admit func() bool) (release func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	w := &waiter{make(chan struct{}), admit}
	l.mu.Lock()
	var e *list.Element
	if first {
		e = l.waiting.PushFront(w)
	} else {
		e = l.waiting.PushBack(w)
	}
	l.dispatch()
	l.mu.Unlock()

	release = sync.OnceFunc(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.running--
		l.dispatch()
	})
	select {
	case <-w.start:
		return release, nil
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-w.start: // meanwhile: what admit did is for the caller to undo
		return release, nil
	default:
	}
	l.waiting.Remove(e)
	l.dispatch()
	return nil, ctx.Err()
}

// dispatch starts the requests that may start now. l.mu is held.
func (l *Limiter) dispatch() {
	for l.waiting.Len() > 0 {
		now, at := time.Now(), later(l.until, l.paced)
		if l.running >= l.inFlight() {
			if l.above.IsZero() {
				return
			}
			at = later(at, l.above)
		}
		if d := at.Sub(now); d > 0 {
			if l.timer != nil {
				l.timer.Stop()
			}
			l.timer = time.AfterFunc(d, func() {
				l.mu.Lock()
				defer l.mu.Unlock()
				l.dispatch()
			})
			return
		}
		w := l.waiting.Front().Value.(*waiter)
		if w.admit != nil && !w.admit() {
			return // until a request is over
		}
		if l.running >= l.inFlight() {
			l.above, l.isAbove = time.Time{}, true
		}
		l.running++
		l.accepted++
		if l.rate {
			l.pace(now)
		}
		l.waiting.Remove(l.waiting.Front())
		close(w.start)
	}
}

// inFlight returns how many requests may be in flight.
func (l *Limiter) inFlight() int {
	if l.limit == 0 {
		return l.Size()
	}
	return l.limit
}

// Wait returns how long no request can start because the server limits the rate; 0 if
// that holds none.
func (l *Limiter) Wait() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.until
	if l.waiting.Len() > 0 {
		at = later(at, l.paced)
	}
	return max(0, time.Until(at))
}

// pause keeps all requests that have not started until d has passed from now.
// Pauses do not add up: the latest end counts.
func (l *Limiter) pause(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wait(d)
}

func (l *Limiter) wait(d time.Duration) {
	if until := time.Now().Add(d); until.After(l.until) {
		l.until = until
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
