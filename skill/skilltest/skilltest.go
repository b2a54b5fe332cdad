package skilltest

import (
	"errors"
	"fmt"
	"io/fs"
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
	lines      map[string]map[int]string // of the code that changed, by path and number
	wants      []want                    // with those of what must not be found
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
			tree: make(fstest.MapFS), lines: make(map[string]map[int]string),
		}
		errs = append(errs, f.load())
		fixtures = append(fixtures, f)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return fixtures, nil
}

// NeedsModel reports whether the fixture is about a skill with the answers of a model. If
// not, it is about the rules of the skill alone.
func (f *Fixture) NeedsModel(s scanner.Skill) bool {
	return f.answers || f.needsModel || len(s.Patterns) == 0
}

// load reads the files of a fixture.
func (f *Fixture) load() error {
	var names []string
	contents := make(map[string][]byte)
	err := fs.WalkDir(f.fsys, f.dir, func(name string, d fs.DirEntry, err error) error {
		rel := strings.TrimPrefix(name, f.dir+"/")
		switch {
		case err != nil:
			return err
		case d.IsDir() && rel == answersDir:
			f.answers = true
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		names = append(names, rel)
		if contents[rel], err = dotdir.ReadRegular(f.fsys, name, maxFile); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == changeFile || name == wantFile })
	patch, isDiff := contents[changeFile]
	if isDiff {
		err = f.readDiff(patch)
	}
	errs := []error{err}
	for _, name := range names {
		r := reader{f: f, path: name}
		text, err := r.file(contents[name], isDiff)
		errs = append(errs, err)
		f.tree[name] = &fstest.MapFile{Data: text, Mode: 0o644}
		if !isDiff {
			f.files = append(f.files, diff.File{Path: name, Status: diff.Added, Mode: 0o100644, Hunks: diff.AddedHunks(text)})
			f.files[len(f.files)-1].MarkBinary(text)
		}
	}
	if len(f.files) == 0 && errors.Join(errs...) == nil {
		errs = append(errs, fmt.Errorf("%s: the fixture has no code: add a file, or %s", f.dir, changeFile))
	}
	if data, ok := contents[wantFile]; ok {
		errs = append(errs, f.readWants(data))
	}
	return errors.Join(errs...)
}

// readDiff reads the change.
func (f *Fixture) readDiff(patch []byte) error {
	files, err := diff.Parse(patch)
	if err != nil {
		return fmt.Errorf("%s: %w", path.Join(f.dir, changeFile), err)
	}
	var errs []error
	for i := range files {
		r := reader{f: f, path: files[i].Path}
		for j := range files[i].Hunks {
			errs = append(errs, r.hunk(&files[i].Hunks[j]))
		}
	}
	f.files = files
	return errors.Join(errs...)
}
