package gitdiff

import (
	"context"
	"slices"
	"strings"
)

// Files returns the sorted paths of the working tree that are tracked, or
// untracked and not ignored: regular files and symbolic links. Repositories
// inside of this one are left out. What is tracked may be gone from the disk.
func (r *Repo) Files(ctx context.Context) ([]string, error) {
	index, untracked, _, err := r.listing(ctx, nil)
	if err != nil {
		return nil, contextError(ctx, gitFailure(err))
	}
	var paths []string
	for _, e := range index {
		if (isRegular(e.mode) || e.mode == modeLink) && !inGitDir(e.path) {
			paths = append(paths, e.path)
		}
	}
	for _, p := range untracked {
		if !strings.HasSuffix(p, "/") {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths), nil
}
