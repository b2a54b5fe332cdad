//go:build unix

package cache

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// checkOwner returns an error if other users can write to a directory: they could
// decide what a review reports.
func checkOwner(info fs.FileInfo) error {
	if stat, ok := info.Sys().(*syscall.Stat_t); !ok || int64(stat.Uid) != int64(os.Geteuid()) {
		return errors.New("belongs to another user")
	}
	if info.Mode().Perm()&0o022 != 0 {
		return errors.New("other users can write to it")
	}
	return nil
}
