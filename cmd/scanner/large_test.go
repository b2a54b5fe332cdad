package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// BenchmarkLarge measures a repository of 100,000 files with 20 changed ones until
// scanner prints what it found: as a multiple of "git status", or, with --all, of the
// time to read all files once. -short takes 1,000 files.
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
	run("git", "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "all")
	for i := range 20 {
		write(i*n/20, "package p\n\nfunc changed() {}\n")
	}

	// found runs scanner until it has printed what it found.
	found := func(b *testing.B, args ...string) (elapsed time.Duration, rss int64) {
		cmd := command(bin, append([]string{"scan", "--offline"}, args...)...)
		out, err := cmd.StdoutPipe()
		if err != nil {
			b.Fatal(err)
		}
		start := time.Now()
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		ok := false
		for lines := bufio.NewScanner(out); !ok && lines.Scan(); {
			ok = strings.Contains(lines.Text(), "Found ")
		}
		elapsed = time.Since(start)
		_ = cmd.Process.Kill()
		_, _ = io.Copy(io.Discard, out)
		_ = cmd.Wait()
		if !ok {
			b.Fatal("scanner did not print what it found")
		}
		return elapsed, maxRSS(cmd.ProcessState)
	}
	compare := func(b *testing.B, reference func(), args ...string) {
		reference() // with warm caches
		var own, other time.Duration
		var peak int64
		for b.Loop() {
			start := time.Now()
			reference()
			other += time.Since(start)
			elapsed, rss := found(b, args...)
			own += elapsed
			peak = max(peak, rss)
		}
		b.ReportMetric(float64(own)/float64(other), "x-reference")
		b.ReportMetric(float64(other.Milliseconds())/float64(b.N), "reference-ms")
		b.ReportMetric(float64(peak)/(1<<20), "peak-MiB") // or that of git, if it is more
	}
	b.Run("changes", func(b *testing.B) { compare(b, func() { run("git", "status", "--porcelain") }) })
	b.Run("all", func(b *testing.B) {
		compare(b, func() {
			for _, name := range names {
				if _, err := os.ReadFile(name); err != nil {
					b.Fatal(err)
				}
			}
		}, "--all")
	})
}
