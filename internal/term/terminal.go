package term

import (
	"io"
	"sync"
	"time"

	"github.com/codescan-dev/scanner/internal/text"
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

	status func() string // returns the status line; nil when there is none
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
	t.writeRaw(w, text.BreakCommands(s))
}

// command writes a command to the runner of a workflow.
func (t *terminal) command(s string) { t.writeRaw(t.out, s+"\n") }

func (t *terminal) writeRaw(w io.Writer, s string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.erase()
	t.send(w, s)
	t.draw()
}

func (t *terminal) send(w io.Writer, s string) {
	if _, err := io.WriteString(w, s); err != nil && w == t.out && t.failed == nil {
		t.failed = err
	}
}

// outErr returns the first failure to write to the terminal channel.
func (t *terminal) outErr() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.failed
}

// update runs f while no status line is drawn, so that f may change the data of
// the line.
func (t *terminal) update(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f()
}

// start shows the status line, which line returns, until the returned function is
// called. That function may be called more than once.
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
