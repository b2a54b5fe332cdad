package gitdiff

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"sync"
	"time"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/dotdir"
)

// FS is a snapshot of the names in a tree: the working tree, the index, or a
// revision. It has regular files and the directories that lead to them; links and
// submodules are left out. A path may have bytes that are not valid UTF-8, which
// [fs.ValidPath] would refuse.
//
// Opening or reading a file of more than [MaxFileSize] fails with
// [ErrTooLarge]. It is safe for concurrent use.
type FS struct {
	files   map[string]indexEntry
	dirs    map[string][]string   // the sorted names in a directory
	links   map[string]indexEntry // symbolic links
	list    func() error          // fills the three above, once; nil if they are filled
	known   map[string]bool       // files that are found without a list
	follow  bool                  // links are followed; see [FS.Follow]
	backend backend
}

var (
	_ fs.ReadFileFS = (*FS)(nil)
	_ fs.ReadDirFS  = (*FS)(nil)
	_ fs.StatFS     = (*FS)(nil)
)

// backend has the contents of an FS. Errors are wrapped by the FS.
type backend interface {
	stat(e indexEntry) (fileInfo, error)
	read(e indexEntry) ([]byte, error)
	close()
}

// WorktreeFS returns the files of the working tree that are tracked, or
// untracked and not ignored. The tree is listed, with ctx, when something is looked
// up in it for the first time, except for the files of a change or of [Repo.All],
// which are known. Contents are those of the time of reading. Nothing outside of the
// working tree, no link and nothing in .git is ever read.
func (r *Repo) WorktreeFS(ctx context.Context, known []diff.File) *FS {
	f := &FS{known: make(map[string]bool, len(known)), backend: worktreeBackend{r}}
	for _, k := range known {
		if isRegular(k.Mode) && k.Status != diff.Deleted && !dotdir.InGit(k.Path) {
			f.known[k.Path] = true
		}
	}
	f.list = sync.OnceValue(func() error {
		index, untracked, err := r.git.list(ctx, "", nil)
		if err != nil {
			return explain(ctx, err)
		}
		for _, u := range untracked {
			info, err := r.lstat(u.Path)
			if err == nil && info.Mode().IsRegular() {
				index = append(index, indexEntry{mode: modeFile, path: u.Path})
			}
		}
		f.fill(index)
		return nil
	})
	return f
}

// IndexFS returns the files of the index as they are now. Conflicted files are
// left out. The caller must close the file system, which also ends with ctx.
func (r *Repo) IndexFS(ctx context.Context) (*FS, error) {
	index, err := r.git.index(ctx)
	if err != nil {
		return nil, explain(ctx, err)
	}
	index = slices.DeleteFunc(index, func(e indexEntry) bool { return e.conflict })
	return newFS(index, objectBackend{r.git.blobs(ctx)}), nil
}

// RevisionFS returns the files of a commit. The error for a revision that does
// not resolve, or that looks like an option, is an [*Error]. The caller must close
// the file system, which also ends with ctx.
func (r *Repo) RevisionFS(ctx context.Context, rev string) (*FS, error) {
	oid, err := r.resolveRef(ctx, otherRef, rev)
	if err != nil {
		return nil, explain(ctx, err)
	}
	tree, err := r.git.tree(ctx, oid)
	if err != nil {
		return nil, explain(ctx, err)
	}
	return newFS(tree, objectBackend{r.git.blobs(ctx)}), nil
}

func newFS(entries []indexEntry, b backend) *FS {
	f := &FS{backend: b}
	f.fill(entries)
	return f
}

func (f *FS) fill(entries []indexEntry) {
	f.files, f.links = make(map[string]indexEntry, len(entries)), make(map[string]indexEntry)
	f.dirs = map[string][]string{".": nil}
	for _, e := range entries {
		switch {
		case forbidden(e.path):
		case e.mode == modeLink:
			f.links[e.path] = e
		case isRegular(e.mode):
			f.files[e.path] = e // of the stages of a conflict, the last
			f.addName(e.path)
		}
	}
	f.sortNames()
}

// forbidden reports whether no checkout could have a path, as objects that were made by hand
// can: with ".." in it, a walk would never end.
func forbidden(p string) bool { return dotdir.InGit(p) || path.Clean("/"+p) != "/"+p }

// sortNames sorts the names in each directory, and drops repeated ones.
func (f *FS) sortNames() {
	for dir, names := range f.dirs {
		slices.Sort(names)
		f.dirs[dir] = slices.Compact(names)
	}
}

// addName adds a path to its directory, and that one to its own.
func (f *FS) addName(p string) {
	for p != "." {
		dir := path.Dir(p)
		_, known := f.dirs[dir]
		f.dirs[dir] = append(f.dirs[dir], path.Base(p))
		if known {
			return
		}
		p = dir
	}
}

// Close ends the process that reads the files.
func (f *FS) Close() error {
	f.backend.close()
	return nil
}

// find returns the name of what a name leads to, and the file; nil for a directory.
func (f *FS) find(op, name string) (at string, file *indexEntry, err error) {
	if f.known[name] {
		return name, &indexEntry{path: name}, nil
	}
	if f.list != nil {
		if err := f.list(); err != nil {
			return "", nil, pathError(op, name, err)
		}
	}
	at = name
	if f.follow {
		if at, err = f.resolve(op, name); err != nil {
			return "", nil, err
		}
	}
	if _, ok := f.dirs[at]; ok {
		return at, nil, nil
	}
	if e, ok := f.files[at]; ok {
		return at, &e, nil
	}
	return "", nil, pathError(op, name, fs.ErrNotExist)
}

// Open implements [fs.FS]. A file is read at once.
func (f *FS) Open(name string) (fs.File, error) {
	info, err := f.Stat(name)
	if err != nil {
		return nil, pathError("open", name, err)
	}
	if info.IsDir() {
		entries, err := f.ReadDir(name)
		return &openDir{info: info, entries: entries}, err
	}
	data, err := f.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return &openFile{info: info, Reader: bytes.NewReader(data)}, nil
}

var errDirectory = errors.New("is a directory")

// ReadFile implements [fs.ReadFileFS].
func (f *FS) ReadFile(name string) ([]byte, error) {
	_, file, err := f.find("open", name)
	if err != nil {
		return nil, err
	}
	if file == nil {
		return nil, pathError("read", name, errDirectory)
	}
	data, err := f.backend.read(*file)
	if err != nil {
		return nil, pathError("read", name, err)
	}
	return data, nil
}

// Stat implements [fs.StatFS].
func (f *FS) Stat(name string) (fs.FileInfo, error) {
	_, file, err := f.find("stat", name)
	if err != nil {
		return nil, err
	}
	info := fileInfo{mode: fs.ModeDir | 0o555}
	if file != nil {
		if info, err = f.backend.stat(*file); err != nil {
			return nil, pathError("stat", name, err)
		}
	}
	info.name = path.Base(name)
	return info, nil
}

// ReadDir implements [fs.ReadDirFS].
func (f *FS) ReadDir(name string) ([]fs.DirEntry, error) {
	at, file, err := f.find("readdir", name)
	if err != nil {
		return nil, err
	}
	if file != nil {
		return nil, pathError("readdir", name, errors.New("not a directory"))
	}
	var entries []fs.DirEntry
	for _, n := range f.dirs[at] {
		p := path.Join(at, n)
		if _, file, err := f.find("readdir", p); err == nil { // a dead link is left out
			e := dirEntry{f: f, path: p}
			if _, link := f.links[p]; link { // as with package os, not the type of its target
				e.mode = fs.ModeSymlink
			} else if file == nil {
				e.mode = fs.ModeDir
			}
			entries = append(entries, e)
		}
	}
	return entries, nil
}

func pathError(op, name string, err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}

type dirEntry struct {
	f    *FS
	path string
	mode fs.FileMode // the type alone
}

func (d dirEntry) Name() string               { return path.Base(d.path) }
func (d dirEntry) IsDir() bool                { return d.mode.IsDir() }
func (d dirEntry) Info() (fs.FileInfo, error) { return d.f.Stat(d.path) }
func (d dirEntry) Type() fs.FileMode          { return d.mode }

// fileInfo describes a file or directory of a snapshot.
type fileInfo struct {
	name string
	size int64
	mode fs.FileMode
	time time.Time
}

func (i fileInfo) Name() string       { return i.name }
func (i fileInfo) Size() int64        { return i.size }
func (i fileInfo) Mode() fs.FileMode  { return i.mode }
func (i fileInfo) ModTime() time.Time { return i.time }
func (i fileInfo) IsDir() bool        { return i.mode.IsDir() }
func (i fileInfo) Sys() any           { return nil }

type openFile struct {
	info fs.FileInfo
	*bytes.Reader
}

func (o *openFile) Stat() (fs.FileInfo, error) { return o.info, nil }
func (o *openFile) Close() error               { return nil }

type openDir struct {
	info    fs.FileInfo
	entries []fs.DirEntry
}

func (o *openDir) Stat() (fs.FileInfo, error) { return o.info, nil }
func (o *openDir) Close() error               { return nil }
func (o *openDir) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: o.info.Name(), Err: errDirectory}
}

func (o *openDir) ReadDir(n int) ([]fs.DirEntry, error) {
	if n <= 0 {
		n = len(o.entries)
	} else if len(o.entries) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(o.entries))
	out := o.entries[:n:n]
	o.entries = o.entries[n:]
	return out, nil
}

// worktreeBackend reads the files on disk.
type worktreeBackend struct{ r *Repo }

func (w worktreeBackend) stat(e indexEntry) (fileInfo, error) {
	info, err := w.r.lstat(e.path)
	if err != nil {
		return fileInfo{}, err
	}
	if !info.Mode().IsRegular() {
		return fileInfo{}, errNotRegular
	}
	return fileInfo{size: info.Size(), mode: info.Mode(), time: info.ModTime()}, nil
}

func (w worktreeBackend) read(e indexEntry) ([]byte, error) { return w.r.read(e.path) }
func (w worktreeBackend) close()                            {}

// objectBackend reads the objects of git.
type objectBackend struct{ blobs *blobReader }

func (o objectBackend) stat(e indexEntry) (fileInfo, error) {
	_, size, err := o.blobs.get(e.oid)
	mode := fs.FileMode(0o444)
	if e.mode == modeExec {
		mode = 0o555
	}
	return fileInfo{size: size, mode: mode}, err
}

func (o objectBackend) read(e indexEntry) ([]byte, error) { return o.blobs.read(e.oid) }
func (o objectBackend) close()                            { o.blobs.close() }
