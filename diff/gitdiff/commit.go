package gitdiff

import (
	"context"
	"fmt"

	"github.com/codescan-dev/scanner/diff"
)

// AllOf returns the files of a commit, each to be scanned whole, as [Repo.All]
// does for the working tree: sorted by path, Status is Added, there are no hunks,
// and Load reads the file. The attributes are those of the commit. Links,
// submodules and files over [MaxFileSize] are listed with Skip.
//
// Whether a file is binary is known only after loading. Loaders fail when ctx ends
// or the repository is closed.
//
// The error is the context's, an [*Error], or an error about output of git that
// cannot be parsed.
func (r *Repo) AllOf(ctx context.Context, rev string) ([]diff.File, error) {
	files, err := r.allOf(ctx, rev)
	return files, explain(ctx, err)
}

func (r *Repo) allOf(ctx context.Context, rev string) ([]diff.File, error) {
	commit, err := r.resolveRef(ctx, otherRef, rev)
	if err != nil {
		return nil, err
	}
	entries, err := r.git.tree(ctx, commit)
	if err != nil {
		return nil, err
	}
	attributes, remove, err := r.attrRepo(ctx, commit, entries)
	if err != nil {
		return nil, err
	}
	defer remove()
	var oids []string
	for _, e := range entries {
		if err := checkedOut(e.path); err != nil {
			return nil, err
		}
		if isRegular(e.mode) {
			oids = append(oids, e.oid)
		}
	}
	sizes, err := r.git.sizes(ctx, oids)
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
	if err := attributes.markGenerated(ctx, files, true); err != nil {
		return nil, err
	}
	sortFiles(files)
	return files, nil
}
