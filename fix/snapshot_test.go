package fix_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner/fix"
)

func TestSnapshot(t *testing.T) {
	dir := t.TempDir()
	tree{"a.go": "a\n", "other.go": "x\n", "edited.go": "x\n", "gone.go": "x\n", "unknown.go": "x\n", "sub/.git": "x\n", "sub/a.go": "a\n"}.write(t, dir)
	if err := os.Symlink("a.go", filepath.Join(dir, "link.go")); err != nil {
		t.Skip(err)
	}
	s := fix.NewSnapshot(openRoot(t, dir))
	all := func([]byte) bool { return true }
	s.Add("a.go", func(data []byte) bool { return string(data) == "a\n" })
	s.Add("other.go", func([]byte) bool { return false })
	for _, path := range []string{"edited.go", "gone.go", "never.go", "link.go", "sub/a.go"} {
		s.Add(path, all)
	}
	must(t, os.WriteFile(filepath.Join(dir, "edited.go"), []byte("y\n"), 0o644))
	must(t, os.Remove(filepath.Join(dir, "gone.go")))

	if data, err := s.Read("a.go"); string(data) != "a\n" || err != nil {
		t.Errorf("got %q, %v", data, err)
	}
	for _, path := range []string{"other.go", "edited.go", "gone.go", "unknown.go"} {
		if _, err := s.Read(path); !errors.Is(err, fix.ErrStale) {
			t.Errorf("%s: got %v, want %v", path, err, fix.ErrStale)
		}
	}
	for path, want := range map[string]error{"never.go": fs.ErrNotExist, "sub/a.go": fix.ErrForeign} {
		if _, err := s.Read(path); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", path, err, want)
		}
	}
	if _, err := s.Read("link.go"); err == nil || errors.Is(err, fix.ErrStale) {
		t.Errorf("a link: got %v", err)
	}
	want := []string{"a.go", "other.go", "edited.go", "gone.go", "never.go", "link.go", "sub/a.go"}
	if d := cmp.Diff(want, s.Files()); d != "" {
		t.Errorf("files (-want +got):\n%s", d)
	}
}
