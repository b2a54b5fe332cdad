package dotdir_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner/internal/dotdir"
)

// open opens the directory "logs" of a repository and closes it at the end of the
// test.
func open(t *testing.T, repo string) (*os.Root, error) {
	t.Helper()
	root, err := os.OpenRoot(repo)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	dir, err := dotdir.Open(root, "logs")
	if err == nil {
		t.Cleanup(func() { dir.Close() })
	}
	return dir, err
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func symlink(t *testing.T, target, name string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, name); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
}

func TestOpen(t *testing.T) {
	repo := t.TempDir()
	dir, err := open(t, repo)
	if err != nil {
		t.Fatal(err)
	}
	if err := dir.WriteFile("a", []byte("text"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := read(t, filepath.Join(repo, ".scanner", "logs", "a")); got != "text" {
		t.Errorf("got %q in the file", got)
	}
	ignore := filepath.Join(repo, ".scanner", ".gitignore")
	if got, want := read(t, ignore), "/.gitignore\n/logs/\n/fixes/\n"; got != want {
		t.Errorf("got .gitignore %q, want %q", got, want)
	}
	write(t, ignore, "/mine/\n")
	if _, err := open(t, repo); err != nil {
		t.Fatal(err)
	}
	if got, want := read(t, ignore), "/mine/\n"; got != want {
		t.Errorf("got .gitignore %q, want it left as %q", got, want)
	}
}

func TestOpenPrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes here")
	}
	repo := t.TempDir()
	for _, name := range []string{"new", "of an earlier version"} {
		if _, err := open(t, repo); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(repo, ".scanner", "logs")
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: got mode %v, %v, want 0700", name, info.Mode(), err)
		}
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOpenErrors(t *testing.T) {
	for _, tt := range []struct {
		name  string
		setup func(t *testing.T, repo, outside string)
		want  string
	}{
		{"link at .scanner to a directory outside", func(t *testing.T, repo, outside string) {
			symlink(t, outside, filepath.Join(repo, ".scanner"))
		}, `".scanner": is a symbolic link`},
		{"link at .scanner to a directory inside", func(t *testing.T, repo, _ string) {
			write(t, filepath.Join(repo, ".git", "config"), "")
			symlink(t, ".git", filepath.Join(repo, ".scanner"))
		}, `".scanner": is a symbolic link`},
		{"link at .scanner that leads nowhere", func(t *testing.T, repo, _ string) {
			symlink(t, "nowhere", filepath.Join(repo, ".scanner"))
		}, `".scanner": is a symbolic link`},
		{"link at logs to a directory outside", func(t *testing.T, repo, outside string) {
			symlink(t, outside, filepath.Join(repo, ".scanner", "logs"))
		}, `".scanner/logs": is a symbolic link`},
		{"link at logs to a directory inside", func(t *testing.T, repo, _ string) {
			write(t, filepath.Join(repo, ".git", "hooks", "x"), "")
			symlink(t, "../.git/hooks", filepath.Join(repo, ".scanner", "logs"))
		}, `".scanner/logs": is a symbolic link`},
		{"link at .gitignore", func(t *testing.T, repo, outside string) {
			symlink(t, filepath.Join(outside, "new"), filepath.Join(repo, ".scanner", ".gitignore"))
		}, `".scanner/.gitignore": is a symbolic link`},
		{"file at .scanner", func(t *testing.T, repo, _ string) {
			write(t, filepath.Join(repo, ".scanner"), "")
		}, `".scanner": is not a directory`},
		{"file at logs", func(t *testing.T, repo, _ string) {
			write(t, filepath.Join(repo, ".scanner", "logs"), "")
		}, `".scanner/logs": is not a directory`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			repo, outside := t.TempDir(), t.TempDir()
			tt.setup(t, repo, outside)
			if _, err := open(t, repo); err == nil || err.Error() != tt.want {
				t.Errorf("got error %v, want %s", err, tt.want)
			}
			if got, err := os.ReadDir(outside); err != nil || len(got) > 0 {
				t.Errorf("got %v, %v outside of the repository, want nothing", got, err)
			}
		})
	}
}

func TestOpenFile(t *testing.T) {
	repo := t.TempDir()
	write(t, filepath.Join(repo, "old", "file"), "text")
	write(t, filepath.Join(repo, ".git", "config"), "config")
	symlink(t, ".git", filepath.Join(repo, "inside"))
	symlink(t, ".git/config", filepath.Join(repo, "link"))
	symlink(t, "nowhere", filepath.Join(repo, "dead"))
	symlink(t, "..", filepath.Join(repo, "old", "up"))
	root, err := os.OpenRoot(repo)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, tt := range []struct {
		name    string
		created bool
		want    string // the error
	}{
		{"new", true, ""},
		{"new", false, ""},
		{"a/b/c", true, ""},
		{"a/d", true, ""},
		{"old/file", false, ""},
		{"old/file/x", false, `"old/file": is not a directory`},
		{"link", false, `"link": is a symbolic link`},
		{"dead", false, `"dead": is a symbolic link`},
		{"inside/config", false, `"inside": is a symbolic link`},
		{"inside/a/b", false, `"inside": is a symbolic link`},
		{"old/up/new", false, `"old/up": is a symbolic link`},
	} {
		f, created, err := dotdir.OpenFile(root, tt.name)
		if err == nil {
			_, err = f.WriteString("x")
			f.Close()
		}
		if created != tt.created || (err == nil) != (tt.want == "") || err != nil && err.Error() != tt.want {
			t.Errorf("%s: got created %v, %v, want %v, %s", tt.name, created, err, tt.created, tt.want)
		}
	}
	if got := read(t, filepath.Join(repo, "old", "file")); got != "xext" {
		t.Errorf("got %q, want that the contents are kept", got)
	}
	if got := read(t, filepath.Join(repo, ".git", "config")); got != "config" {
		t.Errorf("git's configuration is %q", got)
	}
	if _, err := os.Lstat(filepath.Join(repo, ".git", "a")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("something was made in .git: %v", err)
	}
}

func TestOpenReadOnly(t *testing.T) {
	if runtime.GOOS == "windows" || os.Getuid() == 0 {
		t.Skip("permissions do not keep this user from writing")
	}
	repo := t.TempDir()
	if err := os.Chmod(repo, 0o555); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, repo); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got error %v, want one of permission", err)
	}
}

func TestCause(t *testing.T) {
	other := errors.New("other")
	for _, tt := range []struct{ in, want error }{
		{nil, nil},
		{other, other},
		{&fs.PathError{Op: "open", Path: "a", Err: fs.ErrExist}, fs.ErrExist},
		{&os.LinkError{Op: "rename", Old: "a", New: "b", Err: fs.ErrExist}, fs.ErrExist},
		{fmt.Errorf("open: %w", &fs.PathError{Op: "open", Path: "a", Err: fs.ErrExist}), fs.ErrExist},
	} {
		if got := dotdir.Cause(tt.in); got != tt.want {
			t.Errorf("Cause(%v) = %v, want %v", tt.in, got, tt.want)
		}
	}
}

func TestCreate(t *testing.T) {
	repo := t.TempDir()
	root, err := os.OpenRoot(repo)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := dotdir.Create(root, "a/b/new", "text"); err != nil || read(t, filepath.Join(repo, "a/b/new")) != "text" {
		t.Errorf("got %v", err)
	}
	if err := dotdir.Create(root, "a/b/new", "other"); !errors.Is(err, fs.ErrExist) || read(t, filepath.Join(repo, "a/b/new")) != "text" {
		t.Errorf("a file that exists: got %v", err)
	}
	symlink(t, "target", filepath.Join(repo, "link"))
	if err := dotdir.Create(root, "link", "text"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a link: got %v", err)
	}
	if err := dotdir.Create(root, "link/new", "text"); err == nil {
		t.Error("the directory is a link: got no error")
	}
	if _, err := os.Lstat(filepath.Join(repo, "target")); err == nil {
		t.Error("a link was followed")
	}
}

// TestReplace: a directory has all of the new files and none of the old ones, or the old
// ones, also after a call that was killed.
func TestReplace(t *testing.T) {
	with := func(files map[string][]byte, err error) func() (map[string][]byte, error) {
		return func() (map[string][]byte, error) { return files, err }
	}
	fresh := map[string][]byte{"new.txt": []byte("new"), "sub/b.txt": nil}
	failure := errors.New("no files")
	for _, tt := range []struct {
		name    string
		present []string
		files   func() (map[string][]byte, error)
		want    string
		fails   bool
	}{
		{"a new one", nil, with(fresh, nil), "a/dir/new.txt a/dir/sub/b.txt", false},
		{"another one", []string{"a/dir/old.txt"}, with(fresh, nil), "a/dir/new.txt a/dir/sub/b.txt", false},
		{"nothing in it", []string{"a/dir/old.txt"}, with(nil, nil), "", false},
		{"no files", []string{"a/dir/old.txt"}, with(fresh, failure), "a/dir/old.txt", true},
		{"not writable", []string{"a/dir/old.txt"}, with(map[string][]byte{"b": nil, "b/c": nil}, nil), "a/dir/old.txt", true},
		{"killed while it wrote", []string{"a/dir/old.txt", ".a-dir.new/half.txt"}, with(fresh, failure), "a/dir/old.txt", true},
		{"killed before the last step", []string{".a-dir.old/old.txt", ".a-dir.new/new.txt"}, with(fresh, failure), "a/dir/old.txt", true},
		{"killed after it", []string{"a/dir/old.txt", ".a-dir.old/older.txt"}, with(fresh, nil), "a/dir/new.txt a/dir/sub/b.txt", false},
	} {
		base := t.TempDir()
		write(t, filepath.Join(base, "a", "x"), "")
		for _, name := range tt.present {
			write(t, filepath.Join(base, name), "")
		}
		root, err := os.OpenRoot(base)
		if err != nil {
			t.Fatal(err)
		}
		err = dotdir.Replace(root, "a/dir", tt.files)
		files, readErr := dotdir.ReadTree(root.FS(), ".", 100)
		root.Close()
		delete(files, "a/x")
		got := strings.Join(slices.Sorted(maps.Keys(files)), " ")
		if (err != nil) != tt.fails || readErr != nil || got != tt.want {
			t.Errorf("%s: got %q, %v, %v", tt.name, got, err, readErr)
		}
	}
}
