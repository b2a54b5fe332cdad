package scanner

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	"golang.org/x/sync/errgroup"
)

// group runs functions in goroutines of its own, a bounded number at a time. They
// call the caller's code: a provider, a cache, a file system. When that panics or ends
// its goroutine, Wait panics in turn, since nobody can recover in a goroutine of ours.
type group struct {
	errgroup.Group
	once     sync.Once
	stop     func(error) // called at the first panic
	panicked *panicError
}

// bounded returns a group that runs at most n functions at a time.
func (r *run) bounded(n int) *group {
	g := &group{stop: r.guard.cancel}
	g.SetLimit(n)
	return g
}

func (g *group) Go(f func()) {
	g.Group.Go(func() error {
		returned := false
		defer func() {
			v := recover()
			if v == nil && !returned { // as by the FailNow of a test
				v = errors.New("runtime.Goexit was called")
			}
			if v != nil {
				g.once.Do(func() {
					g.panicked = newPanicError(v)
					g.stop(g.panicked)
				})
			}
		}()
		f()
		returned = true
		return nil
	})
}

// Wait waits for all functions. If one panicked, it panics with a *panicError.
func (g *group) Wait() {
	_ = g.Group.Wait()
	if g.panicked != nil {
		panic(g.panicked)
	}
}

// panicError is a panic of a goroutine, with its stack.
type panicError struct {
	value any
	stack []byte
}

// newPanicError must be called where v was recovered.
func newPanicError(v any) *panicError {
	if p, ok := v.(*panicError); ok { // raised again by a group within the group
		return p
	}
	return &panicError{v, debug.Stack()}
}

func (e *panicError) Error() string { return fmt.Sprintf("%v\n\n%s", e.value, e.stack) }

// Unwrap returns the value of the panic if it is an error.
func (e *panicError) Unwrap() error {
	err, _ := e.value.(error)
	return err
}
