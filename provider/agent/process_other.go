//go:build !unix

package agent

import (
	"os/exec"
	"strconv"
)

// ownGroup does nothing: there are no process groups.
func ownGroup(*exec.Cmd) {}

// terminateGroup ends the processes at once, since they cannot be asked. The
// programs of npm are scripts which start the program proper, so the children must
// go first.
func terminateGroup(cmd *exec.Cmd) {
	_ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run()
	_ = cmd.Process.Kill()
}

// killGroup ends the process. Its children are out of reach once it has ended.
func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
