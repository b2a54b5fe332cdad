package gitdiff

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
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
func (r *Repo) readUpTo(p string, limit int64) (data []byte, err error) {
	err = r.within(p, func(dir *os.Root, name string) (err error) {
		data, err = readFile(dir, name, limit)
		return err
	})
	return data, err
}

// readFile is readUpTo for a file of a directory.
func readFile(dir *os.Root, name string, limit int64) ([]byte, error) {
	info, err := dir.Lstat(name)
	if err != nil {
		return nil, err
	}
	f, err := open(dir, name, info)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data := make([]byte, min(info.Size(), limit)+1) // with space to find the end
	n, err := io.ReadFull(f, data)
	switch data = data[:n]; err {
	case io.EOF, io.ErrUnexpectedEOF:
		err = nil
	case nil: // it is larger by now
		var rest []byte
		rest, err = io.ReadAll(io.LimitReader(f, limit+1-int64(n)))
		data = append(data, rest...)
	}
	if err == nil && int64(len(data)) > limit {
		err = &fs.PathError{Op: "read", Path: name, Err: ErrTooLarge}
	}
	return data, err
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

// maxTogether is how many files of a directory are completed by one goroutine.
const maxTogether = 64

// complete calls fill for all files that are not skipped yet, with the directory of the
// file and its name there. It sets Skip for those that cannot be read, and drops those
// that do not exist. A directory is opened once for files that follow each other.
func (r *Repo) complete(ctx context.Context, files []diff.File, fill func(*os.Root, string, *diff.File) error) ([]diff.File, error) {
	var parts [][]diff.File
	for rest := files; len(rest) > 0; {
		n, dir := 1, path.Dir(rest[0].Path)
		for n < min(len(rest), maxTogether) && path.Dir(rest[n].Path) == dir {
			n++
		}
		parts, rest = append(parts, rest[:n]), rest[n:]
	}
	err := each(ctx, len(parts), func(i int) error {
		err := r.within(parts[i][0].Path, func(dir *os.Root, _ string) error {
			for k := range parts[i] {
				if f := &parts[i][k]; f.Skip == "" {
					setFailure(f, fill(dir, path.Base(f.Path), f))
				}
			}
			return nil
		})
		for k := range parts[i] {
			if f := &parts[i][k]; err != nil && f.Skip == "" {
				setFailure(f, err) // of the directory
			}
		}
		return nil
	})
	return slices.DeleteFunc(files, func(f diff.File) bool { return f.Path == "" }), err
}

// setFailure sets why a file cannot be completed. The path of one that does not exist
// becomes empty.
func setFailure(f *diff.File, err error) {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.Path = ""
	case errors.Is(err, ErrTooLarge):
		f.Skip = diff.ReasonTooLarge
	case err != nil:
		f.Skip = diff.ReasonUnreadable
	}
}

// fillWhole sets the mode of a file and the loader of its contents. Whether they can be
// read is not known yet.
func (r *Repo) fillWhole(dir *os.Root, name string, f *diff.File) error {
	info, err := dir.Lstat(name)
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
func (r *Repo) fillAdded(dir *os.Root, name string, f *diff.File) error {
	if err := r.fillWhole(dir, name, f); err != nil {
		return err
	}
	f.Load = nil
	if f.Skip == diff.ReasonLink {
		target, err := dir.Readlink(name)
		f.Hunks = diff.AddedHunks([]byte(target))
		return err
	}
	data, err := readFile(dir, name, diff.MaxSize(f.Path))
	f.Hunks = diff.AddedHunks(data)
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
	files = append(files, untracked...)
	var names []string
	for i := range files {
		names = append(names, files[i].Path)
	}
	var generated map[string]bool
	g, gctx := errgroup.WithContext(ctx)
	g.Go(func() (err error) {
		generated, err = r.git.generated(gctx, names, false)
		return err
	})
	g.Go(func() (err error) {
		files, err = r.complete(gctx, files, r.fillWhole)
		return err
	})
	if err := g.Wait(); err != nil {
		return nil, err
	}
	setGenerated(files, generated)
	if err := r.checkNamed(paths, files); err != nil {
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
