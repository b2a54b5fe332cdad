//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package fix

import (
	"errors"
	"os"
	"syscall"
)

// tryLock locks a file for this process until it is closed, also by the end of
// the process. It returns ErrBusy when another one has the lock.
func tryLock(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			return ErrBusy
		}
		return err
	}
}
