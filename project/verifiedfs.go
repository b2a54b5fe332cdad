package project

import (
	"io/fs"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/dotdir"
)

// verifiedFS is the part of a tree that agrees with a diff, or with a log. These may be
// old, or of another project; lines around their places are shown, to a model or to a
// person, only when they are the lines that they were made from.
type verifiedFS struct {
	tree fs.FS
	// agrees reports by name whether the contents of a file agree.
	agrees map[string]func(data []byte) bool
}

var _ fs.FS = (*verifiedFS)(nil)

func newVerifiedFS(tree fs.FS, files []diff.File) *verifiedFS {
	all := make(map[string]diff.File)
	for _, f := range files {
		f.Hunks = append(all[f.Path].Hunks, f.Hunks...)
		all[f.Path] = diff.File{Hunks: f.Hunks}
	}
	v := &verifiedFS{tree: tree, agrees: make(map[string]func([]byte) bool)}
	for path, f := range all {
		v.agrees[path] = f.Agrees
	}
	return v
}

// Open opens a file of the diff or log. One that does not agree with it does not exist.
func (v *verifiedFS) Open(name string) (fs.File, error) {
	missing := &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	agrees, ok := v.agrees[name]
	if !ok || !fs.ValidPath(name) || dotdir.InGit(name) {
		return nil, missing
	}
	// A link could lead into .git, too, and a named pipe would be waited for.
	for i := range len(name) + 1 {
		if i < len(name) && name[i] != '/' {
			continue
		}
		info, err := fs.Lstat(v.tree, name[:i])
		switch {
		case err != nil:
			return nil, err
		case i < len(name) && !info.IsDir(), i == len(name) && !info.Mode().IsRegular():
			return nil, missing
		}
	}
	data, err := fs.ReadFile(v.tree, name)
	if err != nil {
		return nil, err
	}
	if !agrees(data) {
		return nil, missing
	}
	return v.tree.Open(name)
}
