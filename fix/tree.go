package fix

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/codescan-dev/scanner/internal/dotdir"
)

// ErrForeign is wrapped by errors of [Lstat] for files that are not files of the
// repository itself.
var ErrForeign = errors.New("is below a symbolic link or in another repository")

var (
	errNotRegular = errors.New("is not a regular file")
	errReserved   = errors.New("belongs to git or to scanner itself")
)

// Lstat describes a file of the repository that root is opened on. It does not
// follow symbolic links: a root follows those that stay inside of it, also into
// .git. If one of the directories on the way is not a directory, or is that of
// another repository, its error wraps [ErrForeign].
func Lstat(root *os.Root, name string) (fs.FileInfo, error) {
	for i := range len(name) {
		if name[i] != '/' {
			continue
		}
		info, err := root.Lstat(name[:i])
		if err != nil {
			return nil, dotdir.Cause(err)
		}
		if _, err := root.Lstat(path.Join(name[:i], ".git")); err == nil || !info.IsDir() {
			return nil, ErrForeign
		}
	}
	info, err := root.Lstat(name)
	if err != nil {
		return nil, dotdir.Cause(err)
	}
	return info, nil
}

// readFile reads a regular file of the repository that a fix may change.
func readFile(root *os.Root, name string) ([]byte, fs.FileInfo, error) {
	info, err := Lstat(root, name)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, errNotRegular
	}
	if reserved(root, name) {
		return nil, nil, errReserved
	}
	data, err := root.ReadFile(name)
	if err != nil {
		return nil, nil, dotdir.Cause(err)
	}
	return data, info, nil
}

// reserved reports whether a path leads into .git or .scanner at the root of the
// repository. Comparing the files, not the names, finds every spelling that the
// file system takes for these. Lstat refuses a .git further down.
func reserved(root *os.Root, name string) bool {
	first, _, _ := strings.Cut(name, "/")
	info, err := root.Lstat(first)
	if err != nil {
		return false // there is nothing to lead to
	}
	for _, dir := range []string{".git", dotdir.Name} {
		if own, err := root.Lstat(dir); err == nil && os.SameFile(info, own) {
			return true
		}
	}
	return false
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
