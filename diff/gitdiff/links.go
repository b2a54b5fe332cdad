package gitdiff

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Systems have such limits, too: how many links one name may lead through, and
// how many bytes may be left to follow behind one.
const (
	maxLinks  = 40
	maxTarget = 4096
)

// Follow returns the files of f with symbolic links followed, as they are in a
// checkout: a link to a file or folder of f is that file or folder. Links that
// lead elsewhere, to nothing or to themselves are not listed, and to use their name
// is an error, but not [fs.ErrNotExist]. It is for the file systems of commits and
// of the index; it ends with f, and is safe for concurrent use.
//
// It is meant for files that are trusted, such as configuration. What is scanned
// is better read from f: there, every file has one name.
func (f *FS) Follow() fs.FS {
	all := &FS{dirs: make(map[string][]string, len(f.dirs))}
	for dir, names := range f.dirs {
		all.dirs[dir] = slices.Clone(names)
	}
	for link := range f.links {
		all.addName(link)
	}
	all.sortNames()
	return &linkedFS{f, all.dirs}
}

// Resolve returns the name in f of what a name is with links followed, as [FS.Follow]
// does it: the name itself where no link is on the way, or one that leads to
// nothing. What it names need not exist.
func (f *FS) Resolve(name string) string {
	to, err := (&linkedFS{f, f.dirs}).resolve("resolve", name)
	if err != nil {
		return name
	}
	return to
}

type linkedFS struct {
	f    *FS
	dirs map[string][]string // those of f, with links
}

var (
	_ fs.ReadFileFS = (*linkedFS)(nil)
	_ fs.ReadDirFS  = (*linkedFS)(nil)
	_ fs.StatFS     = (*linkedFS)(nil)
)

var errDeadLink = errors.New("is a symbolic link that leads to nothing in the repository")

// resolve returns the name in f that a name leads to. It goes element by element:
// ".." behind a link to a folder is the folder above the one that it leads to.
func (l *linkedFS) resolve(op, name string) (string, error) {
	if path.Join("/", name) != "/"+name {
		return name, nil // the name of nothing, or of the root
	}
	dead := &fs.PathError{Op: op, Path: name, Err: errDeadLink}
	at, rest := "", name
	links := 0
	last := false // the name itself is a link, and not only a folder on the way
	for rest != "" {
		var element string
		element, rest, _ = strings.Cut(rest, "/")
		to := path.Join(at, element)
		if to == ".." {
			return "", dead
		}
		link, ok := l.f.links[to]
		if !ok {
			at = to
			continue
		}
		if links++; links > maxLinks {
			return "", dead
		}
		last = last || rest == ""
		data, err := l.f.backend.read(link)
		if err != nil {
			return "", pathError(op, name, err)
		}
		target := string(data)
		if target == "" || path.IsAbs(target) || strings.IndexByte(target, 0) >= 0 || len(target)+len(rest) > maxTarget {
			return "", dead
		}
		if rest != "" {
			target += "/" + rest
		}
		rest = target
	}
	_, file := l.f.files[at]
	_, dir := l.dirs[at]
	if last && !file && !dir {
		return "", dead
	}
	return at, nil
}

// Open implements [fs.FS].
func (l *linkedFS) Open(name string) (fs.File, error) {
	to, err := l.resolve("open", name)
	if err != nil {
		return nil, err
	}
	if _, ok := l.dirs[to]; !ok {
		return l.f.Open(to)
	}
	entries, err := l.ReadDir(name)
	return &openDir{info: dirInfo(name), entries: entries}, err
}

// ReadFile implements [fs.ReadFileFS].
func (l *linkedFS) ReadFile(name string) ([]byte, error) {
	to, err := l.resolve("open", name)
	if err != nil {
		return nil, err
	}
	return l.f.ReadFile(to)
}

// Stat implements [fs.StatFS].
func (l *linkedFS) Stat(name string) (fs.FileInfo, error) {
	to, err := l.resolve("stat", name)
	if err != nil {
		return nil, err
	}
	if _, ok := l.dirs[to]; ok {
		return dirInfo(name), nil
	}
	info, err := l.f.Stat(to)
	if err != nil {
		return nil, err
	}
	return fileInfo{name: path.Base(name), size: info.Size(), mode: info.Mode(), time: info.ModTime()}, nil
}

// ReadDir implements [fs.ReadDirFS].
func (l *linkedFS) ReadDir(name string) ([]fs.DirEntry, error) {
	to, err := l.resolve("readdir", name)
	if err != nil {
		return nil, err
	}
	names, ok := l.dirs[to]
	if !ok {
		return l.f.ReadDir(to) // which says what is wrong
	}
	var entries []fs.DirEntry
	for _, n := range names {
		p := path.Join(to, n)
		if at, err := l.resolve("readdir", p); err == nil {
			_, dir := l.dirs[at]
			entries = append(entries, dirEntry{fsys: l, path: p, dir: dir})
		}
	}
	return entries, nil
}
