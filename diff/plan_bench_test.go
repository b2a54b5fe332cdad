package diff

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"
)

// bigPatch returns a diff of n files of some 40 hunks, and the new sides.
func bigPatch(n int) ([]byte, fstest.MapFS) {
	rnd := rand.New(rand.NewPCG(1, 2))
	var patch bytes.Buffer
	fsys := fstest.MapFS{}
	for i := range n {
		old := randomText(rnd, 2000)
		edited := randomEdit(rnd, old, 40)
		path := fmt.Sprintf("dir%d/file%d.go", i%10, i)
		patch.WriteString(unified(path, old, edited, 3))
		fsys[path] = &fstest.MapFile{Data: []byte(strings.Join(edited, ""))}
	}
	return patch.Bytes(), fsys
}

// BenchmarkPlan counts the bytes of the files, not those of the diff.
func BenchmarkPlan(b *testing.B) {
	patch, fsys := bigPatch(20)
	files, err := Parse(patch)
	if err != nil {
		b.Fatal(err)
	}
	size := 0
	for _, f := range fsys {
		size += len(f.Data)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		for _, f := range files {
			if p := (Chunking{}).Plan(f, fsys); p.Skip != nil {
				b.Fatal(p.Skip)
			}
		}
	}
}

// BenchmarkPlanLoaded plans whole files.
func BenchmarkPlanLoaded(b *testing.B) {
	_, fsys := bigPatch(20)
	size := 0
	var files []File
	for path, f := range fsys {
		size += len(f.Data)
		files = append(files, File{Path: path, Load: func() ([]byte, error) { return f.Data, nil }})
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		for _, f := range files {
			if p := (Chunking{}).Plan(f, nil); p.Skip != nil {
				b.Fatal(p.Skip)
			}
		}
	}
}

func BenchmarkBuiltinPatterns(b *testing.B) {
	for b.Loop() {
		if p, ok := builtinTable.match("internal/server/handler/request_test.go"); ok {
			b.Fatal(p)
		}
	}
}
