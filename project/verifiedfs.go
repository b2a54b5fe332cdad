package project

import (
	"io/fs"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/dotdir"
)

// verifiedFS is the part of a tree that agrees with a diff. A diff from a file
// may be old, or of another project; lines around its hunks are shown, to a model
// or to a person, only when they are the lines that it was made from.
type verifiedFS struct {
	tree  fs.FS
	files map[string]diff.File
}

var _ fs.FS = (*verifiedFS)(nil)

func newVerifiedFS(tree fs.FS, files []diff.File) *verifiedFS {
	v := &verifiedFS{tree: tree, files: make(map[string]diff.File)}
	for _, f := range files {
		all := v.files[f.Path]
		all.Hunks = append(all.Hunks, f.Hunks...)
		v.files[f.Path] = all
	}
	return v
}

// Open opens a file of the diff. One that does not agree with it does not exist.
func (v *verifiedFS) Open(name string) (fs.File, error) {
	missing := &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	f, ok := v.files[name]
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
	if !f.Agrees(data) {
		return nil, missing
	}
	return v.tree.Open(name)
}
