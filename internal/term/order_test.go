package term

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/provider"
)

// orderPlan has two skills; the first looks at two files, the second at one.
var orderPlan = scanner.EventPlanned{
	Chunks: 4,
	Skills: []scanner.PlannedSkill{
		{Name: "code-review", Chunks: 4, Files: []scanner.PlannedFile{{Path: "a.go", Chunks: 3}, {Path: "b\n.go", Chunks: 1}}},
		{Name: "security-review", Chunks: 1, Files: []scanner.PlannedFile{{Path: "a.go", Chunks: 1}}},
	},
}

func chunkEvents() []scanner.EventChunk {
	ref := func(skill, path string, file, files, index, chunks, start int) scanner.ChunkRef {
		return scanner.ChunkRef{Skill: skill, Path: path, File: file, Files: files, Index: index, Chunks: chunks, StartLine: start, EndLine: start + 9}
	}
	return []scanner.EventChunk{
		{Chunk: ref("code-review", "a.go", 0, 2, 0, 3, 1), Findings: make([]scanner.Finding, 2)},
		{Chunk: ref("code-review", "a.go", 0, 2, 1, 3, 20), Outcome: scanner.OutcomeFailed, Err: &provider.Error{Kind: provider.KindRateLimit}},
		{Chunk: ref("code-review", "a.go", 0, 2, 2, 3, 40), Outcome: scanner.OutcomeCached, Findings: make([]scanner.Finding, 1)},
		{Chunk: ref("code-review", "b\n.go", 1, 2, 0, 1, 5), Findings: make([]scanner.Finding, 1)},
		{Chunk: ref("security-review", "a.go", 0, 1, 0, 1, 1), Outcome: scanner.OutcomeNotAnalyzed},
	}
}

func TestOrder(t *testing.T) {
	want := []string{
		"code-review", "[1/2] a.go",
		"[1/3] L1-10 → 2 findings", "[2/3] L20-29 → failed (RateLimitError)", "[3/3] L40-49 → 1 finding (cached)",
		`[2/2] "b\n.go"`, "[1/1] L5-14 → 1 finding",
		"security-review", "[1/1] a.go", "[1/1] L1-10 → not analyzed",
	}
	for seed := range uint64(50) {
		events := chunkEvents()
		rand.New(rand.NewPCG(seed, 0)).Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
		o := newOrder(orderPlan)
		var got []string
		for _, e := range events {
			for _, f := range o.add(e) {
				got = append(got, fileLines(f)...)
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("seed %d: (-want +got)\n%s", seed, d)
		}
		if rest := o.rest(); len(rest) != 0 {
			t.Errorf("seed %d: %d files left", seed, len(rest))
		}
	}
}

func fileLines(f *orderedFile) []string {
	var lines []string
	if f.first {
		lines = append(lines, f.skill)
	}
	return append(append(lines, f.title()), f.lines()...)
}

func TestOrderRest(t *testing.T) {
	o := newOrder(orderPlan)
	events := chunkEvents()
	for _, e := range []scanner.EventChunk{events[0], events[3], events[3], {Chunk: scanner.ChunkRef{Skill: "unknown"}}} {
		if files := o.add(e); len(files) != 0 {
			t.Errorf("released %d files too early", len(files))
		}
	}
	var got []string
	for _, f := range o.rest() {
		got = append(got, fileLines(f)...)
	}
	want := []string{
		"code-review", "[1/2] a.go", "[1/3] L1-10 → 2 findings",
		`[2/2] "b\n.go"`, "[1/1] L5-14 → 1 finding",
		"security-review", "[1/1] a.go",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if rest := o.rest(); len(rest) != 0 {
		t.Errorf("%d files released twice", len(rest))
	}
}

func TestResultOfFailedChunkWithFindings(t *testing.T) {
	e := scanner.EventChunk{Outcome: scanner.OutcomeFailed, Err: errors.New("odd"), Findings: make([]scanner.Finding, 1)}
	if got, want := chunkResult(&e), "1 finding, failed (UnknownError)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
