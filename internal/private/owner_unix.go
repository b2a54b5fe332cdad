//go:build unix

package private

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

func check(info fs.FileInfo, root bool) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int64(stat.Uid) != int64(os.Geteuid()) && (stat.Uid != 0 || !root) {
		return errors.New("belongs to another user")
	}
	if info.Mode().Perm()&0o022 != 0 {
		return errors.New("other users can write to it")
	}
	return nil
}
