package match_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner/internal/match"
)

// on returns a finding of a skill on a line.
func on(line, title string) match.Item {
	return match.Item{
		Group: "code-review", Path: "a.go", Title: title,
		Line: match.Line(line), Before: match.Line("above " + line), After: match.Line("below " + line),
	}
}

// rewordings are titles that models gave to the same problem in two runs.
var rewordings = [][2]string{
	{"Division by zero", "Possible division by zero when the list is empty"},
	{"Unchecked error from Close", "Error returned by f.Close() is ignored"},
	{"SQL injection", "User input is concatenated into an SQL query"},
	{"Missing nil check", "p may be nil here and would panic"},
	{"Off-by-one error in loop", "Loop reads one element past the end of the slice"},
	{"Race condition on counter", "counter is written by several goroutines without a lock"},
	{"Hardcoded password", "Credential in source code"},
	{"Resource leak", "Response body is never closed"},
	{"Command injection", "Shell command built from request parameter"},
	{"Wrong comparison operator", "Condition uses = instead of =="},
	{"Unbounded memory growth", "Entries are added to the cache and never removed"},
	{"Missing await", "Promise is not awaited"},
	{"Context is not passed on", "context.Background() discards the caller's deadline"},
	{"Integer overflow", "Multiplication of two int32 values may overflow"},
	{"Path traversal", "File name from the request is joined without cleaning"},
	{"Insecure TLS configuration", "InsecureSkipVerify disables certificate checks"},
	{"Weak hash for passwords", "MD5 is not suitable for hashing passwords"},
	{"Defer in a loop", "Deferred calls accumulate until the function returns"},
	{"Time zone is lost", "Parsing without a location treats local time as UTC"},
	{"Shadowed variable err", "Inner err hides the outer one, so the error is dropped"},
}

func TestRewordings(t *testing.T) {
	recognized := 0
	for _, r := range rewordings {
		// Another thread and another finding are on the next line.
		earlier := []match.Item{on("x", r[0]), on("y", "Unused parameter")}
		found := []match.Item{on("y", "Parameter n is never read"), on("x", r[1])}
		if m := match.Pair(earlier, found); m[1].Earlier == 0 && m[0].Earlier == 1 {
			recognized++
		} else {
			t.Logf("not recognized: %q as %q: %v", r[1], r[0], m)
		}
	}
	if recognized < 18 {
		t.Errorf("%d of %d rewordings are recognized, want 18", recognized, len(rewordings))
	}
}

// different are titles of two problems on the same line, or on neighboring ones.
var different = [][2]string{
	{"Error of Close is ignored", "Error of Write is ignored"},
	{"user.name may be nil", "user.email may be nil"},
	{"SQL injection through name", "SQL injection through order"},
	{"Missing lock around counter", "Missing lock around total"},
	{"Loop starts at 1 instead of 0", "Loop ends one element too late"},
	{"Password is logged", "Password is stored in plain text"},
	{"Unchecked type assertion", "Unchecked array index"},
	{"http.Get without timeout", "http.Get result is not closed"},
	{"Division by zero", "Integer overflow"},
	{"Query in a loop", "Query without a limit"},
	{"Secret in the code", "Secret in the log"},
	{"Regular expression is compiled on every call", "Regular expression allows any suffix"},
	{"Wrong unit: seconds instead of milliseconds", "Wrong sign: the delay is negative"},
	{"Argument a is not validated", "Argument b is not validated"},
	{"TLS certificates are not verified", "TLS 1.0 is allowed"},
	{"File is created with mode 0777", "File is never closed"},
	{"Goroutine leak", "Goroutine panics on a closed channel"},
	{"Comparison of floats with ==", "Comparison always false"},
	{"Unused result of append", "Append to a shared slice"},
	{"Open redirect", "Cross-site scripting"},
}

func TestDifferent(t *testing.T) {
	for i, d := range slices.Concat(different, different) {
		a, b := on("x", d[0]), on("x", d[1])
		next := on("y", d[1])
		next.Before = a.Line     // the line below
		if i >= len(different) { // in a hunk of a diff
			a.Number, b.Number, next.Number = 7, 7, 8
			a.Hunk, b.Hunk, next.Hunk = 1, 1, 1
		}
		for _, tt := range []struct {
			name           string
			earlier, found []match.Item
			want           []int // indexes of earlier findings
		}{
			{"a second one appears", []match.Item{a}, []match.Item{b, a}, []int{-1, 0}},
			{"both stay, in another order", []match.Item{a, b}, []match.Item{b, a}, []int{1, 0}},
			{"one goes, one appears on the next line", []match.Item{a}, []match.Item{next}, []int{-1}},
			{"one appears on the next line", []match.Item{a}, []match.Item{next, a}, []int{-1, 0}},
		} {
			if got := indexes(match.Pair(tt.earlier, tt.found)); !slices.Equal(got, tt.want) {
				t.Errorf("%q and %q: %s: got %v, want %v", d[0], d[1], tt.name, got, tt.want)
			}
		}
		// Alone, it is only known to be at the same place.
		if m := match.Pair([]match.Item{a}, []match.Item{b}); m[0].Step != match.SamePlace {
			t.Errorf("%q and %q: got %v, want the same place", d[0], d[1], m)
		}
	}
}

func indexes(matches []match.Match) []int {
	list := make([]int, len(matches))
	for i, m := range matches {
		list[i] = m.Earlier
	}
	return list
}

func TestPair(t *testing.T) {
	item := func(line, title string, change ...func(*match.Item)) match.Item {
		i := on(line, title)
		for _, c := range change {
			c(&i)
		}
		return i
	}
	at := func(number, hunk int) func(*match.Item) {
		return func(i *match.Item) { i.Number, i.Hunk, i.Before, i.After = number, hunk, "", "" }
	}
	path := func(path, old string) func(*match.Item) {
		return func(i *match.Item) { i.Path, i.OldPath = path, old }
	}
	group := func(i *match.Item) { i.Group = "other" }
	closed := func(i *match.Item) { i.Closed = true }
	gone := func(i *match.Item) { i.Gone = true }
	edited := func(i *match.Item) { i.Line = match.Line("edited") }
	around := func(before, after string) func(*match.Item) {
		return func(i *match.Item) { i.Before, i.After = match.Line(before), match.Line(after) }
	}
	none := func(i *match.Item) { i.Line, i.Before, i.After = "", "", "" }
	for _, tt := range []struct {
		name           string
		earlier, found []match.Item
		want           []match.Match
	}{
		{"moved", []match.Item{item("x", "A", at(3, 0))}, []match.Item{item("x", "A", at(90, 0))}, []match.Match{{0, match.SameTitle}}},
		{"case and numbers", []match.Item{item("x", "A in line 3")}, []match.Item{item("x", "a in line 4")}, []match.Match{{0, match.SameTitle}}},
		{"similar", []match.Item{item("x", "Error of Close is ignored when the file is written")},
			[]match.Item{item("x", "Error of Close is ignored when the log file is written"), item("x", "B")},
			[]match.Match{{0, match.SimilarTitle}, {-1, match.None}}},
		{"another group", []match.Item{item("x", "A")}, []match.Item{item("x", "A", group)}, []match.Match{{-1, match.None}}},
		{"another file", []match.Item{item("x", "A")}, []match.Item{item("x", "A", path("b.go", ""))}, []match.Match{{-1, match.None}}},
		{"renamed", []match.Item{item("x", "A")}, []match.Item{item("x", "B", path("b.go", "a.go"))}, []match.Match{{0, match.SamePlace}}},
		{"renamed long ago", []match.Item{item("x", "A", gone)}, []match.Item{item("x", "A", path("b.go", ""))}, []match.Match{{0, match.SameTitle}}},
		{"other lines around it elsewhere", []match.Item{item("x", "A", gone)},
			[]match.Item{item("x", "A", path("b.go", ""), around("1", "2"))}, []match.Match{{-1, match.None}}},
		{"another title elsewhere", []match.Item{item("x", "A", gone)}, []match.Item{item("x", "B", path("b.go", ""))}, []match.Match{{-1, match.None}}},
		{"nearest of equal lines", []match.Item{item("x", "A", at(10, 0)), item("x", "A", at(20, 0))},
			[]match.Item{item("x", "A", at(21, 0)), item("x", "A", at(12, 0)), item("x", "A", at(50, 0))},
			[]match.Match{{1, match.SameTitle}, {0, match.SameTitle}, {-1, match.None}}},
		{"neighbors of equal lines", []match.Item{item("x", "A", around("1", "2"))},
			[]match.Item{item("x", "A", around("3", "4")), item("x", "A", around("0", "2"))},
			[]match.Match{{-1, match.None}, {0, match.SameTitle}}},
		{"closed", []match.Item{item("x", "A", closed), item("x", "A")}, []match.Item{item("x", "A")}, []match.Match{{1, match.SameTitle}}},
		{"closed, with another title", []match.Item{item("x", "A", closed)}, []match.Item{item("x", "B")}, []match.Match{{-1, match.None}}},
		{"edited", []match.Item{item("x", "A")}, []match.Item{item("x", "A", edited)}, []match.Match{{0, match.Nearby}}},
		{"edited, and the line above", []match.Item{item("x", "A")}, []match.Item{item("x", "A", edited, around("new", "below x"))}, []match.Match{{0, match.Nearby}}},
		{"edited, and all around", []match.Item{item("x", "A")}, []match.Item{item("x", "A", edited, around("new", "new too"))}, []match.Match{{-1, match.None}}},
		{"edited and reworded", []match.Item{item("x", "A")}, []match.Item{item("x", "B", edited)}, []match.Match{{-1, match.None}}},
		{"deleted, and one on the next line stays", []match.Item{item("x", "A", around("1", "y"))},
			[]match.Item{item("y", "A", around("1", "2"))}, []match.Match{{-1, match.None}}},
		{"edited in the hunk", []match.Item{item("x", "A", at(10, 1))},
			[]match.Item{item("y", "A", at(30, 1)), item("z", "A", at(14, 1)), item("z", "A", at(11, 2))},
			[]match.Match{{-1, match.None}, {0, match.Nearby}, {-1, match.None}}},
		{"without a line", []match.Item{item("", "A", none), item("", "B", none)},
			[]match.Item{item("", "C", none), item("", "A", none)}, []match.Match{{-1, match.None}, {0, match.SameTitle}}},
		{"each once", []match.Item{item("x", "A")}, []match.Item{item("x", "A"), item("x", "A")},
			[]match.Match{{0, match.SameTitle}, {-1, match.None}}},
	} {
		if d := cmp.Diff(match.Pair(tt.earlier, tt.found), tt.want); d != "" {
			t.Errorf("%s (-got +want):\n%s", tt.name, d)
		}
	}
}

// TestPairOrder: the order of the findings decides nothing unless they are the same.
func TestPairOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var earlier, found []match.Item
		for i := range 8 {
			list := &earlier
			if i > 3 {
				list = &found
			}
			item := on(fmt.Sprint("line ", r.IntN(3)), fmt.Sprintf("%c", 'A'+r.IntN(3)))
			item.Number = 10*i + r.IntN(10) + 1
			*list = append(*list, item)
		}
		pairs := func(earlier, found []match.Item) map[int]int {
			m := make(map[int]int) // by line
			for i, p := range match.Pair(earlier, found) {
				if p.Earlier >= 0 {
					m[found[i].Number] = earlier[p.Earlier].Number
				}
			}
			return m
		}
		want := pairs(earlier, found)
		slices.Reverse(earlier)
		slices.Reverse(found)
		if d := cmp.Diff(pairs(earlier, found), want); d != "" {
			t.Fatalf("in another order (-got +want):\n%s\n%v\n%v", d, earlier, found)
		}
	}
}

func BenchmarkPair(b *testing.B) {
	var earlier, found []match.Item
	for i := range 10_000 {
		item := on(fmt.Sprint("line ", i%5000), "A")
		item.Path, item.Number = fmt.Sprintf("%d.go", i%100), i
		earlier = append(earlier, item)
		item.Number++
		found = append(found, item)
	}
	for b.Loop() {
		match.Pair(earlier, found)
	}
}

func TestTitle(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		same bool
	}{
		{"Nil map", "nil  map!", true},
		{"Error of `Close` is ignored in line 12", "Error of Close is ignored, in line 13.", true},
		{"Unchecked value in a.go:12", "Unchecked value in a.go:14", true},
		{"user.name is not checked", "user.id is not checked", false},
		{"arg1 is not checked", "arg2 is not checked", false},
		{"检查 缺失", "检查 错误", false},
		{"Nil map", "Nilmap", false},
	} {
		if got := match.Title(tt.a) == match.Title(tt.b); got != tt.same {
			t.Errorf("Title(%q) = %q and Title(%q) = %q, the same: %v", tt.a, match.Title(tt.a), tt.b, match.Title(tt.b), got)
		}
	}
}

func TestLine(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		same bool
	}{
		{"\tx := 1", "x  :=1\r", true},
		{"x := 1", "x := 2", false},
		{"", "\t", true},
	} {
		if got := match.Line(tt.a) == match.Line(tt.b); got != tt.same {
			t.Errorf("Line(%q) = %q, Line(%q) = %q, want the same: %v", tt.a, match.Line(tt.a), tt.b, match.Line(tt.b), tt.same)
		}
	}
	if got := match.Line(" "); got != "" {
		t.Errorf("Line of a blank line = %q", got)
	}
}
