package diff

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// hunk1 is the smallest change, and what it parses to.
const hunk1 = "@@ -1 +1 @@\n-a\n+b\n"

func change(path string) File {
	return File{Path: path, Hunks: []Hunk{{1, 1, 1, 1, "", "-a\n+b\n"}}}
}

// between returns a diff of two files.
func between(oldPath, path string) File {
	f := change(path)
	f.OldPath = oldPath
	return f
}

func with(f File, set func(*File)) File {
	set(&f)
	return f
}

var parseTests = []struct {
	name, in string
	want     []File
}{
	{"nothing", "", nil},
	{"blank", "\n \n", nil},
	{"git", "diff --git a/x.go b/x.go\nindex 1234567..89abcde 100644\n--- a/x.go\n+++ b/x.go\n" + hunk1,
		[]File{with(change("x.go"), func(f *File) { f.OldMode, f.Mode = 0o100644, 0o100644 })}},
	{"byte order mark", "\ufeffdiff --git a/x b/x\n--- a/x\n+++ b/x\n" + hunk1, []File{change("x")}},
	{"two files", "diff --git a/x b/x\n--- a/x\n+++ b/x\n" + hunk1 + "diff --git a/y b/y\n--- a/y\n+++ b/y\n" + hunk1,
		[]File{change("x"), change("y")}},
	{"added", "diff --git a/x b/x\nnew file mode 100644\nindex 000..123\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n",
		[]File{{Path: "x", Status: Added, Mode: 0o100644, Hunks: []Hunk{{0, 0, 1, 1, "", "+a\n"}}}}},
	{"added empty", "diff --git a/x b/x\nnew file mode 100644\nindex 000..e69\n",
		[]File{{Path: "x", Status: Added, Mode: 0o100644}}},
	{"deleted", "diff --git a/x b/x\ndeleted file mode 100644\nindex 123..000\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
		[]File{{Path: "x", Status: Deleted, OldMode: 0o100644, Hunks: []Hunk{{1, 1, 0, 0, "", "-a\n"}}}}},
	{"rename with change", "diff --git a/x b/d/y\nsimilarity index 90%\nrename from x\nrename to d/y\nindex 1..2 100644\n--- a/x\n+++ b/d/y\n" + hunk1,
		[]File{with(change("d/y"), func(f *File) {
			f.OldPath, f.Status, f.OldMode, f.Mode = "x", Renamed, 0o100644, 0o100644
		})}},
	{"pure rename", "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n",
		[]File{{Path: "y", OldPath: "x", Status: Renamed}}},
	{"copy", "diff --git a/x b/y\nsimilarity index 100%\ncopy from x\ncopy to y\n",
		[]File{{Path: "y", OldPath: "x", Status: Copied}}},
	{"mode change", "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n",
		[]File{{Path: "x", OldMode: 0o100644, Mode: 0o100755}}},
	{"mode change of a name with ` b/`", "diff --git a/x b/x b/x b/x\nold mode 100644\nnew mode 100755\n",
		[]File{{Path: "x b/x", OldMode: 0o100644, Mode: 0o100755}}},
	{"spaces", "diff --git a/my file b/my file\n--- a/my file\t\n+++ b/my file\t\n" + hunk1, []File{change("my file")}},
	{"spaces, no content", "diff --git a/my file b/my file\nnew file mode 100644\n",
		[]File{{Path: "my file", Status: Added, Mode: 0o100644}}},
	{"quoted", `diff --git "a/t\303\244b\t\"x\"\n" "b/t\303\244b\t\"x\"\n"` + "\n" + `--- "a/t\303\244b\t\"x\"\n"` + "\n" + `+++ "b/t\303\244b\t\"x\"\n"` + "\n" + hunk1,
		[]File{change("täb\t\"x\"\n")}},
	{"quoted on one side", "diff --git a/x \"b/\\303\\244\"\nsimilarity index 100%\nrename from x\nrename to \"\\303\\244\"\n",
		[]File{{Path: "ä", OldPath: "x", Status: Renamed}}},
	{"quoted, no content", `diff --git "a/\377" "b/\377"` + "\nold mode 100644\nnew mode 100755\n",
		[]File{{Path: "\xff", OldMode: 0o100644, Mode: 0o100755}}},
	{"noprefix", "diff --git x.go x.go\n--- x.go\n+++ x.go\n" + hunk1, []File{change("x.go")}},
	{"noprefix in a directory", "diff --git a/x.go a/x.go\n--- a/x.go\n+++ a/x.go\n" + hunk1, []File{change("a/x.go")}},
	{"noprefix, added", "diff --git d/x d/x\nnew file mode 100644\n--- /dev/null\n+++ d/x\n@@ -0,0 +1 @@\n+a\n",
		[]File{{Path: "d/x", Status: Added, Mode: 0o100644, Hunks: []Hunk{{0, 0, 1, 1, "", "+a\n"}}}}},
	{"mnemonic prefixes", "diff --git i/x w/x\n--- i/x\n+++ w/x\n" + hunk1, []File{change("x")}},
	{"own prefixes", "diff --git old/x new/x\nold mode 100644\nnew mode 100755\n--- old/x\n+++ new/x\n" + hunk1,
		[]File{with(change("x"), func(f *File) { f.OldMode, f.Mode = 0o100644, 0o100755 })}},
	{"binary", "diff --git a/x.png b/x.png\nindex 1..2 100644\nBinary files a/x.png and b/x.png differ\n",
		[]File{{Path: "x.png", OldMode: 0o100644, Mode: 0o100644, Binary: true}}},
	{"binary added, mode in front", "diff --git a/x b/x\nnew file mode 100755\nindex 0..2\nBinary files /dev/null and b/x differ\n",
		[]File{{Path: "x", Status: Added, Mode: 0o100755, Binary: true}}},
	{"binary patch", "diff --git a/x b/x\nindex 1..2 100644\nGIT binary patch\nliteral 3\nKcmZQzWMT#Y01f~L\n\nliteral 3\nKcmZQzWMT#Y01f~L\n\ndiff --git a/y b/y\n--- a/y\n+++ b/y\n" + hunk1,
		[]File{{Path: "x", OldMode: 0o100644, Mode: 0o100644, Binary: true}, change("y")}},
	{"text with a NUL", "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+\x00\n",
		[]File{{Path: "x", Hunks: []Hunk{{1, 1, 1, 1, "", "-a\n+\x00\n"}}}}},
	{"submodule", "diff --git a/sub b/sub\nindex 1..2 160000\n--- a/sub\n+++ b/sub\n" + hunk1,
		[]File{with(change("sub"), func(f *File) { f.OldMode, f.Mode, f.Skip = 0o160000, 0o160000, ReasonSubmodule })}},
	{"submodule log", "Submodule sub 1234567..89abcde:\n  > commit\nSubmodule new 0000000...89abcde (new submodule)\nSubmodule x is prose\nSubmodule gone 1234567...0000000 (submodule deleted)\nSubmodule dirty contains modified content\n",
		[]File{{Path: "sub", OldMode: 0o160000, Mode: 0o160000, Skip: ReasonSubmodule},
			{Path: "new", Status: Added, Mode: 0o160000, Skip: ReasonSubmodule},
			{Path: "gone", Status: Deleted, OldMode: 0o160000, Skip: ReasonSubmodule},
			{Path: "dirty", OldMode: 0o160000, Mode: 0o160000, Skip: ReasonSubmodule}}},
	{"link", "diff --git a/l b/l\nnew file mode 120000\nindex 0..1\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n",
		[]File{{Path: "l", Status: Added, Mode: 0o120000, Skip: ReasonLink, Hunks: []Hunk{{0, 0, 1, 1, "", "+x\n\\ No newline at end of file\n"}}}}},
	{"deleted link", "diff --git a/l b/l\ndeleted file mode 120000\n--- a/l\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n",
		[]File{{Path: "l", Status: Deleted, OldMode: 0o120000, Skip: ReasonLink, Hunks: []Hunk{{1, 1, 0, 0, "", "-x\n"}}}}},

	{"plain", "--- x.c.orig\t2024-01-01 10:00:00.000000000 +0100\n+++ x.c\t2024-01-02 10:00:00.000000000 +0100\n" + hunk1,
		[]File{between("x.c.orig", "x.c")}},
	{"plain with directories", "diff -ru old/src/x.c new/src/x.c\n--- old/src/x.c\t2024-01-01 10:00:00 +0100\n+++ new/src/x.c\t2024-01-02 10:00:00 +0100\n" + hunk1,
		[]File{change("src/x.c")}},
	{"plain without prefix", "Index: x.c\n=======\n--- ./x.c\t(revision 1)\n+++ ./x.c\t(working copy)\n" + hunk1, []File{change("x.c")}},
	{"plain, added", "--- old/x\t1970-01-01 01:00:00.000000000 +0100\n+++ new/x\t2024-01-02 10:00:00 +0100\n@@ -0,0 +1 @@\n+a\n",
		[]File{{Path: "x", Status: Added, Hunks: []Hunk{{0, 0, 1, 1, "", "+a\n"}}}}},
	{"plain, deleted", "--- old/x\t2024-01-02 10:00:00 +0100\n+++ new/x\t1969-12-31 19:00:00 -0500\n@@ -1 +0,0 @@\n-a\n",
		[]File{{Path: "x", Status: Deleted, Hunks: []Hunk{{1, 1, 0, 0, "", "-a\n"}}}}},
	{"plain, /dev/null", "--- /dev/null\n+++ b/d/x\n@@ -0,0 +1 @@\n+a\n",
		[]File{{Path: "d/x", Status: Added, Hunks: []Hunk{{0, 0, 1, 1, "", "+a\n"}}}}},
	{"plain, properties only", "Index: x.c\n=====\n--- x.c\t(revision 1)\n+++ x.c\t(working copy)\n\nProperty changes on: x.c\n____\nAdded: svn:eol-style\n## -0,0 +1 ##\n+native\n",
		[]File{{Path: "x.c"}}},
	{"plain, other name with prefixes", "--- a/x.c.orig\n+++ b/x.c\n" + hunk1, []File{between("x.c.orig", "x.c")}},
	{"plain, other name in a directory", "--- a/x.c.orig\n+++ a/x.c\n" + hunk1, []File{between("a/x.c.orig", "a/x.c")}},
	{"plain, other name elsewhere", "--- /home/.aws/credentials\n+++ notes\n" + hunk1, []File{between("home/.aws/credentials", "notes")}},
	{"plain, other name above", "--- ../.env\n+++ notes\n" + hunk1, []File{between(".env", "notes")}},
	{"credentials and another file", "diff --git a/.env b/notes\nindex 1111111..2222222\n--- a/.env\n+++ b/notes\n" + hunk1,
		[]File{between(".env", "notes")}},
	{"plain, deleted to /dev/null", "--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
		[]File{{Path: "x", Status: Deleted, Hunks: []Hunk{{1, 1, 0, 0, "", "-a\n"}}}}},
	{"git, first name quoted", "diff --git \"a/\\303\\244\" b/x\nrename from \"\\303\\244\"\nrename to x\n",
		[]File{{Path: "x", OldPath: "ä", Status: Renamed}}},
	{"git, /dev/null without a mode", "diff --git a/x b/x\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n",
		[]File{{Path: "x", Status: Added, Hunks: []Hunk{{0, 0, 1, 1, "", "+a\n"}}}}},
	{"git, deleted without a mode", "diff --git a/x b/x\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
		[]File{{Path: "x", Status: Deleted, Hunks: []Hunk{{1, 1, 0, 0, "", "-a\n"}}}}},
	{"git, names in the first line that mean nothing", "diff --git x y z\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n",
		[]File{{Path: "x", Status: Added, Hunks: []Hunk{{0, 0, 1, 1, "", "+a\n"}}}}},
	{"git, prefixes of different length", "diff --git old/my x new/my x\nold mode 100644\nnew mode 100755\ndiff --git before/my x after/my x\nold mode 100644\nnew mode 100755\n",
		[]File{{Path: "my x", OldMode: 0o100644, Mode: 0o100755}, {Path: "my x", OldMode: 0o100644, Mode: 0o100755}}},
	{"plain, two files without a line between", "--- a/x\n+++ b/x\n" + hunk1 + "--- a/y\n+++ b/y\n" + hunk1,
		[]File{change("x"), change("y")}},
	{"plain, a removed line like a name", "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- a/z\n+++ b/z\n c\n--- a/y\n+++ b/y\n" + hunk1,
		[]File{{Path: "x", Hunks: []Hunk{{1, 2, 1, 2, "", "--- a/z\n+++ b/z\n c\n"}}}, change("y")}},
	{"plain binary", "Binary files old/x.png and new/x.png differ\nBinary files are not text and prose may differ\n",
		[]File{{Path: "x.png", Binary: true}}},
	{"mail", "From 1234 Mon Sep 17 00:00:00 2001\nFrom: A <a@example.com>\nSubject: [PATCH] x\n\nBody.\n---\n x | 2 +-\n 1 file changed\n\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n" + hunk1 + "-- \n2.39.5\n\n",
		[]File{change("x")}},
	{"series", "diff --git a/x b/x\n--- a/x\n+++ b/x\n" + hunk1 + "-- \n2.39.5\n\nFrom 1234\n\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n" + hunk1,
		[]File{change("x"), change("x")}},
	{"carriage returns everywhere", "diff --git a/x b/x\r\nindex 1..2 100644\r\n--- a/x\r\n+++ b/x\r\n@@ -1 +1 @@\r\n-a\r\n+b\r\n",
		[]File{{Path: "x", OldMode: 0o100644, Mode: 0o100644, Hunks: []Hunk{{1, 1, 1, 1, "", "-a\r\n+b\r\n"}}}}},
	{"type change", "diff --git a/l b/l\ndeleted file mode 100644\n--- a/l\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\ndiff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+x\n",
		[]File{{Path: "l", Status: Deleted, OldMode: 0o100644, Hunks: []Hunk{{1, 1, 0, 0, "", "-a\n"}}},
			{Path: "l", Status: Added, Mode: 0o120000, Skip: ReasonLink, Hunks: []Hunk{{0, 0, 1, 1, "", "+x\n"}}}}},
}

func TestParse(t *testing.T) {
	for _, tt := range parseTests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Parse([]byte(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(got, tt.want); d != "" {
				t.Errorf("got -, want +\n%s", d)
			}
		})
	}
}

var parseErrorTests = []struct{ name, in, want string }{
	{"no diff", "hello\nworld\n", "no unified diff found"},
	{"colored", "\x1b[1mdiff --git a/x b/x\x1b[m\n", "--color=never"},
	{"UTF-16", "\xff\xfed\x00i\x00", "line 1: the diff is in UTF-16"},
	{"combined", "\ndiff --cc d/x.go\nindex 1,2..3\n--- a/d/x.go\n+++ b/d/x.go\n@@@ -1 -1 +1 @@@\n- a\n -b\n++c\n", `line 2: "d/x.go": a combined diff`},
	{"combined, quoted", "diff --combined \"\\303\\244\"\n", `line 1: "ä": a combined diff`},
	{"combined hunk", "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@@ -1 -1 +1 @@@\n- a\n -b\n++c\n", `line 4: "x": a combined diff`},
	{"combined hunk alone", "@@@ -1 -1 +1 @@@\n", "line 1: a combined diff"},
	{"hunk without file", "text\n" + hunk1, `line 2: the hunk "@@ -1 +1 @@" belongs to no file`},
	{"absolute", "--- /etc/passwd\n+++ /etc/passwd\n" + hunk1, `line 1: the name "/etc/passwd" is absolute`},
	{"up", "diff --git a/../x b/../x\n--- a/../x\n+++ b/../x\n" + hunk1, `line 1: the name "../x" leads out of the repository`},
	{"up in a rename", "diff --git a/x b/y\nrename from x\nrename to d/../../y\n", `leads out`},
	{"NUL in a name", "diff --git \"a/x\\000\" \"b/x\\000\"\nold mode 1\nnew mode 2\n", "holds a NUL byte"},
	{"empty name", "--- a/\n+++ b/\n" + hunk1, "the file has no name"},
	{"only /dev/null", "--- /dev/null\n+++ /dev/null\n" + hunk1, "both names are /dev/null"},
	{"half a rename", "diff --git a/x b/y\nrename from x\n", "a rename or copy without both of its names"},
	{"names that differ", "diff --git a/x b/y\nold mode 100644\nnew mode 100755\n", "cannot tell the two names apart"},
	{"bad mode", "diff --git a/x b/x\nnew file mode 10z\n", `line 2: bad file mode "10z"`},
	{"bad quote in a name", "diff --git a/x b/x\nrename from \"\\9\"\n", "line 2: unknown escape"},
	{"bad quote in a plain name", "--- \"a/x\n+++ b/x\n" + hunk1, "no closing quote"},
	{"binary with a bad name", "Binary files /x and /x differ\n", "is absolute"},
	{"submodule with a bad name", "Submodule ../up 1234567..89abcde:\n", "leads out"},
	{"open quote", "diff --git \"a/x b/x\nold mode 1\n", "no closing quote"},
	{"cut in the hunk", "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n", `line 6: "x": the diff ends inside a hunk`},
	{"cut before the hunk", "diff --git a/x b/x\n--- a/x\n+++ b/x\n", `line 4: "x": no hunk follows`},
	{"plain, cut before the hunk", "--- a/x\n+++ b/x\n", `line 3: "x": no hunk follows`},
	{"too many lines that look like names", "--- a/x\n+++ b/x\n" + hunk1 + "--- y\n+++ z\n", `line 6: "x": the line "--- y" is one more`},
	{"next file inside the hunk", "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\ndiff --git a/y b/y\n", `line 5: "x": the line "diff --git a/y b/y" is not part of a hunk`},
	{"too many lines", "--- a/x\n+++ b/x\n" + hunk1 + "+c\n", `line 6: "x": the line "+c" is one more`},
	{"second hunk bad", "--- a/x\n+++ b/x\n" + hunk1 + "@@ -5 nonsense\n", `line 6: "x": bad hunk header`},
}

func TestParseErrors(t *testing.T) {
	for _, tt := range parseErrorTests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Parse([]byte(tt.in))
			if err == nil {
				t.Fatalf("got %v, want an error", got)
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %q, want %q", err, tt.want)
			}
			if got != nil {
				t.Errorf("got files %v with the error", got)
			}
			if pe := (*parseError)(nil); !errors.As(err, &pe) && !errors.Is(err, errNoDiff) {
				t.Errorf("got an error of type %T", err)
			}
		})
	}
}
