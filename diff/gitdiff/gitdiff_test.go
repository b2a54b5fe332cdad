package gitdiff

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner/diff"
)

func TestOpen(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.write("d/e/f", "1\n")
	unborn := r.open()
	if got := unborn.HeadSHA(); got != "" {
		t.Errorf("without commits, got head %q", got)
	}
	r.commit()
	repo := r.at(r.path("d/e")).open()
	if repo.Root() != r.dir || repo.dir != "d/e" {
		t.Errorf("got root %q and directory %q, want %q and d/e", repo.Root(), repo.dir, r.dir)
	}
	if got, want := repo.HeadSHA(), strings.TrimSpace(r.git("rev-parse", "HEAD")); got != want {
		t.Errorf("got head %q, want %q", got, want)
	}
	r.write("g", "1\n")
	files, err := repo.Changes(context.Background(), Source{})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(summary(files), []string{"+ g +1 -0"}); d != "" {
		t.Errorf("from a subdirectory: got -, want +\n%s", d)
	}
}

func TestOpenErrors(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.write("file", "1\n")
	outside := realPath(t, t.TempDir())
	bare := filepath.Join(outside, "bare")
	r.git("init", "-q", "--bare", bare)
	env := append(slices.Clone(r.env), "GIT_CEILING_DIRECTORIES="+filepath.Dir(outside))
	broken := newRepo(t)
	broken.write(".git/config", "[core\n")
	garbage, empty, gone, tree := newRepo(t), newRepo(t), newRepo(t), newRepo(t)
	for _, r := range []*testRepo{garbage, empty, gone, tree} {
		r.write("file", "1\n")
		r.commit()
	}
	garbage.write(".git/refs/heads/main", "garbage\n")
	empty.write(".git/refs/heads/main", "")
	gone.write(".git/refs/heads/main", strings.Repeat("0a", 20)+"\n")
	tree.write(".git/HEAD", tree.git("rev-parse", "HEAD^{tree}"))
	tests := []struct {
		name, dir string
		opts      Options
		kind      Kind
		msg, hint string
	}{
		{"no repository", outside, Options{Env: env}, NotRepository, "is not in a git repository", ""},
		{"bare", bare, Options{Env: env}, BareRepository, "bare repository", "git worktree add"},
		{"git directory", filepath.Join(r.dir, ".git"), Options{Env: env}, NotRepository, "inside a git directory", "working tree"},
		{"missing directory", filepath.Join(r.dir, "none"), Options{Env: env}, NotRepository, "none", ""},
		{"file", filepath.Join(r.dir, "file"), Options{Env: env}, NotRepository, "is not a directory", ""},
		{"no git", r.dir, Options{Env: []string{"PATH=" + outside}}, GitNotFound, "git not found on the PATH", "install git"},
		{"git in a relative directory", r.dir, Options{Env: []string{"PATH=.:bin"}}, GitNotFound, "git not found", "install git"},
		{"relative git", r.dir, Options{GitPath: "git"}, GitNotFound, "not absolute", ""},
		{"missing git", r.dir, Options{GitPath: filepath.Join(outside, "git")}, GitNotFound, "git", ""},
		{"branch of garbage", garbage.dir, Options{Env: env}, Other, "branch appears to be broken", ""},
		{"empty branch", empty.dir, Options{Env: env}, Other, "branch appears to be broken", ""},
		{"commit that is gone", gone.dir, Options{Env: env}, MissingObjects, "bad object HEAD", ""},
		{"HEAD is a tree", tree.dir, Options{Env: env}, Other, "HEAD names no commit", ""},
		{"broken configuration", broken.dir, Options{Env: env}, Other, "bad config line 1", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := Open(context.Background(), tt.dir, tt.opts)
			checkError(t, err, tt.kind, tt.msg, tt.hint)
		})
	}
}

func checkError(t *testing.T, err error, kind Kind, msg, hint string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("got error %v, want an *Error", err)
	}
	if e.Kind != kind || !strings.Contains(e.Error(), msg) || !strings.Contains(e.Hint, hint) {
		t.Errorf("got kind %d, message %q, hint %q, want %d, %q, %q", e.Kind, e, e.Hint, kind, msg, hint)
	}
}

func TestDubiousOwnership(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	if os.Getuid() == 0 {
		if err := os.Chown(r.dir, 12345, 12345); err != nil {
			t.Skip(err)
		}
		_, err := Open(context.Background(), r.dir, Options{Env: r.env})
		checkError(t, err, DubiousOwnership, "dubious ownership", "git config --global --add safe.directory "+r.dir)
	}
	old := &gitError{command: "rev-parse", exitCode: 128, stderr: "fatal: unsafe repository ('/x y' is owned by someone else)\n"}
	checkError(t, openError(context.Background(), "/x y", old), DubiousOwnership, "unsafe repository", "safe.directory '/x y'")
}

// Git lists no file by a path through a link: to find no changes there would be
// to skip a file in silence.
func TestPathThroughLink(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.write("d/f", "1\n")
	r.link("d", "link")
	repo := r.open()
	for _, changes := range []func(...string) ([]diff.File, error){
		func(p ...string) ([]diff.File, error) { return repo.Changes(t.Context(), Source{Paths: p}) },
		func(p ...string) ([]diff.File, error) { return repo.All(t.Context(), p) },
	} {
		_, err := changes("link/f")
		checkError(t, err, BadPath, `path "link/f" leads through the symbolic link "link"`, "own path")
		for _, p := range []string{"link", "d/f"} {
			if files, err := changes(p); err != nil || len(files) != 1 {
				t.Errorf("%s: got %d files, error %v, want one", p, len(files), err)
			}
		}
	}
	r.commit()
	r.remove("link")
	r.remove("d/f")
	r.remove("d")
	r.write("e/f", "1\n")
	r.link("e", "d")
	if files, err := r.open().Changes(t.Context(), Source{Paths: []string{"d/f"}}); err != nil || len(files) != 1 {
		t.Errorf("deleted behind a new link: got %d files, error %v, want one", len(files), err)
	}
}

func TestPath(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.write("d/e/f", "1\n")
	repo := r.at(r.path("d")).open()
	alias := filepath.Join(t.TempDir(), "alias")
	if err := os.Symlink(r.dir, alias); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ arg, want string }{
		{"e/f", "d/e/f"},
		{".", "d"},
		{"..", "."},
		{"../x/./y", "x/y"},
		{"-x", "d/-x"},
		{"gone/file", "d/gone/file"},
		{r.dir, "."},
		{r.path("d/e"), "d/e"},
		{filepath.Join(alias, "d", "e"), "d/e"},
		{alias, "."},
		{"../..", ""},
		{"", ""},
		{"a\x00b", ""},
		{filepath.Dir(r.dir), ""},
		{r.dir + "x", ""},
	}
	for _, tt := range tests {
		got, err := repo.Path(tt.arg)
		if got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("Path(%q) = %q, %v, want %q", tt.arg, got, err, tt.want)
		}
		if err != nil {
			checkError(t, err, BadPath, "", "")
		}
	}
}

func TestBaseErrors(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	_, err := r.open().Changes(context.Background(), Source{Base: "main"})
	checkError(t, err, UnrelatedBase, "HEAD has no commits", "commit first")
	for _, n := range []string{"1\n", "2\n", "3\n"} {
		r.write("a", n)
		r.commit()
	}
	r.git("checkout", "-q", "--orphan", "alone")
	r.commit()
	r.git("checkout", "-q", "main")
	shallow := r.at(filepath.Join(t.TempDir(), "shallow"))
	r.git("clone", "-q", "--depth=1", "--no-single-branch", "file://"+r.dir, shallow.dir)

	tests := []struct {
		name      string
		r         *testRepo
		src       Source
		kind      Kind
		msg, hint string
	}{
		{"option", r, Source{Base: "--output=x"}, BadBase, `"--output=x" cannot be a reference`, ""},
		{"with staged", r, Source{Base: "main", Staged: true}, BadBase, "cannot be used together", ""},
		{"unknown", r, Source{Base: "none"}, UnresolvedBase, `"none" does not resolve`, ""},
		{"range", r, Source{Base: "main..alone"}, UnresolvedBase, "does not resolve", ""},
		{"exclusion", r, Source{Base: "^main"}, UnresolvedBase, "does not resolve", ""},
		{"nonsense", r, Source{Base: ":/\xff ~^"}, UnresolvedBase, "does not resolve", ""},
		{"a file", r, Source{Base: "HEAD:a"}, UnresolvedBase, "does not resolve", ""},
		{"unrelated", r, Source{Base: "alone"}, UnrelatedBase, "no common history", ""},
		{"remote branch", shallow, Source{Base: "origin/topic"}, UnresolvedBase, "does not resolve", "git fetch origin topic:refs/remotes/origin/topic"},
		{"branch", shallow, Source{Base: "topic"}, UnresolvedBase, "does not resolve", "git fetch origin topic:refs/remotes/origin/topic, then --base=origin/topic"},
		{"commit", shallow, Source{Base: strings.Repeat("0a", 20)}, UnresolvedBase, "base commit 0a0a0a", "git fetch origin 0a0a"},
		{"shallow", shallow, Source{Base: "origin/alone"}, ShallowBase, "shallow clone", "git fetch --unshallow"},
		{"path outside", r, Source{Paths: []string{"../x"}}, BadPath, "not relative", ""},
		{"path of nothing", r, Source{Paths: []string{"a", "none"}}, BadPath, `"none" is neither`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := tt.r.open().Changes(context.Background(), tt.src)
			checkError(t, err, tt.kind, tt.msg, tt.hint)
		})
	}
}

func TestAll(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.write("a", "1\n")
	r.write("gone", "1\n")
	r.write("d/b", "1\n")
	r.write("c", "1\n")
	r.link("a", "link")
	r.write(".gitattributes", "c linguist-generated\n")
	r.git("init", "-q", "sub")
	r.at(r.path("sub")).commit()
	r.commit()
	r.write("new", "x\r\n\x00")
	r.write("ignored", "1\n")
	r.write(".git/info/exclude", "ignored\n")
	r.sparse("large", MaxFileSize+1)
	r.remove("gone")
	repo := r.open()
	files, err := repo.All(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"+ .gitattributes", "+ a", "+ c generated", "+ d/b", "+ large too-large", "+ link link", "+ new", "+ sub submodule"}
	if d := cmp.Diff(summary(files), want); d != "" {
		t.Errorf("got -, want +\n%s", d)
	}
	for _, f := range files {
		if (f.Load != nil) != (f.Skip == "") {
			t.Errorf("%q: Load is set: %v, skip %q", f.Path, f.Load != nil, f.Skip)
		}
		if f.Path == "new" {
			if data, err := f.Load(); err != nil || string(data) != "x\r\n\x00" {
				t.Errorf("got %q, %v", data, err)
			}
			r.remove("new")
			if _, err := f.Load(); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("of a file that is gone, got error %v", err)
			}
		}
	}
	files, err = repo.All(context.Background(), []string{"d", "a"})
	if d := cmp.Diff(summary(files), []string{"+ a", "+ d/b"}); d != "" || err != nil {
		t.Errorf("limited: %v, got -, want +\n%s", err, d)
	}
	_, err = repo.All(context.Background(), []string{"none"})
	checkError(t, err, BadPath, `"none" is neither`, "")
}

func TestCanceledBefore(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.write("a", "1\n")
	r.commit()
	repo := r.open()
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("why")
	cancel(why)
	calls := map[string]func() error{
		"Open":       func() error { _, err := Open(ctx, r.dir, Options{Env: r.env}); return err },
		"Changes":    func() error { _, err := repo.Changes(ctx, Source{}); return err },
		"with base":  func() error { _, err := repo.Changes(ctx, Source{Base: "main"}); return err },
		"All":        func() error { _, err := repo.All(ctx, nil); return err },
		"IndexFS":    func() error { _, err := repo.IndexFS(ctx); return err },
		"RevisionFS": func() error { _, err := repo.RevisionFS(ctx, "HEAD"); return err },
		"with head":  func() error { _, err := repo.Changes(ctx, Source{Base: "main", Head: "main"}); return err },
		"MergeBase":  func() error { _, err := repo.MergeBase(ctx, "main", "main"); return err },
		"AllOf":      func() error { _, err := repo.AllOf(ctx, "main"); return err },
	}
	for name, call := range calls {
		if err := call(); !errors.Is(err, why) {
			t.Errorf("%s: got error %v, want %v", name, err, why)
		}
	}
}

func TestCleanEnv(t *testing.T) {
	t.Parallel()
	in := []string{"PATH=/bin", "GIT_DIR=x", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=a.b", "GIT_CONFIG_VALUE_0=c",
		"GIT_EXTERNAL_DIFF=x", "GIT_TRACE=1", "GIT_SSH_COMMAND=x", "GIT_ATTR_SOURCE=HEAD", "LC_MESSAGES=de", "LANGUAGE=de", "SSH_ASKPASS=x"}
	got := cleanEnv(in)
	if d := cmp.Diff(got[:5], in[:5]); d != "" {
		t.Errorf("kept: got -, want +\n%s", d)
	}
	for _, kv := range in[5:] {
		if slices.Contains(got, kv) {
			t.Errorf("%s is passed on", kv)
		}
	}
}

func TestUnopenedFolders(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	bin := filepath.Join(t.TempDir(), "git")
	script := "#!/bin/sh\nprintf '? a\\0'\necho \"warning: could not open directory 'd'x/e/': Permission denied\" >&2\necho 'warning: else' >&2\n"
	writeProgram(t, bin, script)
	g := git{bin: bin, dir: t.TempDir()}
	_, got, err := g.list(context.Background(), "", nil)
	want := []diff.File{{Path: "a", Status: diff.Added, Untracked: true}, {Path: "d'x/e", Status: diff.Added, Untracked: true, Skip: diff.ReasonUnreadable}}
	if d := cmp.Diff(got, want); d != "" || err != nil {
		t.Errorf("%v: got -, want +\n%s", err, d)
	}
}
