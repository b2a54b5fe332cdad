package skilltest

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"testing/fstest"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/dotdir"
)

// The names of what is in a fixture apart from code.
const (
	changeFile = "change.diff"
	wantFile   = "want.toml"
	answersDir = "answers"
)

// maxFile is the size of the largest file of a fixture, in bytes.
const maxFile = 8 << 20

// Fixture is code with what a skill is to find in it. It is read by [Load], and is safe
// for concurrent use.
type Fixture struct {
	// Name is that of its directory.
	Name string

	fsys       fs.FS
	dir        string // in fsys
	files      []diff.File
	tree       fstest.MapFS
	lines      map[scanner.Location]string // of the new side of the change, with the expectations
	wants      []want
	answers    bool
	needsModel bool
	allow      bool // findings that nothing expects
}

// Load reads the fixtures of the skill in the directory dir of fsys, in the order of their
// names. A skill without the directory "tests" has none. The error lists what is wrong
// with any of them, with file and line.
func Load(fsys fs.FS, dir string) ([]Fixture, error) {
	entries, err := fs.ReadDir(fsys, path.Join(dir, "tests"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var fixtures []Fixture
	var errs []error
	for _, e := range entries {
		if !e.IsDir() || e.Name()[0] == '.' {
			continue
		}
		f := Fixture{
			Name: e.Name(), fsys: fsys, dir: path.Join(dir, "tests", e.Name()),
			tree: make(fstest.MapFS), lines: make(map[scanner.Location]string),
		}
		errs = append(errs, f.load())
		fixtures = append(fixtures, f)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return fixtures, nil
}

// NeedsModel reports whether the fixture is about what a model finds. If not, it is about
// what the rules of the skill find.
func (f *Fixture) NeedsModel(s scanner.Skill) bool {
	return f.answers || f.needsModel || len(s.Patterns) == 0
}

// load reads the files of a fixture.
func (f *Fixture) load() error {
	contents, err := dotdir.ReadTree(f.fsys, f.dir, maxFile)
	if err != nil {
		return err
	}
	all := len(contents)
	maps.DeleteFunc(contents, func(name string, _ []byte) bool { return strings.HasPrefix(name, answersDir+"/") })
	f.answers = len(contents) < all
	patch, isDiff := contents[changeFile]
	wants := contents[wantFile]
	delete(contents, changeFile)
	delete(contents, wantFile)
	names := slices.Sorted(maps.Keys(contents))
	if isDiff {
		f.files, err = diff.Parse(patch)
	} else {
		for i, name := range names {
			f.files = append(f.files, diff.File{Path: name, Status: diff.Added, Mode: 0o100644, Hunks: diff.AddedHunks(contents[name])})
			f.files[i].MarkBinary(contents[name])
		}
	}
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", path.Join(f.dir, changeFile), err)
	case len(f.files) == 0:
		return fmt.Errorf("%s: the fixture has no code: add a file, or %s", f.dir, changeFile)
	}
	var errs []error
	for i := range f.files {
		for j := range f.files[i].Hunks {
			errs = append(errs, f.readHunk(f.files[i].Path, &f.files[i].Hunks[j]))
		}
	}
	for _, name := range names {
		if err := f.addToTree(name, contents[name]); isDiff {
			errs = append(errs, err)
		}
	}
	return errors.Join(append(errs, f.readWants(wants))...)
}

// readHunk reads the expectations on the new side of a hunk, and takes all out of it.
func (f *Fixture) readHunk(name string, h *diff.Hunk) error {
	var b strings.Builder
	var errs []error
	var pending []want // about the next line
	at := scanner.Location{Path: name, StartLine: h.NewStart}
	for line := range strings.Lines(h.Body) {
		op, text := diff.Op(line[0]), strings.TrimRight(line[1:], "\r\n")
		code, wants, ok, err := cutWant(text)
		b.WriteString(line[:1] + code + line[1+len(text):])
		if op != diff.Add && op != diff.Context {
			continue
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s/%v: %w", f.dir, at, err))
		}
		for _, w := range wants {
			w.source = at.String()
			pending = append(pending, w)
		}
		f.lines[at] = text
		if !ok || code != "" {
			for _, w := range pending {
				w.at = at
				f.wants = append(f.wants, w)
			}
			pending = nil
		}
		at.StartLine++
	}
	for _, w := range pending {
		errs = append(errs, fmt.Errorf("%s/%s: no line follows that the expectation could be about", f.dir, w.source))
	}
	h.Body = b.String()
	return errors.Join(errs...)
}

// addToTree adds a file without the expectations. The error is about the first line in which
// a diff has other code, or lacks the expectations.
func (f *Fixture) addToTree(name string, data []byte) (err error) {
	var b bytes.Buffer
	at := scanner.Location{Path: name, StartLine: 1}
	for line := range strings.Lines(string(data)) {
		text := strings.TrimRight(line, "\r\n")
		code, _, ok, _ := cutWant(text)
		b.WriteString(code + line[len(text):])
		other, inChange := f.lines[at]
		switch want, _, _, _ := cutWant(other); {
		case err != nil:
		case inChange && want != code:
			err = fmt.Errorf("%s/%v: the line differs from %q, which it is in %s", f.dir, at, want, changeFile)
		case ok && text != other:
			err = fmt.Errorf("%s/%v: the expectation is not on this line of %s: expectations belong there, and here only as a copy", f.dir, at, changeFile)
		}
		at.StartLine++
	}
	for l := range f.lines {
		if err == nil && l.Path == name && l.StartLine >= at.StartLine {
			err = fmt.Errorf("%s/%v: the file ends before this line, which is in %s", f.dir, at, changeFile)
		}
	}
	f.tree[name] = &fstest.MapFile{Data: b.Bytes(), Mode: 0o644}
	return err
}
