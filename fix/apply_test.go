package fix

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// project is a tree with a change for each of its files.
func project() (tree, []Suggestion) {
	files := tree{
		"a.go":          "one\ntwo\nthree\n",
		"dir/b.go":      bom + "one\r\ntwo\r\nthree\r\n",
		"dir/sub/c.go":  "one\ntwo\nthree",
		"dir/sub/d e.c": "one\ntwo\n",
	}
	var all []Suggestion
	for _, path := range []string{"a.go", "dir/b.go", "dir/sub/c.go", "dir/sub/d e.c"} {
		s := suggest(path, "@@ -1,2 +1,3 @@\n one\n-two\n+TWO\n+2.5\n")[0]
		s.Finding = path
		all = append(all, s)
	}
	return files, all
}

func TestApply(t *testing.T) {
	files, suggestions := project()
	dir := t.TempDir()
	files.write(t, dir)
	must(t, os.Chmod(filepath.Join(dir, "a.go"), 0o751))
	must(t, os.Chmod(filepath.Join(dir, "dir/b.go"), 0o400))
	p := files.plan(suggestions)
	root := openRoot(t, dir)
	res, err := Apply(root, p, Options{ID: "0123-x"})
	if err != nil {
		t.Fatal(err)
	}
	want := tree{
		"a.go":          "one\nTWO\n2.5\nthree\n",
		"dir/b.go":      bom + "one\r\nTWO\r\n2.5\r\nthree\r\n",
		"dir/sub/c.go":  "one\nTWO\n2.5\nthree",
		"dir/sub/d e.c": "one\nTWO\n2.5\n",
	}
	if d := cmp.Diff(want, readTree(t, dir)); d != "" {
		t.Errorf("wrong contents (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"a.go", "dir/b.go", "dir/sub/c.go", "dir/sub/d e.c"}, res.Files); d != "" {
		t.Errorf("Files (-want +got):\n%s", d)
	}
	if got := Count(res.Outcomes); got.Applied != 4 || got.Planned != 0 {
		t.Errorf("counts are %+v", got)
	}
	for name, want := range map[string]fs.FileMode{"a.go": 0o751, "dir/b.go": 0o400, "dir/sub/c.go": 0o644, ".scanner/fixes/0123-x.patch": 0o600} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want && os.PathSeparator == '/' {
			t.Errorf("%s has mode %v, want %v", name, got, want)
		}
	}
	if d := cmp.Diff([]string{"0123-x.patch"}, fixesNames(t, dir)); d != "" {
		t.Errorf("what is left (-want +got):\n%s", d)
	}
	if res.Patch != ".scanner/fixes/0123-x.patch" {
		t.Errorf("Patch is %q", res.Patch)
	}
	if _, err := gitIn(t, dir, "", "apply", "-R", res.Patch); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(files, readTree(t, dir)); d != "" {
		t.Errorf("not undone (-want +got):\n%s", d)
	}
}

// fixesNames lists the folder for fixes.
func fixesNames(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, ".scanner/fixes"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestApplyNothing(t *testing.T) {
	dir := t.TempDir()
	p := tree{"a.go": "x\n"}.plan(suggest("a.go", "no diff"))
	res, err := Apply(openRoot(t, dir), p, Options{ID: "x"})
	if err != nil || len(res.Outcomes) != 1 || res.Patch != "" {
		t.Errorf("result is %+v, %v", res, err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("%v was made for nothing", entries)
	}
}

func TestApplyUsedID(t *testing.T) {
	files, suggestions := project()
	dir := t.TempDir()
	files.write(t, dir)
	root := openRoot(t, dir)
	if _, err := Apply(root, files.plan(suggestions[:1]), Options{ID: "x"}); err != nil {
		t.Fatal(err)
	}
	was := readTree(t, dir)
	_, err := Apply(root, files.plan(suggestions[1:]), Options{ID: "x"})
	if !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), ".scanner/fixes/x.patch") {
		t.Errorf("error %v", err)
	}
	if d := cmp.Diff(was, readTree(t, dir)); d != "" {
		t.Errorf("something changed:\n%s", d)
	}
}

// TestApplyStale shows that a file that changed costs its own fixes, whole, and
// that those that had been in their way get their turn.
func TestApplyStale(t *testing.T) {
	files, _ := project()
	one := "--- a/%s\n+++ b/%[1]s\n@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n"
	suggestions := suggest("a.go",
		fmt.Sprintf(one, "a.go")+fmt.Sprintf(one, "dir/b.go"),
		strings.ReplaceAll(fmt.Sprintf(one, "a.go"), "TWO", "zwei"),
		"@@ -3 +3 @@\n-three\n+THREE\n",
	)
	dir := t.TempDir()
	files.write(t, dir)
	p := files.plan(suggestions)
	if c := Count(p.Outcomes); c.Planned != 2 || p.Outcomes[1].Reason != ReasonOverlap {
		t.Fatalf("outcomes are %+v", p.Outcomes)
	}
	must(t, os.WriteFile(filepath.Join(dir, "dir/b.go"), []byte("edited\n"), 0o644))
	res, err := Apply(openRoot(t, dir), p, Options{ID: "x"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range res.Outcomes {
		got = append(got, fmt.Sprintf("%s %s %d", o.Status, o.Reason, o.By))
	}
	if d := cmp.Diff([]string{"refused stale -1", "applied  -1", "applied  -1"}, got); d != "" {
		t.Errorf("outcomes (-want +got):\n%s", d)
	}
	now := readTree(t, dir)
	if now["a.go"] != "one\nzwei\nTHREE\n" || now["dir/b.go"] != "edited\n" {
		t.Errorf("files are %q", now)
	}
}

// TestApplyFails lets the replacement of each of the files fail. Those before it
// are changed, and the patch undoes exactly their change.
func TestApplyFails(t *testing.T) {
	files, suggestions := project()
	p := files.plan(suggestions)
	broken := errors.New("broken")
	for n, ch := range p.Changes {
		dir := t.TempDir()
		files.write(t, dir)
		res, err := Apply(openRoot(t, dir), p, Options{ID: "x"}.BeforeRename(func(path string) error {
			if path == ch.Path {
				return broken
			}
			return nil
		}))
		if !errors.Is(err, broken) || !strings.Contains(err.Error(), ch.Path) {
			t.Errorf("%s: error %v", ch.Path, err)
		}
		if n == 0 {
			if res != nil || len(fixesNames(t, dir)) != 0 {
				t.Errorf("result %+v, and %v is left", res, fixesNames(t, dir))
			}
		} else {
			if len(res.Files) != n || Count(res.Outcomes).Applied != n || Count(res.Outcomes).Planned != len(p.Changes)-n {
				t.Errorf("%s: result %+v", ch.Path, res)
			}
			if d := cmp.Diff([]string{"x.patch"}, fixesNames(t, dir)); d != "" {
				t.Errorf("%s: left behind (-want +got):\n%s", ch.Path, d)
			}
			if _, err := gitIn(t, dir, "", "apply", "-R", res.Patch); err != nil {
				t.Error(err)
			}
		}
		if d := cmp.Diff(files, readTree(t, dir)); d != "" {
			t.Errorf("%s: not undone (-before +after):\n%s", ch.Path, d)
		}
	}
}

// TestApplyCannotWrite has a directory that cannot be written to.
func TestApplyCannotWrite(t *testing.T) {
	if os.Geteuid() <= 0 {
		t.Skip("permissions mean nothing to this user")
	}
	files, suggestions := project()
	dir := t.TempDir()
	files.write(t, dir)
	sub := filepath.Join(dir, "dir/sub")
	must(t, os.Chmod(sub, 0o555))
	defer os.Chmod(sub, 0o755)
	res, err := Apply(openRoot(t, dir), files.plan(suggestions), Options{ID: "x"})
	if !errors.Is(err, fs.ErrPermission) || res != nil {
		t.Errorf("result %+v, error %v", res, err)
	}
	if d := cmp.Diff(files, readTree(t, dir)); d != "" || len(fixesNames(t, dir)) != 0 {
		t.Errorf("something changed (-before +after):\n%s", d)
	}
}

// TestApplyChangedMeanwhile changes a file between its comparison and its
// replacement.
func TestApplyChangedMeanwhile(t *testing.T) {
	files, suggestions := project()
	dir := t.TempDir()
	files.write(t, dir)
	res, err := Apply(openRoot(t, dir), files.plan(suggestions[:1]), Options{ID: "x"}.BeforeRename(func(path string) error {
		return os.WriteFile(filepath.Join(dir, path), []byte("edited\n"), 0o644)
	}))
	if !errors.Is(err, ErrStale) || !strings.Contains(err.Error(), "a.go") || res != nil {
		t.Errorf("result %+v, error %v", res, err)
	}
	if got := readTree(t, dir); got["a.go"] != "edited\n" || len(got) != len(files) {
		t.Errorf("files are %q", got)
	}
}

// TestApplyFolders puts other things where the folder for fixes should be.
func TestApplyFolders(t *testing.T) {
	files, suggestions := project()
	for name, put := range map[string]func(t *testing.T, dir string){
		".scanner": func(t *testing.T, dir string) {
			must(t, os.Symlink(t.TempDir(), filepath.Join(dir, ".scanner")))
		},
		".scanner/fixes": func(t *testing.T, dir string) {
			must(t, os.Mkdir(filepath.Join(dir, ".scanner"), 0o755))
			must(t, os.Symlink("../dir", filepath.Join(dir, ".scanner/fixes")))
		},
		".scanner/.gitignore": func(t *testing.T, dir string) {
			must(t, os.Mkdir(filepath.Join(dir, ".scanner"), 0o755))
			must(t, os.Symlink("../new.go", filepath.Join(dir, ".scanner/.gitignore")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			files.write(t, dir)
			put(t, dir)
			was := readTree(t, dir)
			_, err := Apply(openRoot(t, dir), files.plan(suggestions), Options{ID: "x"})
			if !errors.Is(err, errLink) || !strings.Contains(err.Error(), fmt.Sprintf("%q", name)) {
				t.Errorf("error is %v", err)
			}
			if d := cmp.Diff(was, readTree(t, dir)); d != "" {
				t.Errorf("something changed:\n%s", d)
			}
		})
	}
}
