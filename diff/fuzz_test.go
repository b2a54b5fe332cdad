package diff

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func FuzzParse(f *testing.F) {
	for _, tt := range parseTests {
		f.Add([]byte(tt.in))
	}
	for _, tt := range parseErrorTests {
		f.Add([]byte(tt.in))
	}
	f.Add([]byte("diff --1 +1 -git a/x.go b/x.go\nindex 1234567..89abcde 100644\n--- a\x00\n+++ b/x.go\n@"))
	f.Fuzz(func(t *testing.T, patch []byte) {
		files, err := Parse(patch)
		if err != nil {
			pe := (*parseError)(nil)
			if !errors.As(err, &pe) && !errors.Is(err, errNoDiff) || len(err.Error()) > 1000 {
				t.Errorf("got error %q", err)
			}
			return
		}
		for i := range files {
			file := &files[i]
			for _, p := range []string{file.Path, file.OldPath} {
				if p != "" && (strings.HasPrefix(p, "/") || strings.Contains("/"+p+"/", "/../") || strings.Contains(p, "\x00") || path.Clean(p) != p) {
					t.Errorf("got path %q", p)
				}
			}
			if file.Path == "" {
				t.Error("got an empty path")
			}
			// What was parsed is a diff that parses to the same.
			var b strings.Builder
			for k := range file.Hunks {
				h := &file.Hunks[k]
				fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@ %s\n%s", h.OldStart, h.OldLines, h.NewStart, h.NewLines, h.Section, h.Body)
			}
			again, err := ParseHunks([]byte(b.String()))
			if err != nil {
				t.Fatalf("%v\n%s", err, b.String())
			}
			if d := cmp.Diff(again, file.Hunks); d != "" {
				t.Errorf("got -, want +\n%s", d)
			}
		}
	})
}

func FuzzPlan(f *testing.F) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 8 {
		old := randomText(rnd, 30)
		edited := randomEdit(rnd, old, 4)
		f.Add([]byte(unified("f", old, edited, 3)), []byte(strings.Join(edited, "")), 5, 100, 3, byte(rnd.IntN(4)))
	}
	for _, tt := range parseTests {
		f.Add([]byte(tt.in), []byte("a\nb\n"), 0, 0, 0, byte(0))
	}
	f.Fuzz(func(t *testing.T, patch, data []byte, gap, size, context int, flags byte) {
		c := Chunking{
			Coalesce:     Coalesce{Disabled: flags&1 != 0, MaxGapLines: gap, MaxChunkSize: size},
			ContextLines: context,
		}
		if flags&2 != 0 {
			c.FilePatterns = []FilePattern{{"*", ModeWholeFile}}
		}
		if c.Validate() != nil {
			return
		}
		files, err := Parse(patch)
		if err != nil {
			files = nil
		}
		for _, file := range files {
			var tree fs.FS
			if flags&4 == 0 && fs.ValidPath(file.Path) {
				tree = fstest.MapFS{file.Path: {Data: data}}
			}
			checkPlan(t, "change", c, file, tree, nil)
		}
		whole := File{Path: "f", Load: func() ([]byte, error) { return data, nil }}
		p := c.Plan(whole, nil)
		if p.Skip == nil {
			lines := strings.SplitAfter(string(data), "\n")
			if lines[len(lines)-1] == "" {
				lines = lines[:len(lines)-1]
			}
			checkLoaded(t, "whole", c, whole, lines)
		}
	})
}
