package similar_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner/internal/similar"
)

func TestSimilar(t *testing.T) {
	tests := []struct {
		name string
		a, b similar.Item
		want bool
	}{
		{"equal", similar.Item{Title: "Nil map write"}, similar.Item{Title: "Nil map write"}, true},
		{"case and punctuation", similar.Item{Title: "Nil map write!"}, similar.Item{Title: "nil MAP, write"}, true},
		{"numbers", similar.Item{Title: "Index 3 out of range in line 17"}, similar.Item{Title: "Index 4 out of range in line 2000"}, true},
		{"paths", similar.Item{Title: "Unchecked error in cmd/main.go:12"}, similar.Item{Title: "Unchecked error in `internal/x/y.go`"}, true},
		{"one word of four differs", similar.Item{Title: "Result of Close ignored"}, similar.Item{Title: "Result of Write ignored"}, false},
		{"class", similar.Item{Title: "Nil map write", Class: 0}, similar.Item{Title: "Nil map write", Class: 1}, false},
		{"description differs", similar.Item{Title: "Nil map write", Description: "the map is never made"},
			similar.Item{Title: "Nil map write", Description: "another goroutine clears it before this runs"}, false},
		{"no words", similar.Item{Title: "!!!"}, similar.Item{Title: "???"}, true},
		{"no words against words", similar.Item{Title: "!!!"}, similar.Item{Title: "x"}, false},
		{"script without spaces", similar.Item{Title: "空指针解引用可能导致崩溃"}, similar.Item{Title: "空指针解引用可能导致崩溃。"}, true},
		{"method names are not paths", similar.Item{Title: "http.Get without timeout"}, similar.Item{Title: "os.Open without timeout"}, false},
		{"and/or is not a path", similar.Item{Title: "a/b"}, similar.Item{Title: "x/y/z.go"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, pair := range [][]similar.Item{{tt.a, tt.b}, {tt.b, tt.a}} {
				m := similar.New(pair)
				if got := m.Similar(0, 1); got != tt.want {
					t.Errorf("similar = %v, want %v: %+v", got, tt.want, pair)
				}
				if got := m.Groups()[1] == 0; got != tt.want {
					t.Errorf("one group = %v, want %v: %+v", got, tt.want, pair)
				}
			}
		})
	}
}

func TestTitles(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{"Error of Close is ignored when the file is written", "error of `Close` is ignored when the file is written", true},
		{"Error of Close is ignored when the file is written", "Error of Close is ignored when the log file is written", true},
		{"Error of Close is ignored", "Error of Write is ignored", false},
		{"Leak", "Race", false},
	}
	for _, tt := range tests {
		if got := similar.Titles(tt.a, tt.b); got != tt.want {
			t.Errorf("Titles(%q, %q) = %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}

// naiveGroups is the definition of Groups, by comparing all pairs.
func naiveGroups(m *similar.Matcher, n int) []int {
	groupOf := make([]int, n)
	var firsts []int
next:
	for i := range n {
		for _, p := range firsts {
			if m.Similar(p, i) {
				groupOf[i] = p
				continue next
			}
		}
		groupOf[i] = i
		firsts = append(firsts, i)
	}
	return groupOf
}

func TestGroupsEqualNaive(t *testing.T) {
	for _, vocabulary := range []int{30, 300, 3000} {
		t.Run(fmt.Sprint("vocabulary ", vocabulary), func(t *testing.T) {
			const n = 5000
			m := similar.New(generate(n, vocabulary))
			got, want := m.Groups(), naiveGroups(m, n)
			groups := make(map[int]bool)
			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("item %d is in group %d, want %d", i, got[i], want[i])
				}
				groups[want[i]] = true
			}
			if len(groups) == len(want) {
				t.Error("no two items were similar: the test shows nothing")
			}
			t.Logf("%d items, %d groups", len(want), len(groups))
		})
	}
}

// generate makes items of which 20 % are near-duplicates of an earlier one.
func generate(n, vocabulary int) []similar.Item {
	r := rand.New(rand.NewPCG(uint64(vocabulary), 7))
	text := func(n int) []string {
		words := make([]string, n)
		for i := range words {
			// The square makes some words common, as in real text.
			words[i] = "w" + strings.Map(func(r rune) rune { return r - '0' + 'a' }, fmt.Sprint(int(float64(vocabulary)*r.Float64()*r.Float64())))
		}
		return words
	}
	type texts struct{ title, desc []string }
	made := make([]texts, 0, n)
	items := make([]similar.Item, n)
	for i := range items {
		var tx texts
		if i > 0 && r.IntN(5) == 0 {
			old := made[r.IntN(len(made))]
			tx = texts{append([]string(nil), old.title...), append([]string(nil), old.desc...)}
			tx.desc[r.IntN(len(tx.desc))] = "changed"
		} else {
			tx = texts{text(4 + r.IntN(6)), text(15 + r.IntN(30))}
		}
		made = append(made, tx)
		items[i] = similar.Item{Class: r.IntN(3), Title: strings.Join(tx.title, " "), Description: strings.Join(tx.desc, " ")}
	}
	return items
}

func TestRelated(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"Mutable default argument", "Default argument is mutable and shared across calls", true},
		{"Exception is swallowed", "Swallowed exception hides the failure", true},
		{"Password is logged", "Exception is swallowed", false},
		{"Query is slow", "Query is put together from values", false},
		{"", "", false},
		{"a b", "a b", false},
	} {
		if got := similar.Related(tt.a, tt.b); got != tt.want || similar.Related(tt.b, tt.a) != tt.want {
			t.Errorf("Related(%q, %q) = %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}
