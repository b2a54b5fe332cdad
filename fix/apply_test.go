package fix_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner/fix"
)

// project is a tree with a fix for each of its files.
func project() (tree, []fix.Suggestion) {
	files := tree{
		"a.go":          "one\ntwo\nthree\n",
		"dir/b.go":      "\ufeffone\r\ntwo\r\nthree\r\n",
		"dir/sub/c.go":  "one\ntwo\nthree",
		"dir/sub/d e.c": "one\ntwo \n",
	}
	e := edit(2, "two", "TWO|2.5 \t")
	return files, []fix.Suggestion{suggest("a.go", e), suggest("dir/b.go", e), suggest("dir/sub/c.go", e), suggest("dir/sub/d e.c", edit(2, "two ", "TWO"))}
}

func TestApply(t *testing.T) {
	files, suggestions := project()
	dir := t.TempDir()
	files.write(t, dir)
	must(t, os.Chmod(filepath.Join(dir, "a.go"), 0o751))
	must(t, os.Chmod(filepath.Join(dir, "dir/b.go"), 0o400))
	res, err := fix.Apply(openRoot(t, dir), files.plan(suggestions...), fix.Options{ID: "0123-x"})
	must(t, err)
	want := tree{
		"a.go":          "one\nTWO\n2.5 \t\nthree\n",
		"dir/b.go":      "\ufeffone\r\nTWO\r\n2.5 \t\r\nthree\r\n",
		"dir/sub/c.go":  "one\nTWO\n2.5 \t\nthree",
		"dir/sub/d e.c": "one\nTWO\n",
	}
	if d := cmp.Diff(want, readTree(t, dir)); d != "" {
		t.Errorf("contents (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"a.go", "dir/b.go", "dir/sub/c.go", "dir/sub/d e.c"}, res.Files); d != "" {
		t.Errorf("Files (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"applied", "applied", "applied", "applied"}, summary(res.Outcomes)); d != "" {
		t.Errorf("outcomes (-want +got):\n%s", d)
	}
	for name, want := range map[string]fs.FileMode{"a.go": 0o751, "dir/b.go": 0o400, "dir/sub/c.go": 0o644, ".scanner/fixes/0123-x.patch": 0o600} {
		info, err := os.Stat(filepath.Join(dir, name))
		must(t, err)
		if got := info.Mode().Perm(); got != want && os.PathSeparator == '/' {
			t.Errorf("%s has mode %v, want %v", name, got, want)
		}
	}
	if res.Patch != ".scanner/fixes/0123-x.patch" {
		t.Errorf("Patch is %q", res.Patch)
	}
	git(t, dir, "", "apply", "-R", "--whitespace=nowarn", res.Patch)
	if d := cmp.Diff(files, readTree(t, dir)); d != "" {
		t.Errorf("not undone (-want +got):\n%s", d)
	}
}

// patches lists the directory of patches.
func patches(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, ".scanner/fixes"))
	must(t, err)
	names := []string{}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestApplyNothing(t *testing.T) {
	dir := t.TempDir()
	res, err := fix.Apply(openRoot(t, dir), tree{"a.go": "x\n"}.plan(suggest("a.go")), fix.Options{ID: "x"})
	if err != nil || len(res.Outcomes) != 1 || res.Patch != "" {
		t.Errorf("result is %+v, %v", res, err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("%v was created for nothing", entries)
	}
}

func TestApplyUsedID(t *testing.T) {
	files, suggestions := project()
	dir := t.TempDir()
	files.write(t, dir)
	root := openRoot(t, dir)
	_, err := fix.Apply(root, files.plan(suggestions[:1]...), fix.Options{ID: "x"})
	must(t, err)
	before := readTree(t, dir)
	_, err = fix.Apply(root, files.plan(suggestions[1:]...), fix.Options{ID: "x"})
	if !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), ".scanner/fixes/x.patch") {
		t.Errorf("error %v", err)
	}
	if d := cmp.Diff(before, readTree(t, dir)); d != "" {
		t.Errorf("something changed (-before +after):\n%s", d)
	}
}

// TestApplyFails lets the replacement of each of the files fail. Those before it
// are changed, and the patch undoes exactly their change.
func TestApplyFails(t *testing.T) {
	files, suggestions := project()
	p := files.plan(suggestions...)
	broken := errors.New("broken")
	for n, ch := range p.Changes {
		dir := t.TempDir()
		files.write(t, dir)
		res, err := fix.Apply(openRoot(t, dir), p, fix.Options{ID: "x"}.BeforeRename(func(path string) error {
			if path == ch.Path {
				return broken
			}
			return nil
		}))
		if !errors.Is(err, broken) || !strings.Contains(err.Error(), ch.Path) {
			t.Errorf("%s: error %v", ch.Path, err)
		}
		if n == 0 {
			if res != nil || len(patches(t, dir)) != 0 {
				t.Errorf("result %+v, and %v is left", res, patches(t, dir))
			}
		} else {
			want := append(slices.Repeat([]string{"applied"}, n), slices.Repeat([]string{"planned"}, len(p.Changes)-n)...)
			if got := summary(res.Outcomes); len(res.Files) != n || !slices.Equal(got, want) {
				t.Errorf("%s: changed %q, outcomes %q", ch.Path, res.Files, got)
			}
			if got := patches(t, dir); !slices.Equal(got, []string{"x.patch"}) {
				t.Errorf("%s: %v is left", ch.Path, got)
			}
			git(t, dir, "", "apply", "-R", "--whitespace=nowarn", res.Patch)
		}
		if d := cmp.Diff(files, readTree(t, dir)); d != "" {
			t.Errorf("%s: not undone (-before +after):\n%s", ch.Path, d)
		}
	}
}

func TestApplyCannotWrite(t *testing.T) {
	if os.Geteuid() <= 0 { // root, and Windows
		t.Skip("permissions mean nothing to this user")
	}
	files, suggestions := project()
	dir := t.TempDir()
	files.write(t, dir)
	sub := filepath.Join(dir, "dir/sub")
	must(t, os.Chmod(sub, 0o555))
	defer os.Chmod(sub, 0o755)
	res, err := fix.Apply(openRoot(t, dir), files.plan(suggestions...), fix.Options{ID: "x"})
	if !errors.Is(err, fs.ErrPermission) || res != nil {
		t.Errorf("result %+v, error %v", res, err)
	}
	if d := cmp.Diff(files, readTree(t, dir)); d != "" || len(patches(t, dir)) != 0 {
		t.Errorf("something changed (-before +after):\n%s", d)
	}
}

// TestApplyChangedMeanwhile changes a file between its comparison and its
// replacement.
func TestApplyChangedMeanwhile(t *testing.T) {
	files, suggestions := project()
	dir := t.TempDir()
	files.write(t, dir)
	res, err := fix.Apply(openRoot(t, dir), files.plan(suggestions[0]), fix.Options{ID: "x"}.BeforeRename(func(path string) error {
		return os.WriteFile(filepath.Join(dir, path), []byte("edited\n"), 0o644)
	}))
	if !errors.Is(err, fix.ErrStale) || !strings.Contains(err.Error(), "a.go") || res != nil {
		t.Errorf("result %+v, error %v", res, err)
	}
	if got := readTree(t, dir); got["a.go"] != "edited\n" || len(got) != len(files) {
		t.Errorf("files are %q", got)
	}
}

// TestApplyDirectory has something else in place of the directory of patches.
func TestApplyDirectory(t *testing.T) {
	files, suggestions := project()
	dir := t.TempDir()
	files.write(t, dir)
	must(t, os.Mkdir(filepath.Join(dir, ".scanner"), 0o755))
	if err := os.Symlink("../dir", filepath.Join(dir, ".scanner/fixes")); err != nil {
		t.Skip(err)
	}
	before := readTree(t, dir)
	_, err := fix.Apply(openRoot(t, dir), files.plan(suggestions...), fix.Options{ID: "x"})
	if err == nil || !strings.Contains(err.Error(), `".scanner/fixes": is a symbolic link`) {
		t.Errorf("error %v", err)
	}
	if d := cmp.Diff(before, readTree(t, dir)); d != "" {
		t.Errorf("something changed (-before +after):\n%s", d)
	}
}

// TestApplyRefuses changes the repository between planning and applying. The
// fixes of the files that are something else now are refused, the other one is
// applied.
func TestApplyRefuses(t *testing.T) {
	files := tree{
		"repo/a.go":        "old\n",
		"repo/b.go":        "old\n",
		"repo/dir/x.go":    "old\n",
		"repo/.git/config": "old\n",
		"repo/sub/.git":    "gitdir: ../.git/modules/sub\n",
		"repo/sub/x.go":    "old\n",
		"outside.go":       "old\n",
		"outside/x.go":     "old\n",
	}
	link := func(target, name string) func(*testing.T, string) {
		return func(t *testing.T, repo string) {
			must(t, os.RemoveAll(filepath.Join(repo, name)))
			if err := os.Symlink(target, filepath.Join(repo, name)); err != nil {
				t.Skip(err)
			}
		}
	}
	write := func(name, text string) func(*testing.T, string) {
		return func(t *testing.T, repo string) {
			must(t, os.RemoveAll(filepath.Join(repo, name)))
			must(t, os.WriteFile(filepath.Join(repo, name), []byte(text), 0o644))
		}
	}
	for _, tt := range []struct {
		name, path string
		change     func(t *testing.T, repo string)
		want       fix.Reason
	}{
		{"link outside", "a.go", link("../outside.go", "a.go"), fix.ReasonUnreadable},
		{"link into git", "a.go", link(".git/config", "a.go"), fix.ReasonUnreadable},
		{"link to another file", "a.go", link("dir/x.go", "a.go"), fix.ReasonUnreadable},
		{"link to a device", "a.go", link("/dev/zero", "a.go"), fix.ReasonUnreadable},
		{"below a link outside", "dir/x.go", link("../outside", "dir"), fix.ReasonUnreadable},
		{"below a link inside", "dir/x.go", func(t *testing.T, repo string) {
			must(t, os.Rename(filepath.Join(repo, "dir"), filepath.Join(repo, "moved")))
			link("moved", "dir")(t, repo)
		}, fix.ReasonUnreadable},
		{"in a new submodule", "dir/x.go", write("dir/.git", "gitdir: elsewhere\n"), fix.ReasonUnreadable},
		{"in a submodule", "sub/x.go", func(*testing.T, string) {}, fix.ReasonUnreadable},
		{"another name of .git", "a.go", func(t *testing.T, repo string) {
			must(t, os.RemoveAll(filepath.Join(repo, ".git")))
			must(t, os.Link(filepath.Join(repo, "a.go"), filepath.Join(repo, ".git")))
		}, fix.ReasonUnreadable},
		{"a directory", "a.go", func(t *testing.T, repo string) {
			must(t, os.Remove(filepath.Join(repo, "a.go")))
			must(t, os.Mkdir(filepath.Join(repo, "a.go"), 0o777))
		}, fix.ReasonUnreadable},
		{"below a file", "dir/x.go", write("dir", "old\n"), fix.ReasonUnreadable},
		{"gone", "a.go", func(t *testing.T, repo string) { must(t, os.Remove(filepath.Join(repo, "a.go"))) }, fix.ReasonStale},
		{"edited", "a.go", write("a.go", "old\nand more\n"), fix.ReasonStale},
		{"edited, of the same size", "a.go", write("a.go", "odd\n"), fix.ReasonStale},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			files.write(t, dir)
			repo := filepath.Join(dir, "repo")
			e := edit(1, "old", "new")
			p := tree{tt.path: "old\n", "b.go": "old\n"}.plan(suggest(tt.path, e), suggest(tt.path, e), suggest("b.go", e))
			tt.change(t, repo)
			want := readTree(t, dir)
			want["repo/b.go"] = "new\n"
			res, err := fix.Apply(openRoot(t, repo), p, fix.Options{ID: "x"})
			must(t, err)
			refused := "refused " + string(tt.want)
			if d := cmp.Diff([]string{refused, refused, "applied"}, summary(res.Outcomes)); d != "" {
				t.Errorf("outcomes (-want +got):\n%s", d)
			}
			if d := cmp.Diff(want, readTree(t, dir)); d != "" {
				t.Errorf("files (-want +got):\n%s", d)
			}
			must(t, os.RemoveAll(filepath.Join(repo, ".git"))) // git takes offense at what it contains
			git(t, repo, "", "apply", "-R", res.Patch)
		})
	}
}
