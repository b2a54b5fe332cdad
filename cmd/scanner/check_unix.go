//go:build unix

package main

import (
	"context"
	"os/exec"
	"syscall"
)

// noWait keeps the opening of a named pipe from waiting for its other end.
const noWait = syscall.O_NONBLOCK | syscall.O_NOCTTY

// shell returns a command for the shell. It leads a process group of its own:
// the terminal's ctrl-C does not reach it, we end it.
func shell(ctx context.Context, command string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", command)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// terminate asks the processes of the command to end.
func terminate(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }

// killGroup ends the processes of the command. There may be none left.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
