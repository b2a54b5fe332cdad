package fix

import (
	"io/fs"
	"os"
	"syscall"
)

const (
	openFlags   = 0
	foldersSync = false // the system has no such thing
)

// links returns the number of names of a file.
func links(f *os.File, _ fs.FileInfo) (uint64, error) {
	var d syscall.ByHandleFileInformation
	if err := syscall.GetFileInformationByHandle(syscall.Handle(f.Fd()), &d); err != nil {
		return 0, err
	}
	return uint64(d.NumberOfLinks), nil
}

// keepOwner does nothing: a file takes its rights from its folder.
func keepOwner(*os.File, fs.FileInfo) error { return nil }
