package gitdiff

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// maxDirs is how many directories are kept open: files are mostly read next to each
// other, and each element of a path costs several system calls.
const maxDirs = 16

// directory is an open directory of the working tree.
type directory struct {
	*os.Root
	path string // relative to the root of the working tree, with '/'
	info fs.FileInfo
}

// within calls f with the directory that a path is in, and with the name there.
func (r *Repo) within(p string, f func(dir *os.Root, name string) error) error {
	parent, name := path.Split(p)
	if parent == "" {
		return f(r.fs, name)
	}
	d, err := r.directory(parent[:len(parent)-1])
	if err != nil {
		return err
	}
	err = f(d.Root, name)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.dirs = append(r.dirs, d)
	if len(r.dirs) > maxDirs || r.closed {
		r.dirs[0].Close()
		r.dirs = slices.Delete(r.dirs, 0, 1)
	}
	return err
}

// directory returns a directory for one caller at a time. One that a link leads to is
// an error: git sees no files behind it.
func (r *Repo) directory(p string) (*directory, error) {
	if d := r.keptDirectory(p); d != nil {
		if info, err := os.Lstat(r.root + "/" + p); err == nil && os.SameFile(info, d.info) {
			return d, nil
		}
		d.Close() // another one took its place
	}
	var info fs.FileInfo
	for i, c := range p + "/" {
		if c != '/' {
			continue
		}
		var err error
		if info, err = r.fs.Lstat(filepath.FromSlash(p[:i])); err != nil {
			return nil, err
		}
		if !info.IsDir() {
			return nil, &fs.PathError{Op: "open", Path: p, Err: fs.ErrNotExist}
		}
	}
	root, err := r.fs.OpenRoot(filepath.FromSlash(p))
	if err != nil {
		return nil, err
	}
	if now, err := root.Stat("."); err != nil || !os.SameFile(info, now) {
		root.Close()
		return nil, &fs.PathError{Op: "open", Path: p, Err: fs.ErrNotExist}
	}
	return &directory{root, p, info}, nil
}

// keptDirectory returns a directory that is open and not in use, or nil.
func (r *Repo) keptDirectory(p string) *directory {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.dirs, func(d *directory) bool { return d.path == p })
	if i < 0 {
		return nil
	}
	d := r.dirs[i]
	r.dirs = slices.Delete(r.dirs, i, i+1)
	return d
}
