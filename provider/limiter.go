package provider

import (
	"container/list"
	"context"
	"sync"
	"time"
)

// DefaultConcurrency is the number of requests in flight when nothing else is
// asked for.
const DefaultConcurrency = 8

// Limiter bounds the requests in flight and makes all of them wait together
// when a provider asks for time. One Limiter is shared by everything that talks
// to the same provider.
//
// Slots are handed out in the order in which they were asked for, so nobody
// starves. The zero Limiter is ready to use, with [DefaultConcurrency] slots. A
// Limiter is safe for concurrent use and must not be copied.
type Limiter struct {
	mu      sync.Mutex
	size    int       // slots; 0 means DefaultConcurrency
	held    int       // slots that are handed out
	waiting list.List // of chan struct{}, the longest wait first
	until   time.Time // no slot is handed out before
	alarm   bool      // a timer is running that calls wake
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

// Acquire waits for a free slot and for the end of any pause, in the order of
// the calls. It returns ctx's error when ctx ends first; then no slot is held
// and release is nil.
//
// The caller must call release when the request is over. Further calls of
// release do nothing.
func (l *Limiter) Acquire(ctx context.Context) (release func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ready := make(chan struct{})
	l.mu.Lock()
	e := l.waiting.PushBack(ready)
	l.dispatch()
	l.mu.Unlock()

	select {
	case <-ready:
		return l.releaser(), nil
	case <-ctx.Done():
	}

	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-ready:
		// The slot came at the same time as the end of ctx: pass it on.
		l.held--
		l.dispatch()
	default:
		l.waiting.Remove(e)
	}
	return nil, ctx.Err()
}

// Pause keeps every later Acquire, and all that are waiting now, until d has
// passed from now. Pauses do not add up: the latest end counts. Slots already
// held are not affected.
func (l *Limiter) Pause(d time.Duration) {
	if d <= 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if until := time.Now().Add(d); until.After(l.until) {
		l.until = until
	}
}

// releaser returns the function that gives one slot back, once.
func (l *Limiter) releaser() func() {
	released := false
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if released {
			return
		}
		released = true
		l.held--
		l.dispatch()
	}
}

// dispatch hands free slots to those who wait longest. l.mu must be held.
func (l *Limiter) dispatch() {
	for l.held < l.Size() && l.waiting.Len() > 0 {
		if d := time.Until(l.until); d > 0 {
			if !l.alarm {
				l.alarm = true
				time.AfterFunc(d, l.wake)
			}
			return
		}
		l.held++
		close(l.waiting.Remove(l.waiting.Front()).(chan struct{}))
	}
}

// wake goes on after a pause. A pause that was made longer in the meantime sets
// the next alarm.
func (l *Limiter) wake() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.alarm = false
	l.dispatch()
}
