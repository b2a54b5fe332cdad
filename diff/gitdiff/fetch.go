package gitdiff

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// maxListing bounds the names of the files of a commit that is fetched, in bytes. A few
// objects of git can describe billions of files.
const maxListing = 32 << 20

// Fetched is a commit of another repository. The caller must close it.
type Fetched struct {
	*FS
	Commit string // its full name
	// LeftOut are the paths of links and submodules, and those that no checkout could have.
	LeftOut []string
	dir     string
}

// Fetch downloads the commit of a branch, tag or full name from the repository at an address
// into a temporary directory, without history, and reads it there. It is a bare repository
// with neither templates nor submodules, and nothing is ever checked out: no hook, filter or
// other program that the author of the commit chose is run. Only files, https and ssh
// are used to connect, without questions to the user. The error is the context's, or that
// of git.
func Fetch(ctx context.Context, address, ref string, opts Options) (_ *Fetched, err error) {
	bin, err := lookGit(opts)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(ref, "-") || strings.ContainsAny(ref, ":*\n") {
		return nil, &Error{Kind: BadBase, Subject: ref, Err: fmt.Errorf("%q cannot be a branch, tag or commit", ref)}
	}
	dir, err := os.MkdirTemp(opts.TempDir, "scanner-fetch-")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(dir)
			err = explain(ctx, err)
		}
	}()
	g := git{bin: bin, env: cleanEnv(opts.Env)}.at(dir)
	g.env = append(g.env, "GIT_DIR="+filepath.Join(dir, "git"), "GIT_ALLOW_PROTOCOL=file:https:ssh", "GIT_SSH_COMMAND=ssh -oBatchMode=yes")
	if _, err := g.output(ctx, nil, "init", "--quiet", "--bare", "--template="); err != nil {
		return nil, err
	}
	if _, err := g.output(ctx, nil, "fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "--no-auto-maintenance", "--", address, ref); err != nil {
		return nil, &Error{Kind: Other, Subject: address, Err: err, Hint: "all that git reports: git ls-remote " + shellQuote(address)}
	}
	f := &Fetched{dir: dir}
	if f.Commit, err = g.resolve(ctx, "FETCH_HEAD"); err != nil || f.Commit == "" {
		return nil, errors.Join(err, fmt.Errorf("%q is not a commit", ref))
	}
	var listing []byte
	if _, err := g.stream(ctx, func(br *bufio.Reader) (err error) {
		if listing, err = io.ReadAll(io.LimitReader(br, maxListing)); len(listing) == maxListing {
			err = errors.New("the commit has too many files")
		}
		return err
	}, "ls-tree", "-r", "-z", "--full-tree", f.Commit); err != nil {
		return nil, err
	}
	files, err := parseEntries(listing, fromTree)
	if err != nil {
		return nil, err
	}
	for _, e := range files {
		if !isRegular(e.mode) || forbidden(e.path) {
			f.LeftOut = append(f.LeftOut, e.path)
		}
	}
	f.FS = newFS(files, objectBackend{g.blobs(ctx)})
	return f, nil
}

// Close ends the process that reads the files, and removes what was fetched.
func (f *Fetched) Close() error { return errors.Join(f.FS.Close(), os.RemoveAll(f.dir)) }
