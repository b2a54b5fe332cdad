package agent

import (
	"bytes"
	"context"
	"io"
	"os/exec"
	"slices"
	"sync"
	"time"

	"github.com/codescan-dev/scanner/internal/proc"
)

const (
	// maxOutput is how much of standard output is read: a hundred times the
	// longest answer that a model gives.
	maxOutput = 16 << 20
	// maxTail is how much is read of the end of standard output, when that is all
	// there is, and of a line of standard error.
	maxTail = 8 << 10
	// grace is how long a process has to end after the signal, and how long
	// another one that it started can keep the output open.
	grace = 400 * time.Millisecond
	// patience is the time between a line that reports a failed attempt and an
	// answer. After it, the agent is trying again.
	patience = time.Second
)

// output is the outcome of a run.
type output struct {
	stdout   []byte
	stderr   string // its end
	exit     int    // -1 if it was ended by a signal
	stdin    error  // of writing the prompt
	tooLarge bool
	gaveUp   string // why the attempt failed that it was about to repeat
}

// run starts the CLI and waits until it and all processes of its group have ended.
// The end of ctx ends them: first by a signal that they can handle.
func (a *Agent) run(ctx context.Context, c call, f *workDir) (output, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, a.path, c.args...)
	cmd.Dir = f.work
	cmd.Env = slices.Concat(a.route.env, []string{
		"PWD=" + f.work, "TMPDIR=" + f.temp, "TMP=" + f.temp, "TEMP=" + f.temp, "NO_COLOR=1",
	}, a.profile.set, c.env)
	proc.Group(cmd)
	defer proc.EndWithParent(cmd)()
	cmd.Cancel = func() error { return proc.Terminate(cmd) }
	cmd.WaitDelay = grace

	stdout := &limitedBuffer{full: cancel}
	stderr := &lineTail{}
	var gaveUp string
	if a.profile.retries != nil {
		stopLater := sync.OnceFunc(func() { time.AfterFunc(patience, cancel) })
		stderr.notify = func(line string) {
			if cause, ok := a.profile.retries(line); ok {
				gaveUp = cause
				stopLater()
			}
		}
	}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	stdin, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return output{}, a.startError("could not be started", err)
	}
	written := make(chan error, 1)
	go func() {
		_, err := io.WriteString(stdin, c.stdin)
		stdin.Close()
		written <- err
	}()
	_ = cmd.Wait()     // the state has all there is to know
	_ = proc.Kill(cmd) // what it started and left behind
	return output{
		stdout:   stdout.data,
		stderr:   stderr.String(),
		exit:     cmd.ProcessState.ExitCode(),
		stdin:    <-written,
		tooLarge: stdout.isFull,
		gaveUp:   gaveUp,
	}, nil
}

// limitedBuffer keeps what is written to it, up to maxOutput.
type limitedBuffer struct {
	data   []byte
	isFull bool
	full   func() // called when there is more
}

func (b *limitedBuffer) Write(p []byte) (int, error) {
	b.data = append(b.data, p[:min(len(p), maxOutput-len(b.data))]...)
	if len(b.data) == maxOutput {
		b.isFull = true
		b.full()
	}
	return len(p), nil
}

// lineTail keeps the end of what is written to it, and hands every whole line to
// notify, if that is set.
type lineTail struct {
	proc.Tail
	notify func(line string)
	line   []byte // begun, up to a limit
}

func (t *lineTail) Write(p []byte) (int, error) {
	for rest := p; t.notify != nil && len(rest) > 0; {
		line, after, whole := bytes.Cut(rest, []byte{'\n'})
		t.line = append(t.line, line[:min(len(line), maxTail-len(t.line))]...)
		if whole {
			t.notify(string(t.line))
			t.line = t.line[:0]
		}
		rest = after
	}
	return t.Tail.Write(p)
}
