package github

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/review"
)

const (
	headSHA = "1111111111111111111111111111111111111111"
	nextSHA = "2222222222222222222222222222222222222222"
)

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
func skillOf(name string, findings ...scanner.Finding) review.SkillResult {
	report := &scanner.SkillReport{
		Skill: name, Findings: findings, Model: "m",
		Chunks: scanner.ChunkCounts{Total: 3, Analyzed: 3},
		Files:  []scanner.FileReport{{Path: "app/db.go"}, {Path: "docs/read me.md"}, {Path: "big.go"}, {Path: "f.txt"}},
		Usage:  &scanner.Usage{InputTokens: 12345, OutputTokens: 678, CostUSD: new(0.0345)},
	}
	return review.SkillResult{Report: report, Selection: selection(report, scanner.Policy{})}
}

func resultOf(t testing.TB, skills ...review.SkillResult) review.Result {
	return review.Result{
		Flavor: Flavor("", Repo{"o", "r"}), Number: 7, Head: headSHA, Policy: "p1",
		Skills: skills, Files: parse(t, patch), Duration: 12345 * time.Millisecond,
	}
}

func skippedOf(name string) scanner.SkippedFile {
	return scanner.SkippedFile{Filename: name, Reason: "pattern", Pattern: name}
}

// selection returns what a valid policy selects.
func selection(report *scanner.SkillReport, p scanner.Policy) scanner.Selection {
	sel, err := scanner.Select(report, p)
	if err != nil {
		panic(err)
	}
	return sel
}
