package gitdiff

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFollow(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.write("real/file", "file\n")
	r.write("real/dir/deep", "deep\n")
	r.write("top", "top\n")
	r.link("real/file", "file")
	r.link("../real/dir", "sub/dir")
	r.link("file", "twice")
	r.link("sub/dir/deep", "chain")
	r.link("../top", "real/up")
	r.link("self", "self")
	r.link("pong", "ping")
	r.link("ping", "pong")
	r.link("../outside", "out")
	r.link("/etc/hosts", "absolute")
	r.link("nowhere", "dangling")
	r.link(".git/config", "git")
	r.link("sub/dir/../file", "around")
	r.link("./real//dir/", "slashes")
	r.link("b\xffd\nfile", "o\xffd")
	r.write("b\xffd\nfile", "odd\n")
	r.link(strings.Repeat("real/../", 500)+"top", "long")
	r.commit()

	ctx := context.Background()
	plain, err := r.open().RevisionFS(ctx, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { plain.Close() })
	fsys := plain.Follow()
	want := map[string]string{
		"around": "file\n", "b\xffd\nfile": "odd\n", "chain": "deep\n", "file": "file\n", "real/dir/deep": "deep\n", "real/file": "file\n", "real/up": "top\n",
		"top": "top\n", "twice": "file\n", "o\xffd": "odd\n", "long": "top\n",
	}
	if diff := cmp.Diff(want, list(t, fsys)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	for _, name := range []string{"sub/dir/deep", "slashes/deep"} {
		if data, err := fs.ReadFile(fsys, name); err != nil || string(data) != "deep\n" {
			t.Errorf("ReadFile(%q) = %q, %v", name, data, err)
		}
	}
	entries, err := fs.ReadDir(fsys, "sub")
	if err != nil || len(entries) != 1 || entries[0].Type() != fs.ModeSymlink || entries[0].IsDir() {
		t.Errorf("entry of a link: %v, %v", entries, err)
	}
	for name, missing := range map[string]bool{
		"self": false, "ping": false, "out": false, "absolute": false, "dangling": false, "git": false, "self/x": false,
		"file/x": true, "sub/dir/x": true, "../top": true, "": true,
	} {
		_, err := fs.ReadFile(fsys, name)
		if err == nil || errors.Is(err, fs.ErrNotExist) != missing {
			t.Errorf("ReadFile(%q): %v, want not exist: %v", name, err, missing)
		}
		if _, err := fs.Stat(fsys, name); err == nil || errors.Is(err, fs.ErrNotExist) != missing {
			t.Errorf("Stat(%q): %v, want not exist: %v", name, err, missing)
		}
	}
	info, err := fs.Stat(fsys, "sub/dir")
	if err != nil || info.Name() != "dir" || !info.IsDir() {
		t.Errorf("Stat of a link to a directory: %v, %v", info, err)
	}
	if info, err = fs.Stat(fsys, "twice"); err != nil || info.Name() != "twice" || info.Size() != 5 || info.Mode().Type() != 0 {
		t.Errorf("Stat of a link to a link: %v, %v", info, err)
	}
	if _, err := fs.ReadDir(fsys, "file"); err == nil {
		t.Error("ReadDir of a link to a file: no error")
	}

	for name, want := range map[string]string{
		"twice": "real/file", "sub/dir/deep": "real/dir/deep", "sub/dir/x": "real/dir/x", "top": "top", "x": "x", "self": "self", "out": "out",
	} {
		if got := plain.Resolve(name); got != want {
			t.Errorf("Resolve(%q) = %q, want %q", name, got, want)
		}
	}

	if _, err := fs.ReadFile(fsys, "sub/dir"); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("ReadFile of a directory: %v", err)
	}

	if got := plain.Resolve("around"); got != "real/file" {
		t.Errorf("Resolve of a link that goes up behind a link: %q", got)
	}

	// A directory can contain itself.
	r.link(".", "loop")
	r.commit()
	plain, err = r.open().RevisionFS(ctx, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { plain.Close() })
	if data, err := fs.ReadFile(plain.Follow(), "loop/loop/loop/top"); err != nil || string(data) != "top\n" {
		t.Errorf("through a loop: %q, %v", data, err)
	}
}

// No system creates a link with such a target, but a commit can contain one.
func TestFollowHugeTarget(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.write("top", "top\n")
	for name, target := range map[string]string{
		"deep":   strings.Repeat("a/", MaxFileSize/2-2) + "a",
		"around": strings.Repeat("./", MaxFileSize/2-2) + "top",
		"large":  strings.Repeat("a", MaxFileSize+1),
	} {
		r.write("target", target)
		oid := strings.TrimSpace(r.git("hash-object", "-w", "target"))
		r.remove("target")
		r.git("update-index", "--add", "--cacheinfo", "120000,"+oid+","+name)
	}
	r.git("add", "top")
	r.git("commit", "-q", "-m", "c")
	plain, err := r.open().RevisionFS(context.Background(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { plain.Close() })
	fsys := plain.Follow()
	if diff := cmp.Diff(map[string]string{"top": "top\n"}, list(t, fsys)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	for _, name := range []string{"deep", "around", "large", "deep/x"} {
		if _, err := fs.ReadFile(fsys, name); err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("ReadFile(%q): %v", name, err)
		}
		if got := plain.Resolve(name); got != name {
			t.Errorf("Resolve(%q) has %d bytes", name, len(got))
		}
	}
}
