package proc

import (
	"os/exec"
	"runtime"
	"syscall"
)

// EndWithParent makes the system kill the process when this one ends, even by
// SIGKILL. It must be called after [Group], on the goroutine that starts the process
// and waits for it, which must call release after that: the system takes the end of
// the thread that started a process for the end of its parent, so the goroutine keeps
// its thread until then. What the process starts is not killed. Systems other than
// Linux cannot do this: nothing is done there.
func EndWithParent(cmd *exec.Cmd) (release func()) {
	runtime.LockOSThread()
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	return runtime.UnlockOSThread
}
