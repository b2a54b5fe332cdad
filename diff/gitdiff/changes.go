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

// Source selects the changes. The zero value is everything that is not committed:
// staged, unstaged, and untracked but not ignored, against HEAD, or against nothing
// in a repository without commits.
type Source struct {
	// Staged compares the index with HEAD. Contents are those of the index.
	Staged bool
	// Base compares the working tree, untracked files included, with the merge
	// base of this reference and HEAD, or of it and Head. It cannot be used with
	// Staged.
	Base string
	// Head compares this commit or reference with its merge base with Base. It
	// needs Base, and cannot be used with Staged or Paths. The working tree, the
	// index and attributes on disk are ignored; contents are those of the commit.
	// Names of functions ([diff.Hunk]) are found by git's default rule.
	Head string
	// Attributes is a commit or reference whose .gitattributes files alone decide
	// which files are generated (linguist-generated). Empty means those of Head, or,
	// without it, that those of both sides set the attribute.
	Attributes string
	// Paths limit the comparison to files and directories, relative to the root
	// and with '/', as [Repo.Path] returns them. They are taken literally. A file
	// that was renamed into them from elsewhere is reported as added. None means no
	// limit.
	Paths []string
	// Keep reports whether the contents of a file are wanted. The others are listed,
	// and need not have hunks or be marked as binary; git reads those that it tracks,
	// to find renames. Nil means all files.
	Keep func(path string) bool
}

// attempts bounds how often a change is read again because files change while
// git reads them.
const attempts = 3

// Changes returns what changed, sorted by path (rule 9 of the processing
// rules). A change of type, such as from a file to a link, is two files: the
// deletion and the addition; so is a file that was removed from the index but
// kept on disk.
//
// Skip is set for what cannot be analyzed: links and submodules (which have
// hunks), unreadable files and directories, conflicted files of the index, and
// files of which a side is over [diff.MaxSize]. For Binary see [diff.File.MarkBinary].
//
// The error is the context's, an [*Error], or an error about output of git that
// cannot be parsed; there are no partial results.
func (r *Repo) Changes(ctx context.Context, src Source) ([]diff.File, error) {
	if err := src.check(); err != nil {
		return nil, err
	}
	s, err := r.newScan(ctx, src)
	if err != nil {
		return nil, explain(ctx, err)
	}
	defer s.close()
	for i := 1; ; i++ {
		files, err := s.files(ctx)
		_, retryable := errors.AsType[*gitError](err)
		if !retryable || i == attempts || s.head != "" || ctx.Err() != nil {
			return files, explain(ctx, err)
		}
	}
}

// check refuses settings that cannot be used together, and invalid paths.
func (src *Source) check() error {
	bad := func(subject, msg string) error {
		return &Error{Kind: BadBase, Subject: subject, Err: errors.New(msg)}
	}
	switch {
	case src.Staged && src.Base != "":
		return bad(src.Base, "a base and staged changes cannot be used together")
	case src.Staged && src.Head != "":
		return bad(src.Head, "a head and staged changes cannot be used together")
	case src.Head != "" && src.Base == "":
		return bad(src.Head, "a head needs a base to be compared with")
	case src.Head != "" && len(src.Paths) > 0:
		return bad(src.Head, "a head and paths cannot be used together")
	}
	return checkPaths(src.Paths)
}

// newScan resolves what is compared. The caller must close the scan.
func (r *Repo) newScan(ctx context.Context, src Source) (*scan, error) {
	tree, head, err := r.sides(ctx, src)
	if err != nil {
		return nil, err
	}
	if src.Keep == nil {
		src.Keep = func(string) bool { return true }
	}
	s := &scan{
		r: r, keep: src.Keep, git: r.git, head: head, objects: src.Staged || head != "", paths: src.Paths, against: []string{tree},
		attributes: r.git, cached: src.Staged, chosen: head != "" || src.Attributes != "", close: func() {},
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
	return strings.TrimSpace(string(out)), "", err // the empty one
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

// checkNamed refuses a path that the user named, but that is neither in the
// working tree nor in the change, or that leads through a link: git lists no file
// by such a path, so the file would be skipped in silence.
func (r *Repo) checkNamed(paths []string, files []diff.File) error {
	for _, p := range paths {
		if slices.ContainsFunc(files, func(f diff.File) bool { return f.Path == p || strings.HasPrefix(f.Path, p+"/") }) {
			continue
		}
		if _, err := r.fs.Lstat(filepath.FromSlash(p)); err != nil {
			return &Error{Kind: BadPath, Subject: p, Err: fmt.Errorf("path %q is neither in the working tree nor in the change", p)}
		}
		for i, c := range p {
			if c != '/' {
				continue
			}
			if info, err := r.fs.Lstat(filepath.FromSlash(p[:i])); err == nil && info.Mode()&fs.ModeSymlink != 0 {
				return &Error{Kind: BadPath, Subject: p, Hint: "name it by its own path",
					Err: fmt.Errorf("path %q leads through the symbolic link %q", p, p[:i])}
			}
		}
	}
	return nil
}
