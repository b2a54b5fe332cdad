package gitdiff

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner/diff"
)

// Source says which changes are looked at. The zero value is everything that
// is not committed: staged, unstaged, and untracked but not ignored, against
// HEAD, or against nothing in a repository without commits.
type Source struct {
	// Staged compares the index with HEAD. Contents are those of the index.
	Staged bool
	// Base compares the working tree, untracked files included, with the merge
	// base of this reference and HEAD, or of it and Head. It excludes Staged.
	Base string
	// Head compares this commit, or what a reference names, with its merge base
	// with Base. It needs Base and excludes Staged. Neither the working tree nor
	// the index is looked at, nor are attributes on disk; contents are those of
	// the commit. Names of functions ([diff.Hunk]) are found by git's default
	// rule.
	Head string
	// Attributes is a commit or reference whose .gitattributes files, and nothing
	// else, decide which files are generated (linguist-generated). Empty means
	// those of what is scanned: of Head, or else of the index or the working
	// tree with what the repository's info/attributes adds.
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
	s, err := r.newScan(ctx, src)
	if err != nil {
		return nil, contextError(ctx, gitFailure(err))
	}
	defer s.close()
	for i := 1; ; i++ {
		files, err := s.files(ctx)
		if err == nil {
			err = checkNamed(ctx, src.Paths, files, s.missing)
		}
		_, retryable := errors.AsType[*gitError](err)
		switch {
		case err == nil:
			return files, nil
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case i == attempts || s.head != "" || !retryable:
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

// newScan finds out what is compared. The scan is to be closed.
func (r *Repo) newScan(ctx context.Context, src Source) (*scan, error) {
	tree, head, err := r.sides(ctx, src)
	if err != nil {
		return nil, err
	}
	s := &scan{
		r: r, git: r.git, head: head, objects: src.Staged || head != "", limit: limits(src.Paths), against: []string{tree},
		attributes: r.git, cached: src.Staged, close: func() {},
	}
	if src.Staged {
		s.against = []string{"--cached", tree}
	}
	if head == "" && src.Attributes == "" {
		return s, nil
	}
	rules := head
	if src.Attributes != "" {
		if rules, err = r.resolveRef(ctx, attributeRef, src.Attributes); err != nil {
			return nil, err
		}
	}
	entries, err := r.git.tree(ctx, rules)
	if err != nil {
		return nil, err
	}
	if s.attributes, s.close, err = r.attrRepo(ctx, rules, entries); err != nil {
		return nil, err
	}
	s.cached = true
	if head != "" {
		s.git, s.against = s.attributes, []string{tree, head}
	}
	return s, nil
}

// sides returns the commit or tree on the old side, and the commit on the new
// one if there is a Head.
func (r *Repo) sides(ctx context.Context, src Source) (tree, head string, err error) {
	switch {
	case src.Head != "":
		return r.mergeBase(ctx, src.Base, src.Head)
	case src.Base != "" && r.head == "":
		return "", "", &Error{Kind: UnrelatedBase, Subject: src.Base, Hint: "commit first, or scan without a base",
			Err: fmt.Errorf("base reference %q: HEAD has no commits", src.Base)}
	case src.Base != "":
		tree, _, err = r.mergeBase(ctx, src.Base, "HEAD")
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
func checkNamed(ctx context.Context, paths []string, files []diff.File, missing func(ctx context.Context, path string) error) error {
	for _, p := range paths {
		named := func(f diff.File) bool { return within(f.Path, p) }
		if slices.ContainsFunc(files, named) {
			continue
		}
		if err := missing(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// within says whether p is top or below it.
func within(p, top string) bool { return p == top || strings.HasPrefix(p, top+"/") }

// missing says why a path leads to no file of the working tree.
func (r *Repo) missing(_ context.Context, p string) error {
	if _, err := r.fs.Lstat(filepath.FromSlash(p)); err != nil {
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
