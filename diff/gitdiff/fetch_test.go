package gitdiff

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func (r *testRepo) fetch(ctx context.Context, address, ref string) (*Fetched, error) {
	return Fetch(ctx, address, ref, Options{Env: r.env, TempDir: r.temp})
}

func TestFetch(t *testing.T) {
	r := newRepo(t)
	r.write("a/SKILL.md", "one\r\n")
	r.commit()
	first := strings.TrimSpace(r.git("rev-parse", "HEAD"))
	r.git("tag", "-a", "-m", "v1", "v1")
	r.git("checkout", "-q", "-b", "topic/x")
	r.write("a/SKILL.md", "two\n")
	r.commit()
	second := strings.TrimSpace(r.git("rev-parse", "HEAD"))
	r.git("checkout", "-q", "main")
	for _, tt := range []struct{ address, ref, commit, text string }{
		{r.dir, "HEAD", first, "one\r\n"},
		{"file://" + filepath.ToSlash(r.dir), "HEAD", first, "one\r\n"},
		{r.dir, "v1", first, "one\r\n"},
		{r.dir, "topic/x", second, "two\n"},
		{r.dir, second, second, "two\n"},
	} {
		f, err := r.fetch(t.Context(), tt.address, tt.ref)
		if err != nil {
			t.Errorf("%s: %v", tt.ref, err)
			continue
		}
		text, err := fs.ReadFile(f, "a/SKILL.md")
		if string(text) != tt.text || err != nil || f.Commit != tt.commit || len(f.LeftOut) > 0 {
			t.Errorf("%s: got commit %s, want %s; %q, %v, want %q; without %q", tt.ref, f.Commit, tt.commit, text, err, tt.text, f.LeftOut)
		}
		if err := f.Close(); err != nil {
			t.Errorf("%s: %v", tt.ref, err)
		}
	}
	blob := strings.TrimSpace(r.git("rev-parse", "HEAD:a/SKILL.md"))
	for _, ref := range []string{"none", "--upload-pack=touch ran", "main:refs/heads/x", "refs/heads/*", blob} {
		if f, err := r.fetch(t.Context(), r.dir, ref); err == nil {
			f.Close()
			t.Errorf("%q: no error", ref)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.fetch(ctx, r.dir, "HEAD"); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: got %v", err)
	}
}

// No program runs that the source, or its address, names.
func TestFetchRunsNothing(t *testing.T) {
	r := newRepo(t)
	ran := filepath.Join(t.TempDir(), "ran")
	program := filepath.Join(t.TempDir(), "program")
	writeProgram(t, program, "#!/bin/sh\ntouch "+ran+"\ncat\n")
	r.write(".gitattributes", "* filter=evil diff=evil\n*.lfs filter=lfs\n")
	r.write("a.lfs", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n")
	r.write("sub.txt", "text\n")
	r.link("../../etc/passwd", "link")
	r.git("add", "-A")
	r.git("update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat("1", 40)+",module")
	r.write(".gitmodules", "[submodule \"m\"]\n\tpath = module\n\turl = ext::"+program+"\n\tupdate = !"+program+"\n")
	r.git("add", ".gitmodules")
	r.git("commit", "-q", "-m", "c")
	for _, hook := range []string{"post-checkout", "reference-transaction", "post-update", "pre-receive"} {
		r.write(".git/hooks/"+hook, "#!/bin/sh\ntouch "+ran+"\n")
		os.Chmod(r.path(".git/hooks/"+hook), 0o777)
	}
	for _, kv := range [][2]string{
		{"uploadpack.packObjectsHook", program}, {"core.fsmonitor", program}, {"core.alternateRefsCommand", program},
		{"core.sshCommand", program}, {"extensions.partialClone", "origin"}, {"remote.origin.url", "ext::" + program}, {"remote.origin.promisor", "true"},
	} {
		r.git("config", kv[0], kv[1])
	}
	// The user has the filters that the attributes name.
	r.config(fmt.Sprintf("[filter \"evil\"]\n\tsmudge = %[1]s\n\trequired = true\n[filter \"lfs\"]\n\tsmudge = %[1]s\n[diff \"evil\"]\n\ttextconv = %[1]s\n[core]\n\thooksPath = %[2]s\n",
		program, r.path(".git/hooks")))
	f, err := r.fetch(t.Context(), r.dir, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if d := cmp.Diff(f.LeftOut, []string{"link", "module"}); d != "" {
		t.Errorf("left out (-got +want):\n%s", d)
	}
	if text, err := fs.ReadFile(f, "a.lfs"); err != nil || !bytes.HasPrefix(text, []byte("version ")) {
		t.Errorf("got %q, %v", text, err)
	}
	for _, address := range []string{"ext::" + program, "fd::17", "http://127.0.0.1:1/x", "git://127.0.0.1:1/x", "--upload-pack=" + program} {
		if f, err := r.fetch(t.Context(), address, "HEAD"); err == nil {
			f.Close()
			t.Errorf("%s: no error", address)
		}
	}
	if exists(ran) {
		t.Error("a program was run")
	}
}

// A few small trees describe more files than fit into memory.
func TestFetchBomb(t *testing.T) {
	r := newRepo(t)
	pipe := func(in string, args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env, cmd.Stdin = r.dir, r.env, strings.NewReader(in)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	entry := "100644 blob " + pipe("x", "hash-object", "-w", "--stdin")
	for range 9 {
		var tree strings.Builder
		for i := range 10 {
			fmt.Fprintf(&tree, "%s\tx%d\n", entry, i)
		}
		entry = "040000 tree " + pipe(tree.String(), "mktree")
	}
	commit := pipe("", "commit-tree", "-m", "c", strings.Fields(entry)[2])
	r.git("update-ref", "refs/heads/bomb", commit)
	if _, err := r.fetch(t.Context(), r.dir, "bomb"); err == nil || !strings.Contains(err.Error(), "the commit has too many files") {
		t.Errorf("got %v", err)
	}
}
