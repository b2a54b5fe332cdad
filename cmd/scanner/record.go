package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/jsonl"
)

// recorder hands the results of a run to its sinks: the log, and --output. A log
// that fails is a warning; the report that was asked for is an error.
type recorder struct {
	run  jsonl.Run
	opts jsonl.SinkOptions
	warn func(string)

	log     *jsonl.File // nil when it cannot be written
	out     *output     // nil without --output
	logSink scanner.Sink
	outSink scanner.Sink
	outErr  error
}

// begin makes the sinks.
func (r *recorder) begin() {
	r.logSink = jsonl.NewSink(r.log, r.run, r.opts)
	r.outSink = jsonl.NewSink(r.out, r.run, r.opts)
}

// skill records the report of a skill that has ended.
func (r *recorder) skill(report *scanner.SkillReport, sel scanner.Selection) {
	r.each(func(s scanner.Sink) error { return s.Skill(report, sel) })
}

// finish writes the summary and closes the log. The error is that of --output.
func (r *recorder) finish(run *scanner.RunReport) error {
	r.each(func(s scanner.Sink) error { return s.Finish(run) })
	if r.log != nil {
		r.logFailed(r.log.Close())
	}
	return r.outErr
}

func (r *recorder) each(call func(scanner.Sink) error) {
	if r.log != nil {
		r.logFailed(call(r.logSink))
	}
	if r.out != nil && r.outErr == nil {
		r.outErr = call(r.outSink)
	}
}

// logFailed gives up the log after an error.
func (r *recorder) logFailed(err error) {
	if err != nil {
		r.warn(err.Error())
		r.log.Close()
		r.log = nil
	}
}

// path returns where the report is: the file of --output, else the log, relative
// to the root of the repository. It is empty when there is neither.
func (r *recorder) path() string {
	switch {
	case r.out != nil && r.out.path != "":
		if abs, err := filepath.Abs(r.out.path); err == nil {
			return abs
		}
		return r.out.path
	case r.log != nil:
		return r.log.Path()
	}
	return ""
}

// output is the file named by --output.
type output struct {
	name string
	path string // with links resolved; empty for standard output
	file *os.File
	w    *jsonl.Writer
	// created is set while the file is new and empty.
	created bool
	// regular is set for a regular file, of which what is written can be taken
	// back.
	regular bool
	begun   bool
}

// isStdout reports whether a name of a file stands for standard output. The
// terminal channel has to give way then: where it is a file, one would write over
// the other.
func isStdout(name string) bool {
	return name == "/dev/stdout" || name == "/dev/fd/1" || name == "/proc/self/fd/1"
}

// openOutput opens the file, so that one that cannot be written shows before
// anything is spent. What it held stays until there is something to write.
func (p *process) openOutput(ctx context.Context, name string) (*output, error) {
	if name == "-" {
		var w io.Writer = ignorePipe{p.stdout}
		if p.inWorkflow() {
			w = inertJSON{w}
		}
		return &output{name: "standard output", w: jsonl.NewWriter(w)}, nil
	}
	fail := func(err error) (*output, error) {
		return nil, usagef("--output: cannot write %q: %w", name, bareError(err))
	}
	_, err := os.Stat(name)
	missing := errors.Is(err, os.ErrNotExist)
	// A pipe waits for its reader, for any time.
	f, err := await(ctx, func() (*os.File, error) { return os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o644) })
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return fail(err)
	}
	o := &output{name: name, path: name, file: f, w: jsonl.NewWriter(f), created: missing}
	info, err := f.Stat()
	if err == nil {
		o.regular = info.Mode().IsRegular()
		if path, err := filepath.EvalSymlinks(name); err == nil {
			o.path = path
		}
		return o, nil
	}
	f.Close()
	return fail(err)
}

// Write writes a record at once.
func (o *output) Write(rec jsonl.Record) error {
	if !o.regular {
		return o.fail(o.w.Write(rec))
	}
	if !o.begun {
		if err := o.file.Truncate(0); err != nil {
			return o.fail(err)
		}
		o.begun, o.created = true, false
	}
	whole, _ := o.file.Seek(0, io.SeekCurrent)
	err := o.w.Write(rec)
	if err != nil {
		// A line that is cut is worse than none. Nothing can be done if this
		// fails too.
		_ = o.file.Truncate(whole)
	}
	return o.fail(err)
}

func (o *output) fail(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("--output: writing %q: %w", o.name, bareError(err))
}

// close ends the use of the file. One that nothing was written to is not left
// behind.
func (o *output) close() {
	if o.file == nil {
		return
	}
	o.file.Close()
	if o.created {
		os.Remove(o.path)
	}
}

// inertJSON keeps JSON from being taken for a command by the runner of a workflow,
// as [inert] does with text: a bracket in a string may be written otherwise.
type inertJSON struct{ w io.Writer }

func (w inertJSON) Write(p []byte) (int, error) {
	if _, err := w.w.Write(bytes.ReplaceAll(p, []byte("##["), []byte(`##\u005b`))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// ignorePipe takes what nobody reads any more.
type ignorePipe struct{ w io.Writer }

func (w ignorePipe) Write(p []byte) (int, error) {
	n, err := w.w.Write(p)
	if errors.Is(err, syscall.EPIPE) {
		return len(p), nil
	}
	return n, err
}
