package gitdiff

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// newPull returns the repository that pull makes.
func newPull(t testing.TB) *testRepo {
	t.Helper()
	return pulled.copy(t)
}

var pulled = template{make: func(r *testRepo) {
	initial.make(r)
	pull(r)
}}

// pull makes a repository with a pull request from topic to main, which has a
// later commit. Files that are checked out, staged and untracked differ from both.
func pull(r *testRepo) {
	r.write(".gitattributes", "*.base linguist-generated\n")
	r.write("a", "1\n")
	r.write("x.base", "1\n")
	r.write("x.head", "1\n")
	r.commit()
	r.git("checkout", "-q", "-b", "topic")
	r.write(".gitattributes", "*.head linguist-generated\n")
	r.write("a", "2\n")
	r.write("x.base", "2\n")
	r.write("x.head", "2\n")
	r.commit()
	r.git("checkout", "-q", "main")
	r.write("a", "main changed\n")
	r.commit()
	r.git("checkout", "-q", "--detach")
	r.spoil()
	r.write("a", "dirty\n")
	r.write("untracked", "1\n")
	r.write("staged", "1\n")
	r.git("add", "staged")
}

// spoil writes attributes that mark everything as generated wherever git could
// find them on disk, and configuration with which git writes more than its index.
func (r *testRepo) spoil() {
	r.t.Helper()
	const all = "* linguist-generated\n"
	r.write(".gitattributes", all)
	r.write("d/.gitattributes", all)
	dir := strings.TrimSpace(r.git("rev-parse", "--git-path", "info"))
	if !filepath.IsAbs(dir) {
		dir = r.path(dir)
	}
	user := filepath.Join(filepath.Dir(r.conf), "git", "attributes")
	for _, name := range []string{filepath.Join(dir, "attributes"), user} {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			r.t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(all), 0o666); err != nil {
			r.t.Fatal(err)
		}
	}
	r.config("[core]\n\tignoreCase = true\n\tsplitIndex = true\n\tuntrackedCache = true\n[attr]\n\ttree = topic\n")
}

// The pull request of pull, as it is listed.
var (
	pullByHead = []string{"~ .gitattributes +1 -1", "~ a +1 -1", "~ x.base +1 -1", "~ x.head generated +1 -1"}
	pullByBase = []string{"~ .gitattributes +1 -1", "~ a +1 -1", "~ x.base generated +1 -1", "~ x.head +1 -1"}
)

// Files on disk and the kind of clone do not alter the result.
func TestHead(t *testing.T) {
	t.Parallel()
	clone := func(args ...string) func(*testRepo) *testRepo {
		return func(r *testRepo) *testRepo {
			dir := filepath.Join(realPath(r.t, r.t.TempDir()), "clone")
			r.git(append(append([]string{"clone", "-q"}, args...), "file://"+r.dir, dir)...)
			c := r.at(dir)
			c.git("fetch", "-q", "origin", "main:main", "topic:topic", "--update-head-ok")
			c.spoil()
			return c
		}
	}
	tests := []struct {
		name string
		make func(*testRepo) *testRepo
	}{
		{"dirty working tree", func(r *testRepo) *testRepo { return r }},
		{"subdirectory", func(r *testRepo) *testRepo { return r.at(r.path("d")) }},
		{"no index, no files", func(r *testRepo) *testRepo {
			for _, n := range []string{".git/index", "a", "x.base", "x.head", "untracked", "staged"} {
				r.remove(n)
			}
			return r
		}},
		{"linked worktree", func(r *testRepo) *testRepo {
			dir := filepath.Join(realPath(r.t, r.t.TempDir()), "tree")
			r.git("worktree", "add", "-q", "--detach", dir, "topic")
			w := r.at(dir)
			w.spoil()
			return w
		}},
		{"GIT_DIR", func(r *testRepo) *testRepo {
			c := *r
			c.env = append(c.env, "GIT_DIR=.git", "GIT_WORK_TREE=.", "GIT_INDEX_FILE=.git/index", "GIT_NAMESPACE=n")
			return &c
		}},
		{"GIT_DIR elsewhere", func(r *testRepo) *testRepo {
			c := *r.at(r.t.TempDir())
			c.env = append(c.env, "GIT_DIR="+r.path(".git"), "GIT_WORK_TREE="+c.dir)
			return &c
		}},
		{"objects elsewhere", func(r *testRepo) *testRepo {
			if err := os.Rename(r.path(".git/objects"), r.path("objects")); err != nil {
				r.t.Fatal(err)
			}
			if err := os.Mkdir(r.path("none"), 0o777); err != nil {
				r.t.Fatal(err)
			}
			c := *r
			c.env = append(c.env, "GIT_OBJECT_DIRECTORY=none", "GIT_ALTERNATE_OBJECT_DIRECTORIES=objects")
			return &c
		}},
		{"borrowed objects", func(r *testRepo) *testRepo {
			dir := filepath.Join(realPath(r.t, r.t.TempDir()), "clone")
			r.git("clone", "-q", "--shared", r.dir, dir)
			c := r.at(dir)
			c.git("branch", "topic", "origin/topic")
			c.spoil()
			return c
		}},
		{"shallow clone", clone("--depth=2", "--no-single-branch")},
		{"sparse checkout", func(r *testRepo) *testRepo {
			c := clone("--no-checkout")(r)
			c.git("config", "core.splitIndex", "false") // or git itself refuses
			c.git("sparse-checkout", "set", "--cone", "--sparse-index", "nothing")
			c.git("checkout", "-q", "-f", "main")
			c.spoil()
			return c
		}},
		{"hostile configuration", func(r *testRepo) *testRepo {
			ran := r.makeHostile(true)
			r.t.Cleanup(func() {
				if exists(ran) {
					r.t.Error("a program was run")
				}
			})
			return r
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			origin := newPull(t)
			r := tt.make(origin)
			r.t = t
			before := gitDirState(t, origin.dir)
			r.checkChanges(Source{Base: "main", Head: "topic"}, pullByHead...)
			r.checkChanges(Source{Base: "main", Head: "topic", Attributes: "main"}, pullByBase...)
			files, err := r.open().AllOf(context.Background(), "topic")
			if err != nil {
				t.Fatal(err)
			}
			want := []string{"+ .gitattributes", "+ a", "+ x.base", "+ x.head generated"}
			if d := cmp.Diff(summary(files), want); d != "" {
				t.Errorf("all: got -, want +\n%s", d)
			}
			if d := cmp.Diff(gitDirState(t, origin.dir), before); d != "" {
				t.Errorf("the repository: after -, before +\n%s", d)
			}
		})
	}
}

func TestHeadKinds(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("0123456789abcde\n", 1<<16) + "x\n" // just over the limit
	lines := strings.Repeat("line\n", 30)
	lib := newRepo(t)
	lib.write("s", "1\n")
	lib.commit()
	r := newRepo(t)
	for _, n := range []string{"grown", "shrunk", "moved", "deleted", "folder"} {
		r.write(n, big+n)
	}
	r.write("grown", "1\n")
	r.write("edge", big[:MaxFileSize-1])
	r.write("late NUL", lines+"\x00")
	r.write("was binary", "\x00")
	r.write("is binary", "1\n")
	r.write("renamed", lines)
	r.write("kept", strings.ToUpper(lines))
	r.write("crlf", "1\r\n2\r\n")
	r.write("file to link", "1\n")
	r.link("x", "link to file")
	r.write("sub to file/x", "1\n")
	r.git("submodule", "--quiet", "add", lib.dir, "sub")
	r.write("bad\xff name\n", "1\n")
	r.write("big.lfs", "version https://git-lfs.github.com/spec/v1\noid sha256:"+strings.Repeat("0a", 32)+"\nsize 9\n")
	r.write(".gitattributes", "*.lfs filter=lfs diff=lfs -text\ncrlf text eol=lf\n")
	r.commit()
	r.write("grown", big)
	r.write("shrunk", "1\n")
	r.git("mv", "moved", "moved here")
	r.remove("deleted")
	r.remove("folder")
	r.write("folder/inside", "1\n")
	r.write("edge", big[:MaxFileSize-1]+"\n")
	r.write("new edge", big[:MaxFileSize])
	r.write("late NUL", "first\n"+lines+"\x00")
	r.write("was binary", "text\n")
	r.write("is binary", "1\n\x00")
	r.remove("renamed")
	r.write(" b/renamed", lines+"more\n")
	r.write("copied", strings.ToUpper(lines))
	r.remove("file to link")
	r.link("y", "file to link")
	r.remove("link to file")
	r.write("link to file", "1\n")
	r.at(r.path("sub")).write("s", "2\n")
	r.at(r.path("sub")).commit()
	r.write("bad\xff name\n", "2\n")
	r.write("empty", "")
	r.write("program", "1\n")
	r.write("big.lfs", "version https://git-lfs.github.com/spec/v1\noid sha256:"+strings.Repeat("0b", 32)+"\nsize 9\n")
	r.git("add", "-A")
	r.git("update-index", "--chmod=+x", "program")
	r.git("commit", "-q", "-m", "2")
	r.git("checkout", "-qf", "HEAD~")
	want := []string{
		">  b/renamed from renamed +1 -0",
		`~ "bad\377 name\n" +1 -1`,
		"~ big.lfs +1 -1",
		"+ copied +30 -0",
		"- deleted too-large",
		"~ edge +1 -1",
		"+ empty",
		"- file to link +0 -1",
		"+ file to link link +1 -0",
		"- folder too-large",
		"+ folder/inside +1 -0",
		"~ grown too-large",
		"~ is binary +1 -0",
		"~ late NUL binary +1 -0",
		"- link to file link +0 -1",
		"+ link to file +1 -0",
		"- moved too-large",
		"+ moved here too-large",
		"+ new edge +65536 -0",
		"+ program +1 -0",
		"~ shrunk too-large",
		"~ sub submodule +1 -1",
		"~ was binary binary +1 -1",
	}
	files := r.changes(Source{Base: "HEAD", Head: "main"})
	if d := cmp.Diff(summary(files), want); d != "" {
		t.Errorf("got -, want +\n%s", d)
	}
	for _, f := range files {
		if f.Path == "program" && f.Mode != modeExec {
			t.Errorf("program: got mode %o", f.Mode)
		}
	}
	r.checkChanges(Source{Base: "main", Head: "HEAD"}) // an ancestor has nothing new

	all, err := r.open().AllOf(context.Background(), "main")
	if err != nil {
		t.Fatal(err)
	}
	wantAll := []string{"+  b/renamed", "+ .gitattributes", "+ .gitmodules", `+ "bad\377 name\n"`, "+ big.lfs", "+ copied", "+ crlf",
		"+ edge", "+ empty", "+ file to link link", "+ folder/inside", "+ grown too-large", "+ is binary", "+ kept", "+ late NUL", "+ link to file",
		"+ moved here too-large", "+ new edge", "+ program", "+ shrunk", "+ sub submodule", "+ sub to file/x", "+ was binary"}
	if d := cmp.Diff(summary(all), wantAll); d != "" {
		t.Errorf("all: got -, want +\n%s", d)
	}
}

func TestHeadSHA256(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	if err := os.RemoveAll(r.path(".git")); err != nil {
		t.Fatal(err)
	}
	r.git("init", "-q", "--object-format=sha256")
	pull(r)
	r.checkChanges(Source{Base: "main", Head: "topic", Attributes: "main"}, pullByBase...)
}

func TestHeadErrors(t *testing.T) {
	t.Parallel()
	r := newPull(t)
	r.git("branch", "old", "main~")
	r.git("checkout", "-q", "--orphan", "alone")
	r.commit()
	shallow := r.at(filepath.Join(t.TempDir(), "shallow"))
	r.git("clone", "-q", "--depth=1", "--no-single-branch", "file://"+r.dir, shallow.dir)
	gone := strings.Repeat("0a", 20)
	tests := []struct {
		name      string
		r         *testRepo
		src       Source
		kind      Kind
		msg, hint string
	}{
		{"without a base", r, Source{Head: "topic"}, BadBase, "a head needs a base", ""},
		{"staged", r, Source{Head: "topic", Staged: true}, BadBase, "a head and staged changes cannot be used together", ""},
		{"staged, with a base", r, Source{Base: "main", Head: "topic", Staged: true}, BadBase, "cannot be used together", ""},
		{"option as head", r, Source{Base: "main", Head: "-x"}, BadBase, `"-x" cannot be a reference`, ""},
		{"option as base", r, Source{Base: "-x", Head: "main"}, BadBase, `"-x" cannot be a reference`, ""},
		{"option for attributes", r, Source{Base: "main", Head: "main", Attributes: "-x"}, BadBase, `"-x" cannot be a reference`, ""},
		{"unknown head", r, Source{Base: "main", Head: "none"}, UnresolvedRevision, `head reference "none" does not resolve`, ""},
		{"unknown base", r, Source{Base: "none", Head: "main"}, UnresolvedBase, `base reference "none" does not resolve`, ""},
		{"head is a file", r, Source{Base: "main", Head: "main:a"}, UnresolvedRevision, "does not resolve", ""},
		{"unrelated", r, Source{Base: "main", Head: "alone"}, UnrelatedBase, `"main" and "alone" have no common history`, ""},
		{"head not in the clone", shallow, Source{Base: "origin/main", Head: gone}, UnresolvedRevision,
			"head commit " + gone + " is not in this clone", "git fetch origin " + gone + "; in a workflow, fetch-depth: 0 for actions/checkout"},
		{"base not in the clone", shallow, Source{Base: gone, Head: "origin/main"}, UnresolvedBase,
			"base commit " + gone + " is not in this clone", "git fetch origin " + gone + "; in a workflow, fetch-depth: 0"},
		{"head branch not in the clone", shallow, Source{Base: "origin/main", Head: "old"}, UnresolvedRevision,
			`head reference "old"`, "git fetch origin old:refs/remotes/origin/old, then use origin/old; in a workflow"},
		{"shallow", shallow, Source{Base: "origin/main", Head: "origin/topic"}, ShallowBase,
			`merge base of "origin/main" and "origin/topic"`, "git fetch --unshallow, or git fetch --deepen=100 until there is one; in a workflow, fetch-depth: 0 for actions/checkout"},
		{"paths", r, Source{Base: "main", Head: "topic", Paths: []string{"a"}}, BadBase, "a head and paths cannot be used together", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := tt.r.open().Changes(context.Background(), tt.src)
			checkError(t, err, tt.kind, tt.msg, tt.hint)
			if e := (*Error)(nil); errors.As(err, &e) && e.Subject == "" {
				t.Error("the error has no subject")
			}
		})
	}

	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	noTemp := *r
	noTemp.temp = file
	_, err := noTemp.open().Changes(context.Background(), Source{Base: "main", Head: "topic"})
	checkError(t, err, Other, "make a temporary directory", "")
}

// Objects that a partial clone does not have are an error, also where git itself
// would ignore that.
func TestHeadPartialClone(t *testing.T) {
	t.Parallel()
	r := newPull(t)
	r.git("config", "uploadpack.allowFilter", "true")
	for _, filter := range []string{"blob:none", "tree:0"} {
		dir := filepath.Join(t.TempDir(), "clone")
		r.git("clone", "-q", "--filter="+filter, "file://"+r.dir, dir)
		repo := r.at(dir).open()
		calls := map[string]func() error{
			"head": func() error {
				_, err := repo.Changes(context.Background(), Source{Base: "origin/main", Head: "origin/topic"})
				return err
			},
			"attributes": func() error {
				_, err := repo.Changes(context.Background(), Source{Attributes: "origin/topic"})
				return err
			},
			"all": func() error { _, err := repo.AllOf(context.Background(), "origin/topic"); return err },
		}
		for name, call := range calls {
			if err := call(); true {
				t.Run(filter+" "+name, func(t *testing.T) { checkError(t, err, MissingObjects, "", "git fetch") })
			}
		}
	}
}

func TestHeadConcurrently(t *testing.T) {
	t.Parallel()
	r := newPull(t)
	repo := r.open()
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			src, want := Source{Base: "main", Head: "topic"}, pullByHead
			if i%2 == 0 {
				src.Attributes, want = "main", pullByBase
			}
			files, err := repo.Changes(context.Background(), src)
			if d := cmp.Diff(summary(files), want); d != "" || err != nil {
				t.Errorf("%v: got -, want +\n%s", err, d)
			}
		})
		wg.Go(func() {
			files, err := repo.AllOf(context.Background(), "topic")
			if err != nil {
				t.Error(err)
			}
			for _, f := range files {
				wg.Go(func() {
					if data, err := f.Load(); err != nil || len(data) == 0 {
						t.Errorf("%q: got %q, %v", f.Path, data, err)
					}
				})
			}
		})
	}
	wg.Wait()
}
