package main

import (
	"context"
	"errors"
	"io"
	"testing"
)

// A user who forgot to pipe a diff must be able to interrupt.
func TestReadDiffEndsWithTheContext(t *testing.T) {
	in, writer := io.Pipe()
	defer writer.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := &process{stdin: in}
	if _, err := p.readDiff(ctx, "-"); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want that of the context", err)
	}
}
