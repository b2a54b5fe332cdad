package diff_test

import (
	"strings"
	"testing"

	"github.com/codescan-dev/scanner/diff"
)

// All pieces of a hunk that is split have the name of its function.
func TestPlanSplitSection(t *testing.T) {
	const lines = 40
	f := diff.File{Path: "a.go", Hunks: []diff.Hunk{{
		OldStart: 9, NewStart: 10, NewLines: lines, Section: "func f() {", Body: strings.Repeat("+\tx()\n", lines),
	}}}
	p := diff.Chunking{Coalesce: diff.Coalesce{MaxChunkSize: 50}}.Plan(f, nil)
	if len(p.Chunks) < 2 {
		t.Fatalf("got %d chunks, want several", len(p.Chunks))
	}
	for i := range p.Chunks {
		if got := p.Chunks[i].Section; got != "func f() {" {
			t.Errorf("chunk %d: got section %q", i, got)
		}
	}
}
