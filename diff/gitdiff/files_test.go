package gitdiff

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFiles(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.write(".gitignore", "ignored\nbuild/\n")
	r.write("dir/tracked", "1\n")
	r.write("gone", "1\n")
	r.write("staged and changed", "1\n")
	r.link("dir/tracked", "link")
	r.commit()
	r.remove("gone")
	r.write("staged and changed", "2\n")
	r.git("add", "staged and changed")
	r.write("new/file", "1\n")
	r.write("bad\xff", "1\n")
	r.write("ignored", "1\n")
	r.write("build/out", "1\n")
	r.write("sub/file", "1\n")
	r.git("init", "-q", "sub")
	got, err := r.open().Files(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{".gitignore", "bad\xff", "dir/tracked", "gone", "link", "new/file", "staged and changed"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}
