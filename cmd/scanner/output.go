package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/dotdir"
	"github.com/codescan-dev/scanner/internal/nearest"
	"github.com/codescan-dev/scanner/jsonl"
	"github.com/codescan-dev/scanner/output"
	"github.com/codescan-dev/scanner/project"
	"github.com/codescan-dev/scanner/redact"
)

// formatJSONL is the format of a value of --output that names none.
const formatJSONL = "jsonl"

// target is a value of --output.
type target struct {
	format string // formatJSONL or one of output.Formats
	name   string // a file, or "-" for standard output
}

// parseTarget reads a value of --output: a format that is known and a colon before the
// file, or the file alone.
func parseTarget(value string) (target, error) {
	formats := append(output.Formats(), formatJSONL)
	t := target{formatJSONL, value}
	if prefix, name, ok := strings.Cut(value, ":"); ok {
		switch {
		case slices.Contains(formats, prefix):
			t = target{prefix, name}
		case !strings.ContainsAny(prefix, `./\`) && nearest.Word(prefix, formats) != "":
			return t, project.WithHint(usagef("--output: unknown format %q", prefix),
				fmt.Sprintf("did you mean %s:%s? A file of that name is ./%s", nearest.Word(prefix, formats), name, value))
		}
	}
	switch t.name {
	case "":
		return t, usagef("--output: %q names no file", value)
	case "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1":
		t.name = "-"
	}
	return t, nil
}

// outputFiles are the files named by --output, each with its sink.
type outputFiles struct {
	files []*outputFile
	sinks []scanner.Sink
}

// openOutputs opens the files, so that one that cannot be written is an error before any
// request. Their contents stay until there is something to write.
func (p *process) openOutputs(ctx context.Context, pr *project.Project, o *options, run jsonl.Run, opts output.Options) (*outputFiles, error) {
	opts.Version, opts.Start, opts.Commit = version, run.Timestamp.Time, run.HeadSHA
	redactor := sync.OnceValue(func() *redact.Redactor { return redact.New() })
	opts.Redact = func(text string) (string, int) { return redactor().Redact(text) }
	all := new(outputFiles)
	for _, t := range o.outputs {
		f, err := p.openOutput(ctx, pr, t.name)
		if err != nil {
			all.close()
			return nil, err
		}
		var sink scanner.Sink = jsonl.NewSink(jsonl.NewWriter(f), run, jsonl.SinkOptions{Discards: o.Discards})
		if t.format != formatJSONL {
			sink, err = output.New(t.format, f, opts)
		}
		if err == nil && slices.ContainsFunc(all.files, func(other *outputFile) bool { return other.is(f.name) }) {
			err = usagef("--output: %q is named twice", t.name)
		}
		all.files, all.sinks = append(all.files, f), append(all.sinks, fileSink{sink, f})
		if err != nil {
			all.close()
			return nil, err
		}
	}
	return all, nil
}

func (all *outputFiles) close() {
	for _, f := range all.files {
		f.close()
	}
}

// report returns the absolute path of the first file of JSON Lines; empty if there is
// none.
func (all *outputFiles) report(o *options) string {
	for i, t := range o.outputs {
		if t.format == formatJSONL && all.files[i].path != "" {
			return all.files[i].path
		}
	}
	return ""
}

// fileSink names the file in the errors of a sink.
type fileSink struct {
	scanner.Sink
	file *outputFile
}

func (s fileSink) Skill(r *scanner.SkillReport, sel scanner.Selection) error {
	return s.fail(s.Sink.Skill(r, sel))
}

func (s fileSink) Finish(run *scanner.RunReport) error { return s.fail(s.Sink.Finish(run)) }

func (s fileSink) fail(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("--output: writing %q: %w", s.file.name, dotdir.Cause(err))
}

// outputFile is a file named by --output.
type outputFile struct {
	name           string
	path           string // absolute, with links resolved; empty for standard output
	w              io.Writer
	file           *os.File // nil for standard output
	regular, begun bool
	// useless is set while the file is new and empty, and when not all could be written:
	// a part of a report could be taken for all of it.
	useless bool
}

func (p *process) openOutput(ctx context.Context, pr *project.Project, name string) (*outputFile, error) {
	if name == "-" {
		return &outputFile{name: "standard output", w: &pipe{p.stdout, p.gone}}, nil
	}
	fail := func(err error) (*outputFile, error) {
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
	o := &outputFile{name: name, path: name, w: f, file: f, useless: created}
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

// is reports whether the output is the file with a name.
func (o *outputFile) is(name string) bool {
	if o.file == nil {
		return false
	}
	info, err := o.file.Stat()
	other, otherErr := os.Stat(name)
	return err == nil && otherErr == nil && os.SameFile(info, other)
}

// Write writes to the file, in place of what was in it before.
func (o *outputFile) Write(p []byte) (int, error) {
	if o.regular && !o.begun {
		if err := o.file.Truncate(0); err != nil {
			return 0, err
		}
		o.begun, o.useless = true, false
	}
	n, err := o.w.Write(p)
	if err != nil {
		o.useless = o.regular
	}
	return n, err
}

// close closes the file, and removes it if it is useless.
func (o *outputFile) close() {
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
