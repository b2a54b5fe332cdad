package gitdiff

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// maxDirs is how many directories are kept open. Files are mostly read next to each
// other, and each element of a path costs several system calls.
const maxDirs = 16

// directory is an open directory of the working tree.
type directory struct {
	*os.Root
	path string // relative to the root of the working tree, with '/'
	full string
	info fs.FileInfo
}

// within calls f with the directory that a path is in, and with the name there. A
// directory on the way that is a link is not followed: git sees no files behind it.
func (r *Repo) within(p string, f func(dir *os.Root, name string) error) error {
	parent, name := path.Split(p)
	if parent == "" {
		return f(r.fs, name)
	}
	d, err := r.openDirectory(strings.TrimSuffix(parent, "/"))
	if err != nil {
		return err
	}
	defer r.keepDirectory(d)
	return f(d.Root, name)
}

// openDirectory returns a directory for use by one goroutine.
func (r *Repo) openDirectory(p string) (*directory, error) {
	r.mu.Lock()
	i := slices.IndexFunc(r.dirs, func(d *directory) bool { return d.path == p })
	var d *directory
	if i >= 0 {
		d = r.dirs[i]
		r.dirs = slices.Delete(r.dirs, i, i+1)
	}
	r.mu.Unlock()
	if d != nil {
		if info, err := os.Lstat(d.full); err == nil && os.SameFile(info, d.info) {
			return d, nil
		}
		d.Close() // another one took its place
	}

	var info fs.FileInfo
	for i := range len(p) + 1 {
		if i < len(p) && p[i] != '/' {
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
	return &directory{Root: root, path: p, full: filepath.Join(r.root, filepath.FromSlash(p)), info: info}, nil
}

// keepDirectory keeps a directory for the next file.
func (r *Repo) keepDirectory(d *directory) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.dirs = append(r.dirs, d)
	if len(r.dirs) > maxDirs || r.closed {
		r.dirs[0].Close()
		r.dirs = slices.Delete(r.dirs, 0, 1)
	}
}
