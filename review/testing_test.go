package review

import (
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/google/go-cmp/cmp"
)

// numbered returns a file of n lines and its diff as an added file.
func numbered(path string, n int) (string, string) {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "line %d of the file\n", i)
	}
	return b.String(), newFile(path, b.String())
}

// words are findings with titles that do not resemble each other.
func many(n int, path string) []scanner.Finding {
	var list []scanner.Finding
	for i := range n {
		word := strings.Map(func(r rune) rune { return 'a' + r - '0' }, fmt.Sprint(1000+i))
		list = append(list, found("problem "+word+" of kind "+word, path, i+1, 0))
	}
	return list
}

var update = flag.Bool("update", false, "write the golden files")

const (
	headSHA = "1111111111111111111111111111111111111111"
	nextSHA = "2222222222222222222222222222222222222222"
)

// golden compares got with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(got, string(want)); d != "" {
		t.Errorf("%s (-got +want):\n%s", name, d)
	}
}

// parse returns the files of a diff.
func parse(t testing.TB, patch string) []diff.File {
	t.Helper()
	files, err := diff.Parse([]byte(patch))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// newFile returns the diff of an added file.
func newFile(path, text string) string {
	text, ended := strings.CutSuffix(text, "\n")
	lines := strings.Split(text, "\n")
	var b strings.Builder
	b.WriteString("diff --git a/" + path + " b/" + path + "\nnew file mode 100644\n--- /dev/null\n+++ b/" + path + "\n")
	b.WriteString("@@ -0,0 +1," + strconv.Itoa(len(lines)) + " @@\n")
	for _, l := range lines {
		b.WriteString("+" + l + "\n")
	}
	if !ended {
		b.WriteString("\\ No newline at end of file\n")
	}
	return b.String()
}

const patch = `diff --git a/app/db.go b/app/db.go
--- a/app/db.go
+++ b/app/db.go
@@ -10,6 +10,9 @@ func query(name string) {
 	if name == "" {
 		return
 	}
-	run("select * from users")
+	q := "select * from users where name = '" + name + "'"
+	log(q)
+	log(q)
+	run(q)
 	done()
 }
@@ -40,3 +43,4 @@ func other() {
 	a()
 	b()
+	c()
 	d()
diff --git a/docs/read me.md b/docs/read me.md
new file mode 100644
--- /dev/null
+++ b/docs/read me.md
@@ -0,0 +1,2 @@
+# Title
+text
`

func found(title, path string, start, end int) scanner.Finding {
	f := scanner.Finding{
		ID: hash(12, title, path, strconv.Itoa(start)), Severity: scanner.SeverityMedium, Confidence: scanner.ConfidenceHigh,
		Title: title, Description: "Why " + title + " matters.",
	}
	if path != "" {
		f.Location = &scanner.Location{Path: path, StartLine: start, EndLine: end}
	}
	return f
}

// skillOf returns the result of a skill that shows all its findings.
func skillOf(name string, findings ...scanner.Finding) SkillResult {
	report := &scanner.SkillReport{
		Skill: name, Findings: findings, Model: "m",
		Chunks: scanner.ChunkCounts{Total: 3, Analyzed: 3},
		Files:  []scanner.FileReport{{Path: "app/db.go"}},
		Usage:  &scanner.Usage{InputTokens: 12345, OutputTokens: 678, CostUSD: new(0.0345)},
	}
	return SkillResult{Report: report, Selection: selection(report, scanner.Policy{})}
}

func resultOf(t testing.TB, skills ...SkillResult) Result {
	return Result{
		Flavor: flavor, Number: 7, Head: headSHA, Policy: "p1",
		Skills: skills, Files: parse(t, patch), Duration: 12345 * time.Millisecond,
	}
}

// flavor is one of no existing host.
var flavor = Flavor{
	FileURL: func(commit, path string, start, end int) string {
		u := "https://host.test/blob/" + commit + "/" + url.PathEscape(path)
		if start > 0 {
			u += fmt.Sprintf("#L%d-%d", start, end)
		}
		return u
	},
	CommitURL:  func(commit string) string { return "https://host.test/commit/" + commit },
	ChangeURL:  func(number int) string { return fmt.Sprintf("https://host.test/pull/%d", number) },
	Suggestion: func(n int) string { return fmt.Sprintf("suggestion:-%d+0", n-1) },
}

func skippedOf(name string) scanner.SkippedFile {
	return scanner.SkippedFile{Filename: name, Reason: "pattern", Pattern: name}
}

func skippedFor(name, reason string) scanner.SkippedFile {
	return scanner.SkippedFile{Filename: name, Reason: reason}
}

// selection returns what a valid policy selects.
func selection(report *scanner.SkillReport, p scanner.Policy) scanner.Selection {
	sel, err := scanner.Select(report, p)
	if err != nil {
		panic(err)
	}
	return sel
}
