package gitdiff

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/codescan-dev/scanner/diff"
)

// shared is a directory for all tests.
var shared string

func TestMain(m *testing.M) {
	var err error
	if shared, err = os.MkdirTemp("", "gitdiff-test-"); err != nil {
		log.Fatal(err)
	}
	code := m.Run()
	os.RemoveAll(shared)
	os.Exit(code)
}

// testRepo is a repository with an isolated home and configuration.
type testRepo struct {
	t    testing.TB
	dir  string
	env  []string
	conf string // the user's configuration file
	temp string // for temporary directories; empty at the end of the test
}

// template is a home and a repository that tests copy, which is cheaper than to
// make them anew.
type template struct {
	make func(*testRepo)
	once sync.Once
	dir  string
}

var initial = template{make: func(r *testRepo) {
	for _, dir := range []string{r.dir, filepath.Dir(r.conf)} {
		if err := os.Mkdir(dir, 0o777); err != nil {
			r.t.Fatal(err)
		}
	}
	r.config("[user]\n\tname = T\n\temail = t@example.com\n[init]\n\tdefaultBranch = main\n[protocol \"file\"]\n\tallow = always\n")
	r.git("init", "-q")
}}

func (m *template) copy(t testing.TB) *testRepo {
	t.Helper()
	m.once.Do(func() {
		dir, err := os.MkdirTemp(shared, "")
		if err != nil {
			t.Fatal(err)
		}
		m.make(repoIn(t, dir))
		m.dir = dir
	})
	dir := realPath(t, t.TempDir())
	if err := os.CopyFS(dir, os.DirFS(m.dir)); err != nil {
		t.Fatal(err)
	}
	r := repoIn(t, dir)
	r.temp = t.TempDir()
	t.Cleanup(func() {
		if left, err := os.ReadDir(r.temp); err != nil || len(left) > 0 {
			t.Errorf("in the directory for temporary files: %v, %v", left, err)
		}
	})
	return r
}

// repoIn returns the repository of a template or of its copy.
func repoIn(t testing.TB, dir string) *testRepo {
	home := filepath.Join(dir, "home")
	r := &testRepo{t: t, dir: filepath.Join(dir, "repo"), conf: filepath.Join(home, "gitconfig")}
	r.env = testEnv(home, r.conf)
	return r
}

// newRepo returns a repository without commits.
func newRepo(t testing.TB) *testRepo {
	t.Helper()
	return initial.copy(t)
}

func realPath(t testing.TB, p string) string {
	t.Helper()
	p, err := filepath.EvalSymlinks(p)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func testEnv(home, conf string) []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_CONFIG_HOME=" + home,
		"GIT_CONFIG_GLOBAL=" + conf, "GIT_TEMPLATE_DIR=", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_DATE=2024-01-02T03:04:05Z", "GIT_COMMITTER_DATE=2024-01-02T03:04:05Z",
	}
}

// at returns a helper for another directory with the same configuration.
func (r *testRepo) at(dir string) *testRepo {
	c := *r
	c.dir = dir
	return &c
}

func (r *testRepo) git(args ...string) string {
	r.t.Helper()
	out, err := r.try(args...)
	if err != nil {
		r.t.Fatalf("git %q: %v", args, err)
	}
	return out
}

func (r *testRepo) try(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = r.dir, r.env
	out, err := cmd.Output()
	var ee *exec.ExitError
	if errors.As(err, &ee) {
		err = fmt.Errorf("%w: %s%s", err, out, ee.Stderr)
	}
	return string(out), err
}

func (r *testRepo) path(name string) string { return filepath.Join(r.dir, filepath.FromSlash(name)) }

func (r *testRepo) write(name, data string) {
	r.t.Helper()
	if err := os.MkdirAll(filepath.Dir(r.path(name)), 0o777); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(r.path(name), []byte(data), 0o666); err != nil {
		r.t.Fatal(err)
	}
}

func (r *testRepo) remove(name string) {
	r.t.Helper()
	if err := os.RemoveAll(r.path(name)); err != nil {
		r.t.Fatal(err)
	}
}

func (r *testRepo) link(target, name string) {
	r.t.Helper()
	if err := os.MkdirAll(filepath.Dir(r.path(name)), 0o777); err != nil {
		r.t.Fatal(err)
	}
	if err := os.Symlink(target, r.path(name)); err != nil {
		r.t.Fatal(err)
	}
}

func (r *testRepo) commit() {
	r.t.Helper()
	r.git("add", "-A")
	r.git("commit", "-q", "--allow-empty", "-m", "c")
}

// config appends to the user's configuration.
func (r *testRepo) config(text string) {
	r.t.Helper()
	f, err := os.OpenFile(r.conf, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		r.t.Fatal(err)
	}
	_, err = f.WriteString(text)
	if err := errors.Join(err, f.Close()); err != nil {
		r.t.Fatal(err)
	}
}

func (r *testRepo) open() *Repo {
	r.t.Helper()
	repo, err := Open(context.Background(), r.dir, Options{Env: r.env, TempDir: r.temp})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { repo.Close() })
	return repo
}

func (r *testRepo) changes(src Source) []diff.File {
	r.t.Helper()
	files, err := r.open().Changes(context.Background(), src)
	if err != nil {
		r.t.Fatal(err)
	}
	return files
}

// summary describes files in one line each.
func summary(files []diff.File) []string {
	var out []string
	for _, f := range files {
		s := string(f.Status.Marker()) + " " + diff.QuotePath(f.Path)
		if f.OldPath != "" {
			s += " from " + diff.QuotePath(f.OldPath)
		}
		if f.Skip != "" {
			s += " " + string(f.Skip)
		}
		if f.Binary {
			s += " binary"
		}
		if f.Generated {
			s += " generated"
		}
		if add, del := count(f.Hunks); add+del > 0 {
			s += fmt.Sprintf(" +%d -%d", add, del)
		}
		out = append(out, s)
	}
	return out
}

func count(hunks []diff.Hunk) (add, del int) {
	for _, h := range hunks {
		for line := range strings.Lines(h.Body) {
			switch line[0] {
			case '+':
				add++
			case '-':
				del++
			}
		}
	}
	return add, del
}

// formatPatch writes files as a patch that git apply reads.
func formatPatch(files []diff.File) string {
	var b strings.Builder
	for _, f := range files {
		old := f.OldPath
		if old == "" {
			old = f.Path
		}
		fmt.Fprintf(&b, "diff --git %s %s\n", diff.QuotePath("a/"+old), diff.QuotePath("b/"+f.Path))
		switch {
		case f.Status == diff.Added:
			fmt.Fprintf(&b, "new file mode %o\n", f.Mode)
		case f.Status == diff.Deleted:
			fmt.Fprintf(&b, "deleted file mode %o\n", f.OldMode)
		case f.Mode != f.OldMode:
			fmt.Fprintf(&b, "old mode %o\nnew mode %o\n", f.OldMode, f.Mode)
		}
		if f.Status == diff.Renamed {
			fmt.Fprintf(&b, "rename from %s\nrename to %s\n", diff.QuotePath(old), diff.QuotePath(f.Path))
		}
		if len(f.Hunks) == 0 {
			continue
		}
		from, to := diff.QuotePath("a/"+old), diff.QuotePath("b/"+f.Path)
		if f.Status == diff.Added {
			from = "/dev/null"
		}
		if f.Status == diff.Deleted {
			to = "/dev/null"
		}
		// A space in a name would be taken for the end of it without the tab.
		fmt.Fprintf(&b, "--- %s%s\n+++ %s%s\n", from, tab(from), to, tab(to))
		for _, h := range f.Hunks {
			fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@\n%s", h.OldStart, h.OldLines, h.NewStart, h.NewLines, h.Body)
		}
	}
	return b.String()
}

func tab(name string) string {
	if strings.Contains(name, " ") && !strings.HasPrefix(name, `"`) {
		return "\t"
	}
	return ""
}

// snapshot reads a directory: files by their contents, links by "-> target".
func snapshot(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, p)
		if d.IsDir() {
			if d.Name() == ".git" || rel != "." && exists(filepath.Join(p, ".git")) {
				return filepath.SkipDir
			}
			return nil
		}
		if d.Name() == ".git" {
			return nil
		}
		out[filepath.ToSlash(rel)], err = content(p)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func exists(p string) bool {
	_, err := os.Lstat(p)
	return err == nil
}

func content(p string) (string, error) {
	info, err := os.Lstat(p)
	if err != nil {
		return "", err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := os.Readlink(p)
		return "-> " + target, err
	}
	data, err := os.ReadFile(p)
	return fmt.Sprintf("%v %s", info.Mode()&0o100 != 0, data), err
}

// writeProgram writes a script that can be run at once. Without the lock, a
// process that another test starts just now would hold it open for writing.
func writeProgram(t *testing.T, name, script string) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(name, []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
}
