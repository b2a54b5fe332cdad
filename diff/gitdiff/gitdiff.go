// Package gitdiff finds out with the git binary what changed, and returns it
// complete and exact as [diff.File] values.
//
// A [Repo] is opened on a directory of a working tree. [Repo.Changes] compares it
// with HEAD, with the index, or with the merge base of another reference;
// [Repo.All] lists the whole tree. [Repo.WorktreeFS], [Repo.IndexFS] and
// [Repo.RevisionFS] have the matching contents.
//
// A commit can be examined instead of the checkout: [Repo.Changes] with a Head
// compares it with a merge base, as a code host does for a pull request, and
// [Repo.AllOf] lists it whole. Then the working tree, the index and the attributes
// on disk are ignored.
//
// # Exactness
//
// Names, modes and states come from git's NUL-separated raw records, contents
// from the patch that the same process writes after them; a section of the
// patch is taken only for the record that its header names. The user's git
// configuration and attributes do not alter the result: everything that shapes a
// diff is set on the command line, the environment is reduced to what locates the
// repository, and attributes cannot declare a text file binary.
//
// Which changes there are at all is decided by git, which honors ignore rules,
// line-ending conversion (core.autocrlf, the text and eol attributes, so that a
// change is what a commit would record), core.fileMode, sparse checkouts, and
// files marked assume-unchanged.
//
// # Safety
//
// Git runs no external diff, no textconv, no clean or smudge filter, no hook, no
// fsmonitor and no credential helper, and it connects to no remote, except that of
// [Fetch], not even for the missing objects of a partial clone. It takes no optional
// lock and writes nothing, except into a temporary directory that is removed before
// the call returns ([Options.TempDir]), or when what was fetched is closed. A file that is stored through a filter (Git LFS,
// git-crypt) is therefore compared in the form that it has on disk: it counts as
// changed as soon as its stat differs from that in the index.
//
// Contents on disk are read through an [os.Root], links are never followed, and
// only regular files are ever opened. Files over [diff.MaxSize] are listed, but
// neither side is read.
//
// The package needs git 2.31 or newer.
package gitdiff

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
)

// MaxFileSize is the size in bytes up to which a file is read through an [FS]; for
// the files of a scan see [diff.MaxSize].
const MaxFileSize = 1 << 20

// Options configure how git is found and run. The zero value has an empty
// environment, and so needs GitPath.
type Options struct {
	// GitPath is the absolute path of the git binary. Empty means that "git" is
	// looked up in the PATH of Env, without relative directories.
	GitPath string
	// Env is the environment, usually os.Environ(). Of the variables that
	// begin with GIT_, only those that locate a repository and its
	// configuration are passed on, so that a run from a git hook examines the
	// repository and index of the hook.
	Env []string
	// TempDir is the parent of the temporary directories that [Source.Head],
	// [Source.Attributes] and [Repo.AllOf] need. It should be outside of the
	// repository. Empty means the system's directory for temporary files.
	TempDir string
}

// Repo is a git repository with a working tree. It is safe for concurrent use.
type Repo struct {
	git  git // runs in the root, with a neutral configuration
	root string
	fs   *os.Root
	dir  string // the directory that was opened, relative to the root, with '/'
	head string
	temp string

	mu      sync.Mutex
	readers []*blobReader // of loaders
	dirs    []*directory  // not in use, the last used at the end
	closed  bool
}

// Open finds the repository that dir belongs to; dir may be any directory of its
// working tree. The error is the context's, or an [*Error] whose Kind
// distinguishes the usual causes.
func Open(ctx context.Context, dir string, opts Options) (*Repo, error) {
	bin, err := lookGit(opts)
	if err != nil {
		return nil, err
	}
	dir, err = filepath.Abs(dir)
	if err != nil {
		return nil, &Error{Kind: NotRepository, Subject: dir, Err: err}
	}
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%q is not a directory", dir)
	}
	if err != nil {
		return nil, &Error{Kind: NotRepository, Subject: dir, Err: err}
	}
	r := &Repo{git: git{bin: bin, env: cleanEnv(opts.Env), dir: dir}, temp: opts.TempDir}
	if err := r.locate(ctx, dir); err != nil {
		return nil, err
	}
	r.fs, err = os.OpenRoot(r.root)
	if err != nil {
		return nil, &Error{Kind: Other, Subject: r.root, Err: fmt.Errorf("open the working tree: %w", err)}
	}
	return r, nil
}

// locate fills everything but r.fs.
func (r *Repo) locate(ctx context.Context, dir string) error {
	out, err := r.git.output(ctx, nil, "rev-parse", "--is-bare-repository", "--is-inside-work-tree",
		"--absolute-git-dir", "--show-toplevel", "--show-prefix")
	// Git fails where there is no top level, after it has printed the rest.
	lines := strings.Split(string(out), "\n")
	inside := len(lines) > 1 && lines[1] == "true"
	switch {
	case len(lines) > 1 && !inside && lines[0] == "true":
		return &Error{Kind: BareRepository, Subject: dir, Hint: "run it in a clone or a worktree (git worktree add)",
			Err: fmt.Errorf("%q is a bare repository, which has no working tree", dir)}
	case len(lines) > 1 && !inside:
		return &Error{Kind: NotRepository, Subject: dir, Hint: "run it in the working tree",
			Err: fmt.Errorf("%q is inside a git directory, not in a working tree", dir)}
	case err != nil:
		return openError(ctx, dir, err)
	case len(lines) != 6:
		return &Error{Kind: Other, Subject: dir, Err: fmt.Errorf("the path %q has a line break", dir)}
	}
	r.root = filepath.FromSlash(lines[3])
	r.dir = strings.TrimSuffix(lines[4], "/")
	r.git.dir = r.root
	r.git.env = pinRepoEnv(r.git.env, lines[2], r.root)

	var names []string
	g, gctx := errgroup.WithContext(ctx)
	g.Go(func() (err error) {
		r.head, err = r.git.resolveHead(gctx)
		return err
	})
	g.Go(func() (err error) {
		names, err = r.git.definedNames(gctx)
		return err
	})
	if err := g.Wait(); err != nil {
		return openError(ctx, dir, err)
	}
	r.git.config = neutralize(names)
	return nil
}

// Root returns the absolute path of the working tree's top directory.
func (r *Repo) Root() string { return r.root }

// HeadSHA returns the commit that HEAD named when the repository was opened. It
// is empty in a repository without commits.
func (r *Repo) HeadSHA() string { return r.head }

// Author returns the user that git is configured with, as "Name <address>"; empty if
// there is none.
func (r *Repo) Author(ctx context.Context) string {
	out, err := r.git.output(ctx, nil, "var", "GIT_AUTHOR_IDENT")
	if err != nil {
		return ""
	}
	who, _, _ := strings.Cut(string(out), "> ") // a time follows
	return who + ">"
}

// Close releases the working tree, and what loaders need. File systems of the
// working tree and all loaders fail afterwards.
func (r *Repo) Close() error {
	r.mu.Lock()
	readers, dirs := r.readers, r.dirs
	r.readers, r.dirs, r.closed = nil, nil, true
	r.mu.Unlock()
	for _, d := range dirs {
		d.Close()
	}
	for _, b := range readers {
		b.close()
	}
	return r.fs.Close()
}

// loaders returns a reader for the loaders of files, which ends with ctx or when
// r is closed.
func (r *Repo) loaders(ctx context.Context) *blobReader {
	b := r.git.blobs(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		b.close()
	} else {
		r.readers = append(r.readers, b)
	}
	return b
}

// Path turns a path that the user gave, absolute or relative to the directory
// that was opened, into one relative to the root, with '/'. The root is ".". A path
// outside the repository is an [*Error] of kind [BadPath]. The path need not exist.
func (r *Repo) Path(arg string) (string, error) {
	if arg == "" || strings.IndexByte(arg, 0) >= 0 {
		return "", &Error{Kind: BadPath, Subject: arg, Err: fmt.Errorf("%q is not a path", arg)}
	}
	if !filepath.IsAbs(arg) {
		p := path.Join(r.dir, filepath.ToSlash(arg))
		if p == ".." || strings.HasPrefix(p, "../") || path.IsAbs(p) {
			return "", r.outside(arg)
		}
		return p, nil
	}
	if rel, err := filepath.Rel(r.root, arg); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel), nil
	}
	// The root has its links resolved; the argument may come through one. Its
	// last element stays as it is, since the user names the link, not its target.
	full := arg
	if all, err := filepath.EvalSymlinks(arg); err == nil && all == r.root {
		full = all
	} else if parent, err := filepath.EvalSymlinks(filepath.Dir(arg)); err == nil {
		full = filepath.Join(parent, filepath.Base(arg))
	}
	rel, err := filepath.Rel(r.root, full)
	if err != nil || !filepath.IsLocal(rel) {
		return "", r.outside(arg)
	}
	return filepath.ToSlash(rel), nil
}

func (r *Repo) outside(arg string) error {
	return &Error{Kind: BadPath, Subject: arg, Err: fmt.Errorf("path %q is outside the repository %q", arg, r.root)}
}
