package gitlab_test

import (
	"fmt"
	"hash/fnv"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/gitlab"
	"github.com/codescan-dev/scanner/internal/gitlabtest"
	"github.com/codescan-dev/scanner/review"
)

const (
	headSHA = "1111111111111111111111111111111111111111"
	nextSHA = "2222222222222222222222222222222222222222"
	person  = "alice"
	token   = "secret-token"
)

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
diff --git a/old.txt b/docs/read me.md
similarity index 50%
rename from old.txt
rename to docs/read me.md
--- a/old.txt
+++ b/docs/read me.md
@@ -1,2 +1,2 @@
 # Title
-text
+Text
diff --git a/new.go b/new.go
new file mode 100644
--- /dev/null
+++ b/new.go
@@ -0,0 +1,3 @@
+package p
+
+var x = 1
`

// parse returns the files of a diff.
func parse(t testing.TB, patch string) []diff.File {
	t.Helper()
	files, err := diff.Parse([]byte(patch))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func found(title, path string, start, end int) scanner.Finding {
	h := fnv.New64a()
	fmt.Fprint(h, title, path, start)
	f := scanner.Finding{
		ID: fmt.Sprintf("%012x", h.Sum64()>>16), Severity: scanner.SeverityMedium, Confidence: scanner.ConfidenceHigh,
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
		Files:  []scanner.FileReport{{Path: "app/db.go"}, {Path: "docs/read me.md"}, {Path: "new.go"}},
	}
	sel, err := scanner.Select(report, scanner.Policy{})
	if err != nil {
		panic(err)
	}
	return review.SkillResult{Report: report, Selection: sel}
}

func resultOf(t testing.TB, skills ...review.SkillResult) review.Result {
	return review.Result{
		Flavor: gitlab.Flavor(gitlabtest.WebURL, project(t, "g/sub/p")), Number: 7, Head: headSHA, Policy: "p1",
		Skills: skills, Files: parse(t, patch), Duration: 12345 * time.Millisecond,
	}
}

func project(t testing.TB, name string) gitlab.Project {
	t.Helper()
	p, err := gitlab.ParseProject(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// newHost returns a host on which nothing was posted yet. The test fails when a client
// asks for what no client should, or when a note has a quick action.
func newHost(t testing.TB) *gitlabtest.Host {
	h := gitlabtest.New(headSHA, parse(t, patch))
	h.Token = token
	h.Commits = append(h.Commits, nextSHA)
	h.Roles[person] = gitlabtest.Developer
	t.Cleanup(func() {
		for _, p := range append(h.Problems, h.Commands...) {
			t.Error(p)
		}
	})
	return h
}

// clientOf returns a client of a host below a path.
func clientOf(t testing.TB, h http.RoundTripper) *gitlab.Client {
	t.Helper()
	c, err := gitlab.NewClient(project(t, "g/sub/p"), gitlab.Config{
		HTTP: &http.Client{Transport: recording{h}}, Token: token, BaseURL: gitlabtest.WebURL + "/api/v4", Log: func(s string) { t.Log(s) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// recording records the requests of a client.
type recording struct{ next http.RoundTripper }

func (r recording) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := record(req); err != nil {
		return nil, err
	}
	return r.next.RoundTrip(req)
}

// post posts a result and fails the test if that has an error or a warning.
func post(t testing.TB, h *gitlabtest.Host, r review.Result) *review.Outcome {
	t.Helper()
	out, err := review.Post(t.Context(), clientOf(t, h), r, false)
	if err != nil || len(out.Warnings) > 0 {
		t.Fatalf("error %v, warnings %q", err, out.Warnings)
	}
	return out
}

// titles returns the first lines of the discussions on lines.
func titles(h *gitlabtest.Host) (list []string) {
	for _, d := range h.Discussions {
		if d.Notes[0].Position != nil {
			first, _, _ := strings.Cut(d.Notes[0].Body, "\n")
			list = append(list, first)
		}
	}
	return list
}
