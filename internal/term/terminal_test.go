package term

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// frame is what draws lines of the live area.
func frame(lines ...string) string {
	s := "\x1b[?7l\r" + strings.Join(lines, "\x1b[K\r\n") + "\x1b[J\x1b[?7h\r"
	if len(lines) > 1 {
		s += fmt.Sprintf("\x1b[%dA", len(lines)-1)
	}
	return s
}

// writes records each write.
type writes []string

func (w *writes) Write(p []byte) (int, error) {
	*w = append(*w, string(p))
	return len(p), nil
}

func TestTerminalLiveArea(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out, errs writes
		term := &terminal{out: &out, err: &errs}
		start := time.Now()
		stop := term.show(func() []string { return []string{fmt.Sprintf("<%v>", time.Since(start)), "second"} })
		time.Sleep(2*redrawInterval + redrawInterval/2)
		term.print("one\n")
		term.printErr("two\n")
		stop()
		stop()
		term.print("three\n")
		time.Sleep(time.Minute)

		// One write for each change, so that no other state is ever seen.
		want := writes{
			frame("<100ms>", "second"), frame("<200ms>", "second"),
			eraseArea + "one\n" + frame("<250ms>", "second"),
			eraseArea, frame("<250ms>", "second"),
			eraseArea, "three\n",
		}
		if d := cmp.Diff(want, out); d != "" {
			t.Errorf("out (-want +got):\n%s", d)
		}
		if d := cmp.Diff(writes{"two\n"}, errs); d != "" {
			t.Errorf("err (-want +got):\n%s", d)
		}
	})
}

func TestTerminalWithoutLiveArea(t *testing.T) {
	var out strings.Builder
	term := &terminal{out: &out, err: &out}
	term.print("one\n")
	term.print("")
	if got, want := out.String(), "one\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

func TestTerminalWriteFailure(t *testing.T) {
	full := &os.PathError{Op: "write", Path: "stdout", Err: syscall.ENOSPC}
	term := &terminal{out: failingWriter{full}, err: failingWriter{errors.New("nobody cares")}}
	term.printErr("warning\n")
	term.print("report\n")
	term.print("more\n")
	if got := term.outErr(); got != full {
		t.Errorf("got %v, want %v", got, full)
	}
}

// Text from models and files must not be taken for commands by a CI system, which
// may be any, and need not be known by a variable.
func TestTerminalCommands(t *testing.T) {
	const in, want = "a\n ::set-output name=x::1\n##vso[task.complete]", "a\n : :set-output name=x::1\n## vso[task.complete]"
	var out, err strings.Builder
	term := &terminal{out: &out, err: &err}
	term.print(in)
	term.printErr(in)
	if out.String() != want || err.String() != want {
		t.Errorf("got %q and %q, want %q", out.String(), err.String(), want)
	}
	out.Reset()
	term.command("::error::x") // one of ours
	if got := out.String(); got != "::error::x\n" {
		t.Errorf("command: got %q", got)
	}
}
