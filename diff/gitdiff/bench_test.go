package gitdiff

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

func BenchmarkChanges(b *testing.B) {
	for _, n := range []int{1, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := newRepo(b)
			text := strings.Repeat("some line of a file\n", 200)
			for i := range 1000 {
				r.write(fmt.Sprintf("d%d/f%d", i%20, i), fmt.Sprintln(i)+text)
			}
			r.commit()
			for i := range n {
				r.write(fmt.Sprintf("d%d/f%d", i%20, i), fmt.Sprintln(i)+text+"one\n")
			}
			b.ReportAllocs()
			for b.Loop() {
				repo, err := Open(context.Background(), r.dir, Options{Env: r.env})
				if err != nil {
					b.Fatal(err)
				}
				files, err := repo.Changes(context.Background(), Source{})
				if err != nil || len(files) != n {
					b.Fatalf("got %d files, %v", len(files), err)
				}
				repo.Close()
			}
		})
	}
}

// A pull request of n files in a repository of 1,000.
func BenchmarkHead(b *testing.B) {
	for _, n := range []int{1, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := newRepo(b)
			text := strings.Repeat("some line of a file\n", 200)
			r.write(".gitattributes", "*.pb linguist-generated\n")
			for i := range 1000 {
				r.write(fmt.Sprintf("d%d/f%d", i%20, i), fmt.Sprintln(i)+text)
			}
			r.commit()
			r.git("branch", "base")
			for i := range n {
				r.write(fmt.Sprintf("d%d/f%d", i%20, i), fmt.Sprintln(i)+text+"one\n")
			}
			r.commit()
			repo := r.open()
			b.ReportAllocs()
			for b.Loop() {
				files, err := repo.Changes(context.Background(), Source{Base: "base", Head: "main", Attributes: "base"})
				if err != nil || len(files) != n {
					b.Fatalf("got %d files, %v", len(files), err)
				}
			}
		})
	}
}
