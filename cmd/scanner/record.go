package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/jsonl"
)

// recorder writes the records of a run: to the log, and to --output. A log that
// fails is a warning; the report that was asked for is an error.
type recorder struct {
	run  jsonl.Run
	now  func() time.Time
	warn func(string)

	log *jsonl.File // nil when it cannot be written
	out *output     // nil without --output

	records []*jsonl.SkillRecord
	written [][]byte // the records as they were written
	outErr  error
}

// skill records the report of a skill that has ended.
func (r *recorder) skill(report *scanner.SkillReport, sel scanner.Selection) {
	rec := jsonl.FromReport(r.run.After(r.now().Sub(r.run.Timestamp.Time)), report, sel)
	data, _ := json.Marshal(rec) // what cannot be written shows when it is
	r.records, r.written = append(r.records, rec), append(r.written, data)
	r.write(rec)
}

func (r *recorder) write(rec jsonl.Record) {
	if r.log != nil {
		r.logFailed(r.log.Write(rec))
	}
	if r.out != nil && r.outErr == nil {
		r.outErr = r.out.write(rec)
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

// finish writes the summary and closes the files. Skills that ended early may
// have learned since what later ones found too; then all is written anew. The
// error is that of --output.
func (r *recorder) finish(run *scanner.RunReport, selected []scanner.Selection, duration time.Duration) error {
	changed := false
	for i, rec := range r.records[:min(len(r.records), len(run.Skills))] {
		r.records[i] = jsonl.FromReport(rec.Run, run.Skills[i], selected[i])
		data, _ := json.Marshal(r.records[i])
		changed = changed || !bytes.Equal(data, r.written[i])
	}
	all := make([]jsonl.Record, 0, len(r.records)+1)
	whole := r.run.After(duration)
	for _, rec := range r.records {
		all = append(all, rec)
		// They count from a time in whole milliseconds, which may be earlier.
		whole.DurationMs = max(whole.DurationMs, rec.Run.DurationMs)
	}
	summary := jsonl.NewSummary(whole, run.Skipped, r.records...)
	all = append(all, summary)

	if r.log != nil {
		if changed {
			r.logFailed(r.log.Replace(all...))
		} else {
			r.logFailed(r.log.Write(summary))
		}
	}
	if r.log != nil {
		r.logFailed(r.log.Close())
	}
	if r.out != nil && r.outErr == nil {
		r.outErr = r.out.finish(all, changed)
	}
	return r.outErr
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
	// whole is set when the file can be replaced as a whole. Otherwise, as for
	// standard output and pipes, what is written cannot be taken back.
	whole bool
	begun bool
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
		o.whole = info.Mode().IsRegular()
		if path, err := filepath.EvalSymlinks(name); err == nil {
			o.path = path
		}
		return o, nil
	}
	f.Close()
	return fail(err)
}

// write writes a record at once where it can still be replaced.
func (o *output) write(rec jsonl.Record) error {
	if !o.whole {
		return nil
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

// finish writes what is missing: the last record, all of them if none was
// written, or all of them anew if they changed since.
func (o *output) finish(all []jsonl.Record, changed bool) error {
	if !o.whole {
		for _, rec := range all {
			if err := o.w.Write(rec); err != nil {
				return o.fail(err)
			}
		}
		return nil
	}
	if !changed {
		return o.write(all[len(all)-1])
	}
	return o.fail(o.replace(all))
}

// replace puts a new file in the place of the old one.
func (o *output) replace(all []jsonl.Record) error {
	f, err := os.CreateTemp(filepath.Dir(o.path), "."+filepath.Base(o.path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails once it is renamed
	w := jsonl.NewWriter(f)
	for _, rec := range all {
		if err = w.Write(rec); err != nil {
			break
		}
	}
	if info, statErr := o.file.Stat(); err == nil && statErr == nil {
		err = f.Chmod(info.Mode().Perm())
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	o.file.Close() // not every system renames over a file that is open
	return os.Rename(f.Name(), o.path)
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
