package fix

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path"
)

var (
	errNotRegular = errors.New("is not a regular file")
	errBelowLink  = errors.New("is below a symbolic link")
	errSubmodule  = errors.New("belongs to another repository")
)

// lstat describes what is at a path of the repository. A root follows symbolic
// links that stay inside of it, also into .git; so every directory on the way
// must be one, and one of this repository.
func lstat(root *os.Root, name string) (fs.FileInfo, error) {
	for i := range len(name) {
		if name[i] != '/' {
			continue
		}
		info, err := root.Lstat(name[:i])
		if err != nil {
			return nil, cause(err)
		}
		if !info.IsDir() {
			return nil, errBelowLink
		}
		if _, err := root.Lstat(path.Join(name[:i], ".git")); err == nil {
			return nil, errSubmodule
		}
	}
	info, err := root.Lstat(name)
	return info, cause(err)
}

// writeNew writes a file that must not exist yet, and syncs it. On an error it
// leaves nothing behind.
func writeNew(dir *os.Root, name string, data []byte, mode fs.FileMode) error {
	// Nobody else may read the contents before the file has its mode.
	f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return cause(err)
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err != nil {
		_ = dir.Remove(name)
	}
	return cause(err)
}

// rewrite replaces a file of a directory.
func rewrite(dir *os.Root, name string, data []byte) error {
	temp := name + "." + rand.Text()
	if err := writeNew(dir, temp, data, 0o600); err != nil {
		return err
	}
	return cause(dir.Rename(temp, name))
}

// syncDir makes the names in a directory outlast a loss of power, where the
// system can do that: Windows cannot, and offers nothing instead.
func syncDir(root *os.Root, name string) {
	if d, err := root.Open(name); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}

// cause returns an error without the call and the file name, which callers
// describe better.
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
