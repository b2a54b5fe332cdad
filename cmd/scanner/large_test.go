package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// BenchmarkLarge measures a repository of 100,000 files with 20 changed ones until
// scanner prints what it found, before its first request: as a multiple of "git status",
// or, with --all, of the time to read all files once. The peaks of memory are those of
// its own process then and in the whole run. -short takes 1,000 files.
func BenchmarkLarge(b *testing.B) {
	n := 100_000
	if testing.Short() {
		n = 1000
	}
	bin, dir := filepath.Join(b.TempDir(), "scanner"), b.TempDir()
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	command := func(name string, args ...string) *exec.Cmd {
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + b.TempDir(), "GIT_OPTIONAL_LOCKS=0"}
		return cmd
	}
	run := func(name string, args ...string) {
		if out, err := command(name, args...).CombinedOutput(); err != nil {
			b.Fatalf("%s: %v\n%s", name, err, out)
		}
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"choices":[{"message":{"role":"assistant","content":"{\"findings\":[]}"},"finish_reason":"stop"}]}`)
	}))
	defer server.Close()
	var names []string
	write := func(i int, text string) {
		name := filepath.Join(dir, fmt.Sprintf("pkg%d/sub%d/f%d.go", i%20, i/20%50, i))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
		names = append(names, name)
	}
	for i := range n {
		write(i, fmt.Sprintf("package p\n\n// F%d returns %d.\nfunc F%d() int { return %d }\n", i, i, i, i))
	}
	run("git", "init", "-q")
	run("git", "add", ".")
	// Without a collection of garbage in the background.
	run("git", "-c", "gc.auto=0", "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "all")
	for i := range 20 {
		write(i*n/20, "package p\n\nfunc changed() {}\n")
	}

	// scan runs scanner, and returns when it printed what it found, and the most memory
	// that its own process had until then and in the whole run.
	scan := func(b *testing.B, args ...string) (elapsed time.Duration, found, whole int64) {
		cmd := command(bin, append([]string{"scan"}, args...)...)
		cmd.Env = append(cmd.Env, "SCANNER_PROVIDER_BASE_URL="+server.URL, "SCANNER_MODEL=m")
		out, err := cmd.StdoutPipe()
		if err != nil {
			b.Fatal(err)
		}
		start := time.Now()
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		for lines := bufio.NewScanner(out); lines.Scan(); {
			whole = max(whole, peakMemory(cmd.Process))
			if elapsed == 0 && strings.Contains(lines.Text(), "Found ") {
				elapsed, found = time.Since(start), whole
			}
		}
		if err := cmd.Wait(); err != nil || elapsed == 0 {
			b.Fatalf("scanner printed no line of what it found, or failed: %v", err)
		}
		return elapsed, found, whole
	}
	compare := func(b *testing.B, reference func(), args ...string) {
		reference() // with warm caches
		var own, other time.Duration
		var found, whole int64
		for b.Loop() {
			start := time.Now()
			reference()
			other += time.Since(start)
			elapsed, f, w := scan(b, args...)
			own += elapsed
			found, whole = max(found, f), max(whole, w)
		}
		b.ReportMetric(float64(own)/float64(other), "x-reference")
		b.ReportMetric(float64(other.Milliseconds())/float64(b.N), "reference-ms")
		b.ReportMetric(float64(found)/(1<<20), "found-peak-MiB")
		b.ReportMetric(float64(whole)/(1<<20), "run-peak-MiB")
	}
	b.Run("changes", func(b *testing.B) { compare(b, func() { run("git", "status", "--porcelain") }) })
	b.Run("all", func(b *testing.B) {
		compare(b, func() {
			for _, name := range names {
				if _, err := os.ReadFile(name); err != nil {
					b.Fatal(err)
				}
			}
		}, "--all", "--offline")
	})
}

// peakMemory returns the most memory that a process has had, in bytes; 0 where Linux
// does not run. What the system reports of a process that has ended is no less than
// that of the process that started it, or of those that it started itself.
func peakMemory(p *os.Process) (n int64) {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Pid))
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	_, _ = fmt.Sscan(after, &n)
	return n << 10
}
