package skill_test

import (
	"io/fs"
	"maps"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner/skill"
)

func TestHash(t *testing.T) {
	base := fstest.MapFS{
		"s/a/SKILL.md":            {Data: []byte("Look.\nTwice.\n")},
		"s/a/references/more.md":  {Data: []byte("More.\n")},
		"s/a/tests/one/main.go":   {Data: []byte("package main\n")},
		"s/a/references/tests/x":  {Data: []byte("not a fixture")},
		"s/other/SKILL.md":        {Data: []byte("Look elsewhere.\n")},
		"s/a/references/empty.md": {},
	}
	want, err := skill.Hash(base, "s/a")
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		change func(fstest.MapFS)
		same   bool
	}{
		"nothing":        {func(fstest.MapFS) {}, true},
		"line breaks":    {func(m fstest.MapFS) { m["s/a/SKILL.md"] = &fstest.MapFile{Data: []byte("Look.\r\nTwice.\r\n")} }, true},
		"executable":     {func(m fstest.MapFS) { m["s/a/SKILL.md"].Mode = 0o755 }, true},
		"a fixture":      {func(m fstest.MapFS) { m["s/a/tests/two/main.go"] = &fstest.MapFile{} }, true},
		"a hidden file":  {func(m fstest.MapFS) { m["s/a/.DS_Store"] = &fstest.MapFile{Data: []byte("\x00")} }, true},
		"another skill":  {func(m fstest.MapFS) { delete(m, "s/other/SKILL.md") }, true},
		"contents":       {func(m fstest.MapFS) { m["s/a/SKILL.md"] = &fstest.MapFile{Data: []byte("Look.\nThrice\n")} }, false},
		"a new file":     {func(m fstest.MapFS) { m["s/a/empty"] = &fstest.MapFile{} }, false},
		"a missing file": {func(m fstest.MapFS) { delete(m, "s/a/references/empty.md") }, false},
		"a renamed file": {func(m fstest.MapFS) {
			m["s/a/references/b"] = m["s/a/references/empty.md"]
			delete(m, "s/a/references/empty.md")
		}, false},
		"tests further below": {func(m fstest.MapFS) { delete(m, "s/a/references/tests/x") }, false},
	} {
		t.Run(name, func(t *testing.T) {
			m := make(fstest.MapFS)
			for name, f := range maps.All(base) {
				m[name] = &fstest.MapFile{Data: f.Data}
			}
			tt.change(m)
			if got, err := skill.Hash(m, "s/a"); err != nil || (got == want) != tt.same {
				t.Errorf("got %s, %v, and before %s", got, err, want)
			}
		})
	}
}

func TestHashRefuses(t *testing.T) {
	many, heavy := make(fstest.MapFS), make(fstest.MapFS)
	for i := range 501 {
		many["a/"+strings.Repeat("x", i+1)] = &fstest.MapFile{}
	}
	for i := range 9 {
		heavy["a/"+strings.Repeat("x", i+1)] = &fstest.MapFile{Data: []byte(strings.Repeat("x", 1<<20))}
	}
	dir := t.TempDir()
	if err := os.Mkdir(dir+"/a", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../elsewhere", dir+"/a/SKILL.md"); err != nil {
		t.Skip(err)
	}
	for name, tt := range map[string]struct {
		fsys fs.FS
		want string
	}{
		"link":          {os.DirFS(dir), `"SKILL.md": not a regular file`},
		"many files":    {many, "more than 500 files"},
		"large file":    {fstest.MapFS{"a/large": {Data: make([]byte, 1<<20+1)}}, "larger than 1048576 bytes"},
		"in all":        {heavy, "or 8388608 bytes in all"},
		"none":          {fstest.MapFS{}, "not exist"},
		"hidden dir":    {fstest.MapFS{"a/b/.git/config": {}}, `"b/.git": hidden`},
		"binary":        {fstest.MapFS{"a/b": {Data: []byte("a\x00b")}}, `"b": binary`},
		"backslash":     {fstest.MapFS{`a/b\c`: {}}, "a name that"},
		"colon":         {fstest.MapFS{`a/SKILL.md:stream`: {}}, "a name that"},
		"final dot":     {fstest.MapFS{"a/b./c": {}}, "a name that"},
		"device":        {fstest.MapFS{"a/references/Aux.md": {}}, "a name that"},
		"control":       {fstest.MapFS{"a/b\n": {}}, "a name that"},
		"bidirectional": {fstest.MapFS{"a/\u202eb": {}}, "a name that"},
		"case":          {fstest.MapFS{"a/B/x": {}, "a/b/y": {}}, `"B" and "b" differ only in case`},
	} {
		if hash, err := skill.Hash(tt.fsys, "a"); err == nil || hash != "" || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %q, %v, want an error with %q", name, hash, err, tt.want)
		}
	}
}

func TestFilesLeftOut(t *testing.T) {
	leftOut := make(map[string]string)
	files, err := skill.Files(fstest.MapFS{
		"a/SKILL.md":       {Data: []byte("Look.")},
		"a/tests/one/a.go": {Data: []byte("package a")},
		"a/logo.png":       {Data: []byte("\x00")},
		"a/.git/hooks/x":   {Data: []byte("x")},
		"a/b:c/d":          {Data: []byte("x")},
		"b/other":          {Data: []byte("x")},
	}, "a", func(name string, reason error) { leftOut[name] = reason.Error() })
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(files, map[string][]byte{"SKILL.md": []byte("Look."), "tests/one/a.go": []byte("package a")}); d != "" {
		t.Errorf("files (-got +want):\n%s", d)
	}
	want := map[string]string{"logo.png": "binary", ".git": "hidden", "b:c": "a name that not every system can have"}
	if d := cmp.Diff(leftOut, want); d != "" {
		t.Errorf("left out (-got +want):\n%s", d)
	}
}
