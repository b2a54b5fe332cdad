package scanner_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/provider"
)

type answerer string

func (a answerer) Complete(context.Context, provider.Request) (provider.Response, error) {
	return provider.Response{Text: string(a)}, nil
}

const (
	fixFile  = "one\ntwo\nthree\nkey = hunter2\nfive\ntwo\nseven\n\tindented\nnine"
	fixPatch = "--- a/a b.txt\n+++ b/a b.txt\n@@ -1,8 +1,9 @@\n one\n two\n+three\n key = hunter2\n five\n two\n seven\n \tindented\n nine\n\\ No newline at end of file\n"
)

// Suggested fixes become exact edits and a diff that git applies, or they are
// dropped and counted.
func TestSuggestedFix(t *testing.T) {
	redact := func(s string) (string, int) {
		return strings.ReplaceAll(s, "hunter2", "[secret]"), strings.Count(s, "hunter2")
	}
	for _, tt := range []struct {
		name  string
		fix   string
		edits []scanner.Edit
		file  string // after the fix
		drop  string // the reason why there is no fix
	}{
		{"replace", `{"description":"d","replace":[{"old":"three","new":"3"}]}`,
			[]scanner.Edit{{Line: 3, Old: []string{"three"}, New: []string{"3"}}},
			"one\ntwo\n3\nkey = hunter2\nfive\ntwo\nseven\n\tindented\nnine", ""},
		{"context is left out", `{"description":"d","replace":[{"old":"two\nthree\n","new":"two\n3\n"}]}`,
			[]scanner.Edit{{Line: 3, Old: []string{"three"}, New: []string{"3"}}},
			"one\ntwo\n3\nkey = hunter2\nfive\ntwo\nseven\n\tindented\nnine", ""},
		{"insert", `{"description":"d","replace":[{"old":"three","new":"three\nand a half"}]}`,
			[]scanner.Edit{{Line: 4, New: []string{"and a half"}}},
			"one\ntwo\nthree\nand a half\nkey = hunter2\nfive\ntwo\nseven\n\tindented\nnine", ""},
		{"delete", `{"description":"d","replace":[{"old":"one\ntwo\nthree","new":"one\ntwo"}]}`,
			[]scanner.Edit{{Line: 3, Old: []string{"three"}}},
			"one\ntwo\nkey = hunter2\nfive\ntwo\nseven\n\tindented\nnine", ""},
		{"several", `{"description":"d","replace":[{"old":"nine","new":"9\n10"},{"old":"one","new":"0\n1"}]}`,
			[]scanner.Edit{{Line: 1, Old: []string{"one"}, New: []string{"0", "1"}}, {Line: 9, Old: []string{"nine"}, New: []string{"9", "10"}}},
			"0\n1\ntwo\nthree\nkey = hunter2\nfive\ntwo\nseven\n\tindented\n9\n10", ""},
		{"several that touch", `{"description":"d","replace":[{"old":"seven","new":"7"},{"old":"\tindented","new":"8"}]}`,
			[]scanner.Edit{{Line: 7, Old: []string{"seven", "\tindented"}, New: []string{"7", "8"}}},
			"one\ntwo\nthree\nkey = hunter2\nfive\ntwo\n7\n8\nnine", ""},
		{"insert at the end", `{"description":"d","replace":[{"old":"nine","new":"nine\nten"}]}`,
			[]scanner.Edit{{Line: 10, New: []string{"ten"}}},
			"one\ntwo\nthree\nkey = hunter2\nfive\ntwo\nseven\n\tindented\nnine\nten", ""},
		{"insert at the start", `{"description":"d","replace":[{"old":"one","new":"zero\none"}]}`,
			[]scanner.Edit{{Line: 1, New: []string{"zero"}}},
			"zero\none\ntwo\nthree\nkey = hunter2\nfive\ntwo\nseven\n\tindented\nnine", ""},
		{"line ends of another system", `{"description":"d","replace":[{"old":"two\r\nthree\r\n","new":"two\r\n3\r\n"}]}`,
			[]scanner.Edit{{Line: 3, Old: []string{"three"}, New: []string{"3"}}},
			"one\ntwo\n3\nkey = hunter2\nfive\ntwo\nseven\n\tindented\nnine", ""},
		{"diff with wrong numbers", `{"description":"d","diff":"--- x\n+++ y\n@@ -70,1 +99,5 @@ f\n two\n-three\n+3\n key = [secret]\n"}`,
			[]scanner.Edit{{Line: 3, Old: []string{"three"}, New: []string{"3"}}},
			"one\ntwo\n3\nkey = hunter2\nfive\ntwo\nseven\n\tindented\nnine", ""},

		{name: "text that occurs twice", fix: `{"description":"d","replace":[{"old":"two","new":"2"}]}`, drop: "occurs several times"},
		{name: "part of a line", fix: `{"description":"d","replace":[{"old":"thre","new":"2"}]}`, drop: "not in what was shown"},
		{name: "other indentation", fix: `{"description":"d","replace":[{"old":"indented","new":"2"}]}`, drop: "not in what was shown"},
		{name: "one of two is not there", fix: `{"description":"d","replace":[{"old":"three","new":"3"},{"old":"ten","new":"10"}]}`, drop: "not in what was shown"},
		{name: "insertion without a place", fix: `{"description":"d","replace":[{"old":"","new":"3"}]}`, drop: "has no place"},
		{name: "overlapping", fix: `{"description":"d","replace":[{"old":"two\nthree","new":"2\n3"},{"old":"three\nkey = [secret]","new":"x\nkey = [secret]"}]}`, drop: "change the same lines"},
		{name: "no change", fix: `{"description":"d","replace":[{"old":"three","new":"three"}]}`, drop: "changes nothing"},
		{name: "line with a secret", fix: `{"description":"d","replace":[{"old":"key = [secret]","new":"key = x"}]}`, drop: "secret"},
		{name: "placeholder of a secret elsewhere", fix: `{"description":"d","replace":[{"old":"five","new":"a = [secret]"}]}`, drop: "secret"},
		{name: "secret that the model knows", fix: `{"description":"d","replace":[{"old":"five","new":"a = hunter2"}]}`, drop: "secret"},
		{name: "characters that nobody sees", fix: `{"description":"d","replace":[{"old":"five","new":"5 // \u202e"}]}`, drop: "cannot be seen"},
		{name: "escape sequence", fix: `{"description":"d","replace":[{"old":"five","new":"five\n\u001b[2J"}]}`, drop: "cannot be seen"},
		{name: "C1 control in a diff", fix: `{"description":"d","diff":"@@ -5 +5 @@\n-five\n+5\u009b31m\n"}`, drop: "cannot be seen"},
		{name: "NUL", fix: `{"description":"d","replace":[{"old":"five","new":"5\u0000"}]}`, drop: "cannot be seen"},
		{name: "NUL in a diff", fix: `{"description":"d","diff":"@@ -5 +5 @@\n-five\n+5\u0000\n"}`, drop: "cannot be seen"},
		{name: "NUL in what is replaced", fix: `{"description":"d","replace":[{"old":"fi\u0000ve","new":"5"}]}`, drop: "not in what was shown"},
		{name: "not a fix", fix: `{"description":"d","replace":"x"}`, drop: "no text to replace"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files, err := diff.Parse([]byte(fixPatch))
			if err != nil {
				t.Fatal(err)
			}
			p := answerer(`{"findings":[{"severity":"low","title":"t","description":"d","location":{"startLine":3},"suggestedFix":` + tt.fix + `}]}`)
			report, err := scanner.RunSkill(t.Context(), scanner.Skill{Name: "s", Instructions: "i"}, files, scanner.Options{Provider: p, Redact: redact})
			if err != nil || len(report.Findings) != 1 {
				t.Fatalf("error %v, report %+v", err, report)
			}
			got := report.Findings[0].SuggestedFix
			if tt.drop != "" {
				if got != nil {
					t.Fatalf("got fix %+v, want none", got)
				}
				if n := report.Discarded; n["fix"] != 1 {
					t.Errorf("discarded %v, want one fix (%s)", n, tt.drop)
				}
				return
			}
			if got == nil {
				t.Fatal("got no fix")
			}
			if d := cmp.Diff(got.Edits, tt.edits); d != "" {
				t.Errorf("edits (-got +want):\n%s", d)
			}
			if strings.Contains(got.Diff, "hunter2") {
				t.Errorf("the diff contains a secret:\n%s", got.Diff)
			}
			read, err := scanner.ParseEdits("a b.txt", got.Diff)
			if d := cmp.Diff(read, tt.edits); err != nil || d != "" {
				t.Errorf("edits read from the diff: %v (-got +want):\n%s\n%s", err, d, got.Diff)
			}
			// With the secret in its place, git applies the diff.
			if got := applyPatch(t, fixFile, strings.ReplaceAll(got.Diff, "[secret]", "hunter2")); got != tt.file {
				t.Errorf("applied, the fix gives %q, want %q", got, tt.file)
			}
		})
	}
}

// applyPatch returns the file "a b.txt" after git applied a patch to it.
func applyPatch(t *testing.T, contents, patch string) string {
	t.Helper()
	dir := t.TempDir()
	name := filepath.Join(dir, "a b.txt")
	if err := os.WriteFile(name, []byte(contents), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("git", "apply", "-")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	cmd.Stdin = strings.NewReader(patch)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s\n%s", err, out, patch)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// Edits that are far from each other make hunks of their own, and lines that were
// left out are not context.
func TestUnifiedDiff(t *testing.T) {
	var lines []diff.Line
	for n := 1; n <= 30; n++ {
		if n != 14 {
			lines = append(lines, diff.Line{Op: diff.Context, New: n, Text: fmt.Sprintf("line %d", n)})
		}
	}
	edits := []scanner.Edit{
		{Line: 2, Old: []string{"line 2"}, New: []string{"x", "y"}},
		{Line: 7, New: []string{"z"}},
		{Line: 13, Old: []string{"line 13"}},
		{Line: 16, Old: []string{"line 16"}, New: []string{"16"}},
	}
	const want = `--- "a/\303\251"
+++ "b/\303\251"
@@ -1,13 +1,14 @@
 line 1
-line 2
+x
+y
 line 3
 line 4
 line 5
 line 6
+z
 line 7
 line 8
 line 9
 line 10
 line 11
 line 12
-line 13
@@ -15,5 +16,5 @@
 line 15
-line 16
+16
 line 17
 line 18
 line 19
`
	got := scanner.UnifiedDiff("é", lines, edits)
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("(-got +want):\n%s", d)
	}
	read, err := scanner.ParseEdits("é", got)
	if d := cmp.Diff(read, edits); err != nil || d != "" {
		t.Errorf("%v (-got +want):\n%s", err, d)
	}
}

func TestParseEditsErrors(t *testing.T) {
	for _, tt := range []struct{ name, diff, want string }{
		{"not a diff", "x", "no unified diff found"},
		{"nothing", "", "changes 0 files"},
		{"another file", "--- a/b\n+++ b/b\n@@ -1 +1 @@\n-a\n+b\n", `changes "b"`},
		{"two files", "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-a\n+b\n", "changes 2 files"},
		{"wrong counts", "--- a/a\n+++ b/a\n@@ -1,7 +1 @@\n-a\n+b\n", "old and 0 new lines are missing"},
		{"no change", "--- a/a\n+++ b/a\n@@ -1 +1 @@\n a\n", "changes nothing"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := scanner.ParseEdits("a", tt.diff); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, %v; want an error with %q", got, err, tt.want)
			}
		})
	}
}

func FuzzParseEdits(f *testing.F) {
	f.Add("--- a/a\n+++ b/a\n@@ -1,2 +1 @@\n-a\n b\n\\ No newline at end of file\n")
	f.Add("--- a/a\n+++ b/a\n@@ -0,0 +1 @@\n+a\n")
	f.Fuzz(func(t *testing.T, s string) {
		edits, err := scanner.ParseEdits("a", s)
		if err != nil {
			return
		}
		end := 0
		for _, e := range edits {
			if e.Line < 1 || end > 0 && e.Line <= end || len(e.Old)+len(e.New) == 0 {
				t.Errorf("edits %+v", edits)
			}
			end = e.Line + len(e.Old)
		}
	})
}
