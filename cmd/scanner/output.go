package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
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

func (s fileSink) Finish(run *scanner.RunReport) error {
	return s.fail(cmp.Or(s.Sink.Finish(run), s.file.finish()))
}

func (s fileSink) fail(err error) error {
	if err == nil {
		return nil
	}
	s.file.failed = true
	return fmt.Errorf("--output: writing %q: %w", s.file.name, dotdir.Cause(err))
}

// outputFile is a file named by --output.
type outputFile struct {
	name    string
	path    string // absolute, with links resolved; empty for standard output
	w       io.Writer
	file    *os.File // nil for standard output
	info    fs.FileInfo
	regular bool
	created bool // by this process
	failed  bool // its sink could not write all

	mu           sync.Mutex // held while a regular file is changed
	begun, whole bool       // something, all was written
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
	o := &outputFile{name: name, path: name, w: f, file: f, created: created}
	if o.info, err = f.Stat(); err != nil {
		f.Close()
		return fail(err)
	}
	o.regular = o.info.Mode().IsRegular()
	if path, err := filepath.EvalSymlinks(name); err == nil {
		o.path = path
	}
	if path, err := filepath.Abs(o.path); err == nil {
		o.path = path
	}
	return o, nil
}

// is reports whether the output is the file with a name.
func (o *outputFile) is(name string) bool {
	info, err := os.Stat(name)
	return err == nil && o.file != nil && os.SameFile(o.info, info)
}

var errRemoved = errors.New("the file was removed or replaced in the meantime")

// Write writes to the file, in place of what was in it before.
func (o *outputFile) Write(p []byte) (int, error) {
	if o.regular {
		o.mu.Lock()
		defer o.mu.Unlock()
		if !o.is(o.path) {
			return 0, errRemoved
		}
		if !o.begun {
			if err := o.file.Truncate(0); err != nil {
				return 0, err
			}
			o.begun = true
		}
	}
	return o.w.Write(p)
}

// finish closes the file after its sink has written all that it could.
func (o *outputFile) finish() error {
	if o.file == nil {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	err := o.file.Close()
	o.whole = err == nil && !o.failed
	return err
}

// close closes the file, and removes a regular one that is still what this process made
// of it, if that is nothing, or not all: a part of a report could be taken for all of it.
// It may be called while the sink writes.
func (o *outputFile) close() {
	if o.file == nil {
		return
	}
	if o.regular {
		o.mu.Lock()
		defer o.mu.Unlock()
	}
	o.file.Close()
	info, err := os.Stat(o.path)
	if err != nil || !o.regular || !os.SameFile(o.info, info) {
		return
	}
	if o.begun && !o.whole || o.created && !o.begun && info.Size() == 0 {
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
