package jsonl_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/codescan-dev/scanner/jsonl"
)

func openDir(t testing.TB, repo string) (*jsonl.Dir, error) {
	t.Helper()
	root, err := os.OpenRoot(repo)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	d, err := jsonl.OpenDir(root)
	if err == nil {
		t.Cleanup(func() { d.Close() })
	}
	return d, err
}

func mustOpenDir(t testing.TB, repo string) *jsonl.Dir {
	t.Helper()
	d, err := openDir(t, repo)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func createLog(t testing.TB, repo string, run jsonl.Run) *jsonl.File {
	t.Helper()
	f, err := mustOpenDir(t, repo).Create(run)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func symlink(t testing.TB, target, name string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, name); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
}

func TestOpenDirLink(t *testing.T) {
	repo, outside := t.TempDir(), t.TempDir()
	symlink(t, outside, filepath.Join(repo, ".scanner"))
	if _, err := openDir(t, repo); err == nil || err.Error() != `log directory: ".scanner": is a symbolic link` {
		t.Errorf("got error %v", err)
	}
	if got, err := os.ReadDir(outside); err != nil || len(got) > 0 {
		t.Errorf("got %v, %v outside of the repository, want nothing", got, err)
	}
}

func TestCreate(t *testing.T) {
	repo := t.TempDir()
	f := createLog(t, repo, testRun())
	if got, want := f.Path(), ".scanner/logs/0f8fad5b-2026-02-18T14-32-15-123Z.jsonl"; got != want {
		t.Errorf("got path %s, want %s", got, want)
	}
	recs := testRecords()
	for i, rec := range recs {
		if err := f.Write(rec); err != nil {
			t.Fatal(err)
		}
		// Each line is there before the next is written.
		if got, want := read(t, filepath.Join(repo, f.Path())), string(encodeAll(t, recs[:i+1]...)); got != want {
			t.Fatalf("after record %d: got %q, want %q", i, got, want)
		}
	}
	for range 2 {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := f.Write(recs[0]); !errors.Is(err, os.ErrClosed) {
		t.Errorf("write after close: got %v, want os.ErrClosed", err)
	}
}

func TestCreateNeverOverwrites(t *testing.T) {
	const name = "0f8fad5b-2026-02-18T14-32-15-123Z.jsonl"
	for _, tt := range []struct {
		what  string
		setup func(t *testing.T, name, outside string)
	}{
		{"file", func(t *testing.T, name, _ string) { write(t, name, "mine") }},
		{"folder", func(t *testing.T, name, _ string) { write(t, filepath.Join(name, "x"), "mine") }},
		{"link to a file", func(t *testing.T, name, outside string) {
			write(t, filepath.Join(outside, "x"), "mine")
			symlink(t, filepath.Join(outside, "x"), name)
		}},
		{"link inside", func(t *testing.T, name, _ string) { symlink(t, "../../README", name) }},
		{"link to nothing", func(t *testing.T, name, outside string) { symlink(t, filepath.Join(outside, "new"), name) }},
	} {
		t.Run(tt.what, func(t *testing.T) {
			repo, outside := t.TempDir(), t.TempDir()
			d := mustOpenDir(t, repo)
			tt.setup(t, filepath.Join(repo, ".scanner", "logs", name), outside)
			_, err := d.Create(testRun())
			if !errors.Is(err, fs.ErrExist) || !strings.HasPrefix(err.Error(), `log file ".scanner/logs/`+name+`": `) {
				t.Errorf("got error %v, want that it exists", err)
			}
			if _, err := os.Lstat(filepath.Join(outside, "new")); !errors.Is(err, fs.ErrNotExist) {
				t.Error("a file was made outside of the repository")
			}
			if _, err := os.Lstat(filepath.Join(repo, "README")); !errors.Is(err, fs.ErrNotExist) {
				t.Error("a file was made outside of the folder")
			}
		})
	}
	if _, err := mustOpenDir(t, t.TempDir()).Create(jsonl.Run{RunID: "x"}); err == nil {
		t.Error("got no error for a run without a proper id")
	}
}

func TestConcurrentRuns(t *testing.T) {
	repo := t.TempDir()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			d, err := openDir(t, repo)
			if err != nil {
				t.Error(err)
				return
			}
			f, err := d.Create(jsonl.NewRun(testStart, repo))
			if err != nil {
				t.Error(err)
				return
			}
			if err := f.Write(testRecords()[1]); err != nil {
				t.Error(err)
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	names, err := mustOpenDir(t, repo).Expired(testStart.Add(100*24*time.Hour), 30)
	if err != nil || len(names) != 8 {
		t.Errorf("got logs %q, %v, want 8", names, err)
	}
}

// Logs quote code, so other users cannot read them.
func TestCreatePrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes here")
	}
	repo := t.TempDir()
	f := createLog(t, repo, testRun())
	for path, want := range map[string]fs.FileMode{f.Path(): 0o600, filepath.Dir(f.Path()): 0o700} {
		info, err := os.Stat(filepath.Join(repo, path))
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: got %v, %v, want mode %v", path, info.Mode(), err, want)
		}
	}
}
