// Package dotdir opens the directories that runs write to, which are below
// ".scanner" in a repository.
package dotdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Name is the name of the directory in the root of a repository.
const Name = ".scanner"

// ignoreText keeps what runs leave behind out of commits. Skills, which are in the
// same directory, are to be committed.
const ignoreText = "/.gitignore\n/logs/\n/fixes/\n"

// Open opens a directory of .scanner in the repository that root is opened on. It
// creates what is missing: .scanner, in it a .gitignore that keeps logs and fixes
// out of commits, and the directory, which others cannot read: logs and patches
// quote code. A symbolic link in place of any of them is an error, since it could
// lead anywhere, also into .git. Errors begin with the path from the root of the
// repository.
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

var errLink = errors.New("is a symbolic link")

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
	// OpenRoot follows links that stay inside of parent. If one replaced the
	// directory in the meantime, what was opened differs.
	dir, err := parent.OpenRoot(name)
	if err != nil {
		return nil, Cause(err)
	}
	after, err := dir.Stat(".")
	if err == nil && !os.SameFile(before, after) {
		err = errors.New("was replaced while it was opened")
	}
	if err != nil {
		dir.Close()
		return nil, Cause(err)
	}
	return dir, nil
}

func createIgnore(base *os.Root) error {
	const name = ".gitignore"
	f, err := base.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		// An existing one is left as it is: its author may want something else.
		info, statErr := base.Lstat(name)
		switch {
		case statErr != nil:
			return Cause(err)
		case info.Mode()&fs.ModeSymlink != 0:
			return errLink
		}
		return nil
	}
	_, err = f.WriteString(ignoreText)
	if err := errors.Join(err, f.Close()); err != nil {
		_ = base.Remove(name) // half of it would hide too little from git
		return Cause(err)
	}
	return nil
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
