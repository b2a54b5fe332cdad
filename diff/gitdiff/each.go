package gitdiff

import (
	"context"

	"golang.org/x/sync/errgroup"
)

// each calls f for 0 to n-1, some at a time, until one fails or ctx ends.
func each(ctx context.Context, n int, f func(int) error) error {
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(4)
	for i := range n {
		if gctx.Err() != nil {
			break
		}
		g.Go(func() error { return f(i) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return context.Cause(ctx)
}
