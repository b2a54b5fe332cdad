package main

import (
	"errors"
	"io"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode"
)

// statusInterval is the time between two redraws of the status line.
const statusInterval = 100 * time.Millisecond

// eraseLine goes to the first column and clears the line.
const eraseLine = "\r\x1b[K"

// terminal writes to the two streams of a run and keeps the status line below
// everything that is printed. It is safe for concurrent use.
type terminal struct {
	mu       sync.Mutex
	out, err io.Writer
	failed   error // the first failure to write to out
	// workflow is set when the runner of a workflow reads along.
	workflow bool

	status func() string // the status line; nil when there is none
	shown  bool          // the status line is on the screen
	stop   chan struct{}
	done   chan struct{}
}

// print writes to the terminal channel.
func (t *terminal) print(s string) { t.write(t.out, s) }

// printErr writes to the channel of warnings, errors and debug lines.
func (t *terminal) printErr(s string) { t.write(t.err, s) }

func (t *terminal) write(w io.Writer, s string) {
	if s == "" {
		return
	}
	if t.workflow {
		s = inert(s)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.erase()
	t.send(w, s)
	t.draw()
}

// command writes a command to the runner of a workflow.
func (t *terminal) command(s string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.erase()
	t.send(t.out, s+"\n")
	t.draw()
}

// inert keeps text from being taken for commands by the runner of a workflow. It
// looks for them in all that is printed: at the start of lines, and in an old form
// anywhere. Names of files, and what models write, could set outputs or hide
// messages otherwise.
func inert(s string) string {
	s = strings.ReplaceAll(s, "##[", "## [")
	if !strings.Contains(s, "::") {
		return s
	}
	var b strings.Builder
	for line := range strings.Lines(s) {
		text := strings.TrimLeftFunc(line, unicode.IsSpace)
		if rest, ok := strings.CutPrefix(text, "::"); ok {
			line = line[:len(line)-len(text)] + ": :" + rest
		}
		b.WriteString(line)
	}
	return b.String()
}

// send writes s. A reader of the output that went away, as head does, is no
// reason to stop: the log is still worth having.
func (t *terminal) send(w io.Writer, s string) {
	if _, err := io.WriteString(w, s); err != nil && w == t.out && t.failed == nil && !errors.Is(err, syscall.EPIPE) {
		t.failed = err
	}
}

// outErr returns the first failure to write to the terminal channel.
func (t *terminal) outErr() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.failed
}

// update runs f while no status line is drawn, so that f may change what the
// line is made from.
func (t *terminal) update(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f()
}

// start shows the status line, which is made by calling line, until the
// returned function is called. That function may be called more than once.
func (t *terminal) start(line func() string) (stop func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.status, t.stop, t.done = line, make(chan struct{}), make(chan struct{})
	go t.redraw(t.stop, t.done)
	return sync.OnceFunc(func() {
		close(t.stop)
		<-t.done
		t.mu.Lock()
		defer t.mu.Unlock()
		t.erase()
		t.status = nil
	})
}

func (t *terminal) redraw(stop <-chan struct{}, done chan<- struct{}) {
	defer close(done)
	tick := time.NewTicker(statusInterval)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
			t.update(t.draw)
		}
	}
}

func (t *terminal) erase() {
	if t.shown {
		t.send(t.out, eraseLine)
		t.shown = false
	}
}

func (t *terminal) draw() {
	if t.status != nil {
		t.send(t.out, eraseLine+t.status())
		t.shown = true
	}
}
