package main

import (
	"bufio"
	"context"
	"strings"
)

// readAnswer reads a line of standard input that answers a question. At the end
// of the input its error is io.EOF, when the run is interrupted that of ctx.
func (p *process) readAnswer(ctx context.Context) (string, error) {
	line, err := await(ctx, func() (string, error) { return bufio.NewReader(p.stdin).ReadString('\n') })
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if line = strings.TrimSpace(line); line != "" {
		return line, nil
	}
	return "", err
}

// await returns what f returns, or the error of ctx when that ends before. Calls
// that wait for another process, to open or read a pipe, cannot be canceled: f is
// then left behind, and the process ends soon.
func await[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := f()
		done <- result{value, err}
	}()
	select {
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	case r := <-done:
		return r.value, r.err
	}
}
