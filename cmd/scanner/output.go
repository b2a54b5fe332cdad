package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"github.com/codescan-dev/scanner/internal/dotdir"
	"github.com/codescan-dev/scanner/jsonl"
	"github.com/codescan-dev/scanner/project"
)

// output is the file named by --output.
type output struct {
	name           string
	path           string // absolute, with links resolved; empty for standard output
	file           *os.File
	w              *jsonl.Writer
	regular, begun bool
	// useless is set while the file is new and empty, and when a record could not be
	// written: a part of a report could be taken for all of it.
	useless bool
}

// openOutput opens the file, so that one that cannot be written is an error before
// any request. Its contents stay until there is something to write.
func (p *process) openOutput(ctx context.Context, pr *project.Project, name string) (*output, error) {
	if name == "-" {
		return &output{name: "standard output", w: jsonl.NewWriter(&pipe{p.stdout, p.gone})}, nil
	}
	fail := func(err error) (*output, error) {
		return nil, usagef("--output: cannot write %q: %w", name, dotdir.Cause(err))
	}
	var created bool
	// Opening a pipe waits for its reader.
	f, err := await(ctx, func() (f *os.File, err error) {
		f, created, err = pr.OpenOutput(name)
		return f, err
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return fail(err)
	}
	o := &output{name: name, path: name, file: f, w: jsonl.NewWriter(f), useless: created}
	info, err := f.Stat()
	if err == nil {
		o.regular = info.Mode().IsRegular()
		if path, err := filepath.EvalSymlinks(name); err == nil {
			o.path = path
		}
		if path, err := filepath.Abs(o.path); err == nil {
			o.path = path
		}
		return o, nil
	}
	f.Close()
	return fail(err)
}

// isFile reports whether the output is the file with a name.
func (o *output) isFile(name string) bool {
	if o.file == nil {
		return false
	}
	info, err := o.file.Stat()
	other, otherErr := os.Stat(name)
	return err == nil && otherErr == nil && os.SameFile(info, other)
}

// Write writes a record at once.
func (o *output) Write(rec jsonl.Record) error {
	if o.regular && !o.begun {
		if err := o.file.Truncate(0); err != nil {
			return o.fail(err)
		}
		o.begun, o.useless = true, false
	}
	err := o.w.Write(rec)
	if err != nil {
		o.useless = o.regular
	}
	return o.fail(err)
}

func (o *output) fail(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("--output: writing %q: %w", o.name, dotdir.Cause(err))
}

// close closes the file, and removes it if it is useless.
func (o *output) close() {
	if o.file == nil {
		return
	}
	o.file.Close()
	if o.useless {
		os.Remove(o.path)
	}
}

// pipe is a stream whose reader may go away, as head does. The run then ends as if it
// was interrupted, and the rest is discarded.
type pipe struct {
	w    io.Writer
	gone func() // ends the run
}

func (w *pipe) Write(p []byte) (int, error) {
	n, err := w.w.Write(p)
	if errors.Is(err, syscall.EPIPE) {
		w.gone()
		return len(p), nil
	}
	return n, err
}
