package fix

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Where the traces of applied fixes are.
const (
	baseName  = ".scanner"
	fixesName = "fixes"
	fixesPath = baseName + "/" + fixesName

	ignoreName = ".gitignore"
	// ignoreText keeps what runs leave behind out of commits.
	ignoreText = "/.gitignore\n/logs/\n/fixes/\n"
)

// openFixes opens the directory of the patches. It creates what is missing, and a
// .gitignore if there is none.
func openFixes(root *os.Root) (*os.Root, error) {
	base, err := enter(root, baseName)
	if err != nil {
		return nil, folderError(baseName, err)
	}
	defer base.Close()
	if err := createIgnore(base); err != nil {
		return nil, folderError(baseName+"/"+ignoreName, err)
	}
	fixes, err := enter(base, fixesName)
	if err != nil {
		return nil, folderError(fixesPath, err)
	}
	return fixes, nil
}

func folderError(path string, err error) error {
	return fmt.Errorf("folder for fixes: %q: %w", path, err)
}

// enter opens a directory of parent, which must not be a symbolic link: a root
// follows links that stay inside of it. It creates what is missing.
func enter(parent *os.Root, name string) (*os.Root, error) {
	if err := parent.Mkdir(name, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, cause(err)
	}
	info, err := parent.Lstat(name)
	switch {
	case err != nil:
		return nil, cause(err)
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, errLink
	case !info.IsDir():
		return nil, errNotFolder
	}
	dir, err := parent.OpenRoot(name)
	return dir, cause(err)
}

var (
	errLink      = errors.New("is a symbolic link")
	errNotFolder = errors.New("is not a folder")
)

func createIgnore(base *os.Root) error {
	switch info, err := base.Lstat(ignoreName); {
	case err == nil && info.Mode()&fs.ModeSymlink != 0:
		return errLink
	case err == nil:
		return nil // whoever wrote it may have wanted something else
	}
	err := writeNew(base, ignoreName, []byte(ignoreText), 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil // another run was faster
	}
	return err
}
