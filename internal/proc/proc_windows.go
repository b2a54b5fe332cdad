package proc

import (
	"context"
	"os/exec"
	"strconv"
	"syscall"
)

// NonBlock is a flag for [os.OpenFile]: opening a named pipe does not wait for
// its other end.
const NonBlock = 0

// Shell returns a command that the shell of the system reads, without the quoting
// of arguments that other programs expect.
func Shell(ctx context.Context, command string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "cmd")
	cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: `cmd /d /s /c "` + command + `"`}
	return cmd
}

// Group does nothing: there are no process groups.
func Group(*exec.Cmd) {}

// Terminate ends the process and its children. The children must go first: they
// are out of reach once the process has ended.
func Terminate(cmd *exec.Cmd) error {
	if exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run() == nil {
		return nil
	}
	return cmd.Process.Kill()
}

// Kill ends the process, and does not reach its children.
func Kill(cmd *exec.Cmd) error { return cmd.Process.Kill() }
