package scanner

import (
	"context"
	"fmt"
	"sync"

	"github.com/codescan-dev/scanner/internal/format"
	"github.com/codescan-dev/scanner/provider"
)

// budget is what a run may use, and what it has used. It is guarded by guard.mu.
type budget struct {
	maxCost   float64 // US dollars; 0 means no limit
	maxTokens int64   // 0 means no limit

	spent    Usage
	bytes    int   // sent, in the requests of spent
	largest  int64 // output of one of them, in tokens
	inFlight int
	reserved amount // by those in flight
}

// amount is what one or several requests use.
type amount struct{ tokens, cost float64 }

// limited reports whether there is a limit.
func (b *budget) limited() bool { return b.maxCost > 0 || b.maxTokens > 0 }

// expect returns what a request of a size in bytes is expected to use: the tokens per
// byte of the run so far, and its largest output. Without a price, a token costs as
// much as those of the run so far.
func (b *budget) expect(bytes int, price *provider.Price) amount {
	u := provider.ExpectedUsage(bytes)
	if b.bytes > 0 {
		u = Usage{InputTokens: int64(float64(b.spent.InputTokens) / float64(b.bytes) * float64(bytes)), OutputTokens: b.largest}
	}
	a := amount{tokens: float64(u.InputTokens) + float64(u.OutputTokens)}
	spent := float64(b.spent.InputTokens) + float64(b.spent.OutputTokens)
	switch {
	case price != nil:
		a.cost = price.Cost(u)
	case b.spent.CostUSD != nil && spent > 0:
		a.cost = *b.spent.CostUSD / spent * a.tokens
	}
	return a
}

// exceeded returns the error for a request that does not fit; nil if it does.
func (b *budget) exceeded(a amount) error {
	tokens := float64(b.spent.InputTokens) + float64(b.spent.OutputTokens)
	if limit := float64(b.maxTokens); limit > 0 && tokens+b.reserved.tokens+a.tokens > limit {
		return fmt.Errorf("%w: %.0f of at most %.0f tokens were used, and the next request may need %.0f", ErrBudget, tokens, limit, a.tokens)
	}
	cost := 0.0
	if b.spent.CostUSD != nil {
		cost = *b.spent.CostUSD
	}
	if limit := b.maxCost; limit > 0 && cost+b.reserved.cost+a.cost > limit {
		return fmt.Errorf("%w: %s of at most %s were spent, and the next request may cost %s", ErrBudget, format.Cost(&cost), format.Cost(&limit), format.Cost(&a.cost))
	}
	return nil
}

// reservation is what an attempt of a request is expected to use. Each attempt makes
// it anew, since more is known then.
type reservation struct {
	guard *guard
	bytes int
	price *provider.Price // nil if it is unknown
	held  amount
	err   error // why the attempt must not be made
}

// reserve returns the reservations of a request.
func (g *guard) reserve(p provider.Provider, req provider.Request) *reservation {
	v := &reservation{guard: g, bytes: req.Size()}
	if p, ok := p.(provider.Pricer); ok && g.maxCost > 0 {
		if price, ok := p.Price(req.Model); ok {
			v.price = &price
		}
	}
	return v
}

// take makes the reservation, for an attempt that begins now. It returns false while
// that has to wait for others: because it does not fit, or because nothing has been
// measured and so one request goes alone. An attempt that does not fit although
// nothing is in flight has err.
func (v *reservation) take() bool {
	g := v.guard
	g.mu.Lock()
	defer g.mu.Unlock()
	v.held = g.expect(v.bytes, v.price)
	v.err = g.exceeded(v.held)
	alone := g.bytes == 0 && g.limited()
	if g.inFlight > 0 && (v.err != nil || alone) {
		return false
	}
	g.inFlight++
	g.reserved.tokens += v.held.tokens
	g.reserved.cost += v.held.cost
	return true
}

// free ends the reservation, when the usage of the attempt has been recorded.
func (v *reservation) free() {
	g := v.guard
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inFlight--
	g.reserved.tokens -= v.held.tokens
	g.reserved.cost -= v.held.cost
	if g.inFlight == 0 {
		g.reserved = amount{} // without errors of rounding
	}
}

// turn is the place of a chunk in the order of files. Chunks are sent in that order, so
// that it is the last ones that are left by a run that ends early.
type turn struct {
	before <-chan struct{} // closed when the chunk before was sent, or does not need to be
	passed chan struct{}
	once   sync.Once
}

// next returns the turn after t, which is nil for the first.
func (t *turn) next() *turn {
	n := &turn{passed: make(chan struct{})}
	if t != nil {
		n.before = t.passed
	}
	return n
}

// wait returns when it is the turn of a chunk, or ctx ends.
func (t *turn) wait(ctx context.Context) {
	if t == nil || t.before == nil {
		return
	}
	select {
	case <-t.before:
	case <-ctx.Done():
	}
}

func (t *turn) pass() {
	if t != nil {
		t.once.Do(func() { close(t.passed) })
	}
}
