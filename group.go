package scanner

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
)

// group runs functions in goroutines of its own, a bounded number at a time. They
// call the caller's code: a provider, a cache, a file system. When that panics or ends
// its goroutine, Wait panics in turn, since nobody can recover in a goroutine of ours.
// Its methods are for one goroutine.
//
// A goroutine runs one function after the other: the stack of a new one would have to
// grow every time.
type group struct {
	most, started int
	functions     chan func()
	running       sync.WaitGroup

	once     sync.Once
	stop     func(error) // called at the first panic
	panicked *panicError
}

// bounded returns a group that runs at most n functions at a time.
func (r *run) bounded(n int) *group {
	return &group{most: n, functions: make(chan func()), stop: r.guard.cancel}
}

// Go runs f as soon as a goroutine is free.
func (g *group) Go(f func()) {
	if g.started < g.most {
		g.started++
		g.running.Add(1)
		go g.work()
	}
	g.functions <- f
}

func (g *group) work() {
	done := false
	defer func() {
		v := recover()
		if done {
			g.running.Done()
			return
		}
		if v == nil { // as by the FailNow of a test
			v = errors.New("runtime.Goexit was called")
		}
		g.once.Do(func() {
			g.panicked = newPanicError(v)
			g.stop(g.panicked)
		})
		go g.work() // in its place
	}()
	for f := range g.functions {
		f()
	}
	done = true
}

// Wait waits for all functions. If one panicked, it panics with a *panicError.
func (g *group) Wait() {
	close(g.functions)
	g.running.Wait()
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
