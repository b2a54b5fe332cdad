package main

import (
	"bytes"
	"io/fs"
	"strings"

	"github.com/codescan-dev/scanner/diff"
)

// agreeing is the part of a tree that agrees with a diff. A diff from a file may
// be old, or of another project; lines around its hunks are only worth showing,
// to a model or to a person, when they are the lines that it was made from.
type agreeing struct {
	tree  fs.FS
	files map[string][]diff.Hunk
}

var _ fs.FS = (*agreeing)(nil)

func newAgreeing(tree fs.FS, files []diff.File) *agreeing {
	a := &agreeing{tree: tree, files: make(map[string][]diff.Hunk)}
	for _, f := range files {
		a.files[f.Path] = append(a.files[f.Path], f.Hunks...)
	}
	return a
}

// Open opens a file of the diff. One that does not agree with it does not exist.
func (a *agreeing) Open(name string) (fs.File, error) {
	missing := &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	hunks, ok := a.files[name]
	if !ok || !fs.ValidPath(name) || inGit(name) {
		return nil, missing
	}
	data, err := fs.ReadFile(a.tree, name)
	if err != nil {
		return nil, err
	}
	for _, h := range hunks {
		if !agrees(h, data) {
			return nil, missing
		}
	}
	return a.tree.Open(name)
}

// inGit reports whether a path leads into the folder of git, where URLs may hold
// credentials. No change has such a path, but a diff may say anything.
func inGit(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if strings.EqualFold(part, ".git") {
			return true
		}
	}
	return false
}

// agrees reports whether the new side of a hunk stands in data where it says.
func agrees(h diff.Hunk, data []byte) bool {
	if h.NewLines == 0 {
		return true
	}
	for range h.NewStart - 1 {
		_, rest, ok := bytes.Cut(data, []byte("\n"))
		if !ok {
			return false
		}
		data = rest
	}
	lines := strings.SplitAfter(h.Body, "\n")
	for i, line := range lines {
		if line == "" || line[0] != byte(diff.Add) && line[0] != byte(diff.Context) {
			continue
		}
		text := line[1:]
		if i+1 < len(lines) && strings.HasPrefix(lines[i+1], `\`) {
			text = strings.TrimSuffix(text, "\n")
		}
		if !bytes.HasPrefix(data, []byte(text)) {
			return false
		}
		data = data[len(text):]
	}
	return true
}
