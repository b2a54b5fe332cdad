// Package dotdir opens the files and directories of a repository that runs write to.
// Most are below ".scanner". It never follows a symbolic link: the author of a change
// decides where a link leads, and one that stays in the repository can lead into .git.
package dotdir

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
)

// Name is the name of the directory in the root of a repository.
const Name = ".scanner"

// ignoreText keeps what runs leave behind out of commits. Skills, which are in the
// same directory, are to be committed.
const ignoreText = "/.gitignore\n/logs/\n/fixes/\n"

// Open opens a directory of .scanner in the repository that root is opened on. It
// creates what is missing: .scanner, in it a .gitignore that keeps logs and fixes
// out of commits, and the directory, which others cannot read: logs and patches
// quote code. A symbolic link in place of any of them is an error. Errors begin with
// the path from the root of the repository.
//
// The caller keeps root, and must close what is returned.
func Open(root *os.Root, name string) (*os.Root, error) {
	base, err := open(root, Name, 0o755)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", Name, err)
	}
	defer base.Close()
	if err := createIgnore(base); err != nil {
		return nil, fmt.Errorf("%q: %w", Name+"/.gitignore", err)
	}
	dir, err := open(base, name, 0o700)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", Name+"/"+name, err)
	}
	// It may be older, or come from a checkout. Not every file system has modes, and
	// the files have their own.
	_ = dir.Chmod(".", 0o700)
	return dir, nil
}

// OpenFile opens a file to write by its path from the root, with '/'. It creates the
// file and the directories on the way that are missing, and reports whether the file
// is new. The contents of a file that exists are kept. A symbolic link at the path or
// on the way is an error. Errors begin with the path that they are about.
func OpenFile(root *os.Root, name string) (f *os.File, created bool, err error) {
	err = In(root, name, func(dir *os.Root, base string) error {
		f, created, err = openFile(dir, base)
		return err
	})
	return f, created, err
}

// Create writes a new file by its path from the root, with '/', and the directories on
// the way that are missing. If the path exists, be it as a symbolic link, the error is
// [fs.ErrExist]; a symbolic link on the way is an error. Errors begin with the path that
// they are about.
func Create(root *os.Root, name, text string) error {
	return In(root, name, func(dir *os.Root, base string) error { return create(dir, base, text) })
}

// In calls f with the directory of a file, whose path is from the root and with '/', and its
// name there. It creates the directories that are missing; a symbolic link on the way is an
// error. Errors begin with the path that they are about.
func In(root *os.Root, name string, f func(dir *os.Root, base string) error) error {
	dir := root
	for i := range len(name) {
		if name[i] != '/' {
			continue
		}
		next, err := open(dir, path.Base(name[:i]), 0o755)
		if dir != root {
			dir.Close()
		}
		if err != nil {
			return fmt.Errorf("%q: %w", name[:i], err)
		}
		dir = next
	}
	if dir != root {
		defer dir.Close()
	}
	if err := f(dir, path.Base(name)); err != nil {
		return fmt.Errorf("%q: %w", name, Cause(err))
	}
	return nil
}

// Replace puts a directory with files, by their paths there, in place of a directory by its
// path from the root, if that exists: all of them, or none. First it restores what a call
// that was killed left, then files is called.
func Replace(root *os.Root, name string, files func() (map[string][]byte, error)) error {
	hidden := "." + strings.ReplaceAll(name, "/", "-")
	temp, old := hidden+".new", hidden+".old"
	_ = root.Rename(old, name)
	texts, err := files()
	err = cmp.Or(err, root.RemoveAll(old), root.RemoveAll(temp), root.Mkdir(temp, 0o755))
	for _, file := range slices.Sorted(maps.Keys(texts)) {
		err = cmp.Or(err, Create(root, path.Join(temp, file), string(texts[file])))
	}
	if err == nil {
		if err = root.Rename(name, old); err == nil || errors.Is(err, fs.ErrNotExist) {
			err = root.Rename(temp, name)
		}
	}
	if err != nil {
		_ = root.Rename(old, name)
		return errors.Join(err, root.RemoveAll(temp))
	}
	return root.RemoveAll(old)
}

// create writes a new file. Half of one is removed.
func create(dir *os.Root, name, text string) error {
	f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = dir.Remove(name)
	}
	return err
}

func openFile(dir *os.Root, name string) (f *os.File, created bool, err error) {
	f, err = dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if !errors.Is(err, fs.ErrExist) {
		return f, err == nil, err
	}
	before, err := dir.Lstat(name)
	if err == nil && before.Mode()&fs.ModeSymlink != 0 {
		err = errLink
	}
	if err != nil {
		return nil, false, err
	}
	if f, err = dir.OpenFile(name, os.O_WRONLY, 0); err != nil {
		return nil, false, err
	}
	if err := checkSame(before, f.Stat); err != nil {
		f.Close()
		return nil, false, err
	}
	return f, false, nil
}

// InGit reports whether a path, with '/', leads into a directory of git itself, where
// URLs may hold credentials. Git lets no such path into its index.
func InGit(path string) bool {
	return slices.ContainsFunc(strings.Split(path, "/"), func(e string) bool { return strings.EqualFold(e, ".git") })
}

var errLink = errors.New("is a symbolic link")

// checkSame returns an error if a file is not the one that was found before. Opening
// follows links that stay inside of a root, and one may have replaced the file.
func checkSame(before fs.FileInfo, stat func() (fs.FileInfo, error)) error {
	after, err := stat()
	if err == nil && !os.SameFile(before, after) {
		err = errors.New("was replaced while it was opened")
	}
	return err
}

// open opens a directory of parent, and creates it with a mode if it is missing.
func open(parent *os.Root, name string, mode fs.FileMode) (*os.Root, error) {
	made := parent.Mkdir(name, mode)
	before, err := parent.Lstat(name)
	switch {
	case err != nil:
		if made != nil {
			err = made // why it is missing
		}
		return nil, Cause(err)
	case before.Mode()&fs.ModeSymlink != 0:
		return nil, errLink
	case !before.IsDir():
		return nil, errors.New("is not a directory")
	}
	dir, err := parent.OpenRoot(name)
	if err != nil {
		return nil, Cause(err)
	}
	if err := checkSame(before, func() (fs.FileInfo, error) { return dir.Stat(".") }); err != nil {
		dir.Close()
		return nil, Cause(err)
	}
	return dir, nil
}

func createIgnore(base *os.Root) error {
	const name = ".gitignore"
	err := create(base, name, ignoreText)
	if errors.Is(err, fs.ErrExist) {
		// An existing one is left as it is: its author may want something else.
		info, statErr := base.Lstat(name)
		switch {
		case statErr != nil:
		case info.Mode()&fs.ModeSymlink != 0:
			err = errLink
		default:
			err = nil
		}
	}
	return Cause(err)
}

// Cause returns the cause of an error of package os, without the call and the
// path, for callers that name the file in a better way. Other errors are returned
// as they are.
func Cause(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	if le, ok := errors.AsType[*os.LinkError](err); ok {
		return le.Err
	}
	return err
}

// ReadRegular reads a regular file of at most max bytes. Its errors do not name the
// file. Opening a named pipe
// would wait for its writer, and a link may lead to a device that never ends.
func ReadRegular(fsys fs.FS, name string, max int64) ([]byte, error) {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, Cause(err)
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("is not a regular file")
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, Cause(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, max+1))
	if err == nil && int64(len(data)) > max {
		err = fmt.Errorf("larger than %d bytes", max)
	}
	return data, Cause(err)
}

// ReadTree reads all files below a directory, by their paths there. They must be regular
// and have at most max bytes each.
func ReadTree(fsys fs.FS, dir string, max int64) (map[string][]byte, error) {
	files := make(map[string][]byte)
	return files, fs.WalkDir(fsys, dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		if files[strings.TrimPrefix(name, dir+"/")], err = ReadRegular(fsys, name, max); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	})
}
