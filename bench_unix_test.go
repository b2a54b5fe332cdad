//go:build unix

package scanner_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/cache"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/provider"
	"github.com/codescan-dev/scanner/provider/openai"
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
func largeDiff(n int) []byte {
	b := make([]byte, 0, n<<10+n<<7)
	for i := range n / 10 {
		path := fmt.Sprintf("dir%d/file%d.go", i%10, i)
		b = fmt.Appendf(b, "diff --git a/%s b/%s\nindex 1111111..2222222 100644\n--- a/%s\n+++ b/%s\n", path, path, path, path)
		for k := range 10 {
			b = fmt.Appendf(b, "@@ -%d,6 +%d,18 @@ func method%d(ctx context.Context) error {\n", 1+200*k, 1+212*k, k)
			for l := range 3 {
				b = fmt.Appendf(b, " \tbefore := call%d(ctx, %d, %d)\n", l, i, k)
			}
			for l := range 12 {
				b = fmt.Appendf(b, "+\tif err := store.Update%d(ctx, id, value[%d], %d); err != nil {\n", l, i, k)
			}
			for l := range 3 {
				b = fmt.Appendf(b, " \tafter := call%d(ctx, %d, %d)\n", l, i, k)
			}
		}
	}
	return b
}

// BenchmarkChunks measures what the pipeline itself costs for each chunk: the
// provider answers at once, and there are no patterns and no redaction. x-cold-cache is
// what a run with an empty cache costs as a multiple of one without, the runs taking
// turns. peak-MiB is that of the process, and so of this benchmark only if it runs
// alone.
func BenchmarkChunks(b *testing.B) {
	chunks := 10_000
	if testing.Short() {
		chunks = 100
	}
	text := largeDiff(chunks)
	files, err := diff.Parse(text)
	if err != nil {
		b.Fatal(err)
	}
	size := len(text) // of what the files hold by now
	resp := answer(findings(finding("medium", "Error of the call is ignored", "", 0)))
	p := asker(func(context.Context, provider.Request) (provider.Response, error) { return resp, nil })
	var cpu [2]time.Duration // without a cache, and with an empty one
	b.ReportAllocs()
	for b.Loop() {
		for k := range cpu {
			opts := scanner.Options{Provider: p, Model: "m"}
			if k == 1 {
				c, err := cache.Open(b.TempDir(), "")
				if err != nil {
					b.Fatal(err)
				}
				defer c.Close()
				opts.Cache = c
			}
			start := userCPU(b)
			report, err := scanner.RunSkill(b.Context(), reviewer, files, opts)
			if err != nil || report.Chunks.Analyzed != chunks {
				b.Fatalf("error %v, chunks %+v", err, report.Chunks)
			}
			cpu[k] += userCPU(b) - start
		}
	}
	b.ReportMetric(float64(cpu[0].Nanoseconds())/1000/float64(b.N*chunks), "user-µs/chunk")
	b.ReportMetric(float64(cpu[1])/float64(cpu[0]), "x-cold-cache")
	b.ReportMetric(float64(size)/(1<<20), "diff-MiB")
	b.ReportMetric(float64(maxRSS(b))/(1<<20), "peak-MiB")
}

// BenchmarkReport measures what each finding costs from the answer of the model to
// the sorted report of a skill.
func BenchmarkReport(b *testing.B) {
	const perChunk = 100
	for _, n := range []int{10_000, 100_000} {
		if testing.Short() && n > 10_000 {
			continue
		}
		b.Run(fmt.Sprintf("findings=%d", n), func(b *testing.B) {
			answers := make(map[string]string) // by path
			var files []diff.File
			for i, f := range generate(n, 20_000, 1) {
				if i%perChunk == 0 {
					files = append(files, diff.File{Path: fmt.Sprintf("dir/file%d.go", i/perChunk), Status: diff.Added, Mode: 0o100644, Hunks: []diff.Hunk{{NewStart: 1, NewLines: perChunk}}})
				}
				file, line := &files[len(files)-1], i%perChunk
				code := fmt.Sprintf("value[%d] = call(ctx, %d)", line, i)
				file.Hunks[0].Body += "+\t" + code + "\n"
				answers[file.Path] += fmt.Sprintf(`,{"severity":%q,"confidence":"high","title":%q,"description":%q,"verification":null,"location":{"quote":%q,"startLine":%d,"endLine":null},"suggestedFix":null,"additionalLocations":[]}`,
					f.Severity, f.Title, f.Description, code, line+1)
			}
			p := asker(func(_ context.Context, req provider.Request) (provider.Response, error) {
				_, path, _ := strings.Cut(user(req), "file: ")
				path, _, _ = strings.Cut(path, "\n")
				return answer(`{"findings":[` + answers[path][1:] + "]}"), nil
			})
			start := userCPU(b)
			for b.Loop() {
				report, err := scanner.RunSkill(b.Context(), reviewer, files, scanner.Options{Provider: p})
				if err != nil || len(report.Findings) < n/2 || len(report.Discards) > 0 {
					b.Fatalf("error %v, %d findings, discarded %v", err, len(report.Findings), report.Discards)
				}
			}
			b.ReportMetric(float64((userCPU(b)-start).Nanoseconds())/1000/float64(b.N*n), "user-µs/finding")
		})
	}
}

// BenchmarkSkills measures what the skills of a run without a model cost for each line
// of files that are scanned whole, besides matching: what their rules need occurs in
// none. x-one-skill is what two cost as a multiple of one.
func BenchmarkSkills(b *testing.B) {
	n := 500
	if testing.Short() {
		n = 10
	}
	dir := b.TempDir()
	var files []diff.File
	lines := 0
	for i := range n {
		text := strings.Repeat(fmt.Sprintf("\tif err := store.Update(ctx, id, value[%d]); err != nil { // of the caller\n\t\treturn err\n\t}\n\n", i), 10+i)
		lines += 4 * (10 + i)
		path := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
		files = append(files, diff.File{Path: fmt.Sprintf("dir%d/file%d.ts", i%10, i), Status: diff.Added, Mode: 0o100644, Load: func() ([]byte, error) { return os.ReadFile(path) }})
	}
	rule := scanner.Pattern{ID: "r", Regexp: regexp.MustCompile(`neverCalled\(`), Severity: scanner.SeverityLow, Confidence: scanner.ConfidenceLow, Title: "Update", Description: "An update.", Scope: scanner.ScopeCode}
	skills := []scanner.Skill{{Name: "one", Patterns: []scanner.Pattern{rule}}, {Name: "two", Patterns: []scanner.Pattern{rule}}}
	var cpu [2]time.Duration
	for b.Loop() {
		for k := range cpu {
			start := userCPU(b)
			report, err := scanner.Run(b.Context(), skills[:k+1], files, scanner.Options{PatternsOnly: true})
			if err != nil || report.Chunks < n {
				b.Fatalf("error %v, report %+v", err, report)
			}
			cpu[k] += userCPU(b) - start
		}
	}
	b.ReportMetric(float64(cpu[0].Nanoseconds())/float64(b.N*lines), "user-ns/line")
	b.ReportMetric(float64(cpu[1])/float64(cpu[0]), "x-one-skill")
}

// BenchmarkLatency measures the time of a run against a server that takes 50 ms for
// an answer, from its first request on, as a multiple of what the answers alone take
// with 16 requests at a time; the time until then; and the user CPU for each chunk, that
// of the server included.
func BenchmarkLatency(b *testing.B) {
	const chunks, concurrency, latency = 200, 16, 50 * time.Millisecond
	files, err := diff.Parse(largeDiff(chunks))
	if err != nil {
		b.Fatal(err)
	}
	var first atomic.Pointer[time.Time] // request of a run
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		first.CompareAndSwap(nil, new(time.Now()))
		_, _ = io.Copy(io.Discard, r.Body)
		time.Sleep(latency)
		fmt.Fprint(w, `{"choices":[{"message":{"role":"assistant","content":"{\"findings\":[]}"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":9}}`)
	}))
	defer server.Close()
	p, err := openai.New(openai.Config{BaseURL: server.URL, APIKey: "k", Model: "m"})
	if err != nil {
		b.Fatal(err)
	}
	opts := scanner.Options{Provider: p, Concurrency: concurrency, Features: &memory{m: make(map[string][]byte)}}
	if _, err := scanner.RunSkill(b.Context(), reviewer, files[:1], opts); err != nil { // finds out what the server accepts
		b.Fatal(err)
	}
	start := userCPU(b)
	var startUp time.Duration
	for b.Loop() {
		first.Store(nil)
		begin := time.Now()
		report, err := scanner.RunSkill(b.Context(), reviewer, files, opts)
		if err != nil || report.Chunks.Analyzed != chunks {
			b.Fatalf("error %v, report %+v", err, report.Chunks)
		}
		startUp += first.Load().Sub(begin)
	}
	const ideal = latency * ((chunks + concurrency - 1) / concurrency)
	b.ReportMetric(float64(b.Elapsed()-startUp)/float64(b.N)/float64(ideal), "x-ideal")
	b.ReportMetric(float64(startUp.Microseconds())/1000/float64(b.N), "start-ms")
	b.ReportMetric(float64((userCPU(b)-start).Nanoseconds())/1000/float64(b.N*chunks), "user-µs/chunk")
}
