//go:build !unix && !windows

package main

import (
	"context"
	"os/exec"
)

const noWait = 0

// shell returns a command for the shell.
func shell(ctx context.Context, command string) *exec.Cmd {
	return exec.CommandContext(ctx, "sh", "-c", command)
}

func terminate(cmd *exec.Cmd) error { return cmd.Process.Kill() }

func killGroup(*exec.Cmd) {}
