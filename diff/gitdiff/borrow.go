package gitdiff

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// borrowed is a repository of its own in a temporary folder, which has nothing
// but the objects of another. Neither the working tree, index, configuration and
// references of that one, nor the configuration of the user have a say in it.
//
// Git cannot be told to leave attributes on disk alone when it compares two
// trees; here it finds none. It takes them from the index if it is asked to,
// which holds just the .gitattributes files of one commit.
type borrowed struct {
	git
	folder string
}

// borrow makes such a repository for the attributes of a commit, whose entries
// are given. It is to be removed.
func (r *Repo) borrow(ctx context.Context, commit string, entries []indexEntry) (_ *borrowed, err error) {
	out, err := r.git.output(ctx, nil, "rev-parse", "--git-path", "objects")
	if err != nil {
		return nil, err
	}
	objects := filepath.FromSlash(strings.TrimSuffix(string(out), "\n"))
	if !filepath.IsAbs(objects) {
		objects = filepath.Join(r.git.dir, objects)
	}

	failed := func(err error) error {
		return &Error{Kind: Other, Subject: r.temp, Err: fmt.Errorf("make a temporary folder: %w", err)}
	}
	folder, err := os.MkdirTemp(r.temp, "scanner-git-")
	if err != nil {
		return nil, failed(err)
	}
	b := &borrowed{folder: folder}
	defer func() {
		if err != nil {
			b.remove()
		}
	}()
	if folder, err = filepath.Abs(folder); err != nil {
		return nil, failed(err)
	}
	if err := makeRepository(folder, len(commit)); err != nil {
		return nil, failed(err)
	}
	b.git = git{
		bin: r.git.bin, env: borrowedEnv(r.git.env, r.git.dir, folder, objects), dir: folder,
		// The names of files come from trees, and go nowhere near a disk.
		config: []string{"-c", "core.protectHFS=false", "-c", "core.protectNTFS=false"},
	}
	if err := b.setAttributes(ctx, entries); err != nil {
		return nil, err
	}
	return b, nil
}

// remove removes the temporary folder. Its commands must have ended.
func (b *borrowed) remove() { os.RemoveAll(b.folder) }

// makeRepository writes the least that git takes for a repository whose object
// names have the given length.
func makeRepository(dir string, oidLen int) error {
	config := "[core]\n\trepositoryFormatVersion = 0\n\tbare = true\n"
	if oidLen == 64 {
		config = "[core]\n\trepositoryFormatVersion = 1\n\tbare = true\n[extensions]\n\tobjectFormat = sha256\n"
	}
	if err := os.Mkdir(filepath.Join(dir, "refs"), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "config"), []byte(config), 0o600); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "HEAD"), []byte("ref: refs/heads/none\n"), 0o600)
}

// borrowedEnv returns the environment for the repository in dir. Of what locates
// the other one, the places of more objects stay; relative ones are relative to
// the folder from.
func borrowedEnv(env []string, from, dir, objects string) []string {
	const alternates = "GIT_ALTERNATE_OBJECT_DIRECTORIES"
	var out []string
	for _, kv := range env {
		switch name := varName(kv); {
		case name == alternates:
			_, list, _ := strings.Cut(kv, "=")
			out = append(out, alternates+"="+absoluteList(list, from))
		case name == "GIT_QUARANTINE_PATH":
			out = append(out, kv)
		case localVars[name], strings.HasPrefix(name, "GIT_CONFIG"):
		default:
			out = append(out, kv)
		}
	}
	return append(out,
		"GIT_DIR="+dir,
		"GIT_OBJECT_DIRECTORY="+objects,
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL=/dev/null",
		// Git before 2.32 does not know the last one.
		"HOME="+dir, "XDG_CONFIG_HOME="+dir,
	)
}

// absoluteList makes the folders of a list absolute. Quoted ones, which begin
// with a quote, are left to git.
func absoluteList(list, from string) string {
	dirs := strings.Split(list, string(os.PathListSeparator))
	for i, d := range dirs {
		if strings.HasPrefix(d, `"`) {
			break // what looks like a separator may be inside
		}
		if d != "" && !filepath.IsAbs(d) {
			dirs[i] = filepath.Join(from, d)
		}
	}
	return strings.Join(dirs, string(os.PathListSeparator))
}

// setAttributes fills the index with the .gitattributes files among the entries
// of a commit.
func (b *borrowed) setAttributes(ctx context.Context, entries []indexEntry) error {
	var index bytes.Buffer
	var oids []string
	for _, e := range entries {
		// Git does not follow a link of that name either.
		if path.Base(e.path) == ".gitattributes" && isRegular(e.mode) && checkedOut(e.path) == nil {
			fmt.Fprintf(&index, "%o %s 0\t%s\x00", e.mode, e.oid, e.path)
			oids = append(oids, e.oid)
		}
	}
	if index.Len() == 0 {
		return nil
	}
	// Git would pass over those that are missing in a partial clone.
	if _, err := b.sizes(ctx, oids); err != nil {
		return err
	}
	_, err := b.output(ctx, index.Bytes(), "update-index", "-z", "--index-info")
	return err
}

// checkedOut refuses a path that git does not check out anywhere. Trees that
// were made by hand can hold such.
func checkedOut(p string) error {
	for name := range strings.SplitSeq(p, "/") {
		if name == "" || name == "." || name == ".." || strings.EqualFold(name, ".git") {
			return &Error{Kind: Other, Subject: p, Err: fmt.Errorf("a commit holds the path %q, which git does not check out", p)}
		}
	}
	return nil
}
