package fix

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
)

var (
	errLink       = errors.New("is a symbolic link")
	errNotFolder  = errors.New("is not a folder")
	errReplaced   = errors.New("was replaced while it was opened")
	errSubmodule  = errors.New("is a repository of its own")
	errNotRegular = errors.New("is not a regular file")
	errHardLink   = errors.New("has several names (hard links), of which only one would change")
)

// openFolder opens a folder in parent. It must be one, and no link: a root
// follows links that stay inside of it, into .git for instance. That nothing
// took the folder's place meanwhile shows in what was opened.
func openFolder(parent *os.Root, name string) (*os.Root, error) {
	before, err := parent.Lstat(name)
	switch {
	case err != nil:
		return nil, cause(err)
	case before.Mode()&fs.ModeSymlink != 0:
		return nil, errLink
	case !before.IsDir():
		return nil, errNotFolder
	}
	folder, err := parent.OpenRoot(name)
	if err != nil {
		return nil, cause(err)
	}
	after, err := folder.Stat(".")
	if err == nil && !os.SameFile(before, after) {
		err = errReplaced
	}
	if err != nil {
		folder.Close()
		return nil, cause(err)
	}
	return folder, nil
}

// openParent opens the folder that holds the file with a path, and returns the
// name of the file in it. Each folder on the way is checked.
func openParent(root *os.Root, path string) (folder *os.Root, name string, err error) {
	folder, err = root.OpenRoot(".")
	if err != nil {
		return nil, "", cause(err)
	}
	for {
		first, rest, more := strings.Cut(path, "/")
		if !more {
			return folder, first, nil
		}
		next, err := openFolder(folder, first)
		folder.Close()
		if err != nil {
			return nil, "", &pathError{first, err}
		}
		folder, path = next, rest
		if _, err := folder.Lstat(".git"); err == nil {
			folder.Close()
			return nil, "", &pathError{first, errSubmodule}
		}
	}
}

// pathError names the folder on the way that is in the way.
type pathError struct {
	name string
	err  error
}

func (e *pathError) Error() string { return "folder " + quote(e.name) + " " + e.err.Error() }
func (e *pathError) Unwrap() error { return e.err }

// openRegular opens a regular file of a folder for reading.
func openRegular(folder *os.Root, name string) (*os.File, fs.FileInfo, error) {
	before, err := folder.Lstat(name)
	switch {
	case err != nil:
		return nil, nil, cause(err)
	case before.Mode()&fs.ModeSymlink != 0:
		return nil, nil, errLink
	case !before.Mode().IsRegular():
		return nil, nil, errNotRegular
	}
	f, err := folder.OpenFile(name, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, nil, cause(err)
	}
	after, err := f.Stat()
	if err == nil && !os.SameFile(before, after) {
		err = errReplaced
	}
	if err != nil {
		f.Close()
		return nil, nil, cause(err)
	}
	return f, after, nil
}

// readSame reads a file of a folder, and compares it with what it was. Its
// error wraps [ErrStale] if it is anything else.
func readSame(folder *os.Root, name string, want []byte) (fs.FileInfo, error) {
	f, info, err := openRegular(folder, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	n, err := links(f, info)
	if err != nil {
		return nil, cause(err)
	}
	if n > 1 {
		return nil, errHardLink
	}
	if info.Size() != int64(len(want)) {
		return nil, ErrStale
	}
	got, err := io.ReadAll(io.LimitReader(f, int64(len(want))+1))
	if err != nil {
		return nil, cause(err)
	}
	if !bytes.Equal(got, want) {
		return nil, ErrStale
	}
	return info, nil
}

// syncFolder makes sure that the names in a folder are on the disk.
func syncFolder(folder *os.Root) error {
	if !foldersSync {
		return nil
	}
	f, err := folder.Open(".")
	if err != nil {
		return cause(err)
	}
	return cause(errors.Join(f.Sync(), f.Close()))
}

// cause returns the error without the name of the call and of the file, which
// the callers give in a better way.
func cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	var le *os.LinkError
	if errors.As(err, &le) {
		return le.Err
	}
	return err
}
