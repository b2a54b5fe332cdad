package agent

import (
	"bytes"
	"context"
	"io"
	"os"
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
	// grace is how long a process has to end itself before it is killed.
	grace = 400 * time.Millisecond
	// drain is how long output is waited for after the process has ended. Only a
	// process that left the group can keep it open.
	drain = 300 * time.Millisecond
	// patience is how long an answer is waited for after a line that says that an
	// attempt failed, before the agent is taken to try again.
	patience = time.Second
)

// output is what a run left.
type output struct {
	stdout   []byte
	stderr   string // its end
	exit     int    // -1 if it was ended by a signal
	stdin    error  // of writing the prompt
	tooLarge bool
	gaveUp   string // why an attempt failed that it was about to repeat
}

// run starts the CLI and waits until it and all that it started in its group have
// ended. The end of ctx ends them: politely at first, and then not.
func (a *Agent) run(ctx context.Context, c call, f *folder) (output, error) {
	cmd := exec.Command(a.path, c.args...)
	cmd.Dir = f.work
	cmd.Env = slices.Concat(a.env, []string{
		"PWD=" + f.work, "TMPDIR=" + f.temp, "TMP=" + f.temp, "TEMP=" + f.temp, "NO_COLOR=1",
	}, a.profile.set, c.env)
	proc.Group(cmd)

	var pipes [3]pipe
	for i := range pipes {
		if err := pipes[i].open(); err != nil {
			closeAll(pipes[:i])
			return output{}, a.broken(a.Name()+" could not be started: "+err.Error(), err)
		}
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = pipes[0].r, pipes[1].w, pipes[2].w
	if err := cmd.Start(); err != nil {
		closeAll(pipes[:])
		return output{}, a.broken(a.Name()+" could not be started: "+err.Error(), err)
	}
	pipes[0].r.Close()
	pipes[1].w.Close()
	pipes[2].w.Close()

	var (
		out     output
		failing = make(chan string, 1) // why an attempt failed
		large   = make(chan struct{})  // closed when there is too much output
		exited  = make(chan struct{})
		readers sync.WaitGroup
		writer  = make(chan error, 1)
	)
	go func() {
		_, err := io.WriteString(pipes[0].w, c.stdin)
		pipes[0].w.Close()
		writer <- err
	}()
	readers.Go(func() {
		var err error
		out.stdout, err = io.ReadAll(io.LimitReader(pipes[1].r, maxOutput+1))
		if err == nil && len(out.stdout) > maxOutput {
			out.tooLarge = true
			close(large)
		}
	})
	tail := lineTail{notify: func(line string) {
		if a.profile.retries == nil {
			return
		}
		if cause, ok := a.profile.retries(line); ok {
			select {
			case failing <- cause:
			default:
			}
		}
	}}
	readers.Go(func() { _, _ = io.Copy(&tail, pipes[2].r) })
	go func() {
		_ = cmd.Wait() // the state says what there is to say
		close(exited)
	}()

	var tries <-chan time.Time // when it is taken to try again
	for waiting := true; waiting; {
		select {
		case <-exited:
			waiting = false
		case out.gaveUp = <-failing:
			tries = time.After(patience)
		case <-tries:
			end(cmd, exited)
			waiting = false
		case <-large:
			end(cmd, exited)
			waiting = false
		case <-ctx.Done():
			end(cmd, exited)
			waiting = false
		}
	}
	_ = proc.Kill(cmd) // what it started and left behind

	// All ends of the pipes are closed now, unless a process left the group.
	done := make(chan struct{})
	go func() { readers.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(drain):
		pipes[1].r.Close()
		pipes[2].r.Close()
		<-done
	}
	closeAll(pipes[:])
	select {
	case out.gaveUp = <-failing: // it ended before this was seen
	default:
	}
	out.stdin = <-writer
	out.stderr = tail.String()
	out.exit = cmd.ProcessState.ExitCode()
	return out, nil
}

// end ends the process and its group, and returns when the process has ended.
func end(cmd *exec.Cmd, exited <-chan struct{}) {
	_ = proc.Terminate(cmd)
	select {
	case <-exited:
	case <-time.After(grace):
		_ = proc.Kill(cmd)
		<-exited
	}
}

// pipe is a pipe between us and a process.
type pipe struct{ r, w *os.File }

func (p *pipe) open() (err error) {
	p.r, p.w, err = os.Pipe()
	return err
}

// closeAll closes the pipes; an end that is closed already stays so.
func closeAll(pipes []pipe) {
	for _, p := range pipes {
		p.r.Close()
		p.w.Close()
	}
}

// lineTail keeps the end of what is written to it, and hands every whole line to
// notify.
type lineTail struct {
	proc.Tail
	notify func(line string)
	line   []byte // begun, up to a limit
}

func (t *lineTail) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
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
