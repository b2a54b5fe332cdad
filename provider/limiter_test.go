package provider

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestLimiterSize(t *testing.T) {
	for _, tt := range []struct {
		name string
		l    *Limiter
		want int
	}{
		{"zero value", new(Limiter), DefaultConcurrency},
		{"zero", NewLimiter(0), DefaultConcurrency},
		{"negative", NewLimiter(-3), DefaultConcurrency},
		{"one", NewLimiter(1), 1},
		{"many", NewLimiter(100), 100},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.l.Size(); got != tt.want {
				t.Errorf("Size() = %d, want %d", got, tt.want)
			}
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				var running atomic.Int64
				for range tt.want + 5 {
					go func() {
						if _, err := tt.l.acquire(ctx, false, nil); err == nil {
							running.Add(1)
						}
					}()
				}
				synctest.Wait()
				if got := running.Load(); got != int64(tt.want) {
					t.Errorf("%d slots handed out, want %d", got, tt.want)
				}
				cancel()
			})
		})
	}
}

// acquire takes a slot that must be free at once. It is for use in a bubble of
// synctest.
func acquire(t *testing.T, l *Limiter) (release func()) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	release, err := l.acquire(ctx, false, nil)
	if err != nil {
		t.Fatalf("no free slot: %v", err)
	}
	return release
}

func TestLimiterOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLimiter(1)
		release := acquire(t, l)
		var (
			mu  sync.Mutex
			got []int
		)
		var want []int
		for i := range 100 {
			want = append(want, i)
			go func() {
				release, err := l.acquire(t.Context(), false, nil)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				got = append(got, i)
				mu.Unlock()
				release()
			}()
			synctest.Wait() // so that the calls have an order
		}
		release()
		synctest.Wait()
		if !slices.Equal(got, want) {
			t.Errorf("slots were handed out in the order %v", got)
		}
	})
}

func TestLimiterReleaseTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLimiter(1)
		release := acquire(t, l)
		release()
		release()
		defer acquire(t, l)()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := l.acquire(ctx, false, nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a second release made a second slot: error %v", err)
		}
	})
}

func TestLimiterEndedContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLimiter(1)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if release, err := l.acquire(ctx, false, nil); err != context.Canceled || release != nil {
			t.Errorf("Acquire = %t, %v; want no release function and %v", release != nil, err, context.Canceled)
		}
		acquire(t, l)()
	})
}

// A canceled request must neither keep a slot nor block those after it.
func TestLimiterCancelWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLimiter(1)
		release := acquire(t, l)
		ctx, cancel := context.WithCancel(t.Context())
		errs := make(chan error, 1)
		go func() {
			_, err := l.acquire(ctx, false, nil)
			errs <- err
		}()
		synctest.Wait()
		behind := make(chan func(), 1)
		go func() {
			release, err := l.acquire(t.Context(), false, nil)
			if err != nil {
				t.Error(err)
			}
			behind <- release
		}()
		synctest.Wait()
		cancel()
		if err := <-errs; err != context.Canceled {
			t.Errorf("acquire: %v, want %v", err, context.Canceled)
		}
		select {
		case <-behind:
			t.Fatal("a slot was handed out that was not free")
		default:
		}
		release()
		(<-behind)()
		acquire(t, l)()
	})
}

// Cancellation and release race for thousands of requests. There are never more
// requests than slots, and at the end all slots are free.
func TestLimiterCancelRace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const slots, requests = 7, 5000
		l := NewLimiter(slots)
		var running, most, done, canceled atomic.Int64
		var wg sync.WaitGroup
		for i := range requests {
			wg.Go(func() {
				// Contexts and requests end at the same instants.
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i%50+1)*10*time.Millisecond)
				defer cancel()
				release, err := l.acquire(ctx, false, nil)
				if err != nil {
					canceled.Add(1)
					return
				}
				n := running.Add(1)
				for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
				}
				time.Sleep(10 * time.Millisecond)
				running.Add(-1)
				done.Add(1)
				release()
			})
			if i%100 == 0 {
				l.pause(time.Duration(i%30) * time.Millisecond)
			}
		}
		wg.Wait()
		if most.Load() > slots {
			t.Errorf("%d requests at a time, want at most %d", most.Load(), slots)
		}
		if done.Load() == 0 || canceled.Load() == 0 || done.Load()+canceled.Load() != requests {
			t.Errorf("%d done and %d canceled of %d", done.Load(), canceled.Load(), requests)
		}
		for range slots {
			acquire(t, l)
		}
	})
}

func TestLimiterPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLimiter(2)
		start := time.Now()
		held := acquire(t, l)
		l.pause(10 * time.Second)
		l.pause(3 * time.Second) // ends earlier: changes nothing
		l.pause(-time.Hour)
		held() // giving back is always possible

		var wg sync.WaitGroup
		for range 5 {
			wg.Go(func() {
				release, err := l.acquire(t.Context(), false, nil)
				if err != nil {
					t.Error(err)
					return
				}
				if got := time.Since(start); got < 15*time.Second {
					t.Errorf("slot handed out after %v, want 15s", got)
				}
				time.Sleep(time.Second)
				release()
			})
		}
		time.Sleep(5 * time.Second)
		l.pause(10 * time.Second) // longer, for those who wait already too
		wg.Wait()
		if got, want := time.Since(start), 18*time.Second; got != want {
			t.Errorf("five requests on two slots ended after %v, want %v", got, want)
		}
		acquire(t, l)()
	})
}

// A wait is known also when it is for a request that is repeated without a retry.
func TestLimiterWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLimiter(2)
		refused := []bool{false, true, false, true, false}
		n := 0
		done := make(chan error)
		call := func(context.Context) error {
			n++
			if refused[n-1] {
				return &Error{Kind: KindRateLimit, RetryAfter: 20 * time.Second}
			}
			return nil
		}
		wait := func(after, want time.Duration) {
			t.Helper()
			time.Sleep(after)
			synctest.Wait()
			if got := l.Wait(); got != want {
				t.Errorf("after %d calls: Wait() = %v, want %v", n, got, want)
			}
		}
		go func() {
			for range 3 {
				_, err := RetryPolicy{}.Retry(t.Context(), l, nil, call, func(int, int, time.Duration, error) { t.Error("a retry") })
				done <- err
			}
		}()
		<-done
		wait(0, 20*time.Second)
		wait(15*time.Second, 5*time.Second)
		<-done
		wait(0, 20*time.Second)
		wait(19*time.Second, time.Second)
		<-done
		wait(0, 0) // nothing waits for the distance that the limiter keeps now
	})
}

func TestLimiterCancelInPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLimiter(1)
		l.pause(time.Minute)
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := l.acquire(ctx, false, nil); err != context.DeadlineExceeded {
			t.Errorf("acquire: %v, want %v", err, context.DeadlineExceeded)
		}
		if got := time.Since(start); got != time.Second {
			t.Errorf("gave up after %v, want 1s", got)
		}
		release, err := l.acquire(t.Context(), false, nil)
		if err != nil {
			t.Fatal(err)
		}
		release()
		if got := time.Since(start); got != time.Minute {
			t.Errorf("slot handed out after %v, want 1m", got)
		}
	})
}

func BenchmarkLimiter(b *testing.B) {
	b.Run("free", func(b *testing.B) {
		l := NewLimiter(8)
		b.ReportAllocs()
		for b.Loop() {
			release, err := l.acquire(b.Context(), false, nil)
			if err != nil {
				b.Fatal(err)
			}
			release()
		}
	})
	b.Run("contended", func(b *testing.B) {
		l := NewLimiter(8)
		b.ReportAllocs()
		b.SetParallelism(100)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				release, err := l.acquire(b.Context(), false, nil)
				if err != nil {
					b.Error(err)
					return
				}
				release()
			}
		})
	})
}
