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

	lockName = "lock"
)

// ErrBusy is wrapped by the error of [Apply] while another process applies
// fixes in the same repository.
var ErrBusy = errors.New("another run is applying fixes")

// openFixes opens the folder of the journals. With create, what is missing is
// made, as is a .gitignore where there is none.
func openFixes(root *os.Root, create bool) (*os.Root, error) {
	base, err := enter(root, baseName, create)
	if err != nil {
		return nil, folderError(baseName, err)
	}
	defer base.Close()
	if create {
		if err := createIgnore(base); err != nil {
			return nil, folderError(baseName+"/"+ignoreName, err)
		}
	}
	fixes, err := enter(base, fixesName, create)
	if err != nil {
		return nil, folderError(fixesPath, err)
	}
	return fixes, nil
}

func folderError(path string, err error) error {
	return fmt.Errorf("folder for fixes: %q: %w", path, err)
}

func enter(parent *os.Root, name string, create bool) (*os.Root, error) {
	if create {
		if err := parent.Mkdir(name, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			if _, statErr := parent.Lstat(name); statErr != nil {
				return nil, cause(err)
			}
		}
	}
	return openFolder(parent, name)
}

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

// writeNew writes a file that does not exist yet and makes sure that it is on
// the disk. On an error nothing is left of it.
func writeNew(folder *os.Root, name string, data []byte, mode fs.FileMode) error {
	f, err := folder.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return cause(err)
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		_ = folder.Remove(name)
	}
	return cause(err)
}

// lock takes the lock of the repository. Closing the file gives it back.
func lock(fixes *os.Root) (*os.File, error) {
	const path = fixesPath + "/" + lockName
	if info, err := fixes.Lstat(lockName); err == nil && !info.Mode().IsRegular() {
		err = errNotRegular
		if info.Mode()&fs.ModeSymlink != 0 {
			err = errLink
		}
		return nil, folderError(path, err)
	}
	f, err := fixes.OpenFile(lockName, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, folderError(path, cause(err))
	}
	opened, err := f.Stat()
	if err == nil {
		var named fs.FileInfo
		if named, err = fixes.Lstat(lockName); err == nil && !os.SameFile(opened, named) {
			err = errLink
		}
	}
	if err == nil {
		err = tryLock(f)
	}
	if err != nil {
		f.Close()
		return nil, folderError(path, cause(err))
	}
	return f, nil
}
