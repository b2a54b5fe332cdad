package scanner_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/provider"
	"github.com/codescan-dev/scanner/skill"
)

const (
	// promptAim is the number of bytes that a chunk should cost beyond its code.
	promptAim = 6 << 10
)

// listener is a provider that keeps the requests and finds nothing.
type listener struct {
	mu       sync.Mutex
	requests []provider.Request
}

var _ provider.Provider = (*listener)(nil)

func (l *listener) Complete(_ context.Context, req provider.Request) (provider.Response, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests = append(l.requests, req)
	return provider.Response{Text: `{"findings":[]}`, Stop: provider.StopEnd, Usage: provider.Usage{InputTokens: 1}}, nil
}

// largeChange returns a change of n files with three chunks each: in each a few
// new lines in the middle of a file of 600 lines that is there to be read.
func largeChange(n int) ([]diff.File, fstest.MapFS) {
	const length, own = 600, 6
	var files []diff.File
	tree := make(fstest.MapFS)
	for i := range n {
		f := diff.File{Path: fmt.Sprintf("internal/service/handlers/handler%02d.go", i), Status: diff.Modified, OldMode: 0o100644, Mode: 0o100644}
		lines := make([]string, length)
		for k := range lines {
			lines[k] = fmt.Sprintf("\tif err := step%03d(ctx, request); err != nil {", k)
		}
		for h, at := range []int{100, 300, 500} {
			var body strings.Builder
			for _, l := range lines[at : at+own] {
				body.WriteString("+" + l + "\n")
			}
			f.Hunks = append(f.Hunks, diff.Hunk{
				OldStart: at - h*own, NewStart: at + 1, NewLines: own,
				Section: "func (s *Service) Handle(ctx context.Context, request *Request) error {", Body: body.String(),
			})
		}
		files = append(files, f)
		tree[f.Path] = &fstest.MapFile{Data: []byte(strings.Join(lines, "\n") + "\n")}
	}
	return files, tree
}

// promptSize is what the chunks of a change cost with the built-in skill, in bytes
// a chunk.
type promptSize struct {
	beyond float64 // the texts less the code, that around the chunk included
	system float64 // the part of it that is the same for all chunks
	code   float64
	forms  float64 // schema of the answer and definitions of tools
}

func measure(tb testing.TB, files int, pr *scanner.PullRequest) promptSize {
	tb.Helper()
	review, warnings, err := skill.Discover(skill.Builtin()).Find(skill.CodeReview)
	if err != nil || len(warnings) > 0 {
		tb.Fatal(err, warnings)
	}
	change, tree := largeChange(files)
	var l listener
	if _, err := scanner.RunSkill(context.Background(), review, change, scanner.Options{Provider: &l, FS: tree, PullRequest: pr}); err != nil {
		tb.Fatal(err)
	}
	if len(l.requests) != 3*files {
		tb.Fatalf("%d requests, want %d", len(l.requests), 3*files)
	}
	var texts, system, code, forms int
	for _, req := range l.requests {
		system += len(req.System)
		texts += len(req.System)
		forms += len(req.Schema.JSON)
		for _, t := range req.Tools {
			forms += len(t.Name) + len(t.Description) + len(t.Parameters)
		}
		for _, m := range req.Messages {
			texts += len(m.Text)
			for line := range strings.Lines(m.Text) {
				if _, text, ok := strings.Cut(line, "|"); ok && strings.HasPrefix(text, "\tif err := step") {
					code += len(text)
				}
			}
		}
	}
	n := float64(len(l.requests))
	return promptSize{beyond: float64(texts-code) / n, system: float64(system) / n, code: float64(code) / n, forms: float64(forms) / n}
}

var promptCases = []struct {
	name  string
	files int
	pr    *scanner.PullRequest
	limit float64
}{
	{"one file", 1, nil, promptAim},
	{"ten files", 10, nil, promptAim},
	{"pull request", 10, &scanner.PullRequest{Title: "Check all steps", Description: strings.Repeat("Each step can fail, and was not checked. ", 10)}, promptAim + 600},
	// 300 bytes of a title, 4000 of a description.
	{"all that context may have", 60, &scanner.PullRequest{Title: strings.Repeat("long ", 100), Description: strings.Repeat("Long text. ", 1000)}, promptAim + 4400},
}

// TestPromptSize shows that a chunk does not cost much more than its code.
func TestPromptSize(t *testing.T) {
	for _, c := range promptCases {
		t.Run(c.name, func(t *testing.T) {
			size := measure(t, c.files, c.pr)
			t.Logf("%.0f bytes a chunk beyond %.0f of code; the aim without texts of a pull request is %d", size.beyond, size.code, promptAim)
			if size.beyond > c.limit {
				t.Errorf("%.0f bytes a chunk, want at most %.0f", size.beyond, c.limit)
			}
			if want := 46.0 * 45; size.code < want {
				t.Errorf("%.0f bytes of code a chunk, want 46 lines: at least %.0f", size.code, want)
			}
		})
	}
}

// BenchmarkPromptSize prints what a chunk costs beyond its code with the built-in
// code-review, in bytes of input.
func BenchmarkPromptSize(b *testing.B) {
	for _, c := range promptCases {
		b.Run(strings.ReplaceAll(c.name, " ", "-"), func(b *testing.B) {
			var size promptSize
			for b.Loop() {
				size = measure(b, c.files, c.pr)
			}
			b.ReportMetric(size.beyond, "bytes/chunk")
			b.ReportMetric(size.system, "shared-bytes/chunk")
			b.ReportMetric(size.code, "code-bytes/chunk")
			b.ReportMetric(size.forms, "schema+tools-bytes/chunk")
		})
	}
}
