//go:build unix

package main

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// awaitReaderGone waits until nobody reads from a pipe any more, which a write would
// notice only when there is something to write. It returns false at once for other
// files.
func awaitReaderGone(f *os.File) bool {
	if info, err := f.Stat(); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		return false
	}
	fds := []unix.PollFd{{Fd: int32(f.Fd())}} // for errors alone
	for {
		if _, err := unix.Poll(fds, -1); !errors.Is(err, unix.EINTR) {
			return err == nil
		}
	}
}
