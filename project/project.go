package project

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/codescan-dev/scanner/diff/gitdiff"
	"github.com/codescan-dev/scanner/internal/dotdir"
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
		return nil, fmt.Errorf("open %q: %w", p.root, dotdir.Cause(err))
	}
	p.closers = append(p.closers, func() { p.tree.Close() })
	if err := p.refusePipes(); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// Close releases the project and everything that was planned for it.
func (p *Project) Close() {
	for i := len(p.closers) - 1; i >= 0; i-- {
		p.closers[i]()
	}
	p.closers = nil
}

// Below returns the current directory relative to the root, with '/'; empty if it is the
// root, or outside.
func (p *Project) Below() string {
	dir, err := filepath.EvalSymlinks(p.env.Dir)
	if err != nil {
		return ""
	}
	rel, err := filepath.Rel(p.root, dir)
	if err != nil || rel == "." || !filepath.IsLocal(rel) {
		return ""
	}
	return filepath.ToSlash(rel)
}

// Refs returns HEAD and the short names of the branches and tags of the repository, also of
// remotes, at most 10,000. Outside of a repository there are none.
func (p *Project) Refs(ctx context.Context) []string {
	if p.repo == nil {
		return nil
	}
	return p.repo.Refs(ctx)
}

// rel returns a path that the user gave relative to the root, with '/'.
func (p *Project) rel(arg string) (string, error) {
	if p.repo != nil {
		rel, err := p.repo.Path(arg)
		return rel, gitError(err)
	}
	rel, err := filepath.Rel(p.root, p.env.path(arg))
	if err != nil || !filepath.IsLocal(rel) {
		return "", usagef("path %q is outside of %q", arg, p.root)
	}
	return filepath.ToSlash(rel), nil
}

// OpenOutput opens a file to write that the user named, and creates it together with
// missing directories. It reports whether the file is new; the contents of one that
// exists are kept. A path into the repository must not lead over a symbolic link in
// it, whose target the author of a change decides on. Opening a named pipe waits for
// its reader.
func (p *Project) OpenOutput(name string) (f *os.File, created bool, err error) {
	if !filepath.IsAbs(name) {
		dir, err := filepath.EvalSymlinks(p.env.Dir)
		if err != nil {
			return nil, false, err
		}
		name = filepath.Join(dir, name)
	}
	name = filepath.Clean(name)
	if rel, ok := p.inTree(name); ok {
		return dotdir.OpenFile(p.tree, rel)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return nil, false, err
	}
	_, err = os.Stat(name)
	created = errors.Is(err, fs.ErrNotExist)
	f, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o644)
	return f, created && err == nil, err
}

// Create writes a new file of the repository, whose path is relative to the root, with
// '/'. One that exists is not changed: the error is [fs.ErrExist]. A symbolic link on the
// way is an error.
func (p *Project) Create(name, text string) error {
	if p.repo == nil {
		return p.noRepo
	}
	return dotdir.Create(p.tree, name, text)
}

// OriginHost returns the host of the repository's remote "origin", in lower case; empty
// if it is not known.
func (p *Project) OriginHost(ctx context.Context) string {
	if p.repo == nil {
		return ""
	}
	c, _ := p.repo.Clone(ctx) // an error leaves it empty
	return c.OriginHost
}

// Contains reports whether a file or directory, which need not exist, is in the
// repository. A link of the repository that leads out of it is.
func (p *Project) Contains(name string) bool {
	_, ok := p.inTree(filepath.Join(p.env.path(name), "x"))
	return ok
}

// inTree returns the path from the root, with '/', of an absolute path that leads into
// the repository, which may be over links outside of it. Links on the rest of the way,
// inside of the repository, are not followed.
func (p *Project) inTree(name string) (rel string, ok bool) {
	root, err := p.tree.Stat(".")
	if err != nil {
		return "", false
	}
	for i := range len(name) {
		if !os.IsPathSeparator(name[i]) {
			continue
		}
		dir, err := filepath.EvalSymlinks(name[:i+1])
		if err != nil {
			return "", false
		}
		rest := name[i+1:]
		for ; ; dir = filepath.Dir(dir) {
			if info, err := os.Stat(dir); err == nil && os.SameFile(info, root) {
				return filepath.ToSlash(rest), true
			}
			if dir == filepath.Dir(dir) {
				break
			}
			rest = filepath.Join(filepath.Base(dir), rest)
		}
	}
	return "", false
}

// refusePipes returns an error if something below .scanner, or a file that git reads
// at the root, is neither a file nor a directory nor a link: git and others that read
// such files would wait for a named pipe forever.
func (p *Project) refusePipes() error {
	for _, name := range []string{dotdir.Name, ".gitignore", ".gitattributes"} {
		err := fs.WalkDir(p.tree.FS(), name, func(path string, e fs.DirEntry, err error) error {
			if err == nil && e.Type()&^(fs.ModeDir|fs.ModeSymlink) != 0 {
				return usagef("%q is not a regular file", path)
			}
			return nil // what cannot be read matters only to who needs it
		})
		if err != nil {
			return err
		}
	}
	return nil
}
