package tools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
)

// tree lists the files that tools may read.
type tree struct {
	fsys    fs.FS
	send    []string // globs of credential files that may be read
	max     int
	maxSize int64
	skill   map[string]string // see Options

	mu    sync.Mutex
	files []string // sorted; nil until listed
	more  bool     // there are more than max
}

// skillDir is the directory of the files of the skill. The tree has no such directory: a
// file of it must not be mistaken for one of the skill.
const skillDir = "skill:"

// ofSkill reports whether a path or glob is about the files of the skill.
func ofSkill(name string) bool { return name == skillDir || strings.HasPrefix(name, skillDir+"/") }

// list returns the names of the files among which a path or glob selects, sorted: those of
// the skill, or those of the tree, which is walked once.
func (t *tree) list(ctx context.Context, where string) ([]string, error) {
	if ofSkill(where) {
		return slices.Sorted(maps.Keys(t.skill)), nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.files != nil {
		return t.files, nil
	}
	files := []string{}
	err := fs.WalkDir(t.fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && d != nil && d.IsDir() && name != ".":
			return fs.SkipDir // a directory that cannot be listed is left out
		case err != nil:
			return err
		case name == ".":
			return nil
		case d.IsDir():
			if isGitDir(d.Name()) || strings.EqualFold(name, skillDir) {
				return fs.SkipDir
			}
			return nil
		case !d.Type().IsRegular(), t.isForbidden(name):
			return nil
		case len(files) == t.max:
			t.more = true
			return fs.SkipAll
		}
		files = append(files, name)
		return nil
	})
	if err != nil {
		return nil, errors.New("the files cannot be listed")
	}
	slices.Sort(files)
	t.files = files
	return files, nil
}

var (
	errBinary   = errors.New("is a binary file")
	errTooLarge = errors.New("is too large to be read")
	errNotFile  = errors.New("is not a regular file")
	errReport   = errors.New("is a report of an earlier run")
)

// read returns the contents of a listed file.
func (t *tree) read(name string) ([]byte, error) {
	if text, ok := t.skill[name]; ok {
		return []byte(text), nil
	}
	f, err := t.fsys.Open(name)
	if err != nil {
		return nil, errors.New("cannot be opened")
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, errors.New("cannot be read")
	case !info.Mode().IsRegular():
		return nil, errNotFile
	case info.Size() > t.maxSize:
		return nil, errTooLarge
	}
	all := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead))
	_, err = all.ReadFrom(io.LimitReader(f, t.maxSize+1))
	data := all.Bytes()
	switch {
	case err != nil:
		return nil, errors.New("cannot be read")
	case int64(len(data)) > t.maxSize:
		return nil, errTooLarge
	case bytes.IndexByte(data, 0) >= 0:
		return nil, errBinary
	case path.Ext(name) == ".jsonl" && bytes.HasPrefix(data, []byte(`{"run":{"timestamp":`)):
		return nil, errReport // it quotes code, and is another one after each run
	}
	return data, nil
}

// resolve returns the listed file that an argument names.
func (t *tree) resolve(ctx context.Context, arg string) (string, error) {
	name, err := t.cleanPath(arg)
	if err != nil {
		return "", err
	}
	files, err := t.list(ctx, name)
	if err != nil {
		return "", err
	}
	if _, ok := slices.BinarySearch(files, name); ok {
		return name, nil
	}
	if i, _ := slices.BinarySearch(files, name+"/"); i < len(files) && strings.HasPrefix(files[i], name+"/") {
		return "", fmt.Errorf("%q is a directory; list it with the %s tool", name, Glob)
	}
	if _, ok := t.skill[skillDir+"/"+name]; ok {
		return "", fmt.Errorf("there is no file %q among the readable files of the repository; that of the skill is %q", name, skillDir+"/"+name)
	}
	return "", fmt.Errorf("there is no file %q among the readable files", name)
}

// cleanPath returns the path of an argument, relative to the root.
func (t *tree) cleanPath(arg string) (string, error) {
	name := path.Clean(arg)
	switch {
	case strings.TrimSpace(arg) == "":
		return "", errors.New("the path is empty")
	case strings.ContainsRune(arg, 0):
		return "", fmt.Errorf("path %q contains a NUL byte", arg)
	case path.IsAbs(name):
		return "", fmt.Errorf("path %q is absolute: paths are relative to the root of the repository", arg)
	case name == ".." || strings.HasPrefix(name, "../"):
		return "", fmt.Errorf("path %q leads out of the repository", arg)
	case ofSkill(arg) && !ofSkill(name):
		return "", fmt.Errorf("path %q leads out of the skill", arg)
	case !fs.ValidPath(name):
		return "", fmt.Errorf("path %q is not valid", arg)
	case t.isForbidden(name):
		return "", fmt.Errorf("%q must not be read: files of this name can hold secrets", name)
	}
	return name, nil
}

// lines splits contents into lines without their ends.
func lines(text string) []string {
	if text == "" {
		return nil
	}
	all := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, l := range all {
		all[i] = strings.TrimSuffix(l, "\r")
	}
	return all
}
