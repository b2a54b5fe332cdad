package fix

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// world is a repository with something valuable around it. Everything that an
// attempt may want to change holds the line "old".
var world = tree{
	"repo/main.go":              "old\n",
	"repo/other.go":             "old\n",
	"repo/unscanned.go":         "old\n",
	"repo/dir/x.go":             "old\n",
	"repo/.git/config":          "old\n",
	"repo/.git/hooks/pre-push":  "old\n",
	"repo/.GIT2/x":              "old\n",
	"repo/.scanner/skills/s.md": "old\n",
	"repo/sub/.git":             "gitdir: ../.git/modules/sub\n",
	"repo/sub/x.go":             "old\n",
	"repo/a/main.go":            "old\n",
	"outside.go":                "old\n",
	"outside/x.go":              "old\n",
}

// oldToNew is a diff that would change any of the files.
func oldToNew(oldName, newName string) string {
	return "--- " + oldName + "\n+++ " + newName + "\n@@ -1 +1 @@\n-old\n+new\n"
}

type escape struct {
	name string
	// diff is what the finding about path suggests. The scan looked at path,
	// main.go, dir/x.go and what files name.
	path  string
	diff  string
	files []string
	// between changes the repository after planning.
	between func(t *testing.T, repo string)
	reason  Reason
}

func both(name string) string { return oldToNew("a/"+name, "b/"+name) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

var escapes = []escape{
	// Names that lead somewhere else.
	{name: "dot dot", diff: both("../outside.go"), reason: ReasonPath},
	{name: "dot dot, scanned", path: "../outside.go", diff: both("../outside.go"), reason: ReasonPath},
	{name: "dot dot inside", diff: both("dir/../../outside.go"), reason: ReasonPath},
	{name: "dot dot that stays inside", diff: both("dir/../main.go"), reason: ReasonPath},
	{name: "dot dot without prefixes", diff: oldToNew("../outside.go", "../outside.go"), reason: ReasonPath},
	{name: "dot dot as the prefix", diff: oldToNew("../main.go", "b/main.go"), reason: ReasonPath},
	{name: "dot dot, backslashes", diff: both(`..\outside.go`), reason: ReasonPath},
	{name: "dot dot in quotes", diff: oldToNew(`"a/\056\056/outside.go"`, `"b/\056\056/outside.go"`), reason: ReasonPath},
	{name: "dot dot in the git line", diff: "diff --git a/../outside.go b/../outside.go\n@@ -1 +1 @@\n-old\n+new\n", reason: ReasonPath},
	{name: "absolute", diff: oldToNew("/etc/passwd", "/etc/passwd"), reason: ReasonPath},
	{name: "absolute on one side", diff: oldToNew("a/main.go", "/etc/passwd"), reason: ReasonPath},
	{name: "absolute behind the prefix", diff: oldToNew("a//etc/passwd", "b//etc/passwd"), reason: ReasonPath},
	{name: "a drive", diff: oldToNew(`C:\x.go`, `C:\x.go`), reason: ReasonPath},
	{name: "a share", diff: oldToNew(`\\host\x.go`, `\\host\x.go`), reason: ReasonPath},
	{name: "the finding itself is outside", path: "../outside.go", diff: "@@ -1 +1 @@\n-old\n+new\n", reason: ReasonPath},
	{name: "the finding itself is absolute", path: "/etc/passwd", diff: "@@ -1 +1 @@\n-old\n+new\n", reason: ReasonPath},
	{name: "the current folder", diff: both("."), reason: ReasonPath},
	{name: "not the shortest form", diff: both("dir/./x.go"), path: "dir/x.go", reason: ReasonPath},

	// What belongs to git, whatever is said to be scanned.
	{name: "git config", path: ".git/config", diff: both(".git/config"), reason: ReasonPath},
	{name: "git hooks", path: ".git/hooks/pre-push", diff: "@@ -1 +1 @@\n-old\n+new\n", reason: ReasonPath},
	{name: "upper case", path: ".GIT/config", diff: both(".GIT/config"), reason: ReasonPath},
	{name: "mixed case", path: ".giT/config", diff: both(".giT/config"), reason: ReasonPath},
	{name: "space at the end", path: ".git /config", diff: both(".git /config"), reason: ReasonPath},
	{name: "dot at the end", path: ".git./config", diff: both(".git./config"), reason: ReasonPath},
	{name: "short name", path: "GIT~1/config", diff: both("GIT~1/config"), reason: ReasonPath},
	{name: "stream", path: ".git::$INDEX_ALLOCATION/config", diff: both(".git::$INDEX_ALLOCATION/config"), reason: ReasonPath},
	{name: "ignored character", path: ".g\u200cit/config", diff: both(".g\u200cit/config"), reason: ReasonPath},
	{name: "byte order mark in the name", path: ".git\ufeff/config", diff: both(".git\ufeff/config"), reason: ReasonPath},
	{name: "dotless i", path: ".gıt/config", diff: both(".gıt/config"), reason: ReasonPath},
	{name: "git further down", path: "dir/.git/config", diff: both("dir/.git/config"), reason: ReasonPath},
	{name: "backslash", path: `.git\config`, diff: both(`.git\config`), reason: ReasonPath},
	{name: "scanner's own files", path: ".scanner/skills/s.md", diff: both(".scanner/skills/s.md"), reason: ReasonPath},
	{name: "scanner's own files in upper case", path: ".Scanner/skills/s.md", diff: both(".Scanner/skills/s.md"), reason: ReasonPath},

	// Names that do not mean what they seem to.
	{name: "newline", path: "ma\nin.go", diff: "@@ -1 +1 @@\n-old\n+new\n", reason: ReasonPath},
	{name: "newline in quotes", diff: oldToNew(`"a/main.go\n+++ b/outside.go"`, `"b/main.go\n+++ b/outside.go"`), reason: ReasonPath},
	{name: "escape sequence", path: "\x1b[2Jx.go", diff: "@@ -1 +1 @@\n-old\n+new\n", reason: ReasonPath},
	{name: "NUL", diff: oldToNew(`"a/main.go\000.txt"`, `"b/main.go\000.txt"`), reason: ReasonPath},
	{name: "invalid UTF-8", path: "\xff.go", diff: "@@ -1 +1 @@\n-old\n+new\n", reason: ReasonPath},
	{name: "two names", diff: oldToNew("a/main.go", "b/unscanned.go"), reason: ReasonRename},
	{name: "two names in the git line", diff: "diff --git a/main.go b/unscanned.go\n@@ -1 +1 @@\n-old\n+new\n", reason: ReasonRename},
	{name: "the git line names another file", diff: "diff --git a/unscanned.go b/unscanned.go\n" + both("main.go"), reason: ReasonRename},
	{name: "a rename to the file of the finding", diff: "diff --git a/unscanned.go b/main.go\nrename from unscanned.go\nrename to main.go\n" + oldToNew("a/unscanned.go", "b/main.go"), reason: ReasonRename},

	// Files that the scan did not look at, or the finding is not about.
	{name: "not scanned", diff: both("unscanned.go"), reason: ReasonNotScanned},
	{name: "not scanned, behind one that is", diff: both("main.go") + both("unscanned.go"), reason: ReasonNotScanned},
	{name: "another case", diff: both("MAIN.go"), reason: ReasonNotScanned},
	{name: "another file than that of the finding", diff: both("dir/x.go"), reason: ReasonOtherFile},
	{name: "two files that may be meant", path: "dir/x.go", files: []string{"a/main.go"}, diff: oldToNew("a/main.go", "a/main.go"), reason: ReasonAmbiguous},
	{name: "a new file", diff: oldToNew("/dev/null", "b/new.go"), reason: ReasonCreate},

	// Between plan and write.
	{name: "file becomes a link outside", diff: both("main.go"), reason: ReasonNotRegular, between: func(t *testing.T, repo string) {
		must(t, os.Remove(filepath.Join(repo, "main.go")))
		must(t, os.Symlink("../outside.go", filepath.Join(repo, "main.go")))
	}},
	{name: "file becomes a link to git", diff: both("main.go"), reason: ReasonNotRegular, between: func(t *testing.T, repo string) {
		must(t, os.Remove(filepath.Join(repo, "main.go")))
		must(t, os.Symlink(".git/config", filepath.Join(repo, "main.go")))
	}},
	{name: "file becomes a link to another", diff: both("main.go"), reason: ReasonNotRegular, between: func(t *testing.T, repo string) {
		must(t, os.Remove(filepath.Join(repo, "main.go")))
		must(t, os.Symlink("unscanned.go", filepath.Join(repo, "main.go")))
	}},
	{name: "folder becomes a link outside", path: "dir/x.go", diff: both("dir/x.go"), reason: ReasonNotRegular, between: func(t *testing.T, repo string) {
		must(t, os.RemoveAll(filepath.Join(repo, "dir")))
		must(t, os.Symlink("../outside", filepath.Join(repo, "dir")))
	}},
	{name: "folder becomes a link inside", path: "dir/x.go", diff: both("dir/x.go"), reason: ReasonNotRegular, between: func(t *testing.T, repo string) {
		must(t, os.Rename(filepath.Join(repo, "dir"), filepath.Join(repo, "moved")))
		must(t, os.Symlink("moved", filepath.Join(repo, "dir")))
	}},
	{name: "folder becomes a submodule", path: "dir/x.go", diff: both("dir/x.go"), reason: ReasonSubmodule, between: func(t *testing.T, repo string) {
		must(t, os.WriteFile(filepath.Join(repo, "dir", ".git"), []byte("gitdir: elsewhere\n"), 0o644))
	}},
	{name: "submodule that is said to be scanned", path: "sub/x.go", diff: both("sub/x.go"), reason: ReasonSubmodule},
	{name: "file becomes a folder", diff: both("main.go"), reason: ReasonNotRegular, between: func(t *testing.T, repo string) {
		must(t, os.Remove(filepath.Join(repo, "main.go")))
		must(t, os.Mkdir(filepath.Join(repo, "main.go"), 0o777))
	}},
	{name: "folder becomes a file", path: "dir/x.go", diff: both("dir/x.go"), reason: ReasonNotRegular, between: func(t *testing.T, repo string) {
		must(t, os.RemoveAll(filepath.Join(repo, "dir")))
		must(t, os.WriteFile(filepath.Join(repo, "dir"), []byte("old\n"), 0o644))
	}},
	{name: "file is gone", diff: both("main.go"), reason: ReasonStale, between: func(t *testing.T, repo string) {
		must(t, os.Remove(filepath.Join(repo, "main.go")))
	}},
	{name: "file was edited", diff: both("main.go"), reason: ReasonStale, between: func(t *testing.T, repo string) {
		must(t, os.WriteFile(filepath.Join(repo, "main.go"), []byte("old\nand more\n"), 0o644))
	}},
	{name: "file was edited, same size", diff: both("main.go"), reason: ReasonStale, between: func(t *testing.T, repo string) {
		must(t, os.WriteFile(filepath.Join(repo, "main.go"), []byte("odd\n"), 0o644))
	}},
}

func TestEscapes(t *testing.T) {
	if len(escapes) < 30 {
		t.Fatalf("only %d attempts", len(escapes))
	}
	for _, tt := range escapes {
		t.Run(tt.name, func(t *testing.T) { tt.test(t) })
	}
}

func (e escape) test(t *testing.T) {
	dir := t.TempDir()
	world.write(t, dir)
	repo := filepath.Join(dir, "repo")
	if e.path == "" {
		e.path = "main.go"
	}
	var asked []string
	p := NewPlan(Input{
		Suggestions: suggest(e.path, e.diff),
		Files:       append([]string{e.path, "main.go", "dir/x.go"}, e.files...),
		Read: func(path string) ([]byte, error) {
			asked = append(asked, path)
			if strings.HasPrefix(path, "/") || strings.Contains(path, "..") {
				t.Errorf("Read was asked for %q", path)
			}
			return []byte("old\n"), nil
		},
	})
	if e.between != nil {
		e.between(t, repo)
	}
	before := readTree(t, dir)
	root := openRoot(t, repo)
	res, err := Apply(root, p, Options{ID: "id"})
	if err != nil {
		t.Fatal(err)
	}
	o := res.Outcomes[0]
	if o.Status != StatusRefused || o.Reason != e.reason || o.Message == "" {
		t.Errorf("outcome is %s %s %q, want a refusal, %s", o.Status, o.Reason, o.Message, e.reason)
	}
	if strings.ContainsFunc(o.Message, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		t.Errorf("the message %q holds control characters", o.Message)
	}
	if d := cmp.Diff(before, readTree(t, dir)); d != "" {
		t.Errorf("something changed (-before +after):\n%s", d)
	}
}

func openRoot(t testing.TB, dir string) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

// TestEscapesWouldWork shows that the attempts fail for what they are: the same
// diff about an honest file is applied.
func TestEscapesWouldWork(t *testing.T) {
	dir := t.TempDir()
	world.write(t, dir)
	repo := filepath.Join(dir, "repo")
	for _, path := range []string{"main.go", "dir/x.go", "a/main.go"} {
		p := world.below("repo/").plan(suggest(path, both(path)))
		res, err := Apply(openRoot(t, repo), p, Options{ID: "id-" + strings.ReplaceAll(path, "/", "-")})
		if err != nil {
			t.Fatal(err)
		}
		if got := res.Outcomes[0]; got.Status != StatusApplied {
			t.Errorf("%s: %s %s", path, got.Reason, got.Message)
		}
		if got := readTree(t, repo)[path]; got != "new\n" {
			t.Errorf("%s is %q", path, got)
		}
	}
}

// below returns the files below a folder.
func (t tree) below(prefix string) tree {
	files := make(tree)
	for path, data := range t {
		if rest, ok := strings.CutPrefix(path, prefix); ok {
			files[rest] = data
		}
	}
	return files
}
