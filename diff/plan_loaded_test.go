package diff

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func loaded(text string) File {
	return File{Path: "f.go", Status: Added, Load: func() ([]byte, error) { return []byte(text), nil }}
}

func TestPlanLoaded(t *testing.T) {
	f := loaded("a\r\n\n\tb\nc\n}\nd")
	c := Chunking{ContextLines: 1, Coalesce: Coalesce{MaxChunkSize: 7}}
	p := c.Plan(f, nil)
	want := `#0 f.go:1-3
+ 0 1 a
+ 0 2 
+ 0 3 ` + "\tb" + `
>+ 0 4 c
#1 f.go:4-6
<+ 0 3 ` + "\tb" + `
+ 0 4 c
+ 0 5 }
+ 0 6 d (no EOL)
`
	if d := cmp.Diff(render(t, p.Chunks), want); d != "" {
		t.Errorf("got -, want +\n%s", d)
	}
	// The mode changes nothing: the file is whole already.
	c.FilePatterns = []FilePattern{{"*.go", ModeWholeFile}}
	if d := cmp.Diff(render(t, c.Plan(f, nil).Chunks), want); d != "" {
		t.Errorf("whole-file: got -, want +\n%s", d)
	}
}

func TestTextOfChangedFile(t *testing.T) {
	text, failure := "a\nb\n", error(nil)
	f := File{Path: "d/f.go", Load: func() ([]byte, error) { return []byte(text), failure }}
	p := Chunking{}.Plan(f, nil)
	if _, err := p.Chunks[0].Text(); err != nil {
		t.Fatal(err)
	}
	text = "a\nc\n"
	if _, err := p.Chunks[0].Text(); !errors.Is(err, errChanged) || !strings.Contains(err.Error(), "d/f.go") {
		t.Errorf("got %v, want %v with the path", err, errChanged)
	}
	text, failure = "a\nb\n", errors.New("gone")
	if _, err := p.Chunks[0].Text(); !errors.Is(err, failure) || errors.Is(err, errChanged) {
		t.Errorf("got %v, want %v", err, failure)
	}
}

func TestTextConcurrently(t *testing.T) {
	p := Chunking{Coalesce: Coalesce{MaxChunkSize: 10}}.Plan(loaded(strings.Repeat("line\n", 100)), nil)
	var wg sync.WaitGroup
	for i := range p.Chunks {
		for range 2 {
			wg.Go(func() {
				if text, err := p.Chunks[i].Text(); err != nil || len(text.Lines) != 2 {
					t.Errorf("got %d lines, %v", len(text.Lines), err)
				}
			})
		}
	}
	wg.Wait()
}
