package main

import (
	"context"
	"errors"
	"io"
	"testing"
)

// A person who forgot the diff must be able to leave.
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
