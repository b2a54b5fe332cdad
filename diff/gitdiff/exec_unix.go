//go:build unix

package gitdiff

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// openFlags keep the opening of a named pipe from waiting for its other end.
const openFlags = syscall.O_NONBLOCK | syscall.O_NOCTTY

// ownGroup puts the process into a group of its own, which is killed as a
// whole.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		if errors.Is(err, syscall.ESRCH) {
			return os.ErrProcessDone
		}
		return err
	}
}
