package project

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner/fix"
)

func newTestChecker(t *testing.T, root string, paths []string, commands ...string) *checker {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs a Unix shell")
	}
	tree, err := os.OpenRoot(root)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	return &checker{
		commands: commands, environ: os.Environ(), tree: tree, paths: paths, dir: t.TempDir(), name: "copy",
		failed: func(string, error, string) {},
	}
}

func TestChecker(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{"a": "a\n", "sub/run.sh": "exit 0\n", "ro": "x\n", "secret/x": "x\n"} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	old := time.Unix(1e9, 0)
	if err := errors.Join(
		os.Chmod(filepath.Join(root, "sub/run.sh"), 0o755), os.Chmod(filepath.Join(root, "ro"), 0o444),
		os.Chtimes(filepath.Join(root, "sub/run.sh"), old, old),
		os.Symlink("sub/run.sh", filepath.Join(root, "link")), os.Symlink("..", filepath.Join(root, "up")),
		os.Symlink("secret", filepath.Join(root, "folder")),
	); err != nil {
		t.Fatal(err)
	}
	paths := []string{"a", "folder", "folder/x", "gone", "link", "ro", "sub", "sub/run.sh", "up"}
	for _, tt := range []struct {
		name, command string
		fails         bool
	}{
		{"passes", "true", false},
		{"fails", "exit 3", true},
		{"killed", "kill -9 $$", true},
		{"syntax error", "if", true},
		{"the changed contents", `test "$(cat a)" = changed`, false},
		{"runs scripts", "sub/run.sh && ./link", false},
		{"what is not to be copied", "test -e secret/x || test -e folder/x", true},
		{"links stay links", "test -L up && test -L folder && test ! -e gone", false},
		{"files can be written to", "echo x >>ro", false},
		{"times are kept", `test a -nt sub/run.sh && test ! sub/run.sh -nt a`, false},
		{"a fresh copy each time", "test ! -e left && touch left && mkdir -p deep/er && chmod 0 deep", false},
		{"again", "test ! -e left && test ! -e deep", false},
	} {
		k := newTestChecker(t, root, paths, "true", tt.command)
		for range 2 {
			err := k.try(t.Context(), map[string][]byte{"a": []byte("changed\n")})
			if got := errors.Is(err, fix.ErrCheckFailed); got != tt.fails || err != nil && !got {
				t.Errorf("%s: got %v, want a failure: %v", tt.name, err, tt.fails)
			}
		}
		if err := removeAll(k.dir); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	if data, err := os.ReadFile(filepath.Join(root, "a")); err != nil || string(data) != "a\n" {
		t.Errorf("the original is %q, %v", data, err)
	}
}

func TestCheckerCanceled(t *testing.T) {
	k := newTestChecker(t, t.TempDir(), nil, `touch started; (trap "" TERM; sleep 60; touch ../late) & wait`)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(filepath.Join(k.dir, "copy", "started")); err == nil {
				cancel()
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	started := time.Now()
	if err := k.try(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	if d := time.Since(started); d > 30*time.Second {
		t.Errorf("it took %v", d)
	}
	if err := k.try(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

func TestCheckerCannotCopy(t *testing.T) {
	k := newTestChecker(t, t.TempDir(), []string{"a"}, "true")
	if err := os.WriteFile(filepath.Join(k.dir, "file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	k.name = "file/copy"
	if err := k.try(t.Context(), nil); err == nil || errors.Is(err, fix.ErrCheckFailed) {
		t.Errorf("got %v, want an error other than a failed check", err)
	}
}

func TestCheckerTellsWhatFailed(t *testing.T) {
	k := newTestChecker(t, t.TempDir(), nil, "echo fine", "echo out; echo err >&2; exit 2", "echo never")
	var got []string
	k.failed = func(command string, err error, output string) {
		got = append(got, fmt.Sprintf("%s|%v|%s", command, err, output))
	}
	err := k.try(t.Context(), nil)
	if want := `the checks do not pass: "echo out; echo err >&2; exit 2": exit status 2`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if d := cmp.Diff([]string{"echo out; echo err >&2; exit 2|exit status 2|out\nerr\n"}, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func TestCheckEnviron(t *testing.T) {
	in := []string{"PATH=/bin", "SCANNER_PROVIDER_API_KEY=x", "GIT_DIR=y", "GIT_INDEX_FILE=z", "GIT_AUTHOR_NAME=a", "SCANNER_MODEL=m", "odd"}
	before := slices.Clone(in)
	if d := cmp.Diff([]string{"PATH=/bin", "odd"}, checkEnviron(in)); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if !slices.Equal(in, before) {
		t.Errorf("the argument was changed to %q", in)
	}
}
