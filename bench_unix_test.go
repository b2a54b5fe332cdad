//go:build unix

package scanner_test

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/cache"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/provider"
)

// userCPU returns the time that this process has spent outside of the kernel. Unlike
// the time on the clock it hardly depends on what else the machine does.
func userCPU(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano())
}

// maxRSS returns the most memory that this process has had, in bytes where Linux runs.
func maxRSS(b *testing.B) int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return int64(u.Maxrss) << 10
}

// largeDiff returns a diff of n chunks, ten in a file.
func largeDiff(n int) string {
	var b strings.Builder
	for i := range n / 10 {
		path := fmt.Sprintf("dir%d/file%d.go", i%10, i)
		fmt.Fprintf(&b, "diff --git a/%s b/%s\nindex 1111111..2222222 100644\n--- a/%s\n+++ b/%s\n", path, path, path, path)
		for k := range 10 {
			fmt.Fprintf(&b, "@@ -%d,6 +%d,18 @@ func method%d(ctx context.Context) error {\n", 1+200*k, 1+212*k, k)
			for l := range 3 {
				fmt.Fprintf(&b, " \tbefore := call%d(ctx, %d, %d)\n", l, i, k)
			}
			for l := range 12 {
				fmt.Fprintf(&b, "+\tif err := store.Update%d(ctx, id, value[%d], %d); err != nil {\n", l, i, k)
			}
			for l := range 3 {
				fmt.Fprintf(&b, " \tafter := call%d(ctx, %d, %d)\n", l, i, k)
			}
		}
	}
	return b.String()
}

// BenchmarkChunks measures what the pipeline itself costs for each chunk: the
// provider answers at once, and there are no patterns and no redaction. peak-MiB is
// that of the process, and so of this benchmark only if it runs alone.
func BenchmarkChunks(b *testing.B) {
	chunks := 10_000
	if testing.Short() {
		chunks = 100
	}
	text := []byte(largeDiff(chunks))
	files, err := diff.Parse(text)
	if err != nil {
		b.Fatal(err)
	}
	size := len(text) // of what the files hold by now
	resp := answer(findings(finding("medium", "Error of the call is ignored", "", 0)))
	p := asker(func(context.Context, provider.Request) (provider.Response, error) { return resp, nil })
	run := func(b *testing.B, newCache func() scanner.Cache) {
		b.ReportAllocs()
		start := userCPU(b)
		for b.Loop() {
			report, err := scanner.RunSkill(b.Context(), reviewer, files, scanner.Options{Provider: p, Cache: newCache()})
			if err != nil || report.Chunks.Analyzed != chunks {
				b.Fatalf("error %v, chunks %+v", err, report.Chunks)
			}
		}
		b.ReportMetric(float64((userCPU(b)-start).Nanoseconds())/1000/float64(b.N*chunks), "user-µs/chunk")
		b.ReportMetric(float64(size)/(1<<20), "diff-MiB")
		b.ReportMetric(float64(maxRSS(b))/(1<<20), "peak-MiB")
	}
	b.Run("cache=none", func(b *testing.B) { run(b, func() scanner.Cache { return nil }) })
	b.Run("cache=cold", func(b *testing.B) {
		run(b, func() scanner.Cache {
			c, err := cache.Open(b.TempDir(), "")
			if err != nil {
				b.Fatal(err)
			}
			return c
		})
	})
}
