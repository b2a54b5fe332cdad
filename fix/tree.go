package fix

import (
	"errors"
	"io/fs"
	"os"
	"path"

	"github.com/codescan-dev/scanner/internal/dotdir"
)

// ErrForeign is wrapped by errors of [Lstat] for files that do not belong to the
// repository itself.
var ErrForeign = errors.New("is below a symbolic link or in another repository, or belongs to git or scanner")

var errNotRegular = errors.New("is not a regular file")

// Lstat describes a file of the repository that root is opened on. It does not
// follow symbolic links: a root follows those that stay inside of it, also into
// .git. The directories on the way must be directories of this repository, not of
// a submodule, and neither .git nor .scanner, however the path spells them on
// this file system. Otherwise its error wraps [ErrForeign].
func Lstat(root *os.Root, name string) (fs.FileInfo, error) {
	for i := range len(name) {
		if name[i] != '/' {
			continue
		}
		dir := name[:i]
		info, err := root.Lstat(dir)
		if err != nil {
			return nil, dotdir.Cause(err)
		}
		if _, err := root.Lstat(path.Join(dir, ".git")); err == nil || !info.IsDir() || reserved(root, info) {
			return nil, ErrForeign
		}
	}
	info, err := root.Lstat(name)
	if err != nil {
		return nil, dotdir.Cause(err)
	}
	if reserved(root, info) {
		return nil, ErrForeign
	}
	return info, nil
}

// reserved reports whether info is that of .git or .scanner.
func reserved(root *os.Root, info fs.FileInfo) bool {
	for _, name := range []string{".git", dotdir.Name} {
		if own, err := root.Lstat(name); err == nil && os.SameFile(info, own) {
			return true
		}
	}
	return false
}

// readFile reads a regular file of the repository.
func readFile(root *os.Root, name string) ([]byte, fs.FileInfo, error) {
	info, err := Lstat(root, name)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, errNotRegular
	}
	data, err := root.ReadFile(name)
	if err != nil {
		return nil, nil, dotdir.Cause(err)
	}
	return data, info, nil
}

// writeNew writes a file that must not exist yet, and syncs it. On an error it
// leaves nothing behind.
func writeNew(dir *os.Root, name string, data []byte, mode fs.FileMode) error {
	// Nobody else may read the contents before the file has its mode.
	f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return dotdir.Cause(err)
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err != nil {
		_ = dir.Remove(name)
	}
	return dotdir.Cause(err)
}

// rewrite replaces a file of a directory.
func rewrite(dir *os.Root, name string, data []byte) error {
	temp := name + ".new"
	if err := writeNew(dir, temp, data, 0o600); err != nil {
		return err
	}
	return dotdir.Cause(dir.Rename(temp, name))
}

// syncDir makes the names in a directory outlast a loss of power. Not every
// system can do that, and none offers anything else when it fails.
func syncDir(root *os.Root, name string) {
	if d, err := root.Open(name); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
