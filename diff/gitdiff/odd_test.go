package gitdiff

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner/diff"
)

// checkChanges compares the summary of what changed.
func (r *testRepo) checkChanges(src Source, want ...string) {
	r.t.Helper()
	if d := cmp.Diff(summary(r.changes(src)), want); d != "" {
		r.t.Errorf("got -, want +\n%s", d)
	}
}

// sparse makes a file of a size that takes no room.
func (r *testRepo) sparse(name string, size int64) {
	r.t.Helper()
	r.write(name, "")
	if err := os.Truncate(r.path(name), size); err != nil {
		r.t.Fatal(err)
	}
}

func TestLargeFiles(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	big := strings.Repeat("0123456789abcde\n", 1<<16) + "x\n" // just over the limit
	for _, n := range []string{"grown", "touched", "moved", "deleted", "shrunk", "folder"} {
		r.write(n, big+n)
	}
	r.write("grown", "1\n")
	r.write("edge", big[:MaxFileSize-1])
	r.write("small", "1\n")
	r.commit()

	r.sparse("grown", 1<<30)
	r.sparse("untracked", 1<<30)
	r.write("shrunk", "1\n")
	r.remove("deleted")
	r.git("mv", "moved", "moved here")
	r.remove("folder")
	r.write("folder/inside", "inside\n")
	r.write("edge", big[:MaxFileSize-1]+"\n")
	r.write("small", "2\n")
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(r.path("touched"), later, later); err != nil {
		t.Fatal(err)
	}
	r.git("add", "-N", "folder/inside")
	r.checkChanges(Source{},
		"- deleted too-large",
		"~ edge +1 -1",
		"- folder too-large",
		"+ folder/inside +1 -0",
		"~ grown too-large",
		"- moved too-large",
		"+ moved here too-large",
		"~ shrunk too-large",
		"~ small +1 -1",
		"+ untracked too-large")

	// More of them than a command line can name; first of those that are read.
	long := strings.Repeat(strings.Repeat("n", 200)+"/", 5)
	for i := range 300 {
		r.write(fmt.Sprintf("more/%d", i), "1\n")
	}
	r.write("grown", "2\n")
	r.remove("untracked")
	for _, n := range []int{10, 30} {
		for i := range n {
			r.write(fmt.Sprintf("many/%s%d", long, i), big+fmt.Sprint(i))
		}
		r.git("add", "-A")
		large, small, folder := 0, 0, ""
		for _, f := range r.changes(Source{Staged: true}) {
			switch {
			case strings.HasPrefix(f.Path, "many/") && f.Skip == diff.ReasonTooLarge:
				large++
			case strings.HasPrefix(f.Path, "more/") && len(f.Hunks) == 1:
				small++
			case strings.HasPrefix(f.Path, "folder"):
				folder += strings.Join(summary([]diff.File{f}), "") + "\n"
			}
		}
		if want := "- folder too-large\n+ folder/inside +1 -0\n"; large != n || small != 300 || folder != want {
			t.Errorf("got %d large and %d small files, want %d and 300; got\n%swant\n%s", large, small, n, folder, want)
		}
	}
}

func TestNothingIsWritten(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.write("a", "1\n")
	r.commit()
	r.remove("a")
	r.write("a", "1\n") // only the stat differs: git would like to write it down
	before := gitDirState(t, r.dir)
	r.checkChanges(Source{})
	r.checkChanges(Source{Base: "main"})
	r.checkChanges(Source{Staged: true})
	if d := cmp.Diff(gitDirState(t, r.dir), before); d != "" {
		t.Errorf("after -, before +\n%s", d)
	}
}

func gitDirState(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.Walk(filepath.Join(dir, ".git"), func(p string, info os.FileInfo, err error) error {
		if err == nil {
			out[p] = fmt.Sprint(info.Size(), info.ModTime(), info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestSubmodules(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	lib := newRepo(t)
	lib.write("s", "1\n")
	lib.commit()
	for _, n := range []string{"clean", "dirty", "moved", "new"} {
		r.git("submodule", "--quiet", "add", lib.dir, n)
		r.git("config", "submodule."+n+".ignore", "all")
	}
	r.git("rm", "-qf", "--cached", "new")
	r.commit()
	r.git("config", "-f", ".gitmodules", "submodule.dirty.ignore", "all")

	// A submodule has its own configuration, with programs in it.
	dirty := r.at(r.path("dirty"))
	ran := filepath.Join(t.TempDir(), "ran")
	dirty.git("config", "filter.evil.clean", "touch "+ran+"; cat")
	dirty.git("config", "core.fsmonitor", "touch "+ran+"; false")
	dirty.write(".gitattributes", "* filter=evil\n")
	dirty.write("s", "changed\n")
	moved := r.at(r.path("moved"))
	moved.write("t", "2\n")
	moved.commit()
	r.checkChanges(Source{},
		"~ .gitmodules +1 -0",
		"~ dirty submodule +1 -1",
		"~ moved submodule +1 -1")
	if exists(ran) {
		t.Error("a program of the submodule was run")
	}
}

// A file that is stored through a filter is compared as it is on disk.
func TestFilters(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	data := strings.Repeat("large file\n", 200)
	pointer := fmt.Sprintf("version https://git-lfs.github.com/spec/v1\noid sha256:%x\nsize %d\n", sha256.Sum256([]byte(data)), len(data))
	r.write(".gitattributes", "*.lfs filter=lfs diff=lfs merge=lfs -text\n")
	r.write("changed.lfs", pointer)
	r.write("pointer.lfs", pointer)
	r.write("huge.lfs", pointer)
	r.commit()
	ran := filepath.Join(t.TempDir(), "ran")
	r.config(fmt.Sprintf("[filter \"lfs\"]\n\tclean = touch %[1]s\n\tprocess = touch %[1]s\n\trequired = true\n", ran))
	r.write("changed.lfs", data)
	r.sparse("huge.lfs", 2<<20)
	r.checkChanges(Source{}, "~ changed.lfs +200 -3", "~ huge.lfs too-large")
	if exists(ran) {
		t.Error("the filter was run")
	}
}

func TestSparseAndFlags(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	for _, n := range []string{"in/a", "out/b", "assumed", "skipped"} {
		r.write(n, "1\n")
	}
	r.commit()
	r.git("checkout", "-q", "-b", "topic")
	r.write("out/b", "2\n")
	r.commit()
	r.git("sparse-checkout", "set", "--no-cone", "/in/", "/assumed", "/skipped")
	r.git("update-index", "--assume-unchanged", "assumed")
	r.write("assumed", "2\n")
	r.write("in/a", "2\n")
	r.checkChanges(Source{}, "~ in/a +1 -1")
	// What is not checked out is still part of the change.
	r.checkChanges(Source{Base: "main"}, "~ in/a +1 -1", "~ out/b +1 -1")
}

func TestLinkedWorktree(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.write("a", "1\n")
	r.commit()
	dir := filepath.Join(realPath(t, t.TempDir()), "tree")
	r.git("worktree", "add", "-q", dir)
	w := r.at(dir)
	w.write("a", "2\n")
	w.checkChanges(Source{}, "~ a +1 -1")
	r.checkChanges(Source{})
}

func TestSHA256(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	if err := os.RemoveAll(r.path(".git")); err != nil {
		t.Fatal(err)
	}
	r.git("init", "-q", "--object-format=sha256")
	r.write("a", "1\n")
	r.checkChanges(Source{}, "+ a +1 -0")
	r.commit()
	r.write("a", "2\n")
	r.checkChanges(Source{}, "~ a +1 -1")
}

func TestPartialClone(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.git("config", "uploadpack.allowFilter", "true")
	r.write("a", "1\n")
	r.commit()
	r.write("a", "2\n")
	r.git("commit", "-qam", "2")
	dir := filepath.Join(t.TempDir(), "clone")
	r.git("clone", "-q", "--filter=blob:none", "file://"+r.dir, dir)
	c := r.at(dir)
	c.write("b", "1\n")
	c.checkChanges(Source{}, "+ b +1 -0")
	c.git("branch", "old", "HEAD~")
	_, err := c.open().Changes(context.Background(), Source{Base: "old"})
	var e *Error
	if !errors.As(err, &e) || e.Kind != MissingObjects || e.Hint == "" {
		t.Errorf("got error %v, want one about missing objects with a hint", err)
	}
}

// The environment of a hook locates the index and the repository.
func TestHookEnvironment(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.write("a", "1\n")
	r.write("d/b", "1\n")
	r.commit()
	r.write("a", "2\n")
	r.git("add", "a")
	// What git commit -a hands to a hook, relative to the root.
	r.write(".git/next-index.lock", "")
	data, err := os.ReadFile(r.path(".git/index"))
	if err != nil {
		t.Fatal(err)
	}
	r.write(".git/next-index.lock", string(data))
	r.write("a", "1\n")
	r.git("add", "a")

	hook := *r
	hook.env = append(hook.env, "GIT_INDEX_FILE=.git/next-index.lock", "GIT_DIR=.git", "GIT_PREFIX=d/",
		"GIT_EXTERNAL_DIFF=false", "GIT_DIFF_OPTS=-u0", "GIT_TRACE=1", "GIT_LITERAL_PATHSPECS=1", "GIT_PAGER=false", "LC_ALL=de_DE.UTF-8")
	hook.checkChanges(Source{Staged: true}, "~ a +1 -1")
	r.checkChanges(Source{Staged: true})
}

func TestNonUTF8AndCase(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.write("readme", "1\n2\n3\n")
	r.write("lat\xefn", "caf\xe9\n")
	r.commit()
	r.git("mv", "readme", "README")
	r.write("lat\xefn", "caf\xe8\n")
	r.checkChanges(Source{}, "> README from readme", `~ "lat\357n" +1 -1`)
}
