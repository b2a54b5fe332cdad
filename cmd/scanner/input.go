package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/dotdir"
	"github.com/codescan-dev/scanner/internal/term"
	"github.com/codescan-dev/scanner/jsonl"
)

// maxDiff is the largest diff that is read from a file, in bytes.
const maxDiff = 1 << 30

// readDiff reads a unified diff from a file, or from standard input. The writer of
// a pipe can take any time, so it returns when ctx ends.
func (p *process) readDiff(ctx context.Context, name string) ([]diff.File, error) {
	from := name
	if name == "-" {
		from = "standard input"
	}
	data, err := await(ctx, func() ([]byte, error) {
		if name == "-" {
			return readLimited(p.stdin, maxDiff)
		}
		return readFile(name, maxDiff)
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var files []diff.File
	if err == nil {
		files, err = diff.Parse(data)
	}
	if err != nil {
		return nil, usagef("--diff-file %q: %w", from, err)
	}
	if files == nil {
		files = []diff.File{} // nil means git
	}
	return files, nil
}

// readFile reads a file that is not larger than max, in bytes.
func readFile(name string, max int) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, dotdir.Cause(err)
	}
	defer f.Close()
	return readLimited(f, max)
}

func readLimited(r io.Reader, max int) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, int64(max)+1))
	if err == nil && len(data) > max {
		err = fmt.Errorf("larger than %d bytes", max)
	}
	return data, dotdir.Cause(err)
}

// maxLog is the largest log that is read, in bytes.
const maxLog = 64 << 20

// readLog reads a log. A line that is not valid is an error: then it is not what a run
// wrote. With cut, the last line may lack its end, as when the run was killed.
func readLog(ctx context.Context, name string, cut bool) (*jsonl.Log, error) {
	log, err := parseLog(ctx, name)
	switch {
	case cut && errors.Is(err, io.ErrUnexpectedEOF) && len(log.Skills) > 0:
	case err != nil:
		return nil, err
	case len(log.Skills) == 0 && log.Summary == nil:
		return nil, usagef("log %q: has no records", name)
	}
	return log, nil
}

// parseLog returns what can be read of a log, and the error at the first line that is
// not valid. It returns when ctx ends.
func parseLog(ctx context.Context, name string) (*jsonl.Log, error) {
	return await(ctx, func() (log *jsonl.Log, err error) {
		data, err := readFile(name, maxLog)
		if err == nil {
			log, err = jsonl.ReadAll(bytes.NewReader(data))
		}
		if err != nil {
			err = usagef("log %q: %w", name, err)
		}
		return log, err
	})
}

// confirm asks the user a question. If nobody can answer, the answer is no.
func (p *process) confirm(ctx context.Context, c *term.Console, o *options, question string) (yes, answered bool) {
	_, _, in := p.size(p.stdin)
	_, _, out := p.size(p.stderr)
	if !in || !out || !c.Interactive() || o.diffFile == "-" {
		return false, false
	}
	c.Ask(question + " [y/N] ")
	answer, err := await(ctx, func() (string, error) { return bufio.NewReader(p.stdin).ReadString('\n') })
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return err == nil || ctx.Err() == nil, true
	}
	return false, true
}

// await returns the results of f, or the error of ctx when that ends before. Calls
// that wait for another process, to open or read a pipe, cannot be canceled: then f
// is left running, and the process ends soon.
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
