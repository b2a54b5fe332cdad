package main

import (
	"context"
	"os/exec"
	"strconv"
	"syscall"
)

const noWait = 0

// shell returns a command for the shell, which reads it as it is.
func shell(ctx context.Context, command string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "cmd")
	cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: `cmd /d /s /c "` + command + `"`}
	return cmd
}

// terminate ends the processes of the command.
func terminate(cmd *exec.Cmd) error {
	if exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run() == nil {
		return nil
	}
	return cmd.Process.Kill()
}

// killGroup does nothing: what a command that has ended left behind is out of
// reach.
func killGroup(*exec.Cmd) {}
