package provider

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// busyServer is a provider with a limit. Its answers take latency; it refuses at
// once.
type busyServer struct {
	concurrent int     // in flight; 0 means any number
	perMinute  float64 // 0 means any number
	capacity   float64 // of the bucket, which starts full
	window     bool    // perMinute holds for each minute by the clock, without a bucket
	latency    time.Duration
	names      bool // a Retry-After, in whole seconds

	mu      sync.Mutex
	rand    *rand.Rand
	running int
	tokens  float64
	filled  time.Time
	served  []time.Time // starts of the requests that were served
	refused int
}

func (s *busyServer) admit() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	var wait time.Duration
	refuse := false
	switch {
	case s.filled.IsZero():
		s.tokens = s.capacity
		s.filled = now
	case s.window:
		if now.Truncate(time.Minute).After(s.filled.Truncate(time.Minute)) {
			s.tokens = s.capacity
			s.filled = now
		}
	default:
		s.tokens = min(s.capacity, s.tokens+now.Sub(s.filled).Minutes()*s.perMinute)
		s.filled = now
	}
	if s.concurrent > 0 && s.running >= s.concurrent {
		refuse, wait = true, time.Second
	}
	if s.perMinute > 0 && s.tokens < 1-1e-9 {
		refuse = true
		if wait = time.Duration((1 - s.tokens) / s.perMinute * float64(time.Minute)); s.window {
			wait = time.Minute - now.Sub(now.Truncate(time.Minute))
		}
	}
	if refuse {
		s.refused++
		if !s.names {
			wait = 0
		}
		return &Error{Kind: KindRateLimit, Message: "slow down", RetryAfter: (wait + time.Second - 1).Truncate(time.Second)}
	}
	s.running++
	s.tokens--
	s.served = append(s.served, now)
	return nil
}

func (s *busyServer) complete(context.Context) error {
	time.Sleep(20 * time.Millisecond)
	if err := s.admit(); err != nil {
		return err
	}
	s.mu.Lock()
	d := time.Duration(float64(s.latency) * (0.7 + 0.6*s.rand.Float64()))
	s.mu.Unlock()
	time.Sleep(d)
	s.mu.Lock()
	s.running--
	s.mu.Unlock()
	return nil
}

// allowed is what the server would serve at best to a client with 8 slots.
func (s *busyServer) allowed() float64 {
	slots := 8
	if s.concurrent > 0 {
		slots = min(slots, s.concurrent)
	}
	n := float64(slots) / (s.latency + 20*time.Millisecond).Minutes()
	if s.perMinute > 0 {
		n = min(n, s.perMinute)
	}
	return n
}

// TestLimiterLearns runs requests for ten minutes against servers with limits:
// none fails, and after the first minute the server does at least nine tenths of
// what it allows.
func TestLimiterLearns(t *testing.T) {
	var servers []*busyServer
	for _, latency := range []time.Duration{200 * time.Millisecond, time.Second, 5 * time.Second} {
		for _, names := range []bool{false, true} {
			for _, k := range []int{1, 2, 4} {
				servers = append(servers, &busyServer{concurrent: k, latency: latency, names: names})
			}
			for _, n := range []float64{3, 20, 60} {
				servers = append(servers,
					&busyServer{perMinute: n, capacity: n, latency: latency, names: names},
					&busyServer{perMinute: n, capacity: 1, latency: latency, names: names})
				if n > 3 || names { // else a wait of up to 30 s can miss a whole minute
					servers = append(servers, &busyServer{perMinute: n, capacity: n, window: true, latency: latency, names: names})
				}
			}
		}
	}
	for _, s := range servers {
		t.Run(fmt.Sprintf("concurrent %d, %g a minute, capacity %g, window %t, latency %v, names %t", s.concurrent, s.perMinute, s.capacity, s.window, s.latency, s.names), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 11*time.Minute)
				defer cancel()
				begin := time.Now()
				s.rand = rand.New(rand.NewPCG(1, 2))
				l := NewLimiter(8)
				var wg sync.WaitGroup
				for range 8 {
					wg.Go(func() {
						for ctx.Err() == nil {
							_, err := RetryPolicy{}.Retry(ctx, l, nil, s.complete, nil)
							if err != nil && ctx.Err() == nil {
								t.Error(err)
								cancel()
							}
						}
					})
				}
				wg.Wait()
				n := 0
				for _, at := range s.served {
					if d := at.Sub(begin); d >= time.Minute && d < 11*time.Minute {
						n++
					}
				}
				// A server whose bucket holds one request limits how soon one may follow
				// another: every wait that is too long is lost.
				want := 0.9
				if s.capacity == 1 {
					want = 0.85
				}
				got, most := float64(n)/10, s.allowed()
				if got < want*most {
					t.Errorf("%.1f requests a minute, want at least %g of %.1f", got, want, most)
				}
				// Until a minute ends, one refusal after the other is waited for.
				if s.refused > len(s.served)/5+20 && (s.names || !s.window) {
					t.Errorf("%d refusals for %d requests", s.refused, len(s.served))
				}
			})
		})
	}
}

// A server that refuses everything from the start uses up the retries of every
// request, as fast as if there were only one.
func TestLimiterRefusedFromTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		l := NewLimiter(8)
		var calls atomic.Int64
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				retries, err := RetryPolicy{}.Retry(t.Context(), l, nil, func(context.Context) error {
					calls.Add(1)
					time.Sleep(20 * time.Millisecond)
					return &Error{Kind: KindRateLimit, Message: "slow down"}
				}, nil)
				if retries != 3 || KindOf(err) != KindRateLimit {
					t.Errorf("Retry = %d, %v; want 3 and the refusal", retries, err)
				}
			})
		}
		wg.Wait()
		if d := time.Since(begin); calls.Load() != 32 || d > 8*time.Second {
			t.Errorf("%d attempts in %v, want 32 in at most 7 s and some", calls.Load(), d)
		}
	})
}

// A request that is refused while others succeed is repeated before all that wait,
// and uses no retry.
func TestLimiterRefusedFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &busyServer{concurrent: 2, latency: time.Second, rand: rand.New(rand.NewPCG(1, 2))}
		l := NewLimiter(4)
		var mu sync.Mutex
		var order []int
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() {
				retries, err := RetryPolicy{InitialDelay: NoDelay}.Retry(t.Context(), l, nil, s.complete, nil)
				if retries > 1 || err != nil { // one before the first success
					t.Errorf("request %d: Retry = %d, %v", i, retries, err)
				}
				mu.Lock()
				defer mu.Unlock()
				order = append(order, i)
			})
			synctest.Wait()
		}
		wg.Wait()
		// Those that were refused before the first success wait for their retry
		// meanwhile; at the end of the queue they would be among the last.
		for at, i := range order {
			if at-i > 8 || i-at > 8 {
				t.Fatalf("requests ended in the order %v", order)
			}
		}
	})
}
