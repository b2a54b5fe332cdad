package main

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

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
