//go:build unix

package private_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/codescan-dev/scanner/internal/private"
)

// newDir returns a new directory that only this user can write to, as to all above
// it.
func newDir(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err == nil {
		err = os.MkdirAll(cache, 0o700)
	}
	if err != nil {
		t.Skip(err)
	}
	dir, err := os.MkdirTemp(cache, "scanner-test-")
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if dir, err = private.Dir(dir); err != nil {
		t.Skip(err)
	}
	return dir
}

func TestDir(t *testing.T) {
	top := newDir(t)
	real := filepath.Join(top, "real")
	if err := os.Mkdir(real, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, filepath.Join(top, "link")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"new/a/b", "real", "link/a"} {
		want := filepath.Join(top, name)
		if name == "link/a" {
			want = filepath.Join(real, "a")
		}
		got, err := private.Dir(filepath.Join(top, name))
		if err != nil || got != want {
			t.Errorf("Dir(%s) = %s, %v, want %s", name, got, err, want)
			continue
		}
		if info, err := os.Stat(got); err != nil || info.Mode() != os.ModeDir|0o700 {
			t.Errorf("%s: got mode %v, %v, want 0700", name, info.Mode(), err)
		}
	}
}

func TestDirRefused(t *testing.T) {
	for _, tt := range []struct {
		name  string
		setup func(top, dir string) error
		at    string // which directory the error names
		want  string
	}{
		{"link", func(top, dir string) error { return os.Symlink(top, dir) }, "a/b", "is a symbolic link"},
		{"writable by the group", func(top, dir string) error { return mkdir(dir, 0o770) }, "a/b", "other users can write to it"},
		{"writable by others", func(top, dir string) error { return mkdir(dir, 0o702) }, "a/b", "other users can write to it"},
		{"directory above is writable", func(top, dir string) error { return os.Chmod(top, 0o707) }, "", "other users can write to it"},
		{"directory above is as /tmp", func(top, dir string) error { return os.Chmod(top, 0o777|os.ModeSticky) }, "", "other users can write to it"},
		{"another user's", func(top, dir string) error { return mkdirOf(dir) }, "a/b", "belongs to another user"},
		{"directory above is another user's", func(top, dir string) error { return mkdirOf(filepath.Dir(dir)) }, "a", "belongs to another user"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			top := newDir(t)
			dir := filepath.Join(top, "a", "b")
			if err := os.Mkdir(filepath.Dir(dir), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := tt.setup(top, dir); err != nil {
				t.Skip(err)
			}
			want := fmt.Sprintf("%q: %s", filepath.Join(top, tt.at), tt.want)
			if _, err := private.Dir(dir); err == nil || err.Error() != want {
				t.Errorf("got %v, want %s", err, want)
			}
		})
	}
}

func mkdir(dir string, mode os.FileMode) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	return os.Chmod(dir, mode)
}

// mkdirOf makes a directory of another user, which only root can do.
func mkdirOf(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.Chown(dir, 12345, -1)
}
