package diff_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/codescan-dev/scanner/diff"
	godiff "github.com/sourcegraph/go-diff/diff"
)

// BenchmarkParse compares Parse with the library below it, which does not check
// what it reads. Parse may take 1.5 times its time and twice its memory.
func BenchmarkParse(b *testing.B) {
	for _, shape := range []struct {
		name         string
		files, hunks int
	}{
		{"many files", 1000, 3},
		{"many hunks", 5, 600},
		{"small files", 3000, 1},
	} {
		patch := realisticPatch(shape.files, shape.hunks)
		parsers := []struct {
			name  string
			parse func() (files int, err error)
		}{
			{"Parse", func() (int, error) {
				files, err := diff.Parse(patch)
				return len(files), err
			}},
			{"ParseMultiFileDiff", func() (int, error) {
				files, err := godiff.ParseMultiFileDiff(patch)
				return len(files), err
			}},
		}
		for _, p := range parsers {
			b.Run(shape.name+"/"+p.name, func(b *testing.B) {
				b.SetBytes(int64(len(patch)))
				b.ReportAllocs()
				for b.Loop() {
					if n, err := p.parse(); err != nil || n != shape.files {
						b.Fatal(n, err)
					}
				}
			})
		}
	}
}

// realisticPatch returns what git diff would write for changes of Go files.
func realisticPatch(files, hunks int) []byte {
	rnd := rand.New(rand.NewPCG(1, 2))
	code := []string{
		"", "}", "\t}", "\treturn nil", "\tif err != nil {", "\t\treturn nil, err",
		"\tfor _, name := range names {", "\t// The caller must hold the lock.",
		"\tresult, err := client.Do(ctx, &Request{Name: name, Limit: 100})",
		"func (s *Server) handle(w http.ResponseWriter, r *http.Request) error {",
		"\t\tlog.Printf(\"cannot read the configuration of %s: %v\", name, err)",
	}
	var patch bytes.Buffer
	lines := func(op byte, n int) {
		for range n {
			fmt.Fprintf(&patch, "%c%s\n", op, code[rnd.IntN(len(code))])
		}
	}
	for i := range files {
		name := fmt.Sprintf("internal/service%d/handler%d.go", i%20, i)
		fmt.Fprintf(&patch, "diff --git a/%s b/%s\nindex 0123456789ab..ba9876543210 100644\n--- a/%s\n+++ b/%s\n", name, name, name, name)
		oldLine, newLine := 1, 1
		for range hunks {
			oldLine, newLine = oldLine+50, newLine+50
			removed, added := rnd.IntN(6), 1+rnd.IntN(8)
			fmt.Fprintf(&patch, "@@ -%d,%d +%d,%d @@ func (s *Server) handle(w http.ResponseWriter) {\n", oldLine, 6+removed, newLine, 6+added)
			lines(' ', 3)
			lines('-', removed)
			lines('+', added)
			lines(' ', 3)
			oldLine, newLine = oldLine+6+removed, newLine+6+added
		}
	}
	return patch.Bytes()
}
