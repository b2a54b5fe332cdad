package cache_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/cache"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/provider"
)

// constant reports a finding in every tenth chunk.
type constant struct{}

func (constant) Complete(_ context.Context, req provider.Request) (provider.Response, error) {
	text := `{"findings":[]}`
	if strings.Contains(req.Messages[0].Text, "x := 5") {
		text = `{"findings":[{"severity":"low","title":"Twice","description":"It is read twice.","startLine":null,"quote":"\tif err := step(ctx, request); err != nil {"}]}`
	}
	return provider.Response{Text: text, Stop: provider.StopEnd}, nil
}

// BenchmarkHits runs a skill over 10,000 chunks that are answered from the cache.
func BenchmarkHits(b *testing.B) {
	var files []diff.File
	for i := range 100 {
		f := diff.File{Path: fmt.Sprintf("dir/file%d.go", i), Status: diff.Modified, OldMode: 0o100644, Mode: 0o100644}
		for k := range 100 {
			body := fmt.Sprintf("+\tx := %d\n", k) + strings.Repeat("+\tif err := step(ctx, request); err != nil {\n", 19)
			f.Hunks = append(f.Hunks, diff.Hunk{OldStart: 100 * k, NewStart: 100*k + 1, NewLines: 20, Body: body})
		}
		files = append(files, f)
	}
	d, err := cache.Open(b.TempDir(), "https://api.example.com")
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	opts := scanner.Options{Provider: constant{}, Model: "m", Cache: d}
	skill := scanner.Skill{Name: "review", Instructions: "Find bugs."}
	if _, err := scanner.RunSkill(b.Context(), skill, files, opts); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		report, err := scanner.RunSkill(b.Context(), skill, files, opts)
		if err != nil || report.Chunks.Cached != 10_000 {
			b.Fatalf("%+v, %v", report.Chunks, err)
		}
	}
}
