package gitdiff

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner/diff"
)

// markGenerated sets Generated where the attribute linguist-generated is set, in
// the working tree or, if cached is true, in the index.
func (g *git) markGenerated(ctx context.Context, files []diff.File, cached bool) error {
	paths := make([]string, 0, len(files))
	for i := range files {
		if canBeGenerated(&files[i]) {
			paths = append(paths, files[i].Path)
		}
	}
	generated, err := g.generated(ctx, paths, cached)
	setGenerated(files, generated)
	return err
}

func canBeGenerated(f *diff.File) bool { return f.Skip == "" && f.Status != diff.Deleted }

func setGenerated(files []diff.File, generated map[string]bool) {
	for i := range files {
		files[i].Generated = canBeGenerated(&files[i]) && generated[files[i].Path]
	}
}

// generated returns which of the paths have the attribute linguist-generated, as
// markGenerated finds it.
func (g *git) generated(ctx context.Context, paths []string, cached bool) (map[string]bool, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	stdin := []byte(strings.Join(paths, "\x00") + "\x00")
	args := []string{"check-attr", "-z", "--stdin"}
	if cached {
		args = append(args, "--cached")
	}
	out, err := g.output(ctx, stdin, append(args, "linguist-generated")...)
	if err != nil {
		return nil, err
	}
	fields := bytes.Split(bytes.TrimSuffix(out, []byte{0}), []byte{0})
	if len(fields) != 3*len(paths) {
		return nil, fmt.Errorf("git check-attr: %d values for %d paths", len(fields)/3, len(paths))
	}
	generated := make(map[string]bool)
	for i := 0; i < len(fields); i += 3 {
		switch string(fields[i+2]) {
		case "set", "true":
			generated[string(fields[i])] = true
		}
	}
	return generated, nil
}

// confirmGenerated clears Generated unless the attributes of the old side set it,
// too: a change must not exempt itself from being scanned. Attributes that the
// caller chose are used as they are.
func (s *scan) confirmGenerated(ctx context.Context, files []diff.File) error {
	if s.chosen || !slices.ContainsFunc(files, func(f diff.File) bool { return f.Generated }) {
		return nil
	}
	old := s.against[len(s.against)-1]
	entries, err := s.git.tree(ctx, old)
	if err != nil {
		return err
	}
	g, remove, err := s.r.attrRepo(ctx, old, entries)
	if err != nil {
		return err
	}
	defer remove()
	before := slices.Clone(files)
	for i := range before {
		before[i].Generated = false
	}
	err = g.markGenerated(ctx, before, true)
	for i := range files {
		files[i].Generated = files[i].Generated && before[i].Generated
	}
	return err
}

// attrRepo returns a git that runs on a bare repository in a temporary directory.
// That repository has the objects of r, and an index that contains only the
// .gitattributes files among the entries of a commit. The caller must call remove
// after its last command.
//
// Before version 2.41, git has no option to read the attributes of a commit
// instead of those on disk, and every version also reads info/attributes and the
// tree that the setting attr.tree names. In this repository there are none.
func (r *Repo) attrRepo(ctx context.Context, commit string, entries []indexEntry) (_ git, remove func(), err error) {
	objects, err := r.git.output(ctx, nil, "rev-parse", "--git-path", "objects")
	if err != nil {
		return git{}, nil, err
	}
	dir, err := os.MkdirTemp(r.temp, "scanner-git-")
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		return git{}, nil, &Error{Kind: Other, Subject: r.temp, Err: fmt.Errorf("make a temporary directory: %w", err)}
	}
	defer func() {
		if err != nil {
			os.RemoveAll(dir)
		}
	}()
	g := r.git
	g.env = attrEnv(g.env, dir)
	// The names of files come from trees, and are never used on a disk.
	g.config = []string{"-c", "core.protectHFS=false", "-c", "core.protectNTFS=false"}
	format := "sha1"
	if len(commit) == 64 {
		format = "sha256"
	}
	if _, err := g.output(ctx, nil, "init", "--quiet", "--bare", "--template=", "--object-format="+format); err != nil {
		return git{}, nil, err
	}
	// Set only now: init would write to it.
	g.env = append(g.env, "GIT_OBJECT_DIRECTORY="+strings.TrimSuffix(string(objects), "\n"))
	if err := g.indexAttributes(ctx, entries); err != nil {
		return git{}, nil, err
	}
	return g, func() { os.RemoveAll(dir) }, nil
}

// attrEnv returns the environment for the bare repository in dir. Of the variables
// that locate the other one, only the one with places of further objects stays; no
// configuration does.
func attrEnv(env []string, dir string) []string {
	env = slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		name := varName(kv)
		return localVars[name] && name != "GIT_ALTERNATE_OBJECT_DIRECTORIES" || strings.HasPrefix(name, "GIT_CONFIG")
	})
	return append(env,
		"GIT_DIR="+dir,
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL=/dev/null",
		// Git before 2.32 ignores GIT_CONFIG_GLOBAL.
		"HOME="+dir, "XDG_CONFIG_HOME="+dir,
	)
}

// indexAttributes fills the index with the .gitattributes files among entries.
func (g *git) indexAttributes(ctx context.Context, entries []indexEntry) error {
	var index bytes.Buffer
	var oids []string
	for _, e := range entries {
		// Git does not follow links of that name.
		if path.Base(e.path) == ".gitattributes" && isRegular(e.mode) && checkedOut(e.path) == nil {
			fmt.Fprintf(&index, "%o %s 0\t%s\x00", e.mode, e.oid, e.path)
			oids = append(oids, e.oid)
		}
	}
	if index.Len() == 0 {
		return nil
	}
	// Git would ignore those that are missing in a partial clone.
	if _, err := g.sizes(ctx, oids); err != nil {
		return err
	}
	_, err := g.output(ctx, index.Bytes(), "update-index", "-z", "--index-info")
	return err
}

// checkedOut refuses a path that git never checks out. Trees that were made by
// hand can have such paths.
func checkedOut(p string) error {
	for name := range strings.SplitSeq(p, "/") {
		if name == "" || name == "." || name == ".." || strings.EqualFold(name, ".git") {
			return &Error{Kind: Other, Subject: p, Err: fmt.Errorf("a commit has the path %q, which git does not check out", p)}
		}
	}
	return nil
}
