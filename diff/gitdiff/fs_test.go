package gitdiff

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// list returns the files of a file system with their contents.
func list(t *testing.T, fsys fs.FS) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if d.Type() == fs.ModeSymlink {
			if info, err := fs.Stat(fsys, p); err != nil || info.IsDir() {
				return err
			}
		}
		data, err := fs.ReadFile(fsys, p)
		out[p] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestFileSystems(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.write("a", "committed\n")
	r.write("d/e/f", "committed\r\n")
	r.write("d/empty", "")
	r.write("ünïcode", "committed")
	r.link("a", "link")
	r.git("init", "-q", "sub")
	r.at(r.path("sub")).commit()
	r.commit()
	r.write("a", "staged\n")
	r.git("add", "a")
	r.write("a", "written\n")
	r.write("new/file", "written\n")
	r.link("a", "new/link")
	r.write("ignored", "no\n")
	r.write(".git/info/exclude", "ignored\n")

	repo, ctx := r.open(), context.Background()
	worktree := repo.WorktreeFS(ctx, nil)
	index, err := repo.IndexFS(ctx)
	if err != nil {
		t.Fatal(err)
	}
	revision, err := repo.RevisionFS(ctx, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		fsys *FS
		a    string
		more map[string]string
	}{
		{"worktree", worktree, "written\n", map[string]string{"new/file": "written\n"}},
		{"index", index, "staged\n", nil},
		{"revision", revision, "committed\n", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := map[string]string{"a": tt.a, "d/e/f": "committed\r\n", "d/empty": "", "ünïcode": "committed"}
			for p, s := range tt.more {
				want[p] = s
			}
			if d := cmp.Diff(list(t, tt.fsys), want); d != "" {
				t.Errorf("got -, want +\n%s", d)
			}
			if err := fstest.TestFS(tt.fsys, "a", "d/e/f", "d/empty"); err != nil {
				t.Error(err)
			}
			for _, p := range []string{"link", "sub", "ignored", ".git/config", "sub/.git/HEAD", "../x", "", "d/none", "a/x"} {
				if _, err := fs.ReadFile(tt.fsys, p); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("ReadFile(%q): got error %v", p, err)
				}
			}
			if err := tt.fsys.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	if _, err := index.ReadFile("a"); err == nil {
		t.Error("a closed file system can be read")
	}
	_, err = repo.RevisionFS(ctx, "-x")
	checkError(t, err, BadBase, "cannot be a reference", "")
	_, err = repo.RevisionFS(ctx, "none")
	checkError(t, err, UnresolvedRevision, "does not resolve", "")
}

func TestFileSystemNames(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	odd := []string{"new\nline", "bad\xff", " b/ b/x", "-dash", "tab\t", ":(top)x", `q"`}
	for _, p := range odd {
		r.write(p, p)
	}
	r.commit()
	repo := r.open()
	worktree := func(ctx context.Context) (*FS, error) { return repo.WorktreeFS(ctx, nil), nil }
	for _, open := range []func(context.Context) (*FS, error){worktree, repo.IndexFS,
		func(ctx context.Context) (*FS, error) { return repo.RevisionFS(ctx, "main") }} {
		fsys, err := open(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range odd {
			if data, err := fsys.ReadFile(p); err != nil || string(data) != p {
				t.Errorf("ReadFile(%q) = %q, %v", p, data, err)
			}
		}
		fsys.Close()
	}
}

// A path that became a link after the names were listed leads nowhere.
func TestWorktreeFSFollowsNoLink(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "f"), []byte("secret"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{"d/f", "e/config", "f"} {
		r.write(p, "1\n")
	}
	r.commit()
	fsys := r.open().WorktreeFS(context.Background(), nil)
	if _, err := fsys.ReadDir("."); err != nil { // lists them
		t.Fatal(err)
	}
	for _, p := range []string{"d", "e", "f"} {
		r.remove(p)
	}
	r.link(outside, "d")
	r.link(".git", "e")
	r.link(filepath.Join(outside, "f"), "f")
	for _, p := range []string{"d/f", "e/config", "f"} {
		if data, err := fsys.ReadFile(p); err == nil {
			t.Errorf("ReadFile(%q) = %q", p, data)
		}
		if _, err := fsys.Stat(p); err == nil {
			t.Errorf("Stat(%q) finds something", p)
		}
	}
}

func TestFileSystemTooLarge(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.sparse("large", MaxFileSize+1)
	r.sparse("edge", MaxFileSize)
	r.write("small", "1\n")
	r.commit()
	repo, ctx := r.open(), context.Background()
	index, err := repo.IndexFS(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	worktree := repo.WorktreeFS(ctx, nil)
	for _, fsys := range []*FS{index, worktree} {
		if _, err := fsys.ReadFile("large"); !errors.Is(err, ErrTooLarge) {
			t.Errorf("got error %v, want %v", err, ErrTooLarge)
		}
		if data, err := fsys.ReadFile("edge"); err != nil || len(data) != MaxFileSize {
			t.Errorf("got %d bytes, %v", len(data), err)
		}
		if data, err := fsys.ReadFile("small"); err != nil || string(data) != "1\n" {
			t.Errorf("got %q, %v", data, err)
		}
		if info, err := fsys.Stat("large"); err != nil || info.Size() != MaxFileSize+1 {
			t.Errorf("got %v, %v", info, err)
		}
	}
}

func TestFileSystemConcurrently(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	for i := range 40 {
		r.write(fmt.Sprint(i), strings.Repeat(fmt.Sprint(i), 1000))
	}
	r.commit()
	ctx, cancel := context.WithCancel(context.Background())
	fsys, err := r.open().RevisionFS(ctx, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			data, err := fsys.ReadFile(fmt.Sprint(i))
			if want := strings.Repeat(fmt.Sprint(i), 1000); err != nil || string(data) != want {
				t.Errorf("got %d bytes, %v", len(data), err)
			}
		})
	}
	wg.Wait()
	cancel()
	if _, err := fsys.ReadFile("1"); !errors.Is(err, context.Canceled) {
		t.Errorf("after cancel: got error %v", err)
	}
	fsys.Close()
}

// The files of a change can be read without the list of all files, which is made
// when something else is looked up.
func TestWorktreeFSListsLate(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.write("dir/a", "1\n")
	r.write("b", "1\n")
	r.commit()
	r.write("dir/a", "2\n")
	repo, ctx := r.open(), context.Background()
	files, err := repo.Changes(ctx, Source{})
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	fsys := repo.WorktreeFS(ended, files)
	if data, err := fsys.ReadFile("dir/a"); err != nil || string(data) != "2\n" {
		t.Errorf("ReadFile = %q, %v", data, err)
	}
	if _, err := fsys.ReadFile("b"); !errors.Is(err, context.Canceled) {
		t.Errorf("the tree was listed although its context has ended: %v", err)
	}
	r.write("c", "1\n")
	fsys = repo.WorktreeFS(ctx, files)
	for _, name := range []string{"b", "c", "dir/a"} {
		if _, err := fsys.ReadFile(name); err != nil {
			t.Error(err)
		}
	}
	if entries, err := fsys.ReadDir("dir"); err != nil || len(entries) != 1 {
		t.Errorf("ReadDir = %v, %v", entries, err)
	}
}
