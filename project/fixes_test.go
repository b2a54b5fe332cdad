package project

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/fix"
)

func testTree(t *testing.T, files map[string]string) *os.Root {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	return tree
}

func snapshotOf(plan *Plan, planned []scanner.PlannedFile) *fix.Snapshot {
	x := &fixer{Plan: plan}
	x.begin(planned)
	return x.files
}

func TestSnapshot(t *testing.T) {
	tree := testTree(t, map[string]string{"same": "1\n2\n", "other": "1\n3\n", "whole": "x\n", "twice": "1\n2\n", "edited": "1\n"})
	hunk := func(path, body string) diff.File {
		return diff.File{Path: path, Hunks: []diff.Hunk{{OldStart: 1, OldLines: 1, NewStart: 1, NewLines: 2, Body: body}}}
	}
	files := []diff.File{
		hunk("same", " 1\n+2\n"), hunk("other", " 1\n+2\n"), {Path: "whole"}, hunk("gone", " 1\n+2\n"),
		hunk("twice", " 1\n+9\n"), hunk("twice", " 1\n+2\n"), {Path: "edited"}, {Path: "not planned"},
	}
	var planned []scanner.PlannedFile
	for _, name := range []string{"same", "other", "whole", "gone", "twice", "edited"} {
		planned = append(planned, scanner.PlannedFile{Path: name})
	}
	b := snapshotOf(&Plan{p: &Project{tree: tree}, Files: files}, planned)
	if err := tree.WriteFile("edited", []byte("2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]error{
		"same": nil, "whole": nil, "other": fix.ErrStale, "twice": fix.ErrStale, "edited": fix.ErrStale,
		"gone": fs.ErrNotExist, "not planned": fix.ErrStale,
	} {
		if _, err := b.Read(name); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", name, err, want)
		}
	}
	if err := tree.Remove("same"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Read("same"); !errors.Is(err, fix.ErrStale) {
		t.Errorf("a file that is gone since: got %v, want %v", err, fix.ErrStale)
	}
}

func TestSnapshotStaged(t *testing.T) {
	tree := testTree(t, map[string]string{"same": "1\n", "crlf": "1\r\n", "other": "2\n", "unstaged": "1\n"})
	staged := fstest.MapFS{"same": {Data: []byte("1\n")}, "crlf": {Data: []byte("1\n")}, "other": {Data: []byte("1\n")}}
	plan := &Plan{p: &Project{tree: tree}, opts: Options{Staged: true}, Contents: staged}
	b := snapshotOf(plan, []scanner.PlannedFile{{Path: "same"}, {Path: "crlf"}, {Path: "other"}, {Path: "unstaged"}})
	for name, want := range map[string]error{"same": nil, "crlf": nil, "other": fix.ErrStale, "unstaged": fix.ErrStale} {
		if _, err := b.Read(name); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", name, err, want)
		}
	}
}

func TestCopyName(t *testing.T) {
	for root, want := range map[string]string{"/a/project": "project", "/": "copy", ".": "copy"} {
		if got := copyName(root); got != want {
			t.Errorf("copyName(%q) = %q, want %q", root, got, want)
		}
	}
}
