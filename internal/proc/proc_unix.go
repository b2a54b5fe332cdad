//go:build unix

package proc

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// NonBlock is a flag for [os.OpenFile]: opening a named pipe does not wait for
// its other end, and a terminal does not become the controlling one.
const NonBlock = syscall.O_NONBLOCK | syscall.O_NOCTTY

// Shell returns a command that the shell of the system reads.
func Shell(ctx context.Context, command string) *exec.Cmd {
	return exec.CommandContext(ctx, "/bin/sh", "-c", command)
}

// Group makes the process lead its own group, which [Terminate] and [Kill]
// end as a whole. A ctrl-C of the terminal does not reach it. On Windows there
// are no such groups.
func Group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// Terminate requests the processes of the group to end. On Windows it ends the
// process and its children. The error is [os.ErrProcessDone] if none are left.
func Terminate(cmd *exec.Cmd) error { return signal(cmd, syscall.SIGTERM) }

// Kill ends the processes of the group. On Windows it ends the process, and does
// not reach its children. The error is [os.ErrProcessDone] if none are left.
func Kill(cmd *exec.Cmd) error { return signal(cmd, syscall.SIGKILL) }

func signal(cmd *exec.Cmd, s syscall.Signal) error {
	err := syscall.Kill(-cmd.Process.Pid, s)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}
