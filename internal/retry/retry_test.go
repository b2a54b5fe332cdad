package retry_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner/internal/retry"
)

var (
	errA, errB = errors.New("a"), errors.New("b")
	errFinal   = errors.New("final")
)

func seconds(ss ...float64) []time.Duration {
	var ds []time.Duration
	for _, s := range ss {
		ds = append(ds, time.Duration(s*float64(time.Second)))
	}
	return ds
}

func TestDo(t *testing.T) {
	policy := retry.Policy{Retries: 3, Initial: time.Second, Max: 30 * time.Second}
	with := func(change func(*retry.Policy)) retry.Policy {
		p := policy
		change(&p)
		return p
	}
	for _, tt := range []struct {
		name   string
		policy retry.Policy
		errs   []error       // of the attempts, in turn
		wait   time.Duration // that each requests
		want   error
		at     []time.Duration // when the attempts begin
	}{
		{"success", policy, nil, 0, nil, seconds(0)},
		{"success in the end", policy, []error{errA, errA, errA}, 0, nil, seconds(0, 1, 3, 7)},
		{"used up", policy, []error{errA, errA, errA, errB}, 0, errB, seconds(0, 1, 3, 7)},
		{"no retries", retry.Policy{}, []error{errA}, 0, errA, seconds(0)},
		{"final", policy, []error{errFinal}, 0, errFinal, seconds(0)},
		{"final after a retry", policy, []error{errA, errFinal}, 0, errFinal, seconds(0, 1)},
		{"no delay", retry.Policy{Retries: 2}, []error{errA, errA}, 0, nil, seconds(0, 0, 0)},
		{"up to the maximum", with(func(p *retry.Policy) { p.Retries, p.Initial, p.Max = 4, 3*time.Second, 10*time.Second }),
			[]error{errA, errA, errA, errA}, 0, nil, seconds(0, 3, 9, 19, 29)},
		{"first delay over the maximum", with(func(p *retry.Policy) { p.Initial = time.Hour }), []error{errA}, 0, nil, seconds(0, 30)},
		{"jitter", with(func(p *retry.Policy) { p.Jitter = func(d time.Duration) time.Duration { return d / 4 } }),
			[]error{errA, errA}, 0, nil, seconds(0, 0.25, 0.75)},
		{"wait is a minimum", policy, []error{errA, errA, errA}, 3 * time.Second, nil, seconds(0, 3, 6, 10)},
		{"wait without a delay", retry.Policy{Retries: 1}, []error{errA}, 3 * time.Second, nil, seconds(0, 3)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				var at, delays []time.Duration
				err := retry.Do(t.Context(), tt.policy, func() (bool, time.Duration, error) {
					at = append(at, time.Since(start))
					if n := len(at); n <= len(tt.errs) {
						err := tt.errs[n-1]
						return err != errFinal, tt.wait, err
					}
					return true, time.Hour, nil
				}, func(delay time.Duration, err error) {
					if want := tt.errs[len(delays)]; err != want {
						t.Errorf("notified of %v, want %v", err, want)
					}
					delays = append(delays, delay)
				})
				if err != tt.want {
					t.Errorf("error %v, want %v", err, tt.want)
				}
				if d := cmp.Diff(tt.at, at); d != "" {
					t.Errorf("times of the attempts (-want +got):\n%s", d)
				}
				var sum time.Duration
				for _, d := range delays {
					sum += d
				}
				if len(delays) != len(at)-1 || sum != at[len(at)-1] {
					t.Errorf("notified of the delays %v, the attempts were at %v", delays, at)
				}
			})
		})
	}
}

func TestDoCancel(t *testing.T) {
	policy := retry.Policy{Retries: 3, Initial: time.Minute, Max: time.Hour}
	for _, tt := range []struct {
		name    string
		attempt func(cancel func()) (bool, error)
		want    []error // that the error is
		not     error
		elapsed time.Duration
	}{
		{"before", nil, []error{context.Canceled}, errA, 0},
		{"in an attempt", func(cancel func()) (bool, error) { cancel(); return true, errA }, []error{context.Canceled}, errA, 0},
		{"in a final attempt", func(cancel func()) (bool, error) { cancel(); return false, errFinal }, []error{context.Canceled}, errFinal, 0},
		{"in a wait", func(cancel func()) (bool, error) { time.AfterFunc(time.Second, cancel); return true, errA },
			[]error{context.Canceled, errA}, errFinal, time.Second},
		{"in a success", func(cancel func()) (bool, error) { cancel(); return false, nil }, []error{nil}, errA, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if tt.attempt == nil {
					cancel()
				}
				start := time.Now()
				err := retry.Do(ctx, policy, func() (bool, time.Duration, error) {
					again, err := tt.attempt(cancel)
					return again, 0, err
				}, nil)
				for _, want := range tt.want {
					if !errors.Is(err, want) {
						t.Errorf("error %v, want %v", err, want)
					}
				}
				if errors.Is(err, tt.not) {
					t.Errorf("error %v, want one without %v", err, tt.not)
				}
				if got := time.Since(start); got != tt.elapsed {
					t.Errorf("returned after %v, want %v", got, tt.elapsed)
				}
			})
		})
	}
}

func TestFullJitter(t *testing.T) {
	const delay = 4
	seen := map[time.Duration]int{}
	for range 10_000 {
		seen[retry.FullJitter(delay)]++
	}
	for d := time.Duration(0); d <= delay; d++ {
		if seen[d] < 1000 {
			t.Errorf("%d of 10000 delays are %d, want about 2000", seen[d], d)
		}
	}
	if len(seen) != delay+1 {
		t.Errorf("delays outside [0, %d]: %v", delay, seen)
	}
	if got := retry.FullJitter(0); got != 0 {
		t.Errorf("FullJitter(0) = %v, want 0", got)
	}
}
