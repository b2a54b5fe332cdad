package main

import (
	"bytes"
	"io/fs"
	"os"
	"slices"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/fix"
)

// takeSnapshot remembers the files that are going to be analyzed. files are their
// changes, several for a path in a series of patches; staged has the contents that
// are analyzed instead of those of the tree, nil if there are none.
func takeSnapshot(tree *os.Root, planned []scanner.PlannedFile, files []diff.File, staged fs.FS) *fix.Snapshot {
	changes := make(map[string][]diff.File)
	for _, f := range files {
		changes[f.Path] = append(changes[f.Path], f)
	}
	s := fix.NewSnapshot(tree)
	for _, f := range planned {
		s.Add(f.Path, func(contents []byte) bool {
			if staged == nil {
				return !slices.ContainsFunc(changes[f.Path], func(c diff.File) bool { return !c.Agrees(contents) })
			}
			want, err := fs.ReadFile(staged, f.Path)
			return err == nil && bytes.Equal(withoutCR(want), withoutCR(contents)) // git may convert line ends
		})
	}
	return s
}

func withoutCR(data []byte) []byte { return bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")) }
