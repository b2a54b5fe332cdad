//go:build unix

package fix

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// killEnv holds the folder that a child process of the test is to change.
const killEnv = "SCANNER_FIX_TEST_DIR"

// stepEnv is the step at which the child kills itself.
const stepEnv = "SCANNER_FIX_TEST_STEP"

// limitEnv lets the child write only short files.
const limitEnv = "SCANNER_FIX_TEST_LIMIT"

// killsEnv asks for the long form of TestKill.
const killsEnv = "SCANNER_FIX_TEST_KILLS"

func TestMain(m *testing.M) {
	if dir := os.Getenv(killEnv); dir != "" {
		if err := applyInChild(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// killTree has files large enough to be caught half written.
func killTree() (tree, []Suggestion) {
	files := make(tree)
	var suggestions []Suggestion
	rest := strings.Repeat("the rest of the file\n", 10_000)
	for i := range 24 {
		path := fmt.Sprintf("d%d/f%d.txt", i%3, i)
		files[path] = fmt.Sprintf("old %d\n", i) + rest
		suggestions = append(suggestions, suggest(path, fmt.Sprintf("@@ -1 +1,2 @@\n-old %d\n+new %[1]d\n+more\n", i))...)
	}
	return files, suggestions
}

func applyInChild(dir string) error {
	files, suggestions := killTree()
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	p := files.plan(suggestions)
	if os.Getenv(limitEnv) != "" {
		// Like a disk that is full after the first part of a file.
		signal.Ignore(syscall.SIGXFSZ)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 100_000, Max: 100_000}); err != nil {
			return err
		}
	}
	opts := Options{ID: "run"}
	if s := os.Getenv(stepEnv); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			return err
		}
		opts.before = func(string, string) error {
			if n--; n == 0 {
				return syscall.Kill(os.Getpid(), syscall.SIGKILL)
			}
			return nil
		}
	}
	fmt.Println("ready")
	if _, err := Apply(root, p, opts); err != nil {
		return err
	}
	fmt.Println("done")
	return nil
}

// TestKill kills a process that applies fixes, at random moments: every file is
// the old or the new one, and the journal says which. With SCANNER_FIX_TEST_KILLS
// set to a number, that many times.
func TestKill(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts processes")
	}
	kills := 15
	if s := os.Getenv(killsEnv); s != "" {
		if _, err := fmt.Sscan(s, &kills); err != nil {
			t.Fatal(err)
		}
	}
	files, suggestions := killTree()
	p := files.plan(suggestions)
	after := files.after(p)
	rnd := newRand(t)

	whole := runChild(t, files, after)
	var untouched, partial, complete int
	// By the clock most kills come while the disk is busy with new contents. So
	// every second one comes at a random step, half of those while files are
	// replaced.
	prepared := 2 + 3*len(files)
	for i := range kills {
		delay, step := time.Duration(rnd.Int64N(int64(whole)*5/4)), 0
		switch i % 4 {
		case 0:
			delay, step = 0, prepared+2+rnd.IntN(len(files)-1)
		case 2:
			delay, step = 0, 1+rnd.IntN(prepared+len(files)+1)
		}
		switch n := runKilled(t, files, delay, step, after); {
		case n == 0:
			untouched++
		case n == len(files):
			complete++
		default:
			partial++
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("a whole run takes %v; of %d killed ones %d changed nothing, %d some files, %d all", whole, kills, untouched, partial, complete)
	if partial < kills/4 {
		t.Error("the moments are badly chosen")
	}
}

// runChild lets a child run to its end, and returns the time that it took.
func runChild(t *testing.T, files, after tree) time.Duration {
	t.Helper()
	dir := t.TempDir()
	files.write(t, dir)
	cmd, out := startChild(t, dir, 0)
	start := time.Now()
	if !out.Scan() || out.Text() != "done" {
		t.Fatalf("the child says %q", out.Text())
	}
	took := time.Since(start)
	must(t, cmd.Wait())
	if d := cmp.Diff(after, readTree(t, dir)); d != "" {
		t.Fatalf("(-want +got):\n%s", d)
	}
	return took
}

func startChild(t *testing.T, dir string, step int) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	exe, err := os.Executable()
	must(t, err)
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), killEnv+"="+dir)
	if step > 0 {
		cmd.Env = append(cmd.Env, fmt.Sprintf("%s=%d", stepEnv, step))
	}
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	out := bufio.NewScanner(stdout)
	if !out.Scan() || out.Text() != "ready" {
		t.Fatalf("the child says %q", out.Text())
	}
	return cmd, out
}

// runKilled kills a child after a time, or lets it kill itself at a step, and
// returns the number of files that it changed.
func runKilled(t *testing.T, files tree, delay time.Duration, step int, after tree) int {
	t.Helper()
	dir := t.TempDir()
	files.write(t, dir)
	cmd, _ := startChild(t, dir, step)
	if step == 0 {
		<-time.After(delay)
		must(t, cmd.Process.Kill())
	}
	_ = cmd.Wait() // it says that the process was killed

	root := openRoot(t, dir)
	pending, err := Pending(root)
	must(t, err)
	now := readTree(t, dir)
	changed := 0
	for path := range files {
		switch now[path] {
		case files[path]:
		case after[path]:
			changed++
		default:
			t.Errorf("after %v or at step %d, %s is neither old nor new: %d bytes", delay, step, path, len(now[path]))
		}
	}
	if changed > 0 && changed < len(files) && len(pending) != 1 {
		t.Errorf("after %v or at step %d, %d files are changed, but %d journals are pending", delay, step, changed, len(pending))
	}
	if len(pending) == 0 {
		for name := range now {
			if strings.Contains(name, tempPrefix) {
				t.Errorf("after %v or at step %d, no journal is pending, but there is %s", delay, step, name)
			}
		}
		if _, err := os.Stat(filepath.Join(dir, ".scanner/fixes/run.json")); changed > 0 && err != nil {
			t.Error(err)
		}
		return changed
	}

	j := pending[0]
	for _, f := range j.Files {
		want := FileOld
		if now[f.Path] == after[f.Path] {
			want = FileNew
		}
		if f.State != want {
			t.Errorf("the journal takes %s for %s, want %s", f.Path, f.State, want)
		}
	}
	must(t, Settle(root, j.ID))
	if undo := j.Undo(); undo != nil {
		if _, err := gitIn(t, dir, "", undo[1:]...); err != nil {
			t.Error(err)
		}
	} else if changed > 0 {
		t.Error("there is no way back")
	}
	if d := cmp.Diff(files, readTree(t, dir)); d != "" {
		t.Errorf("after %v and undoing it (-want +got):\n%.2000s", delay, d)
	}
	if _, err := Pending(root); errors.Is(err, ErrBusy) {
		t.Error("a dead process has the lock")
	}
	return changed
}

// TestFullDisk lets writes fail in the middle of a file.
func TestFullDisk(t *testing.T) {
	files, _ := killTree()
	dir := t.TempDir()
	files.write(t, dir)
	exe, err := os.Executable()
	must(t, err)
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), killEnv+"="+dir, limitEnv+"=1")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), `fixes for "d0/f0.txt": file too large`) {
		t.Errorf("the child says %q, %v", out, err)
	}
	if d := cmp.Diff(files, readTree(t, dir)); d != "" {
		t.Errorf("something changed (-before +after):\n%.2000s", d)
	}
	if d := cmp.Diff([]string{"lock"}, fixesNames(t, dir)); d != "" {
		t.Errorf("left behind (-want +got):\n%s", d)
	}
}
