package main

import (
	"errors"
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/codescan-dev/scanner/diff"
)

func TestAgreeing(t *testing.T) {
	const text = "one\ntwo\nthree\nfour"
	for _, tt := range []struct {
		name  string
		hunks []diff.Hunk
		want  bool
	}{
		{"no hunks", nil, true},
		{"agrees", []diff.Hunk{{NewStart: 2, NewLines: 2, Body: " two\n-drei\n+three\n"}}, true},
		{"first line", []diff.Hunk{{NewStart: 1, NewLines: 1, Body: "+one\n"}}, true},
		{"last line", []diff.Hunk{{NewStart: 4, NewLines: 1, Body: "+four\n\\ No newline at end of file\n"}}, true},
		{"two hunks", []diff.Hunk{{NewStart: 1, NewLines: 1, Body: "+one\n"}, {NewStart: 3, NewLines: 1, Body: " three\n"}}, true},
		{"only deletes", []diff.Hunk{{OldStart: 9, OldLines: 1, NewStart: 9, Body: "-gone\n"}}, true},
		{"another line", []diff.Hunk{{NewStart: 2, NewLines: 1, Body: "+zwei\n"}}, false},
		{"another place", []diff.Hunk{{NewStart: 3, NewLines: 1, Body: "+two\n"}}, false},
		{"beyond the end", []diff.Hunk{{NewStart: 9, NewLines: 1, Body: "+nine\n"}}, false},
		{"second hunk differs", []diff.Hunk{{NewStart: 1, NewLines: 1, Body: "+one\n"}, {NewStart: 3, NewLines: 1, Body: " drei\n"}}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tree := fstest.MapFS{"a": {Data: []byte(text)}}
			a := newAgreeing(tree, []diff.File{{Path: "a", Hunks: tt.hunks}})
			data, err := fs.ReadFile(a, "a")
			if tt.want && (err != nil || string(data) != text) {
				t.Errorf("got %q, %v, want the file", data, err)
			}
			if !tt.want && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("got %q, %v, want no file", data, err)
			}
		})
	}
}

func TestAgreeingKeepsOutOfGit(t *testing.T) {
	for _, name := range []string{".git/config", ".GIT/config", "sub/.git/config"} {
		tree := fstest.MapFS{name: {Data: []byte("[core]\n\turl = https://user:secret@example.com\n")}}
		a := newAgreeing(tree, []diff.File{{Path: name, Hunks: []diff.Hunk{{NewStart: 1, NewLines: 1, Body: "+[core]\n"}}}})
		if data, err := fs.ReadFile(a, name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: got %q, %v, want no file", name, data, err)
		}
	}
}

func TestAgreeingHasOnlyTheFilesOfTheDiff(t *testing.T) {
	tree := fstest.MapFS{"a": {Data: []byte("x")}, "b": {Data: []byte("y")}}
	a := newAgreeing(tree, []diff.File{{Path: "a"}, {Path: "gone"}, {Path: "../b"}})
	for _, name := range []string{"b", "gone", "../b", "."} {
		if _, err := a.Open(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Open(%q): %v, want it not to exist", name, err)
		}
	}
}
