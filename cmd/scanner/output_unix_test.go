//go:build unix

package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/codescan-dev/scanner/project"
)

// Opening a pipe without a reader ends when the run is interrupted.
func TestOpenOutputInterrupted(t *testing.T) {
	// Not t.TempDir: the opening that is left behind may create the file again.
	dir, err := os.MkdirTemp("", "scanner-test-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	pr, err := project.Open(t.Context(), project.Env{Dir: dir, Environ: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	defer pr.Close()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := (&process{}).openOutput(ctx, pr, name)
		done <- err
	}()
	cancel()
	select {
	case err := <-done:
		if !errors.Is(err, context.Canceled) || project.ExitCode(nil, err) != exitInterrupted {
			t.Errorf("got %v, want that it was canceled", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("it still waits for a reader")
	}
	// The opening that was left behind ends with a reader.
	if fd, err := syscall.Open(name, syscall.O_RDONLY|syscall.O_NONBLOCK, 0); err == nil {
		syscall.Close(fd)
	}
}
