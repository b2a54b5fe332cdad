package gitdiff

import (
	"cmp"
	"context"
	"errors"
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
	git     git      // has the objects
	head    string   // the commit on the new side, if it is one
	objects bool     // the new side are objects, those of head or of the index
	limit   []string // pathspecs
	against []string // arguments of git diff

	attributes git  // has the attributes,
	cached     bool // in its index
	close      func()
}

// missing says why a path that the user named leads to no file on the new side;
// nil if it does.
func (s *scan) missing(ctx context.Context, p string) error {
	if s.head != "" {
		return s.git.missing(ctx, s.head, p)
	}
	return s.r.missing(ctx, p)
}

func (s *scan) files(ctx context.Context) ([]diff.File, error) {
	g := s.git // its configuration grows
	var others, unopened []string
	if !s.objects {
		index, untracked, closed, err := s.r.listing(ctx, s.limit)
		if err != nil {
			return nil, err
		}
		names, err := g.submoduleNames(ctx, s.r.root, index)
		if err != nil {
			return nil, err
		}
		g.config = append(slices.Clip(g.config), neutralize(names)...)
		others, unopened = untracked, closed
	}
	records, err := g.rawDiff(ctx, s.against, s.limit)
	if err != nil {
		return nil, err
	}
	if s.head != "" {
		for i := range records {
			if err := checkedOut(records[i].path); err != nil {
				return nil, err
			}
		}
	}
	keep, aside, err := s.inspect(ctx, records)
	if err != nil {
		return nil, err
	}

	var drop []string
	for _, f := range aside {
		drop = append(drop, f.Path)
		if f.OldPath != "" {
			drop = append(drop, f.OldPath)
		}
	}
	batches := patchPathspecs(s.limit, keep, drop)
	results := make([][]change, len(batches))
	var added []diff.File
	w, gctx := errgroup.WithContext(ctx)
	w.Go(func() (err error) {
		added, err = s.r.addUntracked(gctx, others)
		return err
	})
	w.Go(func() (err error) {
		for i, specs := range batches {
			if results[i], err = g.patch(gctx, s.against, specs); err != nil {
				return err
			}
		}
		return nil
	})
	if err := w.Wait(); err != nil {
		return nil, err
	}
	changes := append(aside, slices.Concat(results...)...)
	if err := s.markBinary(ctx, changes); err != nil {
		return nil, err
	}
	files := slices.Concat(unopenedFiles(unopened), added)
	for _, c := range changes {
		files = append(files, c.File)
	}
	sortFiles(files)
	if err := s.attributes.markGenerated(ctx, files, s.cached); err != nil {
		return nil, err
	}
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

// inspect parts the records by what can be seen without reading: the paths that
// git may compare, and the files that are set aside because a side is too large
// or cannot be read.
func (s *scan) inspect(ctx context.Context, records []record) (keep []string, aside []change, err error) {
	found := make([]finding, len(records))
	err = each(ctx, len(records), func(i int) error {
		found[i] = s.look(&records[i])
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	var oids []string
	for i := range records {
		r := &records[i]
		if isRegular(r.oldMode) {
			oids = append(oids, r.oldOID)
		}
		if found[i].blob {
			oids = append(oids, r.newOID)
		}
	}
	sizes, err := s.git.sizes(ctx, oids)
	if err != nil {
		return nil, nil, err
	}
	pointers, err := s.pointers(ctx, records, found, sizes)
	if err != nil {
		return nil, nil, err
	}
	// Renames are looked for among additions and deletions: these come first, so
	// that they are in the same call of git if there are several.
	var later []string
	var large []record
	for i := range records {
		r := &records[i]
		newSize := found[i].size
		if found[i].blob {
			newSize = sizes[r.newOID]
		}
		var oldSize int64
		if isRegular(r.oldMode) {
			oldSize = sizes[r.oldOID]
		}
		switch {
		case found[i].skip != "":
			c := r.change()
			if r.status == 'D' {
				c.Status, c.Mode = diff.Modified, r.oldMode // it is there, behind a closed folder
			}
			c.Skip = found[i].skip
			aside = append(aside, c)
		case pointers[r.path]:
		case max(oldSize, newSize) > MaxFileSize:
			same := oldSize == newSize && s.touched(r) && s.r.hashes(ctx, r.path, r.oldOID)
			if !same {
				large = append(large, *r)
			}
		case r.status == 'A' || r.status == 'D':
			keep = append(keep, r.path)
		default:
			later = append(later, r.path)
		}
	}
	return append(keep, later...), append(aside, largeFiles(large)...), nil
}

// finding is what is at the new side of a record.
type finding struct {
	skip diff.Reason // why it cannot be read
	size int64
	blob bool // the size is that of the object
}

// look looks at the new side of a record, without reading. Git has just seen to
// it that no link is on the way.
func (s *scan) look(r *record) finding {
	switch {
	case r.status == 'U':
		return finding{skip: diff.ReasonUnreadable}
	case s.objects:
		return finding{blob: isRegular(r.newMode)}
	}
	full := filepath.Join(s.r.root, filepath.FromSlash(r.path))
	info, err := os.Lstat(full)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return finding{skip: diff.ReasonUnreadable}
	case r.status == 'D' || !isRegular(r.newMode):
		return finding{}
	case err != nil:
		// Not checked out, or vanished just now, which git will notice.
		return finding{blob: r.newOID != ""}
	case info.Mode().IsRegular():
		f, err := os.OpenFile(full, os.O_RDONLY|proc.NonBlock, 0)
		if err != nil {
			return finding{skip: diff.ReasonUnreadable}
		}
		f.Close()
		return finding{size: info.Size()}
	case info.IsDir(), info.Mode()&fs.ModeSymlink != 0:
		return finding{}
	}
	return finding{skip: diff.ReasonUnreadable} // a pipe, a socket, a device
}

// largeFiles returns the files for records that git is not to read. Only those
// whose contents are the same under another name are joined to renames.
func largeFiles(records []record) []change {
	gone := map[string][]int{}
	for i, r := range records {
		if r.status == 'D' {
			gone[r.oldOID] = append(gone[r.oldOID], i)
		}
	}
	joined := make([]bool, len(records))
	var files []change
	add := func(r record) {
		c := r.change()
		c.Skip = cmp.Or(c.Skip, diff.ReasonTooLarge)
		files = append(files, c)
	}
	for _, r := range records {
		from := gone[r.newOID]
		if r.status != 'A' || r.newOID == "" || len(from) == 0 {
			continue
		}
		old := records[from[0]]
		gone[r.newOID] = from[1:]
		joined[from[0]] = true
		r.status, r.oldPath, r.oldMode = 'R', old.path, old.oldMode
		add(r)
	}
	renamed := map[string]bool{}
	for _, f := range files {
		renamed[f.Path] = true
	}
	for i, r := range records {
		if joined[i] || r.status == 'A' && renamed[r.path] {
			continue
		}
		for _, part := range r.split() {
			add(part)
		}
	}
	return files
}

// markBinary marks the files that hold a NUL byte which the hunks do not show.
// What hunks leave out is the same on both sides, so the new one tells.
func (s *scan) markBinary(ctx context.Context, changes []change) error {
	blobs := s.git.blobs(ctx)
	defer blobs.close()
	return each(ctx, len(changes), func(i int) error {
		c := &changes[i]
		if c.Skip != "" || c.Binary || c.Status == diff.Added || c.Status == diff.Deleted {
			return nil
		}
		var data []byte
		err := fs.ErrNotExist
		if !s.objects {
			data, err = s.r.read(c.Path)
		}
		if errors.Is(err, fs.ErrNotExist) && c.oid != "" {
			if data, err = blobs.read(c.oid); err != nil {
				return err
			}
		}
		if isBinary(data) {
			c.Binary = true
		}
		return nil
	})
}
