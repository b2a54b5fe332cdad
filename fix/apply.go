package fix

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
)

// Options are settings of [Apply].
type Options struct {
	// ID names the journal and the patch of this application. It must be new
	// in the repository, for instance the name of the run's log: letters and
	// digits, with dots, dashes and underscores in between.
	ID string

	// before is called before each step that touches the disk, in tests.
	before func(step, path string) error
}

// Result says what was applied.
type Result struct {
	// Outcomes are those of the plan, brought up to date: planned fixes are
	// applied, or were refused for what was found on the disk.
	Outcomes []Outcome
	// Files are the paths of the changed files, sorted.
	Files []string
	// Patch is the path of the patch that holds all changes, from the root of
	// the repository; git apply -R --whitespace=nowarn takes them back. Empty
	// when nothing changed.
	Patch string
}

// Apply changes the files of a plan in the repository that root is opened on.
//
// First all files are compared with what was analyzed. Those that are not the
// same any more, or that are not regular files with a single name, reached over
// folders of this repository alone, are left out, with all fixes that touch
// them; fixes that overlapped with those may take their place. Then a patch and
// a journal are written to ".scanner/fixes", then the new contents beside each
// file, with its owner and mode, then each takes the place of its file in one
// step. At any time a file is the old or the new one, whole. Extended
// attributes, and access lists beyond the mode, are not kept.
//
// An error means that no file changed, unless there is a result too: then the
// files changed, but that may not outlast a loss of power, or the journal could
// not be closed. When the files that had changed by the time of an error could
// not be changed back, the error wraps [ErrPartial]. While another process
// applies fixes in the repository it wraps [ErrBusy].
func Apply(root *os.Root, p *Plan, opts Options) (*Result, error) {
	if err := checkID(opts.ID); err != nil {
		return nil, err
	}
	if len(p.Changes) == 0 {
		return &Result{Outcomes: slices.Clone(p.Outcomes)}, nil
	}
	fixes, err := openFixes(root, true)
	if err != nil {
		return nil, err
	}
	defer fixes.Close()
	l, err := lock(fixes)
	if err != nil {
		return nil, err
	}
	defer l.Close()

	a := &application{root: root, fixes: fixes, opts: opts}
	p = a.verify(p)
	if len(p.Changes) == 0 {
		return &Result{Outcomes: slices.Clone(p.Outcomes)}, nil
	}
	if err := a.prepare(p); err != nil {
		return nil, err
	}
	if err := a.replaceAll(); err != nil {
		return nil, err
	}
	res := &Result{Outcomes: slices.Clone(p.Outcomes), Patch: a.journal.Patch}
	for i := range res.Outcomes {
		if res.Outcomes[i].Status == StatusPlanned {
			res.Outcomes[i].Status = StatusApplied
		}
	}
	for _, f := range a.files {
		res.Files = append(res.Files, f.Path)
	}
	return res, a.finish()
}

// ErrPartial is wrapped by errors of [Apply] after which some of the files are
// changed and others are not. [Pending] says which.
var ErrPartial = errors.New("some files are changed and others are not")

// application is one run of Apply.
type application struct {
	root, fixes *os.Root
	opts        Options
	journal     Journal
	files       []*target
}

// target is a file to be changed.
type target struct {
	Change
	info     fs.FileInfo // as it was found
	temp     string      // the name of the new contents
	staged   bool        // they are there
	replaced bool        // they took the place of the file
}

func (a *application) step(name, path string) error {
	if a.opts.before == nil {
		return nil
	}
	return a.opts.before(name, path)
}

// verify compares the files with what was analyzed, and returns the plan
// without the fixes that touch those that differ.
func (a *application) verify(p *Plan) *Plan {
	good := make(map[string]fs.FileInfo)
	var seen []string // the keys of good, in the order of their entry
	for {
		bad := make(map[string]refusal)
		for i := range p.Changes {
			ch := &p.Changes[i]
			if good[ch.Path] != nil {
				continue
			}
			info, r := a.look(ch)
			if r == nil {
				// On a file system that does not mind the case, for instance.
				k := slices.IndexFunc(seen, func(other string) bool { return os.SameFile(info, good[other]) })
				if k >= 0 {
					r = refuse(ReasonPath, "%s is another name of %s", quote(ch.Path), quote(seen[k]))
				}
			}
			if r != nil {
				bad[ch.Path] = *r
				continue
			}
			good[ch.Path] = info
			seen = append(seen, ch.Path)
		}
		if len(bad) == 0 {
			break
		}
		p = p.withoutFiles(bad)
	}
	for i := range p.Changes {
		a.files = append(a.files, &target{Change: p.Changes[i], info: good[p.Changes[i].Path]})
	}
	return p
}

// look sees that a file is what was analyzed, and may be changed.
func (a *application) look(ch *Change) (fs.FileInfo, *refusal) {
	folder, name, err := openParent(a.root, ch.Path)
	if err != nil {
		return nil, refusalFor(ch.Path, err)
	}
	defer folder.Close()
	info, err := readSame(folder, name, ch.Before)
	if err != nil {
		return nil, refusalFor(ch.Path, err)
	}
	return info, nil
}

// refusalFor says why a file is left alone.
func refusalFor(path string, err error) *refusal {
	reason := ReasonUnreadable
	switch {
	case errors.Is(err, ErrStale), errors.Is(err, errReplaced), errors.Is(err, fs.ErrNotExist):
		return refuse(ReasonStale, "%s changed since it was analyzed", quote(path))
	case errors.Is(err, errSubmodule):
		reason = ReasonSubmodule
	case errors.Is(err, errHardLink):
		reason = ReasonHardLink
	case errors.Is(err, errLink), errors.Is(err, errNotFolder), errors.Is(err, errNotRegular):
		reason = ReasonNotRegular
	}
	var pe *pathError
	if errors.As(err, &pe) {
		return refuse(reason, "%s: %v", quote(path), err)
	}
	return refuse(reason, "%s %v", quote(path), err)
}

// withoutFiles returns the plan without the fixes that touch certain files.
func (p *Plan) withoutFiles(bad map[string]refusal) *Plan {
	excluded := make(map[int]refusal)
	for i := range p.fixes {
		if p.fixes[i].refused != nil {
			continue
		}
		if _, ok := p.excluded[i]; ok {
			continue
		}
		for _, f := range p.fixes[i].files {
			if r, ok := bad[f]; ok {
				excluded[i] = r
				break
			}
		}
	}
	return p.without(excluded)
}

// prepare writes all that is needed: patch, journal, and the new contents. On
// an error nothing is left of it.
func (a *application) prepare(p *Plan) error {
	id := a.opts.ID
	a.journal = Journal{ID: id, State: JournalStarted, Patch: fixesPath + "/" + id + patchEnd}
	for _, f := range a.files {
		f.temp = tempName()
		a.journal.Files = append(a.journal.Files, JournalFile{
			Path: f.Path, Before: sum(f.Before), After: sum(f.After), Temp: f.temp,
		})
	}
	if err := a.create(id+patchEnd, p.Patch()); err != nil {
		return err
	}
	err := a.step("create", fixesPath+"/"+id+journalEnd)
	if err == nil {
		// It appears whole: half a journal would tell of nothing for ever.
		err = a.journal.write(a.fixes)
	}
	if err != nil {
		return errors.Join(err, a.discard(id+journalEnd, id+patchEnd))
	}
	for _, f := range a.files {
		if err := a.stage(f, f.temp, f.After); err != nil {
			return errors.Join(a.fileError(f, err), a.discardAll())
		}
		f.staged = true
	}
	return nil
}

func tempName() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	return tempPrefix + hex.EncodeToString(b[:]) + ".tmp"
}

func (a *application) create(name string, data []byte) error {
	err := a.step("create", fixesPath+"/"+name)
	if err == nil {
		// It quotes files that others may not be allowed to read.
		err = writeNew(a.fixes, name, data, 0o600)
	}
	if err != nil {
		return folderError(fixesPath+"/"+name, err)
	}
	return nil
}

// discard removes files of the folder for fixes.
func (a *application) discard(names ...string) error {
	var errs []error
	for _, name := range names {
		if err := a.fixes.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, folderError(fixesPath+"/"+name, cause(err)))
		}
	}
	return errors.Join(errs...)
}

// discardAll removes everything that was prepared. The journal goes last, since
// it names the rest.
func (a *application) discardAll() error {
	var errs []error
	for _, f := range a.files {
		if f.staged && !f.replaced {
			errs = append(errs, removeTemp(a.root, f.Path, f.temp))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return a.discard(a.opts.ID+journalEnd, a.opts.ID+patchEnd)
}

func (a *application) fileError(f *target, err error) error {
	return fmt.Errorf("fixes for %q: %w", f.Path, err)
}

// stage writes contents beside a file, with its owner and mode. On an error
// nothing is left of them.
func (a *application) stage(f *target, temp string, data []byte) error {
	folder, _, err := openParent(a.root, f.Path)
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := a.step("stage", f.Path); err != nil {
		return err
	}
	// Nobody else may read what is not yet protected as the file is.
	w, err := folder.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return cause(err)
	}
	err = a.fill(w, f, data)
	if closeErr := w.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return errors.Join(cause(err), cause(folder.Remove(temp)))
	}
	return nil
}

func (a *application) fill(w *os.File, f *target, data []byte) error {
	if err := a.step("write", f.Path); err != nil {
		return err
	}
	if _, err := w.Write(data); err != nil {
		return err
	}
	if err := keepOwner(w, f.info); err != nil {
		return fmt.Errorf("its owner cannot be kept: %w", cause(err))
	}
	const mode = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky
	if err := w.Chmod(f.info.Mode() & mode); err != nil {
		return fmt.Errorf("its mode cannot be kept: %w", cause(err))
	}
	if err := a.step("sync", f.Path); err != nil {
		return err
	}
	return w.Sync()
}

// replaceAll puts the new contents in the place of the files. When that fails,
// those that were replaced are put back.
func (a *application) replaceAll() error {
	for _, f := range a.files {
		err := a.replace(f, f.temp, f.Before)
		if err == nil {
			f.replaced = true
			continue
		}
		err = a.fileError(f, err)
		if backErr := a.putBack(); backErr != nil {
			return fmt.Errorf("%w: %w: undoing the rest: %w", ErrPartial, err, backErr)
		}
		return errors.Join(err, a.discardAll())
	}
	return nil
}

// replace renames what was staged over a file, which must be what it was.
func (a *application) replace(f *target, temp string, was []byte) error {
	folder, name, err := openParent(a.root, f.Path)
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := a.step("replace", f.Path); err != nil {
		return err
	}
	if _, err := readSame(folder, name, was); err != nil {
		return err
	}
	return cause(folder.Rename(temp, name))
}

// putBack restores the files that were replaced.
func (a *application) putBack() error {
	var errs []error
	for _, f := range slices.Backward(a.files) {
		if !f.replaced {
			continue
		}
		// The same name, so that the journal knows it.
		err := a.stage(f, f.temp, f.Before)
		if err == nil {
			if err = a.replace(f, f.temp, f.After); err != nil {
				err = errors.Join(err, removeTemp(a.root, f.Path, f.temp))
			}
		}
		if err != nil {
			errs = append(errs, a.fileError(f, err))
		}
	}
	return errors.Join(errs...)
}

// finish makes sure that all is on the disk, and closes the journal.
func (a *application) finish() error {
	var errs []error
	synced := ""
	for i, f := range a.files {
		folder, _, err := openParent(a.root, f.Path)
		if err != nil {
			errs = append(errs, a.fileError(f, err))
			continue
		}
		if dir := parentOf(f.Path); i == 0 || dir != synced {
			synced = dir
			if err := syncFolder(folder); err != nil {
				errs = append(errs, a.fileError(f, err))
			}
		}
		folder.Close()
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	if err := a.step("done", a.journal.ID); err != nil {
		return journalError(a.journal.ID, err)
	}
	a.journal.State = JournalDone
	return a.journal.write(a.fixes)
}

func parentOf(path string) string {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '/' {
			return path[:i]
		}
	}
	return ""
}
