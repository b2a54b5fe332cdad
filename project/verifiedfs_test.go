package project

import (
	"errors"
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/codescan-dev/scanner/diff"
)

func TestVerifiedFS(t *testing.T) {
	const text = "one\ntwo\nthree\nfour"
	for _, tt := range []struct {
		name  string
		hunks []diff.Hunk
		want  bool
	}{
		{"no hunks", nil, true},
		{"agrees", []diff.Hunk{{NewStart: 2, NewLines: 2, Body: " two\n-drei\n+three\n"}}, true},
		{"two hunks", []diff.Hunk{{NewStart: 1, NewLines: 1, Body: "+one\n"}, {NewStart: 3, NewLines: 1, Body: " three\n"}}, true},
		{"another line", []diff.Hunk{{NewStart: 2, NewLines: 1, Body: "+zwei\n"}}, false},
		{"second hunk differs", []diff.Hunk{{NewStart: 1, NewLines: 1, Body: "+one\n"}, {NewStart: 3, NewLines: 1, Body: " drei\n"}}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tree := fstest.MapFS{"a": {Data: []byte(text)}}
			v := newVerifiedFS(tree, []diff.File{{Path: "a", Hunks: tt.hunks}})
			data, err := fs.ReadFile(v, "a")
			if tt.want && (err != nil || string(data) != text) {
				t.Errorf("got %q, %v, want the file", data, err)
			}
			if !tt.want && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("got %q, %v, want no file", data, err)
			}
		})
	}
}

func TestVerifiedFSKeepsOutOfGit(t *testing.T) {
	for _, name := range []string{".git/config", ".GIT/config", "sub/.git/config"} {
		tree := fstest.MapFS{name: {Data: []byte("[core]\n\turl = https://user:secret@example.com\n")}}
		v := newVerifiedFS(tree, []diff.File{{Path: name, Hunks: []diff.Hunk{{NewStart: 1, NewLines: 1, Body: "+[core]\n"}}}})
		if data, err := fs.ReadFile(v, name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: got %q, %v, want no file", name, data, err)
		}
	}
}

func TestVerifiedFSHasOnlyTheFilesOfTheDiff(t *testing.T) {
	tree := fstest.MapFS{"a": {Data: []byte("x")}, "b": {Data: []byte("y")}}
	v := newVerifiedFS(tree, []diff.File{{Path: "a"}, {Path: "gone"}, {Path: "../b"}})
	for _, name := range []string{"b", "gone", "../b", "."} {
		if _, err := v.Open(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Open(%q): %v, want it not to exist", name, err)
		}
	}
}
