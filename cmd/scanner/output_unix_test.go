//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/codescan-dev/scanner/jsonl"
	"github.com/codescan-dev/scanner/project"
	"github.com/codescan-dev/scanner/provider/providertest"
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

// When the reader of the output is gone, the run ends at the next write as if it was
// interrupted, with a complete log.
func TestRunWithoutReader(t *testing.T) {
	for _, arg := range []string{"-v", "--output=-"} {
		w := newWorld(t, nil)
		w.write(t, map[string]string{"a.go": "package a\n\nvar x = 1\n", "b.go": "package a\n\nvar y = 1\n"})
		server := w.server(t, providertest.Script{})
		r, stdout, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		w.out = stdout
		if code := w.run(t.Context(), "scan", arg); code != exitInterrupted {
			t.Errorf("%s: exit code %d, want %d: %s", arg, code, exitInterrupted, &w.stderr)
		}
		stdout.Close()
		logs, _ := filepath.Glob(filepath.Join(w.dir, ".scanner/logs/*.jsonl"))
		if len(logs) != 1 {
			t.Fatalf("%s: logs %q", arg, logs)
		}
		data, err := os.ReadFile(logs[0])
		if err != nil {
			t.Fatal(err)
		}
		if log, err := jsonl.ReadAll(bytes.NewReader(data)); err != nil || log.Summary == nil {
			t.Errorf("%s: the log is not complete: %v\n%s", arg, err, data)
		}
		if n := len(server.Requests()); arg == "-v" && n > 0 {
			t.Errorf("%s: %d requests after the first line", arg, n)
		}
	}
}
