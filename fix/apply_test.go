package fix

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
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
	if pending, err := Pending(root); err != nil || len(pending) != 0 {
		t.Errorf("Pending is %v, %v", pending, err)
	}
	if d := cmp.Diff([]string{"0123-x.json", "0123-x.patch", "lock"}, fixesNames(t, dir)); d != "" {
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

func TestApplyID(t *testing.T) {
	files, suggestions := project()
	for _, id := range []string{"", "..", "a/b", `a\b`, ".hidden", "a\n", "x.", strings.Repeat("x", 101), "lock/../x"} {
		if res, err := Apply(nil, files.plan(suggestions), Options{ID: id}); err == nil || res != nil {
			t.Errorf("id %q: %v, %v", id, res, err)
		}
	}
	dir := t.TempDir()
	files.write(t, dir)
	root := openRoot(t, dir)
	if _, err := Apply(root, files.plan(suggestions[:1]), Options{ID: "x"}); err != nil {
		t.Fatal(err)
	}
	was := readTree(t, dir)
	_, err := Apply(root, files.plan(suggestions[1:]), Options{ID: "x"})
	if !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), ".scanner/fixes/x.patch") {
		t.Errorf("a used id: error %v", err)
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

// TestApplyFaults makes every single step fail, as a full disk or a folder that
// cannot be written would: nothing changes, and nothing is left behind.
func TestApplyFaults(t *testing.T) {
	files, suggestions := project()
	full := errors.New("no space left on device")
	for n := 1; ; n++ {
		dir := t.TempDir()
		files.write(t, dir)
		p := files.plan(suggestions)
		steps, failed := 0, ""
		root := openRoot(t, dir)
		res, err := Apply(root, p, Options{ID: "x", before: func(step, path string) error {
			if steps++; steps == n {
				failed = step + " " + path
				return full
			}
			return nil
		}})
		if failed == "" {
			if err != nil {
				t.Fatal(err)
			}
			if n < 15 {
				t.Errorf("there are only %d steps", n)
			}
			break
		}
		if !errors.Is(err, full) {
			t.Errorf("%s: error %v", failed, err)
		}
		now := readTree(t, dir)
		if strings.HasPrefix(failed, "done ") {
			if d := cmp.Diff(files.after(p), now); d != "" || res == nil {
				t.Errorf("%s: result %v, contents (-want +got):\n%s", failed, res, d)
			}
			pending, err := Pending(root)
			if err != nil || len(pending) != 1 || pending[0].UndoCommand() != "git apply -R --whitespace=nowarn .scanner/fixes/x.patch" {
				t.Errorf("%s: pending %+v, %v", failed, pending, err)
			}
			continue
		}
		if res != nil {
			t.Errorf("%s: a result without a change", failed)
		}
		if d := cmp.Diff(files, now); d != "" {
			t.Errorf("%s: something changed (-before +after):\n%s", failed, d)
		}
		if d := cmp.Diff([]string{"lock"}, fixesNames(t, dir)); d != "" {
			t.Errorf("%s: left behind (-want +got):\n%s", failed, d)
		}
	}
}

// TestApplyPartial lets the way back fail, too.
func TestApplyPartial(t *testing.T) {
	files, suggestions := project()
	dir := t.TempDir()
	files.write(t, dir)
	p := files.plan(suggestions)
	root := openRoot(t, dir)
	broken := false
	_, err := Apply(root, p, Options{ID: "x", before: func(step, path string) error {
		if broken = broken || step == "replace" && path == "dir/sub/c.go"; broken {
			return errors.New("broken")
		}
		return nil
	}})
	if !errors.Is(err, ErrPartial) {
		t.Fatalf("error is %v", err)
	}
	pending, err := Pending(root)
	if err != nil || len(pending) != 1 {
		t.Fatalf("pending %+v, %v", pending, err)
	}
	var states []string
	for _, f := range pending[0].Files {
		states = append(states, f.Path+" "+string(f.State))
	}
	if d := cmp.Diff([]string{"a.go new", "dir/b.go new", "dir/sub/c.go old", "dir/sub/d e.c old"}, states); d != "" {
		t.Errorf("states (-want +got):\n%s", d)
	}
	if got, want := pending[0].UndoCommand(), "git apply -R --whitespace=nowarn --include=a.go --include=dir/b.go .scanner/fixes/x.patch"; got != want {
		t.Errorf("undo with %q, want %q", got, want)
	}
	must(t, Settle(root, "x"))
	undo := pending[0].Undo()
	if _, err := gitIn(t, dir, "", undo[1:]...); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(files, readTree(t, dir)); d != "" {
		t.Errorf("not as before (-want +got):\n%s", d)
	}
	if pending, err := Pending(root); err != nil || len(pending) != 0 {
		t.Errorf("still pending: %+v, %v", pending, err)
	}
}

// TestApplyChangedMeanwhile changes files between their comparison and their
// replacement.
func TestApplyChangedMeanwhile(t *testing.T) {
	files, suggestions := project()
	for _, path := range []string{"a.go", "dir/sub/d e.c"} {
		dir := t.TempDir()
		files.write(t, dir)
		_, err := Apply(openRoot(t, dir), files.plan(suggestions), Options{ID: "x", before: func(step, p string) error {
			if step == "replace" && p == path {
				return os.WriteFile(filepath.Join(dir, path), []byte("edited\n"), 0o644)
			}
			return nil
		}})
		if !errors.Is(err, ErrStale) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v", path, err)
		}
		want := tree{}
		for p, data := range files {
			want[p] = data
		}
		want[path] = "edited\n"
		if d := cmp.Diff(want, readTree(t, dir)); d != "" {
			t.Errorf("%s: (-want +got):\n%s", path, d)
		}
	}
}

func TestApplyBusy(t *testing.T) {
	files, suggestions := project()
	dir := t.TempDir()
	files.write(t, dir)
	root := openRoot(t, dir)
	p := files.plan(suggestions)
	_, err := Apply(root, p, Options{ID: "x", before: func(step, _ string) error {
		if step != "replace" {
			return nil
		}
		if _, err := Apply(root, p, Options{ID: "y"}); !errors.Is(err, ErrBusy) {
			t.Errorf("a second run: error %v", err)
		}
		if _, err := Pending(root); !errors.Is(err, ErrBusy) {
			t.Errorf("Pending: error %v", err)
		}
		if err := Settle(root, "x"); !errors.Is(err, ErrBusy) {
			t.Errorf("Settle: error %v", err)
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
}

// TestApplyConcurrently lets many runs apply the same plan: one does.
func TestApplyConcurrently(t *testing.T) {
	files, suggestions := project()
	dir := t.TempDir()
	files.write(t, dir)
	p := files.plan(suggestions)
	var wg sync.WaitGroup
	applied := make([]int, 8)
	for i := range applied {
		wg.Go(func() {
			root, err := os.OpenRoot(dir)
			if err != nil {
				t.Error(err)
				return
			}
			defer root.Close()
			res, err := Apply(root, p, Options{ID: fmt.Sprint("run", i)})
			switch {
			case errors.Is(err, ErrBusy):
			case err != nil:
				t.Error(err)
			default:
				applied[i] = Count(res.Outcomes).Applied
			}
		})
	}
	wg.Wait()
	total := 0
	for _, n := range applied {
		total += n
	}
	if total != len(suggestions) {
		t.Errorf("%d fixes were applied, want %d: %v", total, len(suggestions), applied)
	}
	if d := cmp.Diff(files.after(p), readTree(t, dir)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
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
		".scanner/fixes/lock": func(t *testing.T, dir string) {
			must(t, os.MkdirAll(filepath.Join(dir, ".scanner/fixes"), 0o755))
			must(t, os.Symlink("../../a.go", filepath.Join(dir, ".scanner/fixes/lock")))
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

func TestPendingUntrusted(t *testing.T) {
	good := `{"id":"x","state":"started","patch":".scanner/fixes/x.patch","files":[{"path":"a.go","before":"","after":"","temp":".scanner-fix-00000000000000000000000000000000.tmp"}]}`
	for _, tt := range []struct{ name, journal, want string }{
		{"fine", good, ""},
		{"cut off", good[:40], "unexpected end"},
		{"another id", strings.Replace(good, `"id":"x"`, `"id":"y"`, 1), "does not fit its name"},
		{"another patch", strings.Replace(good, "fixes/x.patch", "../x.patch", 1), "does not fit its name"},
		{"path outside", strings.Replace(good, "a.go", "../a.go", 1), "leads out"},
		{"path of git", strings.Replace(good, "a.go", ".git/config", 1), "git itself"},
		{"temporary file elsewhere", strings.Replace(good, ".scanner-fix-0", "main.go", 1), "temporary file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			tree{".scanner/fixes/x.json": tt.journal, "a.go": "x\n", ".scanner/fixes/not a journal.json": "x", "main.go": "x\n"}.write(t, dir)
			was := readTree(t, dir)
			root := openRoot(t, dir)
			pending, err := Pending(root)
			settled := Settle(root, "x")
			if tt.want == "" {
				if err != nil || len(pending) != 1 || settled != nil || pending[0].Undo() != nil || pending[0].UndoCommand() != "" {
					t.Errorf("pending %+v, %v; settled %v", pending, err, settled)
				}
			} else if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "x.json") || settled == nil {
				t.Errorf("error %v, settled %v, want one with %q", err, settled, tt.want)
			}
			if d := cmp.Diff(was, readTree(t, dir)); d != "" {
				t.Errorf("something changed:\n%s", d)
			}
		})
	}
	if pending, err := Pending(openRoot(t, t.TempDir())); pending != nil || err != nil {
		t.Errorf("without a folder: %v, %v", pending, err)
	}
}
