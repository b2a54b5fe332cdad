package gitdiff

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Operating systems have such limits, too: how many links one name may lead
// through, and how long a target and the rest of the name may be together.
const (
	maxLinks  = 40
	maxTarget = 4096
)

// Follow returns the files of f with symbolic links followed, as they are in a
// checkout: a link to a file or directory of f is that file or directory. Links that
// lead elsewhere, to nothing or to themselves are not listed, and the use of their
// name is an error, but not [fs.ErrNotExist]. The entries of a directory are links all
// the same. It is for the file systems of commits and of the index; it ends with f, and is
// safe for concurrent use.
//
// It is meant for files that are trusted, such as configuration. What is scanned
// is better read from f: there, every file has one name.
func (f *FS) Follow() fs.FS {
	all := *f
	all.follow = true
	all.dirs = make(map[string][]string, len(f.dirs))
	for dir, names := range f.dirs {
		all.dirs[dir] = slices.Clone(names)
	}
	for link := range f.links {
		all.addName(link)
	}
	all.sortNames()
	return &all
}

// Resolve returns the name in f that a name leads to when links are followed, as
// by [FS.Follow]: the name itself if no link is on the way, or one that leads to
// nothing. There need not be a file of the result.
func (f *FS) Resolve(name string) string {
	to, err := f.resolve("resolve", name)
	if err != nil {
		return name
	}
	return to
}

var errDeadLink = errors.New("is a symbolic link that leads to nothing in the repository")

// resolve returns the name in f that a name leads to. It goes element by element:
// ".." after a link to a directory is the parent of the link's target.
func (f *FS) resolve(op, name string) (string, error) {
	if path.Join("/", name) != "/"+name {
		return name, nil // the name of nothing, or of the root
	}
	dead := &fs.PathError{Op: op, Path: name, Err: errDeadLink}
	at, rest := "", name
	links := 0
	last := false // the name itself is a link, and not only a directory on the way
	for rest != "" {
		var element string
		element, rest, _ = strings.Cut(rest, "/")
		to := path.Join(at, element)
		if to == ".." {
			return "", dead
		}
		link, ok := f.links[to]
		if !ok {
			at = to
			continue
		}
		if links++; links > maxLinks {
			return "", dead
		}
		last = last || rest == ""
		data, err := f.backend.read(link)
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
	_, file := f.files[at]
	_, dir := f.dirs[at]
	if last && !file && !dir {
		return "", dead
	}
	return at, nil
}
