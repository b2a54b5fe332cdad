package term

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/codescan-dev/scanner/internal/text"
)

const (
	// redrawInterval is the time between two redraws of the live area.
	redrawInterval = 100 * time.Millisecond
	// eraseArea clears the screen from the line of the cursor on.
	eraseArea = "\r\x1b[J"
)

// terminal writes to the two streams of a run and keeps the live area below
// everything that is printed. It is safe for concurrent use.
type terminal struct {
	mu       sync.Mutex
	out, err io.Writer
	failed   error // the first failure to write to out

	area  func() []string // returns the lines of the live area; nil when there is none
	shown bool            // the area is on the screen, with the cursor at its beginning
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
	erase := t.erase()
	if w == t.out {
		t.send(w, erase+s+t.draw())
		return
	}
	t.send(t.out, erase) // both streams may be the same terminal
	t.send(w, s)
	t.send(t.out, t.draw())
}

func (t *terminal) send(w io.Writer, s string) {
	if s == "" {
		return
	}
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

// update runs f while nothing is drawn, so that f may change the data of the live
// area.
func (t *terminal) update(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f()
}

// show shows the live area, whose lines are those that area returns, until stop is
// called. That function may be called more than once.
func (t *terminal) show(area func() []string) (stop func()) {
	t.update(func() { t.area = area })
	end := t.every(redrawInterval, func() { t.send(t.out, t.draw()) })
	return sync.OnceFunc(func() {
		end()
		t.update(func() {
			t.area = nil
			t.send(t.out, t.erase())
		})
	})
}

// every calls f, with t locked, after each interval until stop is called. That
// function may be called more than once.
func (t *terminal) every(interval time.Duration, f func()) (stop func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for {
			select {
			case <-quit:
				return
			case <-tick.C:
				t.update(f)
			}
		}
	}()
	return sync.OnceFunc(func() {
		close(quit)
		<-done
	})
}

// erase returns what removes the live area.
func (t *terminal) erase() string {
	if !t.shown {
		return ""
	}
	t.shown = false
	return eraseArea
}

// draw returns what puts the live area on the screen, over the one that is there, since
// clearing the screen before would make it flicker. Lines do not wrap, so that each has
// one row also if the terminal is narrower than it was a moment ago, or draws characters
// wider. The cursor goes back to the beginning: a terminal that breaks lines anew for
// another width moves it along with the text, so that it is always where the area is.
func (t *terminal) draw() string {
	if t.area == nil {
		return ""
	}
	t.shown = true
	lines := t.area()
	var b strings.Builder
	b.WriteString("\x1b[?7l\r")
	b.WriteString(strings.Join(lines, "\x1b[K\r\n"))
	b.WriteString("\x1b[J\x1b[?7h\r")
	if up := len(lines) - 1; up > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", up)
	}
	return b.String()
}
