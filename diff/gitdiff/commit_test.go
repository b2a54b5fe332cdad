package gitdiff

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner/diff"
)

// Trees can be made that git does not check out.
func TestHeadOddTrees(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.write("a", "* linguist-generated\n")
	r.commit()
	blob := strings.TrimSpace(r.git("rev-parse", "HEAD:a"))
	tree := func(mode, name, oid string) string {
		raw := make([]byte, 20)
		fmt.Sscanf(oid, "%x", &raw)
		file := filepath.Join(t.TempDir(), "tree")
		if err := os.WriteFile(file, []byte(mode+" "+name+"\x00"+string(raw)), 0o666); err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(r.git("hash-object", "-t", "tree", "-w", "--literally", file))
	}
	repo := r.open()
	for _, name := range []string{"..", ".", ".git", ".GIT"} {
		inner := tree("100644", ".gitattributes", blob)
		head := r.commitTree(tree("40000", name, inner), "HEAD")
		_, err := repo.Changes(context.Background(), Source{Base: "HEAD", Head: head})
		checkError(t, err, Other, name+"/.gitattributes", "")
		_, err = repo.AllOf(context.Background(), head, nil)
		checkError(t, err, Other, name+"/.gitattributes", "")
	}
	// These it would refuse on some systems only.
	for _, name := range []string{"git~1", ".g\u200cit", "a\\b", "con", "x:y"} {
		inner := tree("100644", ".gitattributes", blob)
		head := r.commitTree(tree("40000", name, inner), "HEAD")
		files, err := repo.Changes(context.Background(), Source{Base: "HEAD", Head: head})
		if err != nil || len(files) != 2 && len(files) != 1 || !files[0].Generated && !files[len(files)-1].Generated {
			t.Errorf("%q: got %q, %v", name, summary(files), err)
		}
	}
}

func TestAllOf(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	pull(r)
	repo := r.open()
	ctx, cancel := context.WithCancelCause(context.Background())
	load := func(files []diff.File) map[string]string {
		out := map[string]string{}
		for _, f := range files {
			data, err := f.Load()
			if err != nil {
				t.Fatal(err)
			}
			out[f.Path] = string(data)
		}
		return out
	}
	files, err := repo.AllOf(ctx, "topic", []string{"a", "x.base"})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(load(files), map[string]string{"a": "2\n", "x.base": "2\n"}); d != "" {
		t.Errorf("got -, want +\n%s", d)
	}
	if files, err := repo.AllOf(ctx, "topic", []string{"."}); err != nil || len(files) != 4 {
		t.Errorf("below the root: got %q, %v", summary(files), err)
	}
	_, err = repo.AllOf(ctx, "topic", []string{"untracked"})
	checkError(t, err, BadPath, `"untracked" is neither in commit`, "")
	_, err = repo.AllOf(ctx, "topic", []string{"/a"})
	checkError(t, err, BadPath, "not relative", "")
	_, err = repo.AllOf(ctx, "none", nil)
	checkError(t, err, UnresolvedRevision, "does not resolve", "")
	_, err = repo.AllOf(ctx, "--all", nil)
	checkError(t, err, BadBase, "cannot be a reference", "")

	why := errors.New("why")
	cancel(why)
	if _, err := files[0].Load(); !errors.Is(err, why) || !strings.Contains(err.Error(), `"a"`) {
		t.Errorf("after cancel: got error %v", err)
	}
	files, err = repo.AllOf(context.Background(), "topic", nil)
	if err != nil {
		t.Fatal(err)
	}
	load(files)
	repo.Close()
	if _, err := files[0].Load(); err == nil {
		t.Error("a closed repository is read from")
	}
}

func TestPathThroughLinkOfCommit(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.commit()
	r.git("checkout", "-q", "-b", "topic")
	r.write("d/f", "1\n")
	r.link("d", "link")
	r.commit()
	r.git("checkout", "-q", "main")
	repo := r.open()
	_, err := repo.Changes(t.Context(), Source{Base: "main", Head: "topic", Paths: []string{"link/f"}})
	checkError(t, err, BadPath, `path "link/f" leads through the symbolic link "link"`, "own path")
	_, err = repo.AllOf(t.Context(), "topic", []string{"link/f"})
	checkError(t, err, BadPath, `path "link/f" leads through the symbolic link "link"`, "own path")
	r.checkChanges(Source{Base: "main", Head: "topic", Paths: []string{"link", "d"}}, "+ d/f +1 -0", "+ link link +1 -0")
}
