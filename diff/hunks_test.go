package diff

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseHunks(t *testing.T) {
	tests := []struct {
		name, in string
		want     []Hunk
	}{
		{"nothing", "", nil},
		{"headers only", "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n", nil},
		{"headers before", "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n",
			[]Hunk{{1, 1, 1, 1, "", "-a\n+b\n"}}},
		{"section name", "@@ -1,2 +1,2 @@ func f() {\n a\n-b\n+c\n",
			[]Hunk{{1, 2, 1, 2, "func f() {", " a\n-b\n+c\n"}}},
		{"two hunks", "@@ -1 +1 @@\n-a\n+b\n@@ -9,0 +10,2 @@\n+x\n+y\n",
			[]Hunk{{1, 1, 1, 1, "", "-a\n+b\n"}, {9, 0, 10, 2, "", "+x\n+y\n"}}},
		{"no final newline, both sides", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n",
			[]Hunk{{1, 1, 1, 1, "", "-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n"}}},
		{"translated no-newline mark", "@@ -1 +1 @@\n-a\n\\ Kein Zeilenumbruch am Dateiende.\n+b\n",
			[]Hunk{{1, 1, 1, 1, "", "-a\n\\ Kein Zeilenumbruch am Dateiende.\n+b\n"}}},
		{"carriage returns", "@@ -1,2 +1,2 @@ f\r\n a\r\n-b\r\n+c\r\n",
			[]Hunk{{1, 2, 1, 2, "f", " a\r\n-b\r\n+c\r\n"}}},
		{"stripped blank lines", "@@ -1,3 +1,3 @@\n\n-a\n+b\n\r\n",
			[]Hunk{{1, 3, 1, 3, "", " \n-a\n+b\n \r\n"}}},
		{"diff without a final newline", "@@ -1 +1 @@\n-a\n+b",
			[]Hunk{{1, 1, 1, 1, "", "-a\n+b\n"}}},
		{"removed -- and added ++ before another hunk", "@@ -1 +1 @@\n--- x\n+++ y\n@@ -5 +5 @@\n-c\n+d\n",
			[]Hunk{{1, 1, 1, 1, "", "--- x\n+++ y\n"}, {5, 1, 5, 1, "", "-c\n+d\n"}}},
		{"no final newline, converted line endings", "@@ -1 +1 @@\r\n-a\r\n+b\r\n\\ No newline at end of file\r\n",
			[]Hunk{{1, 1, 1, 1, "", "-a\r\n+b\r\n\\ No newline at end of file\r\n"}}},
		{"no-newline mark before removed lines", "@@ -1 +1 @@\n+b\n\\ No newline at end of file\n-a\n",
			[]Hunk{{1, 1, 1, 1, "", "+b\n\\ No newline at end of file\n-a\n"}}},
		{"stripped blank line before another hunk", "@@ -1,2 +1,2 @@\r\n\r\n-a\r\n+b\r\n@@ -5 +5 @@\r\n-c\r\n+d\r\n",
			[]Hunk{{1, 2, 1, 2, "", " \r\n-a\r\n+b\r\n"}, {5, 1, 5, 1, "", "-c\r\n+d\r\n"}}},
		{"lines that look like headers", "@@ -1,2 +1,2 @@\n-@@ -1 +1 @@\n+diff --git a/x b/x\n @@ -1 +1 @@\n",
			[]Hunk{{1, 2, 1, 2, "", "-@@ -1 +1 @@\n+diff --git a/x b/x\n @@ -1 +1 @@\n"}}},
		{"new file", "@@ -0,0 +1 @@\n+a\n", []Hunk{{0, 0, 1, 1, "", "+a\n"}}},
		{"emptied file", "@@ -1 +0,0 @@\n-a\n", []Hunk{{1, 1, 0, 0, "", "-a\n"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ParseHunks([]byte(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(got, tt.want); d != "" {
				t.Errorf("got -, want +\n%s", d)
			}
		})
	}
}

func TestParseHunksErrors(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"cut short", "@@ -1,2 +1,2 @@\n a\n-b\n", "line 4: the diff ends inside a hunk: 0 old and 1 new lines are missing"},
		{"cut at once", "@@ -1 +1 @@", "line 2: the diff ends inside a hunk"},
		{"foreign line", "@@ -1,2 +1,2 @@\n a\nfoo\n", `line 3: the line "foo" is not part of a hunk`},
		{"another header inside", "@@ -1,2 +1,2 @@\n a\n@@ -5 +5 @@\n-x\n+y\n", `line 3: the line "@@ -5 +5 @@" is not part of a hunk`},
		{"too many lines", "@@ -1 +1 @@\n-a\n+b\n c\n", `line 4: the line " c" is one more than the hunk header announces`},
		{"too many old lines", "@@ -1 +1 @@\n-a\n-b\n+c\n", `line 3: the line "-b" does not fit`},
		{"text behind", "@@ -1 +1 @@\n-a\n+b\nfoo\n", `line 4: unexpected line "foo" after a hunk`},
		{"bad header", "@@ -1 +x @@\n-a\n+b\n", `line 1: bad hunk header "@@ -1 +x @@"`},
		{"header without end", "@@ -1 +1\n-a\n+b\n", `line 1: bad hunk header`},
		{"overflow", "@@ -1,99999999999 +1 @@\n-a\n", "line 1: bad hunk header"},
		{"end overflow", "@@ -2147483647,2 +1 @@\n-a\n-b\n+c\n", "line 1: impossible line numbers"},
		{"negative", "@@ --5,1 +1 @@\n-a\n+b\n", "line 1: impossible line numbers"},
		{"line zero", "@@ -1 +0,1 @@\n-a\n+b\n", "line 1: impossible line numbers"},
		{"second header bad", "@@ -1 +1 @@\n-a\n+b\n@@ nonsense\n", "line 4: bad hunk header"},
		{"descending", "@@ -9 +9 @@\n-a\n+b\n@@ -1 +1 @@\n-a\n+b\n", "line 4: hunk \"@@ -1 +1 @@\" begins before the end of the one before it"},
		{"combined", "diff --cc x\n@@@ -1,1 -1,1 +1,1 @@@\n", "line 2: a combined diff"},
		{"long line is cut", "@@ -1 +1 @@\n-a\n" + strings.Repeat("x", 100000), `xxx"...`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ParseHunks([]byte(tt.in))
			if err == nil {
				t.Fatalf("got %v, want an error", got)
			}
			if !strings.Contains(err.Error(), tt.want) || len(err.Error()) > 300 {
				t.Errorf("got error %q, want %q", err, tt.want)
			}
		})
	}
}
