//go:build unix

package fix

import (
	"io/fs"
	"os"
	"syscall"
)

const (
	// openFlags keep an open of a named pipe from waiting for its other end.
	openFlags   = syscall.O_NONBLOCK
	foldersSync = true
)

// links returns the number of names of a file.
func links(_ *os.File, info fs.FileInfo) (uint64, error) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Nlink), nil
	}
	return 1, nil
}

// keepOwner gives a new file the owner and group of the one it replaces.
func keepOwner(f *os.File, old fs.FileInfo) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	is, ok1 := info.Sys().(*syscall.Stat_t)
	was, ok2 := old.Sys().(*syscall.Stat_t)
	if !ok1 || !ok2 || is.Uid == was.Uid && is.Gid == was.Gid {
		return nil
	}
	return f.Chown(int(was.Uid), int(was.Gid))
}
