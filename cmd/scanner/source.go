package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/config"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/diff/gitdiff"
)

// project is the tree that is scanned.
type project struct {
	repo *gitdiff.Repo // nil when a diff is scanned outside of any repository
	dir  string        // where the command was started
	root string
	tree *os.Root // opened on root
}

// openProject finds the repository that dir belongs to. A diff from a file can
// do without: then the tree is dir itself.
func (p *process) openProject(ctx context.Context, dir string, o *scanOptions) (*project, error) {
	pr := &project{dir: dir, root: dir}
	var err error
	pr.repo, err = gitdiff.Open(ctx, dir, gitdiff.Options{Env: p.environ, TempDir: p.tempDir()})
	switch {
	case err == nil:
		pr.root = pr.repo.Root()
	case o.diffFile == "" || ctx.Err() != nil:
		return nil, gitError(err)
	}
	if pr.tree, err = os.OpenRoot(pr.root); err != nil {
		pr.close()
		return nil, fmt.Errorf("open %q: %w", pr.root, bareError(err))
	}
	return pr, nil
}

func (pr *project) close() {
	if pr.tree != nil {
		pr.tree.Close()
	}
	if pr.repo != nil {
		pr.repo.Close()
	}
}

func (pr *project) headSHA() string {
	if pr.repo == nil {
		return ""
	}
	return pr.repo.HeadSHA()
}

// rel turns a path as the user gave it into one relative to the root, with '/'.
func (pr *project) rel(arg string) (string, error) {
	if pr.repo != nil {
		p, err := pr.repo.Path(arg)
		return p, gitError(err)
	}
	if !filepath.IsAbs(arg) {
		arg = filepath.Join(pr.dir, arg)
	}
	p, err := filepath.Rel(pr.root, arg)
	if err != nil || !filepath.IsLocal(p) {
		return "", usagef("path %q is outside of %q", arg, pr.root)
	}
	return filepath.ToSlash(p), nil
}

// checkLinks refuses the name of a file to write that leads over a link of the
// repository: whoever wrote the change decides where that leads to.
func (pr *project) checkLinks(name string) error {
	rel, err := pr.rel(name)
	if err != nil || name == "-" {
		return nil // it is not in the repository
	}
	for i := range len(rel) + 1 {
		if i < len(rel) && rel[i] != '/' {
			continue
		}
		info, err := pr.tree.Lstat(filepath.FromSlash(rel[:i]))
		if err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return usagef("--output: %q leads over the symbolic link %q of the repository", name, rel[:i])
		}
	}
	return nil
}

// scanned is what there is to look at.
type scanned struct {
	files []diff.File
	// all is files without the limit of the paths, where it matters: compared
	// with a base.
	all []diff.File
	// contents holds the files as they are scanned.
	contents fs.FS
	close    func()
}

// changes finds out what there is to look at.
func (p *process) changes(ctx context.Context, pr *project, o *scanOptions) (*scanned, error) {
	paths := make([]string, len(o.paths))
	for i, arg := range o.paths {
		var err error
		if paths[i], err = pr.rel(arg); err != nil {
			return nil, err
		}
	}
	if o.diffFile != "" {
		return p.diffFile(ctx, pr, o.diffFile, paths)
	}
	var files, all []diff.File
	var contents *gitdiff.FS
	g, gctx := errgroup.WithContext(ctx)
	g.Go(func() (err error) {
		if o.all {
			files, err = pr.repo.All(gctx, paths)
		} else {
			files, err = pr.repo.Changes(gctx, gitdiff.Source{Staged: o.staged, Base: o.base, Paths: paths})
		}
		return err
	})
	if o.base != "" && len(paths) > 0 {
		g.Go(func() (err error) {
			all, err = pr.repo.Changes(gctx, gitdiff.Source{Base: o.base})
			return err
		})
	}
	g.Go(func() (err error) {
		if o.staged {
			contents, err = pr.repo.IndexFS(ctx) // lives longer than the group
		} else {
			contents, err = pr.repo.WorktreeFS(gctx)
		}
		return err
	})
	err := g.Wait()
	if err != nil {
		if contents != nil {
			contents.Close()
		}
		return nil, gitError(err)
	}
	if all == nil {
		all = files
	}
	return &scanned{files: files, all: all, contents: contents, close: func() { contents.Close() }}, nil
}

// maxDiff is the largest diff that is read from a file, in bytes.
const maxDiff = 1 << 30

// diffFile reads what changed from a file with a unified diff.
func (p *process) diffFile(ctx context.Context, pr *project, name string, paths []string) (*scanned, error) {
	from := name
	if name == "-" {
		from = "standard input"
	}
	data, err := p.readDiff(ctx, name)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, usagef("--diff-file %q: %w", from, bareError(err))
	case len(data) > maxDiff:
		return nil, usagef("--diff-file %q: larger than %d bytes", from, maxDiff)
	}
	files, err := diff.Parse(data)
	if err != nil {
		return nil, usagef("--diff-file %q: %w", from, err)
	}
	if len(paths) > 0 {
		all := files
		files = slices.DeleteFunc(slices.Clone(all), func(f diff.File) bool {
			return !slices.ContainsFunc(paths, func(p string) bool { return below(f.Path, p) })
		})
		for _, path := range paths {
			hit := slices.ContainsFunc(files, func(f diff.File) bool { return below(f.Path, path) })
			if _, err := pr.tree.Lstat(filepath.FromSlash(path)); err != nil && !hit {
				return nil, usagef("path %q is neither in the tree nor in the diff", path)
			}
		}
	}
	return &scanned{files: files, contents: newVerifiedFS(pr.tree.FS(), files), close: func() {}}, nil
}

// readDiff reads a file, or standard input, up to one byte more than is wanted.
// Who writes into a pipe may take any time, so it returns when ctx ends.
func (p *process) readDiff(ctx context.Context, name string) ([]byte, error) {
	return await(ctx, func() ([]byte, error) {
		in := p.stdin
		if name != "-" {
			f, err := os.Open(name)
			if err != nil {
				return nil, err
			}
			defer f.Close()
			in = f
		}
		return io.ReadAll(io.LimitReader(in, maxDiff+1))
	})
}

// below reports whether file is dir or below it. Both are relative to the root.
func below(file, dir string) bool {
	return dir == "." || file == dir || strings.HasPrefix(file, dir+"/")
}

// gitError gives an error of git its exit code, its hint, and where there is
// one the literal message.
func gitError(err error) error {
	var e *gitdiff.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Kind {
	case gitdiff.UnresolvedBase:
		err = usagef("%s: base reference %q does not resolve", "No changes found", e.Subject)
	case gitdiff.BadBase, gitdiff.ShallowBase, gitdiff.UnrelatedBase, gitdiff.UnresolvedRevision, gitdiff.BadPath:
		err = asUsage(err)
	}
	hint := e.Hint
	if e.Kind == gitdiff.NotRepository && hint == "" {
		hint = "run it in a repository, or scan a diff with --diff-file"
	}
	return withHint(err, hint)
}

// policyFiles returns the changed files that decide how a change is scanned.
// resolve tells what a name leads to over links; nil means that there are none.
func policyFiles(files []diff.File, settings *config.Settings, resolve func(string) string) []string {
	dirs := []string{configName}
	for _, dir := range []string{".scanner/skills", ".agents/skills", ".claude/skills"} {
		dirs = append(dirs, dir)
		for _, s := range settings.Skills {
			dirs = append(dirs, path.Join(dir, s.Name))
		}
	}
	for _, s := range settings.Skills {
		if s.Path != "" {
			dirs = append(dirs, path.Clean(s.Path))
		}
	}
	if resolve != nil {
		for _, dir := range slices.Clone(dirs) {
			dirs = append(dirs, resolve(dir), resolve(dir+"/SKILL.md"), resolve(dir+"/patterns.toml"))
		}
	}
	decides := func(name string) bool {
		return path.Base(name) == ".gitattributes" || slices.ContainsFunc(dirs, func(d string) bool { return below(name, d) })
	}
	var changed []string
	for _, f := range files {
		for _, name := range []string{f.Path, f.OldPath} {
			if name != "" && decides(name) {
				changed = append(changed, diff.QuotePath(name))
			}
		}
	}
	return slices.Compact(changed)
}

// policies maps the names of skills to their policies.
func policies(settings *config.Settings) map[string]scanner.Policy {
	m := make(map[string]scanner.Policy, len(settings.Skills))
	for _, s := range settings.Skills {
		m[s.Name] = s.Policy()
	}
	return m
}
