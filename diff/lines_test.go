package diff_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner/diff"
	"github.com/google/go-cmp/cmp"
)

func TestAgrees(t *testing.T) {
	const text = "one\ntwo\nthree\nfour"
	for _, tt := range []struct {
		name, contents string
		hunks          []diff.Hunk
		want           bool
	}{
		{"no hunks", text, nil, true},
		{"no contents", "", []diff.Hunk{{NewStart: 1, NewLines: 1, Body: "+one\n"}}, false},
		{"emptied", "", []diff.Hunk{{OldStart: 1, OldLines: 1, Body: "-one\n"}}, true},
		{"change", text, []diff.Hunk{{NewStart: 2, NewLines: 2, Body: " two\n-drei\n+three\n"}}, true},
		{"first line", text, []diff.Hunk{{NewStart: 1, NewLines: 1, Body: "+one\n"}}, true},
		{"last line", text, []diff.Hunk{{NewStart: 4, NewLines: 1, Body: "+four\n\\ No newline at end of file\n"}}, true},
		{"last line with a newline", text, []diff.Hunk{{NewStart: 4, NewLines: 1, Body: "+four\n"}}, false},
		{"last line without a newline", text + "\n", []diff.Hunk{{NewStart: 4, NewLines: 1, Body: "+four\n\\ No newline at end of file\n"}}, false},
		{"carriage returns in the contents", "one\r\ntwo\r\n", []diff.Hunk{{NewStart: 2, NewLines: 1, Body: " two\n"}}, true},
		{"carriage returns in the diff", "one\ntwo\n", []diff.Hunk{{NewStart: 2, NewLines: 1, Body: " two\r\n"}}, true},
		{"two hunks", text, []diff.Hunk{{NewStart: 1, NewLines: 1, Body: "+one\n"}, {NewStart: 3, NewLines: 1, Body: " three\n"}}, true},
		{"only deletions", text, []diff.Hunk{{OldStart: 9, OldLines: 1, NewStart: 9, Body: "-gone\n"}}, true},
		{"another line", text, []diff.Hunk{{NewStart: 2, NewLines: 1, Body: "+zwei\n"}}, false},
		{"another place", text, []diff.Hunk{{NewStart: 3, NewLines: 1, Body: "+two\n"}}, false},
		{"part of a line", text, []diff.Hunk{{NewStart: 3, NewLines: 1, Body: "+thr\n"}}, false},
		{"beyond the end", text, []diff.Hunk{{NewStart: 9, NewLines: 1, Body: "+nine\n"}}, false},
		{"impossible number", text, []diff.Hunk{{NewStart: -3, NewLines: 1, Body: "+one\n"}}, false},
		{"second hunk differs", text, []diff.Hunk{{NewStart: 1, NewLines: 1, Body: "+one\n"}, {NewStart: 3, NewLines: 1, Body: " drei\n"}}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := diff.File{Path: "f", Hunks: tt.hunks}
			if got := f.Agrees([]byte(tt.contents)); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestLocate(t *testing.T) {
	for _, tt := range []struct {
		name  string
		lines []string
		text  string
		want  [][2]int
	}{
		{"one line", []string{"a\n", "b\n", "c\n"}, "b\n", [][2]int{{1, 2}}},
		{"several lines", []string{"a\n", "b\n", "c\n"}, "b\nc\n", [][2]int{{1, 3}}},
		{"all", []string{"a\n", "b\n"}, "a\nb\n", [][2]int{{0, 2}}},
		{"twice", []string{"a\n", "b\n", "a\n"}, "a\n", [][2]int{{0, 1}, {2, 3}}},
		{"overlapping", []string{"a\n", "a\n", "a\n"}, "a\na\n", [][2]int{{0, 2}, {1, 3}}},
		{"end of a line", []string{"xa\n", "a\n"}, "a\n", [][2]int{{1, 2}}},
		{"beginning of a line", []string{"ax\n", "a\n"}, "a", nil},
		{"no final newline", []string{"a\n", "a"}, "a", [][2]int{{1, 2}}},
		{"missing", []string{"a\n"}, "b\n", nil},
		{"longer than the lines", []string{"a\n"}, "a\na\n", nil},
		{"empty text", []string{"a\n"}, "", nil},
		{"no lines", nil, "a\n", nil},
		{"without line ends", []string{"ab", "c", "", "d"}, "abcd", [][2]int{{0, 4}}},
		{"empty lines around", []string{"", "a", "", "b", ""}, "ab", [][2]int{{1, 4}}},
		{"empty lines between", []string{"a", "", "a"}, "a", [][2]int{{0, 1}, {2, 3}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got [][2]int
			for from, to := range diff.NewIndex(slices.Values(tt.lines)).Locate(tt.text) {
				got = append(got, [2]int{from, to})
			}
			if d := cmp.Diff(got, tt.want); d != "" {
				t.Errorf("got -, want +\n%s", d)
			}
		})
	}
	for range diff.NewIndex(strings.Lines("a\na\n")).Locate("a\n") {
		break // stopping early must not panic
	}
}
