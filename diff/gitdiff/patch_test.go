package gitdiff

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner/diff"
)

const (
	oidA = "1111111111111111111111111111111111111111"
	oidB = "2222222222222222222222222222222222222222"
	oid0 = "0000000000000000000000000000000000000000"
)

// rawText returns a raw record.
func rawText(modes, oids, status string, paths ...string) string {
	return ":" + modes + " " + oids + " " + status + "\x00" + strings.Join(paths, "\x00") + "\x00"
}

var (
	modified = rawText("100644 100644", oidA+" "+oid0, "M", "a")
	section  = "diff --git a/a b/a\nindex 1..2 100644\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+2\n"
)

func TestReadPatch(t *testing.T) {
	tests := []struct {
		name, in string
		want     []string // or the beginning of an error
		err      string
	}{
		{"nothing", "", nil, ""},
		{"modified", modified + "\x00" + section, []string{"~ a +1 -1"}, ""},
		{"touched", modified + "\x00", nil, ""},
		{"touched, then another", modified + rawText("000000 100644", oid0+" "+oid0, "A", "b") + "\x00" +
			"diff --git a/b b/b\nnew file mode 100644\n", []string{"+ b"}, ""},
		{"type", rawText("100644 120000", oidA+" "+oidB, "T", "a") + "\x00" +
			"diff --git a/a b/a\ndeleted file mode 100644\n@@ -1 +0,0 @@\n-1\ndiff --git a/a b/a\nnew file mode 120000\n@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n",
			[]string{"- a +0 -1", "+ a link +1 -0"}, ""},
		{"rename", rawText("100644 100644", oidA+" "+oidB, "R087", "old name", "n\xff") + "\x00" +
			"diff --git a/old name \"b/n\\377\"\nrename from x\n@@ -1 +1 @@\n-1\n+2\n", []string{`> "n\377" from old name +1 -1`}, ""},
		{"unmerged", rawText("100644 000000", oidA+" "+oid0, "U", "u") + modified + "\x00* Unmerged path u\n" + section,
			[]string{"~ u unreadable", "~ a +1 -1"}, ""},
		{"NUL", modified + "\x00" + strings.ReplaceAll(section, "+2", "+\x00"), []string{"~ a +1 -1"}, ""},
		{"too long", modified + "\x00" + section + strings.Repeat("+"+strings.Repeat("0", 1<<20)+"\n", 33), []string{"~ a too-large"}, ""},

		{"another file's section", modified + "\x00" + strings.ReplaceAll(section, "/a", "/b"), nil, "the patch has a section without a record"},
		{"no section", rawText("100644 100755", oidA+" "+oidA, "M", "a") + "\x00", nil, `the patch has no section for the changed file "a"`},
		{"half a change of type", rawText("100644 120000", oidA+" "+oidB, "T", "a") + "\x00diff --git a/a b/a\n", nil, "the patch has too few sections"},
		{"section too many", modified + "\x00" + section + "diff --git a/c b/c\n", nil, "the patch has a section without a record"},
		{"hunk cut short", modified + "\x00" + section[:len(section)-3], nil, `the patch of "a": `},
		{"line cut short", modified + "\x00" + section[:len(section)-1], nil, "unexpected EOF"},
		{"foreign text", modified + "\x00" + "hello\n", nil, "the patch begins with"},
		{"bad record", ":100644 x\x00a\x00", nil, "unexpected raw record"},
		{"bad status", rawText("100644 100644", oidA+" "+oid0, "X", "a"), nil, "unexpected raw record"},
		{"record cut short", modified[:len(modified)-1], nil, "unexpected EOF"},
		{"record without a path", modified[:len(modified)-2], nil, "unexpected EOF"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			changes, err := readPatch(bufio.NewReader(strings.NewReader(tt.in)))
			if msg := fmt.Sprint(err); tt.err != "" && (err == nil || !strings.Contains(msg, tt.err)) || tt.err == "" && err != nil {
				t.Fatalf("got error %v, want %q", err, tt.err)
			}
			var got []diff.File
			for _, c := range changes {
				got = append(got, c.File)
			}
			if d := cmp.Diff(summary(got), tt.want); d != "" && err == nil {
				t.Errorf("got -, want +\n%s", d)
			}
		})
	}
}

func FuzzReadPatch(f *testing.F) {
	f.Add([]byte(modified + "\x00" + section))
	f.Add([]byte(rawText("100644 120000", oidA+" "+oidB, "T", "a") + "\x00diff --git a/a b/a\ndiff --git a/a b/a\n"))
	f.Add([]byte(rawText("100644 100644", oidA+" "+oidB, "R100", "a", "b") + "\x00diff --git a/a b/b\n"))
	f.Add([]byte(rawText("100644 000000", oidA+" "+oid0, "U", "u") + "\x00* Unmerged path u\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		changes, err := readPatch(bufio.NewReader(bytes.NewReader(in)))
		if err != nil {
			return
		}
		for _, c := range changes {
			if c.Path == "" || c.Binary && c.Hunks != nil {
				t.Errorf("got %+v", c)
			}
		}
	})
}

func TestPatchPathspecs(t *testing.T) {
	many := make([]string, maxListed+1)
	for i := range many {
		many[i] = fmt.Sprintf("f%03d", i)
	}
	long := func(n int) (paths []string) {
		for i := range n {
			paths = append(paths, fmt.Sprintf("%s%04d", strings.Repeat("l", 1000), i))
		}
		return paths
	}
	tests := []struct {
		name              string
		limit, keep, drop []string
		want              [][]string // nil: look at the number alone
		calls             int
	}{
		{"nothing", nil, nil, []string{"x"}, [][]string{}, 0},
		{"few", []string{":(literal)d"}, []string{"d/a", "d/b"}, []string{"d/x"}, [][]string{{`:(top,glob)d/\a`, `:(top,glob)d/\b`}}, 1},
		{"many of a directory", nil, []string{"*/a", "*/b", "*/c", "*/d"}, nil, [][]string{{`:(top,glob)\*/*`}}, 1},
		{"one of them too large", nil, []string{"d/a", "d/b", "d/c", "d/d"}, []string{"d/x"},
			[][]string{{`:(top,glob)d/\a`, `:(top,glob)d/\b`, `:(top,glob)d/\c`, `:(top,glob)d/\d`}}, 1},
		{"special characters", nil, []string{`*?[\`, "ä", "\xff"}, nil, [][]string{{`:(top,glob)\*\?\[\\`, `:(top,glob)\ä`, ":(top,glob)\\\xff"}}, 1},
		{"many, none too large", []string{":(literal)."}, many, nil, [][]string{{":(literal)."}}, 1},
		{"many, one too large", nil, many, []string{"x"}, [][]string{{`:(exclude,top,glob)\x`}}, 1},
		{"many, many too large", nil, many, long(100), nil, 2},
		{"long names", nil, long(100), long(100), nil, 5},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := patchPathspecs(tt.limit, tt.keep, tt.drop)
			if len(got) != tt.calls {
				t.Errorf("got %d calls, want %d", len(got), tt.calls)
			}
			if d := cmp.Diff(got, tt.want); d != "" && len(tt.want) > 0 {
				t.Errorf("got -, want +\n%s", d)
			}
			if tt.want != nil {
				return
			}
			var all []string
			for _, specs := range got {
				for _, s := range specs {
					if p, ok := strings.CutPrefix(s, ":(top,glob)"); ok {
						all = append(all, strings.ReplaceAll(p, `\`, ""))
					}
				}
			}
			if d := cmp.Diff(all, tt.keep); d != "" {
				t.Errorf("the calls together: got -, want +\n%s", d)
			}
		})
	}
}

func FuzzParseEntries(f *testing.F) {
	f.Add([]byte("100644 blob " + oidA + "\ta\x00120000 blob " + oidB + "\tl i n\tk\n\x00"))
	f.Add([]byte("100644 " + oidA + " 0\ta\x00100755 " + oidB + " 2\t\xff\x00"))
	f.Add([]byte("100644 blob\ta\x00"))
	f.Fuzz(func(t *testing.T, in []byte) {
		entries, err := parseEntries(in, func(f []string) indexEntry { return indexEntry{oid: f[2]} })
		if err != nil {
			return
		}
		var b strings.Builder
		for _, e := range entries {
			fmt.Fprintf(&b, "%o x %s\t%s\x00", e.mode, e.oid, e.path)
		}
		again, err := parseEntries([]byte(b.String()), func(f []string) indexEntry { return indexEntry{oid: f[2]} })
		if d := cmp.Diff(again, entries, cmp.AllowUnexported(indexEntry{})); d != "" || err != nil {
			t.Errorf("%v: got -, want +\n%s", err, d)
		}
	})
}
