//go:build unix

package gitdiff

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// No pipe, socket or device is ever opened: that could wait forever.
func TestSpecialFiles(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	for _, n := range []string{"pipe", "socket", "ok"} {
		r.write(n, "1\n")
	}
	r.commit()
	r.remove("pipe")
	if err := syscall.Mkfifo(r.path("pipe"), 0o666); err != nil {
		t.Skip(err)
	}
	r.remove("socket")
	short, err := os.MkdirTemp("", "s") // the name of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(short) })
	l, err := net.Listen("unix", filepath.Join(short, "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := os.Rename(filepath.Join(short, "s"), r.path("socket")); err != nil {
		t.Fatal(err)
	}
	r.write("ok", "2\n")
	r.checkChanges(Source{}, "~ ok +1 -1", "~ pipe unreadable", "~ socket unreadable")
	files, err := r.open().All(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(summary(files), []string{"+ ok", "+ pipe unreadable", "+ socket unreadable"}); d != "" {
		t.Errorf("got -, want +\n%s", d)
	}
}

func TestUnreadable(t *testing.T) {
	t.Parallel()
	if os.Getuid() == 0 {
		t.Skip("everything can be read by root")
	}
	r := newRepo(t)
	for _, n := range []string{"closed", "dir/tracked", "ok"} {
		r.write(n, "1\n")
	}
	r.commit()
	for _, n := range []string{"closed", "untracked", "ok", "other/untracked"} {
		r.write(n, "2\n")
	}
	for _, n := range []string{"closed", "untracked", "dir", "other"} {
		if err := os.Chmod(r.path(n), 0); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(r.path(n), 0o777)
	}
	r.checkChanges(Source{}, "~ closed unreadable", "+ dir unreadable", "~ dir/tracked unreadable",
		"~ ok +1 -1", "+ other unreadable", "+ untracked unreadable")
}

// Canceling ends git with all processes that it has started, and leaves no files
// behind.
func TestCancel(t *testing.T) {
	t.Parallel()
	head := Source{Base: "main", Head: "topic"}
	changes := func(src Source) func(context.Context, *Repo) error {
		return func(ctx context.Context, r *Repo) error {
			_, err := r.Changes(ctx, src)
			return err
		}
	}
	tests := []struct {
		name, command string
		call          func(context.Context, *Repo) error
	}{
		{"working tree", "diff", changes(Source{})},
		{"head, diff", "diff", changes(head)},
		{"head, merge base", "merge-base", changes(head)},
		{"head, sizes", "cat-file", changes(head)},
		{"head, index", "update-index", changes(head)},
		{"head, attributes", "check-attr", changes(head)},
		{"attributes", "check-attr", changes(Source{Attributes: "topic"})},
		{"all", "check-attr", func(ctx context.Context, r *Repo) error {
			_, err := r.AllOf(ctx, "topic")
			return err
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newPull(t)
			testCancel(t, r, tt.command, tt.call)
		})
	}
}

func testCancel(t *testing.T, r *testRepo, command string, call func(context.Context, *Repo) error) {
	dir := t.TempDir()
	pipe, slow := filepath.Join(dir, "pipe"), filepath.Join(dir, "git")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Skip(err)
	}
	// Every process that is left keeps the pipe open.
	writeProgram(t, slow, `#!/bin/sh
case "$*" in
*" `+command+` "*) exec 3>"`+pipe+`"; echo started >&3; sleep 1000 & wait;;
esac
exec git "$@"
`)
	repo, err := Open(context.Background(), r.dir, Options{GitPath: slow, Env: r.env, TempDir: r.temp})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("enough")
	ended := make(chan error, 1)
	go func() {
		f, err := os.Open(pipe) // waits until git writes
		if err != nil {
			cancel(err)
			ended <- err
			return
		}
		defer f.Close()
		_, err = io.ReadFull(f, make([]byte, len("started\n")))
		cancel(errors.Join(err, why))
		_, err = io.Copy(io.Discard, f)
		ended <- err
	}()
	if err := call(ctx, repo); !errors.Is(err, why) {
		t.Errorf("got error %v, want %v", err, why)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// Any git command that fails is an error, and leaves no files behind.
func TestHeadGitFails(t *testing.T) {
	t.Parallel()
	r := newPull(t)
	for _, command := range []string{"diff", "merge-base", "cat-file", "ls-tree", "update-index", "check-attr", "init", "rev-parse --git-path"} {
		t.Run(command, func(t *testing.T) {
			bin := filepath.Join(t.TempDir(), "git")
			writeProgram(t, bin, `#!/bin/sh
case "$*" in
*" `+command+` "*) echo "fatal: it broke" >&2; exit 3;;
esac
exec git "$@"
`)
			repo, err := Open(context.Background(), r.dir, Options{GitPath: bin, Env: r.env, TempDir: r.temp})
			if err != nil {
				t.Fatal(err)
			}
			defer repo.Close()
			files, err := repo.Changes(context.Background(), Source{Base: "main", Head: "topic"})
			if files != nil {
				t.Errorf("got %q", summary(files))
			}
			checkError(t, err, Other, "it broke", "")
		})
	}
}
