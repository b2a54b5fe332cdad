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

	"github.com/codescan-dev/scanner/internal/dotdir"
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
// First every file is compared with what was analyzed. The fixes of one that
// differs, or is not a regular file of this repository (see [Lstat]), are
// refused. Then a patch with all changes is written to ".scanner/fixes" and
// synced, then the new contents next to each file, and then each takes the place
// of its file by a rename. So a file has its old or its new contents at any time,
// and git apply -R can undo the change even after a kill.
//
// An error without a result means that no file changed. An error with a result
// means that only Result.Files changed; the patch has been cut down to these.
func Apply(root *os.Root, p *Plan, opts Options) (*Result, error) {
	res := &Result{Outcomes: slices.Clone(p.Outcomes)}
	changes := unchanged(root, p.Changes, res.Outcomes)
	if len(changes) == 0 {
		return res, nil
	}
	dir, err := dotdir.Open(root, "fixes")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	name := opts.ID + ".patch"
	res.Patch = dotdir.Name + "/fixes/" + name
	// The patch quotes files that other users may not be allowed to read.
	if err := writeNew(dir, name, patch(changes), 0o600); err != nil {
		return nil, fmt.Errorf("patch %q: %w", res.Patch, err)
	}
	syncDir(dir, ".")

	n, err := replaceAll(root, changes, opts)
	if n == 0 {
		return nil, errors.Join(err, dir.Remove(name))
	}
	if n < len(changes) {
		err = errors.Join(err, rewrite(dir, name, patch(changes[:n])))
	}
	for _, ch := range changes[:n] {
		res.Files = append(res.Files, ch.Path)
		for _, i := range ch.Fixes {
			res.Outcomes[i].Status = StatusApplied
		}
	}
	return res, err
}

// unchanged returns the changes of files that are what was analyzed. It refuses
// the fixes of the others.
func unchanged(root *os.Root, changes []Change, outcomes []Outcome) []Change {
	var good []Change
	for _, ch := range changes {
		_, err := readUnchanged(root, &ch)
		if err == nil {
			good = append(good, ch)
			continue
		}
		r := refuseFile(ch.Path, err)
		for i := range outcomes {
			if o := &outcomes[i]; o.Suggestion.Path == ch.Path && o.Status != StatusRefused {
				o.refuse(r)
			}
		}
	}
	return good
}

// readUnchanged returns the mode of a file that is what was analyzed.
func readUnchanged(root *os.Root, ch *Change) (fs.FileMode, error) {
	data, info, err := readFile(root, ch.Path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !bytes.Equal(data, ch.Before) {
		err = stale(ch.Path)
	}
	if err != nil {
		return 0, err
	}
	return info.Mode(), nil
}

// replaceAll replaces the files in their order, and returns the number of those
// that it replaced. The new contents of all are written first, so that a full
// disk or a directory that is not writable leaves every file as it is.
func replaceAll(root *os.Root, changes []Change, opts Options) (n int, err error) {
	var temps []string
	defer func() {
		for _, temp := range temps[n:] {
			_ = root.Remove(temp)
		}
	}()
	for i := range changes {
		temp, err := stage(root, &changes[i])
		if err != nil {
			return 0, fileError(&changes[i], err)
		}
		temps = append(temps, temp)
	}
	for i := range changes {
		if err := replace(root, &changes[i], temps[i], opts); err != nil {
			return n, fileError(&changes[i], err)
		}
		n++
	}
	return n, nil
}

// stage writes the new contents of a file next to it, and returns their name.
func stage(root *os.Root, ch *Change) (string, error) {
	mode, err := readUnchanged(root, ch)
	if err != nil {
		return "", err
	}
	temp := path.Join(path.Dir(ch.Path), ".scanner-fix-"+rand.Text()+".tmp")
	return temp, writeNew(root, temp, ch.After, mode)
}

// replace renames new contents over a file. It compares the file once more: the
// user may have saved it in an editor while the new contents were written.
func replace(root *os.Root, ch *Change, temp string, opts Options) error {
	if opts.beforeRename != nil {
		if err := opts.beforeRename(ch.Path); err != nil {
			return err
		}
	}
	if _, err := readUnchanged(root, ch); err != nil {
		return err
	}
	if err := root.Rename(temp, ch.Path); err != nil {
		return dotdir.Cause(err)
	}
	syncDir(root, path.Dir(ch.Path))
	return nil
}

func fileError(ch *Change, err error) error {
	return fmt.Errorf("fixes for %q: %w", ch.Path, err)
}
