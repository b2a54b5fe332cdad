package gitdiff

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner/diff"
)

// AllOf returns the files of a commit, each to be looked at whole, as [Repo.All]
// does for the working tree: sorted by path, Status is Added, there are no hunks,
// and Load reads the file. The attributes are those of the commit. Links,
// submodules and files over [MaxFileSize] are listed with Skip. paths, relative
// to the root, limit what is listed; none means everything.
//
// Whether a file is binary shows when it is loaded. Loaders fail when ctx ends or
// the repository is closed.
//
// The error is the context's, an [*Error], or an error about output of git that
// is not understood.
func (r *Repo) AllOf(ctx context.Context, rev string, paths []string) ([]diff.File, error) {
	files, err := r.allOf(ctx, rev, paths)
	return files, contextError(ctx, gitFailure(err))
}

func (r *Repo) allOf(ctx context.Context, rev string, paths []string) ([]diff.File, error) {
	if err := checkPaths(paths); err != nil {
		return nil, err
	}
	commit, err := r.resolveRef(ctx, otherRef, rev)
	if err != nil {
		return nil, err
	}
	entries, err := r.git.tree(ctx, commit)
	if err != nil {
		return nil, err
	}
	g, remove, err := r.attrRepo(ctx, commit, entries)
	if err != nil {
		return nil, err
	}
	defer remove()
	if len(paths) > 0 && !slices.Contains(paths, ".") {
		entries = slices.DeleteFunc(entries, func(e indexEntry) bool {
			return !slices.ContainsFunc(paths, func(p string) bool { return within(e.path, p) })
		})
	}
	var oids []string
	for _, e := range entries {
		if err := checkedOut(e.path); err != nil {
			return nil, err
		}
		if isRegular(e.mode) {
			oids = append(oids, e.oid)
		}
	}
	sizes, err := g.sizes(ctx, oids)
	if err != nil {
		return nil, err
	}
	blobs := r.loaders(ctx)
	files := make([]diff.File, len(entries))
	for i, e := range entries {
		f := diff.File{Path: e.path, Status: diff.Added, Mode: e.mode}
		switch {
		case e.mode == modeSubmodule:
			f.Skip = diff.ReasonSubmodule
		case e.mode == modeLink:
			f.Skip = diff.ReasonLink
		case sizes[e.oid] > MaxFileSize:
			f.Skip = diff.ReasonTooLarge
		default:
			f.Load = func() ([]byte, error) {
				data, err := blobs.read(e.oid)
				if err != nil {
					return nil, fmt.Errorf("read file %q of commit %s: %w", e.path, commit, err)
				}
				return data, nil
			}
		}
		files[i] = f
	}
	if err := checkNamed(ctx, paths, files, func(ctx context.Context, p string) error { return g.missing(ctx, commit, p) }); err != nil {
		return nil, err
	}
	if err := g.markGenerated(ctx, files, true); err != nil {
		return nil, err
	}
	sortFiles(files)
	return files, nil
}

// missing says why a path leads to no file of a commit.
func (g *git) missing(ctx context.Context, commit, p string) error {
	if p == "." {
		return nil
	}
	entries, err := g.tree(ctx, commit)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if within(e.path, p) {
			return nil
		}
		if e.mode == modeLink && strings.HasPrefix(p, e.path+"/") {
			return &Error{Kind: BadPath, Subject: p, Hint: "name it by its own path",
				Err: fmt.Errorf("path %q leads through the symbolic link %q", p, e.path)}
		}
	}
	return &Error{Kind: BadPath, Subject: p, Err: fmt.Errorf("path %q is neither in commit %s nor in the change", p, commit)}
}
