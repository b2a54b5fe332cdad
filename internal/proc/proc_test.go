package proc_test

import (
	"bufio"
	"io"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/codescan-dev/scanner/internal/proc"
)

func TestTail(t *testing.T) {
	const size = 16 << 10
	for _, tt := range []struct {
		name   string
		writes []string
		want   string
	}{
		{"nothing", nil, ""},
		{"all", []string{"ab", "cde"}, "abcde"},
		{"all that fits", []string{strings.Repeat("x", size)}, strings.Repeat("x", size)},
		{"end of a long line", []string{"ab", strings.Repeat("x", size-1)}, "b" + strings.Repeat("x", size-1)},
		{"end of one write", []string{strings.Repeat("x", 3*size) + "y"}, strings.Repeat("x", size-1) + "y"},
		{"whole lines", []string{strings.Repeat("x", 3*size), "\nlast", " line\n"}, "last line\n"},
		{"one cut line", []string{strings.Repeat("x", 3*size), "\n"}, strings.Repeat("x", size-1) + "\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var tail proc.Tail
			for _, s := range tt.writes {
				if n, err := io.WriteString(&tail, s); n != len(s) || err != nil {
					t.Errorf("Write = %d, %v", n, err)
				}
			}
			if got := tail.String(); got != tt.want {
				t.Errorf("got %d bytes %.40q, want %d bytes %.40q", len(got), got, len(tt.want), tt.want)
			}
		})
	}
}

// TestGroup starts a shell that starts another process, which holds the output
// open as long as it runs.
func TestGroup(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a Unix shell")
	}
	for name, stop := range map[string]func(*exec.Cmd) error{"terminate": proc.Terminate, "kill": proc.Kill} {
		t.Run(name, func(t *testing.T) {
			cmd := proc.Shell(t.Context(), "sleep 600 & echo started; wait")
			proc.Group(cmd)
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			r := bufio.NewReader(out)
			if line, err := r.ReadString('\n'); err != nil {
				t.Fatalf("read %q, %v", line, err)
			}
			if err := stop(cmd); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if rest, err := io.ReadAll(r); err != nil || len(rest) > 0 {
				t.Errorf("the output ends with %q, %v", rest, err)
			}
			if err := cmd.Wait(); err == nil {
				t.Error("the process ended by itself")
			}
		})
	}
}

// TestEndWithParent ends many threads of this process while a child runs. If one of
// them had started it, the system would kill it.
func TestEndWithParent(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a Unix shell")
	}
	started, finish, done := make(chan struct{}), make(chan struct{}), make(chan string)
	go func() {
		cmd := proc.Shell(t.Context(), "echo ready; read line && echo $line")
		proc.Group(cmd)
		defer proc.EndWithParent(cmd)()
		in, _ := cmd.StdinPipe()
		out, _ := cmd.StdoutPipe()
		if err := cmd.Start(); err != nil {
			t.Error(err)
		}
		r := bufio.NewReader(out)
		r.ReadString('\n')
		close(started)
		<-finish
		io.WriteString(in, "alive\n")
		text, _ := r.ReadString('\n')
		cmd.Wait()
		done <- text
	}()
	<-started
	for range 20 {
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() { runtime.LockOSThread() }) // its thread ends with it
		}
		wg.Wait()
	}
	close(finish)
	if got := <-done; got != "alive\n" {
		t.Errorf("the child wrote %q", got)
	}
}
