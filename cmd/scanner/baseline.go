package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/diff/gitdiff"
	"github.com/codescan-dev/scanner/fix"
	"github.com/codescan-dev/scanner/internal/proc"
)

// baseline remembers what the files of a run were when it began, so that a fix
// is not applied to anything else.
type baseline struct {
	tree     *os.Root
	snapshot fix.Snapshot
	paths    []string
	refused  map[string]error // files that are not what is analyzed
}

// takeBaseline looks at the files that are going to be analyzed. files says what
// changed in them; staged has the contents that are analyzed instead of those of
// the tree, nil if there are none.
func takeBaseline(tree *os.Root, planned []scanner.PlannedFile, files []diff.File, staged fs.FS) *baseline {
	b := &baseline{tree: tree, refused: make(map[string]error)}
	changes := make(map[string][]*diff.File, len(files)) // several in a series of patches
	for i := range files {
		changes[files[i].Path] = append(changes[files[i].Path], &files[i])
	}
	for _, f := range planned {
		b.paths = append(b.paths, f.Path)
		data, err := readTree(tree, f.Path)
		if err == nil && staged != nil {
			err = sameAs(staged, f.Path, data)
		}
		for _, change := range changes[f.Path] {
			if err == nil && staged == nil {
				err = fix.Matches(change, data)
			}
		}
		if err != nil {
			b.refused[f.Path] = err
			continue
		}
		b.snapshot.Add(f.Path, data)
	}
	return b
}

// sameAs reports whether a file of a file system has the given contents, line
// endings aside: git may convert them.
func sameAs(fsys fs.FS, path string, data []byte) error {
	want, err := fs.ReadFile(fsys, path)
	if err != nil {
		return err
	}
	if !bytes.Equal(want, data) && !bytes.Equal(withoutCR(want), withoutCR(data)) {
		return fmt.Errorf("%s: %w", diff.QuotePath(path), fix.ErrStale)
	}
	return nil
}

func withoutCR(data []byte) []byte { return bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")) }

// read returns a file of the tree if it is what it was.
func (b *baseline) read(path string) ([]byte, error) {
	if err := b.refused[path]; err != nil {
		return nil, err
	}
	data, err := readTree(b.tree, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is gone: %w", diff.QuotePath(path), fix.ErrStale)
	}
	if err != nil {
		return nil, err
	}
	return data, b.snapshot.Check(path, data)
}

var (
	errLink       = errors.New("is a symbolic link, or below one")
	errForeign    = errors.New("belongs to another repository")
	errNotRegular = errors.New("is not a regular file")
)

// readTree reads a regular file of the tree. Links are not followed, also where
// they do not lead out of it: a path is what it says.
func readTree(tree *os.Root, path string) ([]byte, error) {
	info, err := lstatTree(tree, path)
	switch {
	case err != nil:
		return nil, err
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, errLink
	case !info.Mode().IsRegular():
		return nil, errNotRegular
	}
	f, err := tree.OpenFile(filepath.FromSlash(path), os.O_RDONLY|proc.NonBlock, 0)
	if err != nil {
		return nil, bareError(err)
	}
	defer f.Close()
	if opened, err := f.Stat(); err != nil || !os.SameFile(info, opened) {
		return nil, fix.ErrStale
	}
	data, err := io.ReadAll(io.LimitReader(f, gitdiff.MaxFileSize+1))
	if err == nil && len(data) > gitdiff.MaxFileSize {
		err = gitdiff.ErrTooLarge
	}
	return data, err
}

// lstatTree returns what is at a path of the tree. The folders on the way must be
// folders, and of this repository.
func lstatTree(tree *os.Root, path string) (fs.FileInfo, error) {
	for i := range len(path) {
		if path[i] != '/' {
			continue
		}
		parent := filepath.FromSlash(path[:i])
		info, err := tree.Lstat(parent)
		if err != nil {
			return nil, bareError(err)
		}
		if !info.IsDir() {
			return nil, errLink
		}
		if _, err := tree.Lstat(filepath.Join(parent, ".git")); err == nil {
			return nil, errForeign
		}
	}
	info, err := tree.Lstat(filepath.FromSlash(path))
	return info, bareError(err)
}
