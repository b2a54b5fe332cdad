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

	"github.com/codescan-dev/scanner"
)

func TestTerminalStatusLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out, err strings.Builder
		term := &terminal{out: &out, err: &err}
		start := time.Now()
		stop := term.start(func() string { return fmt.Sprintf("<%v>", time.Since(start)) })
		time.Sleep(2*statusInterval + statusInterval/2)
		term.print("one\n")
		term.printErr("two\n")
		stop()
		stop()
		term.print("three\n")
		time.Sleep(time.Minute)

		e := eraseLine
		want := e + "<100ms>" + e + "<200ms>" + e + "one\n" + e + "<250ms>" + e + e + "<250ms>" + e + "three\n"
		if got := out.String(); got != want {
			t.Errorf("out:\n got %q\nwant %q", got, want)
		}
		if got := err.String(); got != "two\n" {
			t.Errorf("err: got %q", got)
		}
	})
}

func TestTerminalWithoutStatusLine(t *testing.T) {
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

func TestProgressLine(t *testing.T) {
	p := progress{total: 9}
	if got, want := p.line(0, 80), "⠋ 0/9 chunks · 0 findings · 0s"; got != want {
		t.Errorf("at the start: got %q, want %q", got, want)
	}
	p.add(scanner.EventChunk{
		Findings: make([]scanner.Finding, 1),
		Usage:    scanner.Usage{InputTokens: 12345, OutputTokens: 678, CostUSD: new(0.0234)},
	})
	if got, want := p.line(1900*time.Millisecond, 80), "⠏ 1/9 chunks · 1 finding · 12.3k in / 678 out · $0.02 · 1s"; got != want {
		t.Errorf("later: got %q, want %q", got, want)
	}
	if got, want := p.line(61*time.Second, 20), "⠋ 1/9 chunks · 1 f…"; got != want {
		t.Errorf("narrow: got %q, want %q", got, want)
	}
	p.add(scanner.EventChunk{Usage: scanner.Usage{InputTokens: 1}})
	if got, want := p.line(61*time.Second, 80), "⠋ 2/9 chunks · 1 finding · 12.3k in / 678 out · cost unknown · 1m 1s"; got != want {
		t.Errorf("cost unknown: got %q, want %q", got, want)
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
