//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/codescan-dev/scanner"
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

// TestLogsInterrupted: scanner report and merge end when they are interrupted, also while
// they wait for the writer of a log, or for the reader of a report.
func TestLogsInterrupted(t *testing.T) {
	w := newWorld(t, nil)
	w.write(t, map[string]string{"a.go": "package a\n"})
	// Not in the working tree: an opening that is left behind may create it again.
	dir, err := os.MkdirTemp("", "scanner-test-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	log, fresh := filepath.Join(dir, "log.jsonl"), filepath.Join(dir, "fresh.html")
	pipe := func(name string) string {
		name = filepath.Join(dir, name)
		if err := syscall.Mkfifo(name, 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	interrupted := func(started func(), args ...string) {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		code := make(chan int, 1)
		go func() { code <- w.run(ctx, args...) }()
		started()
		cancel()
		select {
		case code := <-code:
			if code != exitInterrupted {
				t.Errorf("%q: exit code %d, want %d", args, code, exitInterrupted)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%q: it does not end", args)
		}
	}
	for _, command := range []string{"report", "merge"} {
		interrupted(func() {}, command, pipe(command))
	}

	run := jsonl.NewRun(time.Now(), "/")
	rec := jsonl.FromReport(run, &scanner.SkillReport{Skill: "s"}, scanner.Selection{Shown: []scanner.Finding{{
		ID: "0123456789ab", Severity: scanner.SeverityLow, Title: "t", Description: strings.Repeat("long ", 1<<20),
	}}})
	var b bytes.Buffer
	jw := jsonl.NewWriter(&b)
	if err := errors.Join(jw.Write(rec), jw.Write(jsonl.NewSummary(run, nil, rec))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(log, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	name := pipe("pipe")
	reader, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	interrupted(func() {
		for end := time.Now().Add(time.Minute); time.Now().Before(end); { // no writer yet is an end of file
			if n, _ := reader.Read(make([]byte, 1)); n > 0 {
				break
			}
		}
	}, "report", "--output=sarif:"+name, "--output=html:"+fresh, log)
	if _, err := os.Stat(fresh); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the new file is still there: %v", err)
	}
}
