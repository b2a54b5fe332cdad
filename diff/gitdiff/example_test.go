package gitdiff_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/codescan-dev/scanner/diff/gitdiff"
)

func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		log.Fatalf("%v: %s", err, out)
	}
	if err := os.WriteFile(filepath.Join(dir, "hello.txt"), []byte("hello\nworld"), 0o666); err != nil {
		log.Fatal(err)
	}

	ctx := context.Background()
	repo, err := gitdiff.Open(ctx, dir, gitdiff.Options{Env: os.Environ()})
	if err != nil {
		log.Fatal(err)
	}
	defer repo.Close()
	files, err := repo.Changes(ctx, gitdiff.Source{}) // everything that is not committed
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range files {
		fmt.Printf("%c %s\n", f.Status.Marker(), f.Path)
		for _, h := range f.Hunks {
			fmt.Print(h.Body)
		}
	}
	// Output:
	// + hello.txt
	// +hello
	// +world
	// \ No newline at end of file
}
