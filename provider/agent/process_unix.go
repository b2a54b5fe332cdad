//go:build unix

package agent

import (
	"os/exec"
	"syscall"
)

// ownGroup makes the process lead a group of its own. It then gets no ctrl-C of
// the terminal either: whoever started it decides.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// terminateGroup asks the processes of the group to end.
func terminateGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }

// killGroup ends the processes of the group. There may be none left.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
