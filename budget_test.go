package scanner_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/provider"
)

func TestBudget(t *testing.T) {
	used := answer(nothing)
	used.Usage.InputTokens, used.Usage.OutputTokens = 10_000, 1000
	unknown := answer(nothing)
	unknown.Usage.CostUSD = nil
	for _, tt := range []struct {
		name     string
		resp     provider.Response
		opts     scanner.Options
		analyzed int
	}{
		{"tokens", used, scanner.Options{MaxTokens: 22_500}, 2},
		{"tokens of all", used, scanner.Options{MaxTokens: 44_500}, 4},
		{"tokens of less than a request", used, scanner.Options{MaxTokens: 2000}, 0},
		{"tokens of a whole number", used, scanner.Options{MaxTokens: 1<<63 - 1}, 4},
		{"tokens not reported", provider.Response{Text: nothing, Stop: provider.StopEnd}, scanner.Options{MaxTokens: 44_500}, 1},
		{"cost", used, scanner.Options{MaxCost: 0.8}, 3},
		{"cost of less than a request", used, scanner.Options{MaxCost: 1e-9}, 1},
		{"cost unknown", unknown, scanner.Options{MaxCost: 100}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.opts.Provider = asker(func(context.Context, provider.Request) (provider.Response, error) { return tt.resp, nil })
			rec := &recorder{t: t}
			tt.opts.OnEvent = rec.on
			report, err := scanner.Run(t.Context(), []scanner.Skill{reviewer}, []diff.File{added("a.go", 1, 200, 400, 600)}, tt.opts)
			if err != nil {
				t.Fatal(err)
			}
			checkLedger(t, report.Skills[0], 4)
			want := scanner.ChunkCounts{Total: 4, Analyzed: tt.analyzed, NotAnalyzed: 4 - tt.analyzed}
			if got := report.Skills[0].Chunks; got != want {
				t.Errorf("chunks are %+v, want %+v", got, want)
			}
			if stopped := errors.Is(report.Stopped, scanner.ErrBudget); stopped != (tt.analyzed < 4) || len(eventsOf[scanner.EventStopped](rec)) > 0 != stopped {
				t.Errorf("stopped by %v", report.Stopped)
			}
		})
	}
}

// TestImpossibleUsage shows that the sums of a run are valid with all that a provider
// may report.
func TestImpossibleUsage(t *testing.T) {
	for _, cost := range []float64{math.MaxFloat64, math.Inf(1), math.NaN(), -1} {
		for _, count := range []int64{math.MaxInt64, math.MinInt64} {
			p := asker(func(context.Context, provider.Request) (provider.Response, error) {
				resp := answer(nothing)
				resp.Usage = provider.Usage{InputTokens: count, OutputTokens: count, CacheReadInputTokens: count, CacheCreationInputTokens: count, CostUSD: &cost}
				return resp, nil
			})
			report, err := scanner.RunSkill(t.Context(), reviewer, []diff.File{added("a.go", 1, 200, 400, 600)}, scanner.Options{Provider: p})
			if err != nil {
				t.Fatal(err)
			}
			u := report.Usage
			if least := min(u.InputTokens, u.OutputTokens, u.CacheReadInputTokens, u.CacheCreationInputTokens); least < 0 || u.CostUSD != nil {
				t.Errorf("four answers of %d tokens, cost %g: got %+v", count, cost, *u)
			}
		}
	}
}

// TestAuthenticationAfterBudget shows that credentials which are refused while the
// last requests of a stopped run are in flight are an error all the same.
func TestAuthenticationAfterBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		n := 0
		p := asker(func(context.Context, provider.Request) (provider.Response, error) {
			mu.Lock()
			n++
			request := n
			mu.Unlock()
			time.Sleep(time.Duration(request) * time.Second)
			switch request {
			case 1:
				return answer(nothing), nil
			case 2:
				return provider.Response{Text: nothing, Stop: provider.StopEnd}, nil // without usage
			}
			return provider.Response{}, &provider.Error{Kind: provider.KindAuth, Message: "expired"}
		})
		report, err := scanner.Run(t.Context(), []scanner.Skill{reviewer}, []diff.File{added("a.go", 1, 200, 400, 600)}, scanner.Options{Provider: p, Concurrency: 2, MaxTokens: 1e6})
		if provider.KindOf(err) != provider.KindAuth || !errors.Is(report.Stopped, scanner.ErrBudget) {
			t.Errorf("error %v, stopped by %v; want an AuthenticationError after the budget", err, report.Stopped)
		}
		checkLedger(t, report.Skills[0], 4)
		if want := (scanner.ChunkCounts{Total: 4, Analyzed: 2, Failed: 1, NotAnalyzed: 1}); report.Skills[0].Chunks != want {
			t.Errorf("chunks are %+v, want %+v", report.Skills[0].Chunks, want)
		}
	})
}

// meter is a provider with random costs that computes what is expected of each request,
// by the rule of Options.MaxCost.
type meter struct {
	r      *rand.Rand
	priced bool // its prices are known
	stop   func()

	mu       sync.Mutex
	sent     int64 // bytes of the requests that were measured
	spent    scanner.Usage
	largest  int64
	open     map[int]excess // the requests in flight
	last     map[int]excess // those at and after the last start
	requests int
}

// excess is by how much a request exceeds what was expected of it.
type excess struct{ tokens, cost float64 }

var meterPrice = provider.Price{InputPerMTok: 3, OutputPerMTok: 15}

func (m *meter) Price(string) (provider.Price, bool) { return meterPrice, m.priced }
func (m *meter) ReportsCost() bool                   { return !m.priced }

func (m *meter) expected(bytes int64) (tokens, cost float64) {
	u := scanner.Usage{InputTokens: bytes / 4, OutputTokens: 2000}
	perToken := 0.0
	if m.sent > 0 {
		u = scanner.Usage{InputTokens: int64(float64(m.spent.InputTokens) / float64(m.sent) * float64(bytes)), OutputTokens: m.largest}
		perToken = *m.spent.CostUSD / float64(m.spent.InputTokens+m.spent.OutputTokens)
	}
	tokens = float64(u.InputTokens + u.OutputTokens)
	if m.priced {
		return tokens, meterPrice.Cost(u)
	}
	return tokens, perToken * tokens
}

func (m *meter) Complete(ctx context.Context, req provider.Request) (provider.Response, error) {
	bytes := int64(len(req.System) + len(req.Schema.JSON))
	for _, msg := range req.Messages {
		bytes += int64(len(msg.Text))
	}
	m.mu.Lock()
	m.requests++
	n := m.requests
	u := scanner.Usage{InputTokens: bytes/int64(2+m.r.IntN(6)) + 1, OutputTokens: int64(m.r.IntN(6000))}
	cost := meterPrice.Cost(u)
	if !m.priced {
		cost *= 0.5 + m.r.Float64()
	}
	u.CostUSD = &cost
	tokens, estimate := m.expected(bytes)
	mine := excess{max(float64(u.InputTokens+u.OutputTokens)-tokens, 0), max(cost-estimate, 0)}
	kind, text, delay := m.r.IntN(12), nothing, time.Duration(m.r.Int64N(int64(10*time.Second)))
	m.open[n] = mine
	m.last = make(map[int]excess)
	for n, e := range m.open {
		m.last[n] = e
	}
	interrupt := m.stop != nil && n == 5
	m.mu.Unlock()

	time.Sleep(delay)
	if interrupt {
		m.stop()
	}
	var err error
	switch kind {
	case 0: // free
		u, err = scanner.Usage{}, &provider.Error{Kind: provider.KindRateLimit, RetryAfter: delay}
	case 1: // paid, and repeated
		text = ""
	case 2: // paid, and followed by requests for extraction
		text = "There are no problems."
	case 3: // followed by one for verification
		text = findings(finding("high", "Division", "second of", 0))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.open, n)
	if !u.IsZero() {
		m.sent += bytes
		m.spent = m.spent.Add(u)
		m.largest = max(m.largest, u.OutputTokens)
	}
	return provider.Response{Text: text, Stop: provider.StopEnd, Usage: u}, err
}

// TestBudgetBound shows that what a run spends exceeds its ceiling at most by what the
// requests in flight at the last start exceeded what was expected of them.
func TestBudgetBound(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 7))
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			m := &meter{r: r, priced: r.IntN(2) == 0, open: make(map[int]excess)}
			if r.IntN(5) == 0 {
				m.stop = cancel
			}
			opts := scanner.Options{Provider: m, Concurrency: 1 + r.IntN(64), Verify: r.IntN(2) == 0, Retry: provider.RetryPolicy{MaxRetries: r.IntN(4) - 1}}
			switch r.IntN(3) {
			case 0:
				opts.MaxTokens = int64(r.IntN(300_000)) + 1
			case 1:
				opts.MaxCost = r.Float64() * 2
			default:
				opts.MaxTokens, opts.MaxCost = int64(r.IntN(300_000))+1, r.Float64()*2
			}
			var starts []int
			for i := range 1 + r.IntN(100) {
				starts = append(starts, 1+200*i)
			}
			report, err := scanner.Run(ctx, []scanner.Skill{reviewer}, []diff.File{added("a.go", starts...)}, opts)
			if err != nil && ctx.Err() == nil {
				t.Fatal(err)
			}
			checkLedger(t, report.Skills[0], len(starts))
			var over excess
			for _, e := range m.last {
				over.tokens += e.tokens
				over.cost += e.cost
			}
			if spent := float64(m.spent.InputTokens + m.spent.OutputTokens); opts.MaxTokens > 0 && spent > float64(opts.MaxTokens)+over.tokens {
				t.Errorf("seed %d: %.0f tokens were used, the limit is %d and the excess %.0f", seed, spent, opts.MaxTokens, over.tokens)
			}
			if c := m.spent.CostUSD; opts.MaxCost > 0 && c != nil && *c > opts.MaxCost+over.cost+1e-9 {
				t.Errorf("seed %d: $%v were spent, the limit is %v and the excess %v", seed, *c, opts.MaxCost, over.cost)
			}
			if c := report.Skills[0].Chunks; (c.NotAnalyzed > 0) && report.Stopped == nil && ctx.Err() == nil {
				t.Errorf("seed %d: %+v without a reason", seed, c)
			}
		})
	}
}

// TestBudgetWaits shows that the first request goes alone, and that others wait for
// those in flight when not all that they may need is left.
func TestBudgetWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		requests, running := 0, 0
		var together []int // in flight at each start
		p := asker(func(context.Context, provider.Request) (provider.Response, error) {
			mu.Lock()
			requests++
			running++
			resp := answer(nothing)
			if requests == 1 {
				resp.Usage.OutputTokens = 5000
			}
			together = append(together, running)
			delay := time.Duration(requests) * time.Second
			mu.Unlock()
			time.Sleep(delay)
			mu.Lock()
			running--
			mu.Unlock()
			return resp, nil
		})
		report, err := scanner.Run(t.Context(), []scanner.Skill{reviewer}, []diff.File{added("a.go", 1, 200, 400, 600, 800, 1000)}, scanner.Options{Provider: p, MaxTokens: 16_000})
		if err != nil || report.Stopped != nil || report.Skills[0].Chunks.Analyzed != 6 {
			t.Fatalf("error %v, stopped by %v, %+v", err, report.Stopped, report.Skills[0].Chunks)
		}
		if want := []int{1, 1, 2, 2, 2, 2}; !slices.Equal(together, want) {
			t.Errorf("%v requests were in flight, want %v", together, want)
		}
	})
}

// refusing is a provider whose servers may refuse features of requests.
type refusing struct{ asker }

func (refusing) SendsFeatures() bool { return true }

// TestBudgetOfSharedLimiter shows that runs with limits of their own, whose requests
// wait in one queue, end, whatever their servers answer.
func TestBudgetOfSharedLimiter(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 9))
		synctest.Test(t, func(t *testing.T) {
			l := provider.NewLimiter(1 + r.IntN(4))
			var mu sync.Mutex
			rnd := func(n int64) int64 { mu.Lock(); defer mu.Unlock(); return r.Int64N(n) }
			var all sync.WaitGroup
			for range 3 {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if rnd(3) == 0 {
					time.AfterFunc(time.Duration(rnd(int64(time.Minute))), cancel)
				}
				p := refusing{func(ctx context.Context, req provider.Request) (provider.Response, error) {
					select {
					case <-time.After(time.Duration(rnd(int64(20 * time.Second)))):
					case <-ctx.Done():
						return provider.Response{}, ctx.Err()
					}
					switch rnd(8) {
					case 0:
						return provider.Response{}, &provider.Error{Kind: provider.KindInvalid, Status: 400, Message: "no"}
					case 1:
						return provider.Response{}, &provider.Error{Kind: provider.KindServer, Status: 500, Message: "no"}
					case 2:
						return provider.Response{}, &provider.Error{Kind: provider.KindRateLimit, Status: 429, RetryAfter: time.Second}
					case 3:
						return answer("hm"), nil
					}
					return answer(findings(finding("high", "Division", "second of", 0))), nil
				}}
				opts := scanner.Options{Provider: p, Limiter: l, Verify: rnd(2) == 0, MaxCost: float64(rnd(20)), MaxTokens: 2000 + rnd(30000)}
				all.Go(func() {
					report, err := scanner.Run(ctx, []scanner.Skill{reviewer}, []diff.File{added("a.go", 1, 200, 400, 600, 800, 1000, 1200, 1400)}, opts)
					if report != nil {
						checkLedger(t, report.Skills[0], 8)
					}
					_ = err
				})
			}
			all.Wait()
		})
	}
}

// TestBudgetOrder shows that a limit leaves the last chunks, in the order of files.
func TestBudgetOrder(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 3))
		synctest.Test(t, func(t *testing.T) {
			var mu sync.Mutex
			sleep := func(d time.Duration) {
				mu.Lock()
				d = time.Duration(r.Int64N(int64(d)))
				mu.Unlock()
				time.Sleep(d)
			}
			rec := &recorder{t: t}
			report, err := scanner.Run(t.Context(), []scanner.Skill{reviewer}, []diff.File{added("a.go", 1, 200, 400, 600, 800, 1000, 1200, 1400), added("b.go", 1, 200, 400, 600)}, scanner.Options{
				Provider: refusing{func(context.Context, provider.Request) (provider.Response, error) {
					sleep(time.Second)
					return answer(nothing), nil
				}},
				Redact:  func(s string) (string, int) { sleep(time.Second); return s, 0 },
				MaxCost: 0.25*float64(1+r.IntN(11)) + 0.1, OnEvent: rec.on,
			})
			if err != nil || !errors.Is(report.Stopped, scanner.ErrBudget) {
				t.Fatalf("error %v, stopped by %v", err, report.Stopped)
			}
			order := make([]scanner.Outcome, 12)
			for _, e := range eventsOf[scanner.EventChunk](rec) {
				order[8*e.Chunk.File+e.Chunk.Index] = e.Outcome
			}
			if !slices.IsSorted(order) {
				t.Errorf("seed %d: chunks that were not analyzed are among the others: %v", seed, order)
			}
		})
	}
}
