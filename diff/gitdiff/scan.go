package gitdiff

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/proc"
)

// change is a changed file with the object on its new side, if git named it.
type change struct {
	diff.File
	oid string
}

// scan is one comparison.
type scan struct {
	r       *Repo
	keep    func(path string) bool
	git     git      // has the objects
	head    string   // the commit on the new side, if it is one
	objects bool     // the new side is in objects: those of head or of the index
	paths   []string // of the source
	against []string // arguments of git diff

	attributes git  // has the attributes,
	cached     bool // in its index
	chosen     bool // by the caller
	close      func()
}

func (s *scan) files(ctx context.Context) ([]diff.File, error) {
	var submodules []indexEntry
	var untracked, changed []diff.File
	against := s.against
	w, wctx := errgroup.WithContext(ctx)
	if !s.objects {
		w.Go(func() (err error) {
			submodules, untracked, err = s.untracked(wctx)
			return err
		})
		// Meanwhile git must not run in a submodule, where it would run filters.
		against = append([]string{"--ignore-submodules=dirty"}, against...)
	}
	w.Go(func() (err error) {
		changed, err = s.changed(wctx, &s.git, against)
		return err
	})
	err := w.Wait()
	if err == nil && len(submodules) > 0 {
		g := s.git
		g.config = append(slices.Clip(g.config), neutralize(g.submoduleNames(ctx, s.r.root, submodules))...)
		changed, err = s.changed(ctx, &g, s.against)
	}
	if err != nil {
		return nil, err
	}
	files := append(untracked, changed...)
	sortFiles(files)
	if err := s.confirmGenerated(ctx, files); err != nil {
		return nil, err
	}
	if err := s.r.checkNamed(s.paths, files); err != nil {
		return nil, err
	}
	return files, nil
}

// untracked returns the files that are not tracked, and the submodules in the index.
func (s *scan) untracked(ctx context.Context) (submodules []indexEntry, files []diff.File, err error) {
	submodules, files, err = s.git.list(ctx, fmt.Sprintf("%o ", modeSubmodule), limits(s.paths))
	if err != nil {
		return nil, nil, err
	}
	files, err = s.r.complete(ctx, files, func(dir *os.Root, name string, f *diff.File) error {
		if s.keep(f.Path) {
			return s.r.fillAdded(dir, name, f)
		}
		err := s.r.fillWhole(dir, name, f)
		f.Load = nil
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return submodules, files, s.attributes.markGenerated(ctx, files, s.cached)
}

// changed returns the tracked files that changed.
func (s *scan) changed(ctx context.Context, g *git, against []string) ([]diff.File, error) {
	limit := limits(s.paths)
	records, err := g.rawDiff(ctx, against, limit)
	if err != nil {
		return nil, err
	}
	paths := make([]string, len(records))
	for i := range records {
		paths[i] = records[i].path
		if err := checkedOut(paths[i]); err != nil && s.head != "" {
			return nil, err
		}
	}
	var generated map[string]bool
	var changes []change
	w, wctx := errgroup.WithContext(ctx)
	w.Go(func() (err error) {
		generated, err = s.attributes.generated(wctx, paths, s.cached)
		return err
	})
	w.Go(func() (err error) {
		var readable, dropped []string
		if readable, dropped, changes, err = s.inspect(wctx, records); err != nil {
			return err
		}
		for _, specs := range patchPathspecs(limit, readable, dropped) {
			part, err := g.patch(wctx, against, specs)
			if err != nil {
				return err
			}
			changes = append(changes, part...)
		}
		return s.markBinary(wctx, changes)
	})
	if err := w.Wait(); err != nil {
		return nil, err
	}
	files := make([]diff.File, len(changes))
	for i, c := range changes {
		files[i] = c.File
	}
	setGenerated(files, generated)
	return files, nil
}

// sortFiles sorts by path, a deletion before an addition.
func sortFiles(files []diff.File) {
	slices.SortStableFunc(files, func(a, b diff.File) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), -cmp.Compare(deleted(a), deleted(b)))
	})
}

func deleted(f diff.File) int {
	if f.Status == diff.Deleted {
		return 1
	}
	return 0
}

// inspect divides the records by what can be known without reading contents:
// the paths that git may compare, and those that it must not, with the files that are
// skipped because a side is too large or cannot be read.
func (s *scan) inspect(ctx context.Context, records []record) (readable, dropped []string, skipped []change, err error) {
	var oids []string
	for _, r := range records {
		if isRegular(r.oldMode) {
			oids = append(oids, r.oldOID)
		}
		if isRegular(r.newMode) && r.newOID != "" {
			oids = append(oids, r.newOID)
		}
	}
	sizes, err := s.git.sizes(ctx, oids)
	if err != nil {
		return nil, nil, nil, err
	}
	// Renames are looked for among additions and deletions: these come first, so
	// that they are in the same call of git if there are several.
	var later []string
	for i := range records {
		r := &records[i]
		newSize, reason := s.newSide(r, sizes)
		switch {
		case reason != "":
			c := r.change()
			if r.status == 'D' {
				c.Status, c.Mode = diff.Modified, r.oldMode // it exists, in a directory that cannot be entered
			}
			c.Skip = reason
			skipped = append(skipped, c)
			dropped = append(dropped, r.path)
		case max(sizes[r.oldOID], newSize) > diff.MaxSize(r.path):
			dropped = append(dropped, r.path)
			if sizes[r.oldOID] == newSize && s.statOnly(ctx, r) {
				continue
			}
			for _, part := range r.split() {
				c := part.change()
				c.Skip = cmp.Or(c.Skip, diff.ReasonTooLarge)
				skipped = append(skipped, c)
			}
		case r.status == 'A' || r.status == 'D':
			readable = append(readable, r.path)
		default:
			later = append(later, r.path)
		}
	}
	return append(readable, later...), dropped, skipped, ctx.Err()
}

// newSide returns the size of the new side of a record, or the reason why it
// cannot be read. Git has just checked that no link is on the way.
func (s *scan) newSide(r *record, sizes map[string]int64) (int64, diff.Reason) {
	if r.status == 'U' {
		return 0, diff.ReasonUnreadable
	}
	if s.objects {
		return sizes[r.newOID], ""
	}
	full := filepath.Join(s.r.root, filepath.FromSlash(r.path))
	info, err := os.Lstat(full)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return 0, diff.ReasonUnreadable
	case r.status == 'D' || !isRegular(r.newMode):
		return 0, ""
	case err != nil:
		// Not checked out, or removed just now, which git will notice.
		return sizes[r.newOID], ""
	case info.Mode().IsRegular():
		f, err := os.OpenFile(full, os.O_RDONLY|proc.NonBlock, 0)
		if err != nil {
			return 0, diff.ReasonUnreadable
		}
		f.Close()
		return info.Size(), ""
	case info.IsDir(), info.Mode()&fs.ModeSymlink != 0:
		return 0, ""
	}
	return 0, diff.ReasonUnreadable // a pipe, a socket, a device
}

// statOnly reports whether a file has the contents of its old side, and was
// listed only because its stat differs from that in the index.
func (s *scan) statOnly(ctx context.Context, r *record) bool {
	if s.objects || r.status != 'M' || r.oldMode != r.newMode || r.newOID != "" {
		return false
	}
	out, err := s.git.output(ctx, nil, "hash-object", "--", r.path)
	return err == nil && strings.TrimSpace(string(out)) == r.oldOID
}

// markBinary marks the binary files among those whose hunks are not all of them.
// What hunks leave out is the same on both sides, so the new side is enough.
func (s *scan) markBinary(ctx context.Context, changes []change) error {
	blobs := s.git.blobs(ctx)
	defer blobs.close()
	return each(ctx, len(changes), func(i int) error {
		c := &changes[i]
		if !s.keep(c.Path) || c.Skip != "" || c.Binary || c.Status == diff.Added || c.Status == diff.Deleted {
			return nil
		}
		var data []byte
		err := fs.ErrNotExist
		if !s.objects {
			data, err = s.r.read(c.Path)
		}
		if errors.Is(err, fs.ErrNotExist) && c.oid != "" {
			if data, err = blobs.read(c.oid); err != nil && !errors.Is(err, ErrTooLarge) {
				return err
			}
		}
		c.MarkBinary(data)
		return nil
	})
}
