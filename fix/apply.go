package fix

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
)

// Options are settings of [Apply].
type Options struct {
	// ID is the name of the patch, ".scanner/fixes/<ID>.patch", which must not
	// exist yet; for instance the name of the run's log.
	ID string

	// beforeRename is called before each file is replaced, in tests.
	beforeRename func(path string) error
}

// Result describes what was applied.
type Result struct {
	// Outcomes are those of the plan, brought up to date: planned fixes are
	// applied, or refused because of the file that was found.
	Outcomes []Outcome
	// Files are the paths of the changed files, sorted.
	Files []string
	// Patch is the path, from the root of the repository, of the patch with the
	// changes of all Files; git apply -R --whitespace=nowarn undoes them. Empty
	// if nothing changed.
	Patch string
}

// Apply changes the files of a plan in the repository that root is opened on.
//
// First every file is compared with what was analyzed. One that differs, is not
// a regular file, or lies below a symbolic link or in another repository is left
// alone, and its fixes are refused. Then a patch with all changes is written to
// ".scanner/fixes" and synced, then the new contents next to each file, and then
// each takes the place of its file by a rename. So a file has its old or its new
// contents at any time, and git apply -R can undo the change even after a kill.
//
// An error without a result means that no file changed. An error with a result
// means that only Result.Files changed; the patch has been cut down to these.
func Apply(root *os.Root, p *Plan, opts Options) (*Result, error) {
	p, modes := verify(root, p)
	if len(p.Changes) == 0 {
		return &Result{Outcomes: slices.Clone(p.Outcomes)}, nil
	}
	fixes, err := openFixes(root)
	if err != nil {
		return nil, err
	}
	defer fixes.Close()
	name := opts.ID + ".patch"
	patchPath := fixesPath + "/" + name
	// The patch quotes files that other users may not be allowed to read.
	if err := writeNew(fixes, name, p.Patch(), 0o600); err != nil {
		return nil, folderError(patchPath, err)
	}
	syncDir(fixes, ".")

	n, err := replaceAll(root, p.Changes, modes, opts.beforeRename)
	if n == 0 {
		return nil, errors.Join(err, fixes.Remove(name))
	}
	if n < len(p.Changes) {
		err = errors.Join(err, rewrite(fixes, name, p.patch(p.Changes[:n])))
	}
	res := &Result{Outcomes: slices.Clone(p.Outcomes), Patch: patchPath}
	for _, ch := range p.Changes[:n] {
		res.Files = append(res.Files, ch.Path)
		for _, i := range ch.Fixes {
			res.Outcomes[i].Status = StatusApplied
		}
	}
	return res, err
}

// verify returns the plan without the files that cannot be changed, and the
// modes of the others.
func verify(root *os.Root, p *Plan) (*Plan, []fs.FileMode) {
	for {
		var modes []fs.FileMode
		bad := make(map[string]refusal)
		for i := range p.Changes {
			mode, err := check(root, &p.Changes[i])
			if err != nil {
				bad[p.Changes[i].Path] = *refusalFor(p.Changes[i].Path, err)
			}
			modes = append(modes, mode)
		}
		if len(bad) == 0 {
			return p, modes
		}
		p = p.withoutFiles(bad)
	}
}

// check reports whether a file may be changed and is what was analyzed, and
// returns its mode.
func check(root *os.Root, ch *Change) (fs.FileMode, error) {
	info, err := lstat(root, ch.Path)
	if err != nil {
		return 0, err
	}
	if !info.Mode().IsRegular() {
		return 0, errNotRegular
	}
	if info.Size() != int64(len(ch.Before)) {
		return 0, ErrStale
	}
	data, err := root.ReadFile(ch.Path)
	if err != nil {
		return 0, cause(err)
	}
	if !bytes.Equal(data, ch.Before) {
		return 0, ErrStale
	}
	return info.Mode(), nil
}

// refusalFor returns why a file is left alone.
func refusalFor(path string, err error) *refusal {
	switch {
	case errors.Is(err, ErrStale), errors.Is(err, fs.ErrNotExist):
		return refuse(ReasonStale, "%s changed since it was analyzed", quote(path))
	case errors.Is(err, errSubmodule):
		return refuse(ReasonSubmodule, "%s %v", quote(path), err)
	case errors.Is(err, errNotRegular), errors.Is(err, errBelowLink):
		return refuse(ReasonNotRegular, "%s %v", quote(path), err)
	}
	return refuse(ReasonUnreadable, "%s: %v", quote(path), err)
}

// replaceAll replaces the files in their order, and returns the number of those
// that it replaced. The new contents of all are written first, so that a full
// disk or a directory that is not writable leaves every file as it is.
func replaceAll(root *os.Root, changes []Change, modes []fs.FileMode, before func(string) error) (int, error) {
	temps := make([]string, 0, len(changes))
	n := 0
	defer func() {
		for _, temp := range temps[n:] {
			_ = root.Remove(temp)
		}
	}()
	for i := range changes {
		ch := &changes[i]
		temp := path.Join(path.Dir(ch.Path), ".scanner-fix-"+rand.Text()+".tmp")
		if err := writeNew(root, temp, ch.After, modes[i]); err != nil {
			return 0, fileError(ch, err)
		}
		temps = append(temps, temp)
	}
	for i := range changes {
		if err := replace(root, &changes[i], temps[i], before); err != nil {
			return n, fileError(&changes[i], err)
		}
		n++
	}
	return n, nil
}

// replace renames the new contents over a file. It compares the file once more:
// the user may have saved it in an editor while the new contents were written.
func replace(root *os.Root, ch *Change, temp string, before func(string) error) error {
	if before != nil {
		if err := before(ch.Path); err != nil {
			return err
		}
	}
	if _, err := check(root, ch); err != nil {
		return err
	}
	if err := root.Rename(temp, ch.Path); err != nil {
		return cause(err)
	}
	syncDir(root, path.Dir(ch.Path))
	return nil
}

func fileError(ch *Change, err error) error {
	return fmt.Errorf("fixes for %q: %w", ch.Path, err)
}
