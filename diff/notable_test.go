package diff_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner/diff"
)

func TestFindNotable(t *testing.T) {
	rename := func(from, to string) string {
		return fmt.Sprintf("diff --git a/%s b/%s\nsimilarity index 100%%\nrename from %s\nrename to %s\n", from, to, from, to)
	}
	add := func(mode string) string {
		return "diff --git a/x b/x\nnew file mode " + mode + "\nindex 0000000..1111111\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n"
	}
	for _, tt := range []struct {
		name, diff string
		want       string // of the only file; empty if it is not notable
	}{
		{"new file", add("100644"), ""},
		{"new program", add("100755"), "executable"},
		{"new link", add("120000"), "symbolic link"},
		{"new submodule", add("160000"), "submodule"},
		{"link to another file", "diff --git a/x b/x\nindex 1111111..2222222 120000\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "symbolic link"},
		{"deleted link", "diff --git a/x b/x\ndeleted file mode 120000\nindex 1111111..0000000\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", ""},
		{"becomes executable", "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n", "executable"},
		{"is not executable any more", "diff --git a/x b/x\nold mode 100755\nnew mode 100644\n", ""},
		{"change of a program", "diff --git a/x b/x\nindex 1111111..2222222 100755\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", ""},
		{"without modes", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", ""},
		{"rename", rename("a.go", "b/c.go"), ""},
		{"rename to workflows", rename("a.yml", ".github/workflows/a.yml"), "renamed to where tools may run it"},
		{"rename within workflows", rename(".github/workflows/a.txt", ".github/workflows/a.yml"), "renamed to where tools may run it"},
		{"rename to husky", rename("a", "web/.husky/pre-commit"), "renamed to where tools may run it"},
		{"rename to hooks", rename("a", "scripts/githooks/pre-push"), "renamed to where tools may run it"},
		{"rename to hooks of another kind", rename("src/a.ts", "src/hooks/a.ts"), ""},
		{"rename to vendor", rename("a.go", "vendor/a.go"), "renamed to where it is skipped"},
		{"rename to a generated name", rename("a.go", "a_generated.go"), "renamed to where it is skipped"},
		{"rename within vendor", rename("vendor/a.go", "vendor/b.go"), ""},
		{"rename out of vendor", rename("vendor/a.go", "a.go"), "renamed from where it was skipped"},
		{"rename to a build file", rename("notes.txt", "sub/Makefile"), "renamed to where tools may run it"},
		{"rename of a build file", rename("a/Makefile", "b/Makefile"), ""},
		{"several", "diff --git a/a b/.husky/dist/a\nold mode 100644\nnew mode 100755\n" + rename("a", ".husky/dist/a")[len("diff --git a/a b/.husky/dist/a\n"):],
			"executable, renamed to where tools may run it, renamed to where it is skipped"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files, err := diff.Parse([]byte(tt.diff))
			if err != nil || len(files) != 1 {
				t.Fatalf("got %d files, %v", len(files), err)
			}
			var want []diff.Notable
			if tt.want != "" {
				want = []diff.Notable{{Path: files[0].Path, What: tt.want}}
			}
			if got := diff.FindNotable(files, nil); !slices.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

func TestFindNotableInWholeFiles(t *testing.T) {
	files := []diff.File{
		{Path: "link", Status: diff.Added, Mode: 0o120000, Skip: diff.ReasonLink},
		{Path: "run", Status: diff.Added, Mode: 0o100755, Load: func() ([]byte, error) { return nil, nil }},
	}
	if got := diff.FindNotable(files, nil); got != nil {
		t.Errorf("got %v, want nothing: it is not a change", got)
	}
}

// A change that keeps a file, or a part of it, from being read.
func TestFindNotableUnread(t *testing.T) {
	added := func(path, text string) diff.File {
		return diff.File{Path: path, Status: diff.Added, Hunks: []diff.Hunk{{NewStart: 1, NewLines: 1, Body: "+" + text + "\n"}}}
	}
	modified := added("data", "ab\x00")
	modified.Status = diff.Modified
	modified.Hunks[0].OldStart, modified.Hunks[0].OldLines, modified.Hunks[0].Body = 1, 1, "-a\x00\n+ab\x00\n"
	const binary, long = "binary, not read", "line 1 over 64 KiB, of which the model sees the beginning"
	for _, tt := range []struct {
		name string
		f    diff.File
		want string
	}{
		{"text", added("data", "ab"), ""},
		{"text with a NUL", added("data", "ab\x00"), binary},
		{"text padded with NUL bytes", added("data", "ab"+strings.Repeat("\x00", 100)), binary},
		{"binary", added("data", "\x7fELF\x00\x01\x02\x03"), ""},
		{"binary where tools look", added(".husky/a", "\x7fELF\x00\x01\x02\x03"), binary},
		{"code of which the diff has no lines", diff.File{Path: "a.py", Status: diff.Modified, Binary: true}, binary},
		{"image of which the diff has no lines", diff.File{Path: "a.png", Status: diff.Modified, Binary: true}, ""},
		{"image where tools look", added(".husky/a.png", "PNG\x00"), ""},
		{"binary before", modified, ""},
		{"too large", diff.File{Path: "data", Skip: diff.ReasonTooLarge}, "too large to be read"},
		{"too large in the patch", added("data", strings.Repeat("x\n+", 1<<20)), "too large to be read"},
		{"large image", diff.File{Path: "a.png", Skip: diff.ReasonTooLarge}, ""},
		{"long line", added("a.js", strings.Repeat("x", diff.MaxLine+1)), long},
		{"long line below others", added("a.js", "x\n+y\n+"+strings.Repeat("x", diff.MaxLine+1)), strings.Replace(long, "1", "3", 1)},
		{"less long line", added("a.js", strings.Repeat("x", diff.MaxLine)+"\r"), ""},
		{"long line in a minified file", added("a.min.js", strings.Repeat("x", diff.MaxLine+1)), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.f.MarkBinary([]byte(strings.ReplaceAll(strings.Join(bodies(tt.f), ""), "+", "")))
			p := diff.Chunking{}.Plan(tt.f, nil)
			var want []diff.Notable
			if tt.want != "" {
				want = []diff.Notable{{Path: tt.f.Path, What: tt.want}}
			}
			if got := diff.FindNotable([]diff.File{tt.f}, []*diff.Plan{&p}); !slices.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

func bodies(f diff.File) []string {
	var list []string
	for _, h := range f.Hunks {
		list = append(list, h.Body)
	}
	return list
}
