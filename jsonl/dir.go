package jsonl

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
)

// Where the logs of a repository are.
const (
	baseName = ".scanner"
	logsName = "logs"
	logsPath = baseName + "/" + logsName

	ignoreName = ".gitignore"
	// ignoreText keeps what runs leave behind out of commits. Skills, which
	// live in the same folder, are to be committed.
	ignoreText = "/.gitignore\n/logs/\n/fixes/\n"
)

// ErrLink is wrapped by the errors of [OpenDir] when there is a symbolic link
// where a folder or file of ours should be. It could lead anywhere, into .git
// too, so it is never followed.
var ErrLink = errors.New("is a symbolic link")

// Dir is the folder of a repository that holds the logs of all runs,
// ".scanner/logs". Its methods are safe for concurrent use, also by several
// processes. Errors name the file by its path from the repository's root and
// wrap the cause.
type Dir struct {
	root *os.Root // the folder itself

	mu sync.Mutex
	// own holds the names of the files created through this Dir, which are
	// never deleted by it.
	own map[string]bool
}

// OpenDir opens the log folder of the repository that root is opened on. What is
// missing is created: the folder ".scanner", in it a .gitignore that keeps logs
// out of commits (one that exists is left as it is), and the folder "logs". The
// caller keeps root.
func OpenDir(root *os.Root) (*Dir, error) {
	base, err := openFolder(root, baseName, baseName)
	if err != nil {
		return nil, err
	}
	defer base.Close()
	if err := createIgnore(base); err != nil {
		return nil, err
	}
	logs, err := openFolder(base, logsName, logsPath)
	if err != nil {
		return nil, err
	}
	return &Dir{root: logs, own: make(map[string]bool)}, nil
}

// Close ends the use of the folder. Files that were created stay open.
func (d *Dir) Close() error { return d.root.Close() }

// openFolder opens the folder name, which path names in errors, and creates it
// if need be.
func openFolder(parent *os.Root, name, path string) (*os.Root, error) {
	fail := func(err error) (*os.Root, error) {
		return nil, fmt.Errorf("log folder: %q: %w", path, cause(err))
	}
	if err := parent.Mkdir(name, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		// It may be there all the same, in a tree that is read-only.
		if _, statErr := parent.Lstat(name); statErr != nil {
			return fail(err)
		}
	}
	before, err := parent.Lstat(name)
	switch {
	case err != nil:
		return fail(err)
	case before.Mode()&fs.ModeSymlink != 0:
		return fail(ErrLink)
	case !before.IsDir():
		return fail(errors.New("is not a folder"))
	}
	// OpenRoot follows links that stay inside of parent. That no link took the
	// folder's place meanwhile shows in what was opened.
	folder, err := parent.OpenRoot(name)
	if err != nil {
		return fail(err)
	}
	after, err := folder.Stat(".")
	if err == nil && !os.SameFile(before, after) {
		err = errors.New("was replaced while it was opened")
	}
	if err != nil {
		folder.Close()
		return fail(err)
	}
	return folder, nil
}

func createIgnore(base *os.Root) error {
	const path = baseName + "/" + ignoreName
	f, err := base.OpenFile(ignoreName, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		// Whoever wrote an existing one may have wanted something else.
		info, statErr := base.Lstat(ignoreName)
		if statErr != nil {
			return fmt.Errorf("log folder: %q: %w", path, cause(err))
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return fmt.Errorf("log folder: %q: %w", path, ErrLink)
		}
		return nil
	}
	_, err = f.WriteString(ignoreText)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return fmt.Errorf("log folder: %q: %w", path, errors.Join(cause(err), base.Remove(ignoreName)))
	}
	return nil
}

// cause returns the error without the name of the call and of the file, which
// the callers give in a better way.
func cause(err error) error {
	if pe, ok := err.(*fs.PathError); ok {
		return pe.Err
	}
	if le, ok := err.(*os.LinkError); ok {
		return le.Err
	}
	return err
}
