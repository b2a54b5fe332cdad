package project

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/diff/gitdiff"
)

// target is what is scanned.
type target struct {
	files []diff.File
	// all is files without the limit of the paths, if they are compared with a
	// base.
	all []diff.File
	// contents holds the files as they are scanned.
	contents fs.FS
}

// changes returns what a local run scans. It ends with limited, its contents with ctx.
func (p *Project) changes(ctx, limited context.Context, opts *Options) (*target, error) {
	paths := make([]string, len(opts.Paths))
	for i, arg := range opts.Paths {
		var err error
		if paths[i], err = p.rel(arg); err != nil {
			return nil, err
		}
	}
	if opts.Diff != nil {
		return p.diffTarget(opts.Diff, paths)
	}
	if opts.Head != "" {
		return p.commitTarget(ctx, limited, opts, paths)
	}
	var t target
	g, gctx := errgroup.WithContext(limited)
	g.Go(func() (err error) {
		if opts.All {
			t.files, err = p.repo.All(gctx, paths)
		} else {
			t.files, err = p.repo.Changes(gctx, gitdiff.Source{Staged: opts.Staged, Base: opts.Base, Paths: paths, Keep: opts.Shard.Has})
		}
		return err
	})
	if opts.Base != "" && len(paths) > 0 {
		g.Go(func() (err error) {
			t.all, err = p.repo.Changes(gctx, gitdiff.Source{Base: opts.Base})
			return err
		})
	}
	if opts.Staged {
		g.Go(func() (err error) {
			t.contents, err = p.repo.IndexFS(ctx) // lives longer than the group
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, gitError(err)
	}
	if !opts.Staged {
		t.contents = p.repo.WorktreeFS(ctx, t.files)
	}
	if t.all == nil {
		t.all = t.files
	}
	return &t, nil
}

// commitTarget returns the files of a commit that changed since it left the base.
func (p *Project) commitTarget(ctx, limited context.Context, opts *Options, paths []string) (*target, error) {
	var t target
	var err error
	t.all, err = p.repo.Changes(limited, gitdiff.Source{Base: opts.Base, Head: opts.Head, Keep: opts.Shard.Has})
	if e, ok := errors.AsType[*gitdiff.Error](err); ok && e.Kind == gitdiff.UnresolvedBase && opts.Base == opts.Head+"^" {
		t.all, err = p.repo.AllOf(ctx, opts.Head) // the first commit; files are read later
	}
	if err != nil {
		return nil, gitError(err)
	}
	if t.contents, err = p.repo.RevisionFS(ctx, opts.Head); err != nil {
		return nil, gitError(err)
	}
	for _, path := range paths {
		hit := slices.ContainsFunc(t.all, func(f diff.File) bool { return below(f.Path, path) })
		if _, err := fs.Stat(t.contents, path); err != nil && !hit {
			return nil, usagef("path %q is neither in the commit nor in the change", path)
		}
	}
	t.files = slices.DeleteFunc(slices.Clone(t.all), func(f diff.File) bool {
		return len(paths) > 0 && !slices.ContainsFunc(paths, func(p string) bool { return below(f.Path, p) })
	})
	return &t, nil
}

// diffTarget returns the files of a diff.
func (p *Project) diffTarget(files []diff.File, paths []string) (*target, error) {
	if len(paths) > 0 {
		files = slices.DeleteFunc(slices.Clone(files), func(f diff.File) bool {
			return !slices.ContainsFunc(paths, func(p string) bool { return below(f.Path, p) })
		})
		for _, path := range paths {
			hit := slices.ContainsFunc(files, func(f diff.File) bool { return below(f.Path, path) })
			if _, err := p.tree.Lstat(filepath.FromSlash(path)); err != nil && !hit {
				return nil, usagef("path %q is neither in the tree nor in the diff", path)
			}
		}
	}
	return &target{files: files, contents: newVerifiedFS(p.tree.FS(), files)}, nil
}
