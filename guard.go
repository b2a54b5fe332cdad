package scanner

import (
	"context"
	"fmt"
	"sync"

	"github.com/codescan-dev/scanner/internal/format"
	"github.com/codescan-dev/scanner/provider"
)

// breakerLimit is the number of requests that must fail in a row, for reasons of
// the provider and after their retries, before the rest is given up.
const breakerLimit = 5

// guard watches the requests of a run and decides when no more must be made. It
// is safe for concurrent use.
type guard struct {
	cancel context.CancelCauseFunc // ends the run at once
	onStop func(error)             // called once

	mu sync.Mutex
	budget
	row  int // failed completions in a row
	stop error
}

// blocked returns why no more requests must be made; nil if they may be.
func (g *guard) blocked() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.stop
}

// spend records the usage of a request of a size in bytes, also of one that failed.
// What is not known cannot be limited.
func (g *guard) spend(u Usage, bytes int) {
	if u.IsZero() {
		return
	}
	g.mu.Lock()
	g.spent = g.spent.Add(u)
	g.bytes += bytes
	g.largest = max(g.largest, u.OutputTokens)
	g.mu.Unlock()
	switch {
	case g.maxTokens > 0 && u.Unreported:
		g.end(fmt.Errorf("%w: the provider does not report how many tokens were used, so the limit of %d cannot be enforced", ErrBudget, g.maxTokens))
	case g.maxCost > 0 && u.CostUSD == nil:
		g.end(fmt.Errorf("%w: the cost of the model is unknown, so the limit of %s cannot be enforced", ErrBudget, format.Cost(&g.maxCost)))
	}
}

// completed records how a request ended after its retries. A request that the
// caller canceled must not be recorded.
func (g *guard) completed(err error) {
	kind := provider.KindOf(err)
	g.mu.Lock()
	switch {
	case err == nil:
		g.row = 0
	case kind == provider.KindServer || kind == provider.KindConnection || kind == provider.KindTimeout:
		g.row++
	default:
		g.row = 0
	}
	row := g.row
	g.mu.Unlock()
	if row >= breakerLimit {
		g.end(fmt.Errorf("%w: %d requests in a row failed, the last one with %w", ErrBreaker, row, err))
	}
}

// refused ends the run at once: err is the error of all later requests as well.
func (g *guard) refused(err error) {
	g.end(err)
	g.cancel(err)
}

// end keeps the first reason to stop.
func (g *guard) end(err error) {
	g.mu.Lock()
	first := g.stop == nil
	if first {
		g.stop = err
	}
	g.mu.Unlock()
	if first {
		g.onStop(err)
	}
}
