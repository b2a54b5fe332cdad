package project

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/codescan-dev/scanner/diff/gitdiff"
)

// Project is a repository, or a directory outside of any repository. It must not be
// used concurrently.
type Project struct {
	env     Env
	repo    *gitdiff.Repo // nil outside of a repository
	noRepo  error         // why there is no repository
	root    string        // of the repository; outside of one, env.Dir
	tree    *os.Root      // opened on root
	started time.Time
	closers []func()
}

// Open opens the repository that env.Dir belongs to. Outside of a repository there
// is a project, too, but only diffs can be scanned there; see [Options.Diff]. The
// caller must close the project.
func Open(ctx context.Context, env Env) (*Project, error) {
	p := &Project{env: env.withDefaults(), root: env.Dir}
	p.started = p.env.Now()
	var err error
	p.repo, err = gitdiff.Open(ctx, env.Dir, gitdiff.Options{Env: env.Environ, TempDir: p.env.tempDir()})
	switch {
	case err == nil:
		p.closers = append(p.closers, func() { p.repo.Close() })
		p.root = p.repo.Root()
	case ctx.Err() != nil:
		return nil, err
	default:
		p.repo, p.noRepo = nil, gitError(err)
	}
	if p.tree, err = os.OpenRoot(p.root); err != nil {
		p.Close()
		return nil, fmt.Errorf("open %q: %w", p.root, bareError(err))
	}
	p.closers = append(p.closers, func() { p.tree.Close() })
	return p, nil
}

// Close releases the project and everything that was planned for it.
func (p *Project) Close() {
	for i := len(p.closers) - 1; i >= 0; i-- {
		p.closers[i]()
	}
	p.closers = nil
}

// rel returns a path that the user gave relative to the root, with '/'.
func (p *Project) rel(arg string) (string, error) {
	if p.repo != nil {
		rel, err := p.repo.Path(arg)
		return rel, gitError(err)
	}
	if !filepath.IsAbs(arg) {
		arg = filepath.Join(p.env.Dir, arg)
	}
	rel, err := filepath.Rel(p.root, arg)
	if err != nil || !filepath.IsLocal(rel) {
		return "", usagef("path %q is outside of %q", arg, p.root)
	}
	return filepath.ToSlash(rel), nil
}

// CheckLinks returns an error if the path of a file to write leads over a symbolic
// link of the repository, whose target the author of a change decides on. Paths
// outside of the repository are not checked.
func (p *Project) CheckLinks(name string) error {
	rel, err := p.rel(name)
	if err != nil {
		return nil
	}
	for i := range len(rel) + 1 {
		if i < len(rel) && rel[i] != '/' {
			continue
		}
		info, err := p.tree.Lstat(filepath.FromSlash(rel[:i]))
		if err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return usagef("%q leads over the symbolic link %q of the repository", name, rel[:i])
		}
	}
	return nil
}

// within reports whether path, of which the end need not exist, is in root.
func within(root, path string) bool {
	rest := ""
	for {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = filepath.Join(real, rest)
			break
		}
		parent := filepath.Dir(path)
		if parent == path {
			break
		}
		path, rest = parent, filepath.Join(filepath.Base(path), rest)
	}
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	rel, err := filepath.Rel(root, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
