package gitdiff

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/dotdir"
	"github.com/codescan-dev/scanner/internal/proc"
)

var (
	// ErrTooLarge is the error for reading a file larger than [MaxFileSize].
	ErrTooLarge = errors.New("file too large")

	errNotRegular = errors.New("not a regular file")
)

// lstat returns what is at a path of the working tree.
func (r *Repo) lstat(p string) (info fs.FileInfo, err error) {
	err = r.within(p, func(dir *os.Root, name string) (err error) {
		info, err = dir.Lstat(name)
		return err
	})
	return info, err
}

// read returns the contents of a regular file of the working tree.
func (r *Repo) read(p string) ([]byte, error) { return r.readUpTo(p, MaxFileSize) }

// readUpTo is read with another limit for the size.
func (r *Repo) readUpTo(p string, limit int64) ([]byte, error) {
	var data bytes.Buffer
	err := r.within(p, func(dir *os.Root, name string) error {
		info, err := dir.Lstat(name)
		if err != nil {
			return err
		}
		f, err := open(dir, name, info)
		if err != nil {
			return err
		}
		defer f.Close()
		data.Grow(int(min(info.Size(), limit)) + bytes.MinRead)
		_, err = data.ReadFrom(io.LimitReader(f, limit+1))
		return err
	})
	if err != nil {
		return nil, err
	}
	if int64(data.Len()) > limit {
		return nil, &fs.PathError{Op: "read", Path: p, Err: ErrTooLarge}
	}
	return data.Bytes(), nil
}

// open opens the regular file that Lstat has found, and no other.
func open(dir *os.Root, name string, info fs.FileInfo) (*os.File, error) {
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errNotRegular}
	}
	f, err := dir.OpenFile(name, os.O_RDONLY|proc.NonBlock, 0)
	if err != nil {
		return nil, err
	}
	if now, err := f.Stat(); err != nil || !os.SameFile(info, now) {
		f.Close()
		return nil, &fs.PathError{Op: "open", Path: name, Err: errNotRegular}
	}
	return f, nil
}

// complete calls fill for all files that are not skipped yet. It sets Skip for
// those that cannot be read, and drops those that do not exist.
func complete(ctx context.Context, files []diff.File, fill func(*diff.File) error) ([]diff.File, error) {
	err := each(ctx, len(files), func(i int) error {
		f := &files[i]
		if f.Skip != "" {
			return nil
		}
		switch err := fill(f); {
		case errors.Is(err, fs.ErrNotExist):
			f.Path = ""
		case errors.Is(err, ErrTooLarge):
			f.Skip = diff.ReasonTooLarge
		case err != nil:
			f.Skip = diff.ReasonUnreadable
		}
		return nil
	})
	return slices.DeleteFunc(files, func(f diff.File) bool { return f.Path == "" }), err
}

// fillWhole sets the mode of a file and the loader of its contents. Whether they can be
// read is not known yet.
func (r *Repo) fillWhole(f *diff.File) error {
	info, err := r.lstat(f.Path)
	if err != nil {
		return err
	}
	f.Mode = gitMode(info)
	switch {
	case info.IsDir():
		return fs.ErrNotExist // it took the place of a tracked file
	case f.Mode == modeLink:
		f.Skip = diff.ReasonLink
		return nil
	case info.Mode().IsRegular() && info.Size() > MaxFileSize && info.Size() > diff.MaxSize(f.Path):
		return ErrTooLarge
	case !info.Mode().IsRegular():
		return errNotRegular
	}
	p := f.Path
	f.Load = func() ([]byte, error) {
		data, err := r.read(p)
		if errors.Is(err, ErrTooLarge) { // for most files; the exact limit takes longer to find
			data, err = r.readUpTo(p, diff.MaxSize(p))
		}
		if err != nil {
			return nil, fmt.Errorf("read file %q: %w", p, err)
		}
		return data, nil
	}
	return nil
}

// fillAdded sets the hunks of an untracked file.
func (r *Repo) fillAdded(f *diff.File) error {
	if err := r.fillWhole(f); err != nil {
		return err
	}
	f.Load = nil
	if f.Skip == diff.ReasonLink {
		target, err := r.fs.Readlink(filepath.FromSlash(f.Path))
		f.Hunks = addedHunks([]byte(target))
		return err
	}
	data, err := r.readUpTo(f.Path, diff.MaxSize(f.Path))
	f.Hunks = addedHunks(data)
	f.MarkBinary(data)
	return err
}

// gitMode returns the mode that git would record, zero if git cannot store such a
// file.
func gitMode(info fs.FileInfo) uint32 {
	switch m := info.Mode(); {
	case m.IsRegular() && m&0o100 != 0:
		return modeExec
	case m.IsRegular():
		return modeFile
	case m&fs.ModeSymlink != 0:
		return modeLink
	}
	return 0
}

// addedHunks returns the hunks of an added file.
func addedHunks(data []byte) []diff.Hunk {
	if len(data) == 0 {
		return nil
	}
	const noEOL = "\\ No newline at end of file\n"
	lines := bytes.Count(data, []byte{'\n'})
	whole := data[len(data)-1] == '\n'
	if !whole {
		lines++
	}
	var b strings.Builder
	b.Grow(len(data) + lines + 1 + len(noEOL))
	for line := range bytes.Lines(data) {
		b.WriteByte('+')
		b.Write(line)
	}
	if !whole {
		b.WriteString("\n" + noEOL)
	}
	return []diff.Hunk{{NewStart: 1, NewLines: lines, Body: b.String()}}
}

// All returns the files of the working tree, tracked or not, without those
// that are ignored, each to be scanned whole: Status is Added, there are no
// hunks, and Load reads the file. What is not a regular file is listed with
// Skip; tracked files that are not on disk are left out. paths, relative to the
// root, limit what is listed; none means everything.
//
// Whether a file can be read or is binary is known only after loading.
func (r *Repo) All(ctx context.Context, paths []string) ([]diff.File, error) {
	files, err := r.all(ctx, paths)
	return files, explain(ctx, err)
}

func (r *Repo) all(ctx context.Context, paths []string) ([]diff.File, error) {
	if err := checkPaths(paths); err != nil {
		return nil, err
	}
	index, untracked, err := r.git.list(ctx, "", limits(paths))
	if err != nil {
		return nil, err
	}
	files := make([]diff.File, 0, len(index)+len(untracked))
	for i, e := range index {
		if i > 0 && index[i-1].path == e.path {
			continue // another stage of a conflict
		}
		f := diff.File{Path: e.path, Status: diff.Added, Mode: e.mode}
		if e.mode == modeSubmodule {
			f.Skip = diff.ReasonSubmodule
		}
		files = append(files, f)
	}
	if files, err = complete(ctx, append(files, untracked...), r.fillWhole); err != nil {
		return nil, err
	}
	if err := r.checkNamed(paths, files); err != nil {
		return nil, err
	}
	if err := r.git.markGenerated(ctx, files, false); err != nil {
		return nil, err
	}
	sortFiles(files)
	return files, nil
}

// Files returns the sorted paths of the working tree that are tracked, or
// untracked and not ignored: regular files and symbolic links. Repositories
// inside of this one are left out. A tracked file may be missing on disk.
func (r *Repo) Files(ctx context.Context) ([]string, error) {
	index, untracked, err := r.git.list(ctx, "", nil)
	if err != nil {
		return nil, explain(ctx, err)
	}
	var paths []string
	for _, e := range index {
		if (isRegular(e.mode) || e.mode == modeLink) && !dotdir.InGit(e.path) {
			paths = append(paths, e.path)
		}
	}
	for _, f := range untracked {
		if f.Skip == "" {
			paths = append(paths, f.Path)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths), nil
}

// each calls f for 0 to n-1, some at a time, until one fails or ctx ends.
func each(ctx context.Context, n int, f func(int) error) error {
	var next atomic.Int64
	g, gctx := errgroup.WithContext(ctx)
	for range min(4, n) {
		g.Go(func() error {
			for gctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					break
				}
				if err := f(i); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return context.Cause(ctx)
}
