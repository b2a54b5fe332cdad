package gitdiff

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"testing"

	"github.com/codescan-dev/scanner/diff"
)

// A directory with more files than are completed together.
func TestAllOfManyFiles(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	const n = 2*maxTogether + 1
	for i := range n {
		r.write(fmt.Sprintf("d/%d", i), fmt.Sprint(i))
	}
	r.commit()
	r.remove("d/7")
	repo := r.open()
	files, err := repo.All(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != n-1 {
		t.Errorf("got %d files, want %d", len(files), n-1)
	}
	for _, f := range files {
		if data, err := f.Load(); err != nil || "d/"+string(data) != f.Path {
			t.Errorf("%s has %q, %v", f.Path, data, err)
		}
	}

	if err := os.Rename(r.path("d"), r.path("other")); err != nil {
		t.Fatal(err)
	}
	r.link("other", "d")
	if _, err := files[0].Load(); err == nil {
		t.Error("a file was read through a link that took the place of its directory")
	}
	files, err = repo.All(context.Background(), []string{"d"})
	if err != nil || len(files) != 1 || files[0].Path != "d" || files[0].Skip != diff.ReasonLink {
		t.Errorf("got %d files, %v, want the link alone", len(files), err)
	}
}

// The size of a file can be unknown, or grow until the file is read.
func TestReadFileBeyondItsSize(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no such files")
	}
	dir, err := os.OpenRoot("/proc/self")
	if err != nil {
		t.Skip(err)
	}
	defer dir.Close()
	if data, err := readFile(dir, "status", MaxFileSize); err != nil || len(data) < 100 {
		t.Errorf("got %q, %v, want the whole file", data, err)
	}
	if _, err := readFile(dir, "status", 100); !errors.Is(err, ErrTooLarge) {
		t.Errorf("over the limit: %v", err)
	}
}
