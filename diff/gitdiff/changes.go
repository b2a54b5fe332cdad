package gitdiff

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/codescan-dev/scanner/diff"
)

// Source says which changes are looked at. The zero value is everything that
// is not committed: staged, unstaged, and untracked but not ignored, against
// HEAD, or against nothing in a repository without commits.
type Source struct {
	// Staged compares the index with HEAD. Contents are those of the index.
	Staged bool
	// Base compares the working tree, untracked files included, with the merge
	// base of this reference and HEAD. It excludes Staged.
	Base string
	// Head, with Base, compares this commit, instead of the working tree, with
	// the merge base of the two. Neither the working tree nor the index are
	// looked at, nor attributes on disk; contents are those of the commit.
	Head string
	// Attributes is a commit. Its .gitattributes files, and nothing else, decide
	// what is generated (linguist-generated). Empty means the attributes of what
	// is scanned: those of Head, of the index, or of the working tree.
	Attributes string
	// Paths limit the comparison to files and folders, relative to the root and
	// with '/', as [Repo.Path] returns them. They are taken literally. A file
	// that was renamed into them from elsewhere counts as added. None means no
	// limit.
	Paths []string
}

// attempts bounds how often a change is read anew when files change meanwhile.
const attempts = 3

// Changes returns what changed, sorted by path (rule 9 of the processing
// rules). A change of type, such as from a file to a link, is two files: the
// deletion and the addition; so is a file that was removed from the index but
// kept on disk.
//
// Skip is set for what cannot be analyzed: links and submodules (their hunks
// are there), unreadable files and folders, conflicted files of the index, and
// files of which a side is over [MaxFileSize]. Binary is set when a side holds
// a NUL byte; such a file has no hunks where the change itself holds one.
//
// The error is the context's, an [*Error], or an error about output of git that
// is not understood; there are no partial results.
func (r *Repo) Changes(ctx context.Context, src Source) ([]diff.File, error) {
	if err := checkPaths(src.Paths); err != nil {
		return nil, err
	}
	if err := src.check(); err != nil {
		return nil, err
	}
	s := scan{r: r, git: r.git, objects: src.Staged || src.Head != "", limit: limits(src.Paths)}
	tree, head, err := r.sides(ctx, src)
	if err != nil {
		return nil, contextError(ctx, err)
	}
	s.against = []string{tree}
	if src.Staged {
		s.against = []string{"--cached", tree}
	}
	missing := r.missing
	if src.Head != "" || src.Attributes != "" {
		attributes := head
		if src.Attributes != "" {
			if attributes, err = r.resolveRef(ctx, attributeRef, src.Attributes); err != nil {
				return nil, contextError(ctx, err)
			}
		}
		b, err := r.borrow(ctx, attributes)
		if err != nil {
			return nil, contextError(ctx, gitFailure(err))
		}
		defer b.remove()
		s.attributes = &b.git
		if src.Head != "" {
			s.git, s.against = b.git, []string{tree, head}
			missing = func(p string) error { return b.missing(ctx, head, p) }
		}
	}
	for i := 1; ; i++ {
		files, err := s.files(ctx)
		if err == nil {
			err = checkNamed(src.Paths, files, missing)
		}
		var ge *GitError
		switch {
		case err == nil:
			return files, nil
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case i == attempts || src.Head != "" || !errors.As(err, &ge):
			return nil, gitFailure(err)
		}
	}
}

// check refuses settings that exclude each other.
func (src *Source) check() error {
	bad := func(subject, msg string) error {
		return &Error{Kind: BadBase, Subject: subject, Err: errors.New(msg)}
	}
	switch {
	case src.Staged && src.Base != "":
		return bad(src.Base, "a base and staged changes exclude each other")
	case src.Staged && src.Head != "":
		return bad(src.Head, "a head and staged changes exclude each other")
	case src.Head != "" && src.Base == "":
		return bad(src.Head, "a head needs a base to be compared with")
	}
	return nil
}

// sides returns the commit or tree on the old side, and the commit on the new
// one if there is a Head.
func (r *Repo) sides(ctx context.Context, src Source) (tree, head string, err error) {
	switch {
	case src.Head != "":
		return r.between(ctx, src.Base, src.Head)
	case src.Base != "":
		tree, err = r.mergeBase(ctx, src.Base)
		return tree, "", err
	case r.head != "":
		return r.head, "", nil
	}
	out, err := r.git.output(ctx, nil, "hash-object", "-t", "tree", "--stdin")
	return strings.TrimSpace(string(out)), "", gitFailure(err) // the empty one
}

func contextError(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// checkPaths refuses paths that Repo.Path could not have returned.
func checkPaths(paths []string) error {
	for _, p := range paths {
		if p == "" || path.Clean(p) != p || path.IsAbs(p) || p == ".." || strings.HasPrefix(p, "../") || strings.IndexByte(p, 0) >= 0 {
			return &Error{Kind: BadPath, Subject: p, Err: fmt.Errorf("path %q is not relative to the root of the repository", p)}
		}
	}
	return nil
}

// limits returns the pathspecs for the paths of a source.
func limits(paths []string) []string {
	if slices.Contains(paths, ".") {
		return nil
	}
	return literal(paths)
}

// checkNamed refuses a path that is not in the change, and for which missing,
// which looks at the tree that is scanned, has an error.
func checkNamed(paths []string, files []diff.File, missing func(path string) error) error {
	for _, p := range paths {
		named := func(f diff.File) bool { return within(f.Path, p) }
		if slices.ContainsFunc(files, named) {
			continue
		}
		if err := missing(p); err != nil {
			return err
		}
	}
	return nil
}

// within says whether p is top or below it.
func within(p, top string) bool { return p == top || strings.HasPrefix(p, top+"/") }

// missing says why a path leads to no file of the working tree.
func (r *Repo) missing(p string) error {
	if !r.exists(p) {
		return &Error{Kind: BadPath, Subject: p, Err: fmt.Errorf("path %q is neither in the working tree nor in the change", p)}
	}
	if link := r.linkAbove(p); link != "" {
		return &Error{Kind: BadPath, Subject: p, Hint: "name it by its own path",
			Err: fmt.Errorf("path %q leads through the symbolic link %q", p, link)}
	}
	return nil
}

// linkAbove returns the first folder of p that is a symbolic link, or nothing.
// Git knows no file by such a path, so none would ever match it.
func (r *Repo) linkAbove(p string) string {
	for i, c := range p {
		if c != '/' {
			continue
		}
		if info, err := r.fs.Lstat(filepath.FromSlash(p[:i])); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return p[:i]
		}
	}
	return ""
}

// change is a changed file with the object on its new side, if git named it.
type change struct {
	diff.File
	oid string
}

// scan is one comparison.
type scan struct {
	r          *Repo
	git        git      // has the objects
	objects    bool     // the new side are objects, those of the index or of a commit
	limit      []string // pathspecs
	against    []string // arguments of git diff
	attributes *git     // has the attributes in its index; nil: they are those of r
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
	if err := checkRecords(records); err != nil {
		return nil, err
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
	if s.attributes != nil {
		err = s.attributes.markGenerated(ctx, files, true)
	} else {
		err = s.r.git.markGenerated(ctx, files, s.objects)
	}
	if err != nil {
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
		f, err := os.OpenFile(full, os.O_RDONLY|openFlags, 0)
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
