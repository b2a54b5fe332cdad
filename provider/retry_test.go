package provider

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// failing returns an f that fails with each error in turn and then succeeds, and
// the times at which it was called, since now.
func failing(errs ...error) (f func(context.Context) error, at func() []time.Duration) {
	start := time.Now()
	var times []time.Duration
	f = func(context.Context) error {
		times = append(times, time.Since(start))
		if n := len(times); n <= len(errs) {
			return errs[n-1]
		}
		return nil
	}
	return f, func() []time.Duration { return times }
}

func seconds(ss ...float64) []time.Duration {
	var ds []time.Duration
	for _, s := range ss {
		ds = append(ds, time.Duration(s*float64(time.Second)))
	}
	return ds
}

// notice is one call of notify.
type notice struct {
	Attempt, Max int
	Delay        time.Duration
	Err          string
}

func TestRetry(t *testing.T) {
	var (
		rate     = &Error{Kind: KindRateLimit, Message: "slow down"}
		server   = &Error{Kind: KindServer, Message: "boom"}
		conn     = &Error{Kind: KindConnection, Message: "reset"}
		timeout  = &Error{Kind: KindTimeout, Message: "late"}
		auth     = &Error{Kind: KindAuth, Message: "no"}
		final    = &Error{Kind: KindRateLimit, Message: "until tomorrow", Final: true}
		wait5    = &Error{Kind: KindRateLimit, Message: "slow down", RetryAfter: 5 * time.Second}
		waitHour = &Error{Kind: KindServer, Message: "maintenance", RetryAfter: time.Hour}
		negative = &Error{Kind: KindServer, Message: "odd", RetryAfter: -time.Hour}
		plain    = errors.New("not classified")
	)
	for _, tt := range []struct {
		name       string
		maxRetries int
		errs       []error
		retries    int
		err        error
		at         []time.Duration
		notices    []notice
	}{
		{name: "success", at: seconds(0)},
		{
			name: "each kind once", errs: []error{rate, conn, timeout}, retries: 3, at: seconds(0, 0, 0, 0),
			notices: []notice{{1, 3, 0, "RateLimitError: slow down"}, {2, 3, 0, "ConnectionError: reset"}, {3, 3, 0, "TimeoutError: late"}},
		},
		{
			name: "used up", errs: []error{rate, rate, rate, server}, retries: 3, err: server, at: seconds(0, 0, 0, 0),
			notices: []notice{{1, 3, 0, "RateLimitError: slow down"}, {2, 3, 0, "RateLimitError: slow down"}, {3, 3, 0, "RateLimitError: slow down"}},
		},
		{name: "not retryable", errs: []error{auth}, err: auth, at: seconds(0)},
		{name: "final", errs: []error{final}, err: final, at: seconds(0)},
		{
			name: "not retryable after a retry", errs: []error{server, auth}, retries: 1, err: auth, at: seconds(0, 0),
			notices: []notice{{1, 3, 0, "ServerError: boom"}},
		},
		{name: "unclassified", errs: []error{plain}, err: plain, at: seconds(0)},
		{name: "none", maxRetries: NoRetries, errs: []error{server}, err: server, at: seconds(0)},
		{
			name: "one", maxRetries: 1, errs: []error{server, rate}, retries: 1, err: rate, at: seconds(0, 0),
			notices: []notice{{1, 1, 0, "ServerError: boom"}},
		},
		{
			name: "retry-after holds for one delay", errs: []error{wait5, server}, retries: 2, at: seconds(0, 5, 5),
			notices: []notice{{1, 3, 5 * time.Second, "RateLimitError: slow down"}, {2, 3, 0, "ServerError: boom"}},
		},
		{
			name: "retry-after is capped", errs: []error{waitHour}, retries: 1, at: seconds(0, 60),
			notices: []notice{{1, 3, time.Minute, "ServerError: maintenance"}},
		},
		{
			name: "retry-after in the past", errs: []error{negative}, retries: 1, at: seconds(0, 0),
			notices: []notice{{1, 3, 0, "ServerError: odd"}},
		},
		{
			name: "wrapped", errs: []error{fmt.Errorf("chunk 3: %w", wait5)}, retries: 1, at: seconds(0, 5),
			notices: []notice{{1, 3, 5 * time.Second, "chunk 3: RateLimitError: slow down"}},
		},
		{
			name: "deadline of an attempt", errs: []error{context.DeadlineExceeded}, retries: 1, at: seconds(0, 0),
			notices: []notice{{1, 3, 0, "TimeoutError: no answer in time"}},
		},
		{name: "canceled attempt", errs: []error{context.Canceled}, err: context.Canceled, at: seconds(0)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, at := failing(tt.errs...)
				var notices []notice
				policy := RetryPolicy{MaxRetries: tt.maxRetries, InitialDelay: NoDelay}
				retries, err := policy.Retry(t.Context(), NewLimiter(1), nil, f, func(attempt, max int, delay time.Duration, err error) {
					notices = append(notices, notice{attempt, max, delay, err.Error()})
				})
				if retries != tt.retries || err != tt.err {
					t.Errorf("Retry = %d, %v; want %d, %v", retries, err, tt.retries, tt.err)
				}
				if diff := cmp.Diff(tt.at, at()); diff != "" {
					t.Errorf("times of the attempts (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(tt.notices, notices); diff != "" {
					t.Errorf("notices (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// The ceiling of the delay doubles, up to maxDelay, and the delay is below it.
func TestRetryDelays(t *testing.T) {
	server := &Error{Kind: KindServer}
	for _, tt := range []struct {
		policy   RetryPolicy
		ceilings []time.Duration
	}{
		{RetryPolicy{}, seconds(1, 2, 4)},
		{RetryPolicy{MaxRetries: 5, InitialDelay: 4 * time.Second}, seconds(4, 8, 16, 30, 30)},
	} {
		longest := make([]time.Duration, len(tt.ceilings))
		for range 200 {
			synctest.Test(t, func(t *testing.T) {
				tt.policy.Retry(t.Context(), NewLimiter(1), nil, func(context.Context) error { return server }, func(n, _ int, delay time.Duration, _ error) {
					longest[n-1] = max(longest[n-1], delay)
				})
			})
		}
		for i, ceiling := range tt.ceilings {
			if longest[i] > ceiling || longest[i] < ceiling*9/10 {
				t.Errorf("%+v: the longest delay %d of 200 is %v, want one just below %v", tt.policy, i+1, longest[i], ceiling)
			}
		}
	}
}

func TestRetryCancel(t *testing.T) {
	server := &Error{Kind: KindServer, Message: "boom", RetryAfter: maxRetryAfter}
	auth := &Error{Kind: KindAuth, Message: "no"}
	for _, tt := range []struct {
		name    string
		f       func(ctx context.Context, cancel func()) error
		before  bool // cancel before the call
		retries int
		elapsed time.Duration
		err     error // is
		also    error // is, too
		calls   int
	}{
		{
			name: "before", before: true, err: context.Canceled,
			f: func(context.Context, func()) error { return nil },
		},
		{
			name: "in an attempt", err: context.Canceled, calls: 1,
			f: func(ctx context.Context, cancel func()) error { cancel(); return server },
		},
		{
			name: "in an attempt that is not retryable", err: context.Canceled, calls: 1,
			f: func(ctx context.Context, cancel func()) error { cancel(); return auth },
		},
		{
			name: "in a wait", err: context.Canceled, also: server, calls: 1, elapsed: 500 * time.Millisecond,
			f: func(ctx context.Context, cancel func()) error {
				time.AfterFunc(500*time.Millisecond, cancel)
				return server
			},
		},
		{
			name: "success counts all the same", calls: 1,
			f: func(ctx context.Context, cancel func()) error { cancel(); return nil },
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if tt.before {
					cancel()
				}
				l := NewLimiter(1)
				start, calls := time.Now(), 0
				retries, err := RetryPolicy{}.Retry(ctx, l, nil, func(ctx context.Context) error {
					calls++
					return tt.f(ctx, cancel)
				}, nil)
				if retries != tt.retries || !errors.Is(err, tt.err) {
					t.Errorf("Retry = %d, %v; want %d, %v", retries, err, tt.retries, tt.err)
				}
				if tt.also != nil && !errors.Is(err, tt.also) {
					t.Errorf("error %v has lost %v", err, tt.also)
				}
				if tt.also == nil && KindOf(err) != KindUnknown {
					t.Errorf("error %v is more than the end of the context", err)
				}
				if calls != tt.calls {
					t.Errorf("%d attempts, want %d", calls, tt.calls)
				}
				if got := time.Since(start); got != tt.elapsed {
					t.Errorf("returned after %v, want %v", got, tt.elapsed)
				}
				time.Sleep(maxRetryAfter) // the pause
				acquire(t, l)()
			})
		})
	}
}

// The deadline of the caller is not that of an attempt.
func TestRetryDeadlineOfCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 25*time.Second)
		defer cancel()
		calls := 0
		retries, err := RetryPolicy{}.Retry(ctx, NewLimiter(1), nil, func(ctx context.Context) error {
			calls++
			ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
			defer cancel()
			<-ctx.Done()
			return ctx.Err()
		}, nil)
		if retries != 2 || calls != 3 || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Retry = %d, %v after %d calls; want 2, %v after 3", retries, err, calls, context.DeadlineExceeded)
		}
	})
}

// A request that waits for its next attempt holds no slot.
func TestRetryReleasesSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLimiter(1)
		f, _ := failing(&Error{Kind: KindServer})
		waiting := make(chan struct{})
		var wg sync.WaitGroup
		wg.Go(func() {
			_, err := RetryPolicy{}.Retry(t.Context(), l, nil, f, func(int, int, time.Duration, error) { close(waiting) })
			if err != nil {
				t.Error(err)
			}
		})
		<-waiting
		acquire(t, l)()
		wg.Wait()
	})
}

func TestRetryReleasesSlotOnPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLimiter(1)
		func() {
			defer func() {
				if recover() == nil {
					t.Error("the panic was swallowed")
				}
			}()
			RetryPolicy{}.Retry(t.Context(), l, nil, func(context.Context) error { panic("f") }, nil)
		}()
		acquire(t, l)()
	})
}

// The Retry-After of one request pauses all that share the limiter, also after the
// last attempt of that request.
func TestRetryPausesAll(t *testing.T) {
	for _, tt := range []struct {
		name string
		err  *Error
		want time.Duration
	}{
		{"retry-after", &Error{Kind: KindRateLimit, RetryAfter: 7 * time.Second}, 7 * time.Second},
		{"capped", &Error{Kind: KindServer, RetryAfter: time.Hour}, time.Minute},
		{"without", &Error{Kind: KindRateLimit}, 0},
		{"not retryable", &Error{Kind: KindAuth, RetryAfter: time.Hour}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := NewLimiter(4)
				_, err := RetryPolicy{MaxRetries: NoRetries}.Retry(t.Context(), l, nil, func(context.Context) error { return tt.err }, nil)
				if err != tt.err {
					t.Fatalf("error %v, want %v", err, tt.err)
				}
				start := time.Now()
				_, err = RetryPolicy{}.Retry(t.Context(), l, nil, func(context.Context) error { return nil }, nil)
				if err != nil {
					t.Fatal(err)
				}
				if got := time.Since(start); got != tt.want {
					t.Errorf("the next request began after %v, want %v", got, tt.want)
				}
			})
		})
	}
}

// A thousand requests against a provider that serves few of them at a time.
func TestRetryManyRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const requests = 2000
		l := NewLimiter(50)
		var (
			mu     sync.Mutex
			served int
			window time.Time // the provider serves 100 requests a second
			used   int
		)
		var wg sync.WaitGroup
		for range requests {
			wg.Go(func() {
				_, err := RetryPolicy{MaxRetries: 100}.Retry(t.Context(), l, nil, func(ctx context.Context) error {
					time.Sleep(10 * time.Millisecond)
					mu.Lock()
					defer mu.Unlock()
					if now := time.Now(); now.Sub(window) >= time.Second {
						window, used = now, 0
					}
					if used++; used > 100 {
						return &Error{Kind: KindRateLimit, RetryAfter: time.Second}
					}
					served++
					return nil
				}, nil)
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if served != requests {
			t.Errorf("%d requests served, want %d", served, requests)
		}
	})
}

// TestRetryAdmit shows that an attempt which is not admitted holds no slot, keeps its
// place, and is admitted when another has ended.
func TestRetryAdmit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLimiter(3)
		release := acquire(t, l)
		running := 1
		var ended [2]time.Duration
		begin := time.Now()
		var all sync.WaitGroup
		for i, admit := range []func() bool{func() bool { return running == 0 }, nil} {
			all.Go(func() {
				_, err := RetryPolicy{}.Retry(t.Context(), l, admit, func(context.Context) error {
					time.Sleep(time.Second)
					return nil
				}, nil)
				if err != nil {
					t.Error(err)
				}
				ended[i] = time.Since(begin)
			})
			synctest.Wait()
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := l.acquire(ctx, true, func() bool { return false }); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("one that is never admitted: %v", err)
		}
		if l.running != 1 {
			t.Errorf("%d slots are held, want 1", l.running)
		}
		time.Sleep(time.Minute)
		running = 0
		release()
		all.Wait()
		if want := [2]time.Duration{62 * time.Second, 62 * time.Second}; ended != want {
			t.Errorf("they ended after %v, want %v", ended, want)
		}
	})
}

// TestRetryAdmittedAtTheEnd shows that an admitted attempt is made even if the context
// ends at the same time: it has to undo what admit did.
func TestRetryAdmittedAtTheEnd(t *testing.T) {
	for range 100 {
		ctx, cancel := context.WithCancel(t.Context())
		admitted, attempted := 0, 0
		RetryPolicy{}.Retry(ctx, NewLimiter(1), func() bool { admitted++; cancel(); return true },
			func(context.Context) error { attempted++; return nil }, nil)
		if admitted != 1 || attempted != 1 {
			t.Fatalf("admitted %d times, attempted %d times", admitted, attempted)
		}
	}
}
