package jsonl

import (
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/codescan-dev/scanner/internal/dotdir"
)

// File is the log of one run in a [Dir].
//
// When Write returns, the operating system has the record: a run that is killed
// leaves whole lines.
type File struct {
	name string
	w    *Writer

	mu     sync.Mutex
	f      file
	closed bool
}

// file is the part of os.File that a File uses, so that tests can fill the disk.
type file interface {
	io.Writer
	Truncate(size int64) error
	Sync() error
	Close() error
}

// Create creates the log file of a run; see [Run.FileName]. Other users cannot
// read it. Any file that is there already is an error and is not changed.
func (d *Dir) Create(run Run) (*File, error) {
	name, err := run.FileName()
	if err != nil {
		return nil, fmt.Errorf("log file: %w", err)
	}
	// Exclusive creation does not follow a link in the last place.
	f, err := d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("log file %q: %w", logsPath+"/"+name, dotdir.Cause(err))
	}
	return newFile(name, f), nil
}

func newFile(name string, f file) *File {
	return &File{name: name, f: f, w: NewWriter(f)}
}

// Path returns the file's path from the repository's root, with '/'.
func (f *File) Path() string { return logsPath + "/" + f.name }

// Write writes a record as [Writer.Write] does. If only a part of the line could
// be written it is removed again, so that the file holds whole lines.
func (f *File) Write(rec Record) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return f.fail(os.ErrClosed)
	}
	if err := f.w.Write(rec); err != nil {
		// If this fails too, the line stays cut.
		_ = f.f.Truncate(f.w.size)
		return f.fail(err)
	}
	return nil
}

// Close syncs the file to the disk and closes it. Further calls do nothing.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil
	}
	f.closed = true
	err := f.f.Sync()
	if closeErr := f.f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return f.fail(err)
	}
	return nil
}

func (f *File) fail(err error) error {
	return fmt.Errorf("log file %q: %w", f.Path(), dotdir.Cause(err))
}
