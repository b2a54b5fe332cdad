package main

import (
	"bytes"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGoldenCorpus keeps the figures of the rules about our own corpus.
func TestGoldenCorpus(t *testing.T) {
	for name, perRule := range map[string]bool{"classes": false, "rules": true} {
		var out bytes.Buffer
		if err := run(t.Context(), &out, perRule, []string{"testdata/corpus"}); err != nil {
			t.Fatal(err)
		}
		golden := filepath.Join("testdata", name+".golden")
		if *update {
			if err := os.WriteFile(golden, out.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(out.String(), "\n")); d != "" {
			t.Errorf("%s: run with -update, and read the diff (-want +got)\n%s", golden, d)
		}
	}
}

// TestCorpusSize shows that the corpus has what it promises.
func TestCorpusSize(t *testing.T) {
	s, err := read(os.DirFS("testdata/corpus"))
	if err != nil {
		t.Fatal(err)
	}
	bad, good := 0, 0
	classes, languages := make(map[string]bool), make(map[string]bool)
	for p, v := range s.verdicts {
		classes[p.class], languages[language(p.path)] = true, true
		if bad += v.want; v.want == 0 {
			good++
		}
	}
	if bad < 400 || good < 400 || len(classes) < 10 || len(languages) < 8 {
		t.Errorf("%d problems, %d good places, classes %s, languages %s", bad, good,
			strings.Join(slices.Sorted(maps.Keys(classes)), " "), strings.Join(slices.Sorted(maps.Keys(languages)), " "))
	}
}
