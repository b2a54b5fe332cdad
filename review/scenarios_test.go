package review_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/review"
	"github.com/google/go-cmp/cmp"
)

const (
	commit1 = "1111111111111111111111111111111111111111"
	commit2 = "2222222222222222222222222222222222222222"
)

// change is the diff of the pull request, moved down by a number of lines.
func change(t testing.TB, down int) []diff.File {
	files, err := diff.Parse([]byte(`--- a/app/db.go
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
`))
	if err != nil {
		t.Fatal(err)
	}
	for i := range files[0].Hunks {
		files[0].Hunks[i].NewStart += down
	}
	return files
}

// at returns a finding on a line of the change.
func at(line int, title string) scanner.Finding {
	return scanner.Finding{
		ID: fmt.Sprintf("%012x", line*1000+len(title)), Severity: scanner.SeverityMedium, Title: title, Description: "Why " + title + " matters.",
		Location: &scanner.Location{Path: "app/db.go", StartLine: line},
	}
}

var (
	injection = at(13, "SQL injection")
	unused    = at(45, "Unused call")
)

// scene is a scenario that is played on a site.
type scene struct {
	*testing.T
	site
	host newSite
	// result is what is posted next.
	result review.Result
}

func newScene(t *testing.T, host newSite) *scene {
	s := &scene{T: t, site: host(t, commit1, change(t, 0)), host: host}
	s.result = review.Result{Number: number, Head: commit1, Policy: "p", Files: change(t, 0), Flavor: s.flavor()}
	return s
}

// found sets the findings of the next run.
func (s *scene) found(findings ...scanner.Finding) *review.SkillResult {
	r := &scanner.SkillReport{
		Skill: "code-review", Findings: findings, Chunks: scanner.ChunkCounts{Total: 1, Analyzed: 1}, Files: []scanner.FileReport{{Path: "app/db.go"}},
	}
	selection, err := scanner.Select(r, scanner.Policy{FailOn: scanner.ThresholdHigh})
	if err != nil {
		s.Fatal(err)
	}
	s.result.Skills = []review.SkillResult{{Report: r, Selection: selection}}
	return &s.result.Skills[0]
}

// post posts the next result with a new client.
func (s *scene) post() (*review.Outcome, error) {
	return review.Post(s.Context(), s.client(), s.result, false)
}

// run posts findings.
func (s *scene) run(findings ...scanner.Finding) *review.Outcome {
	s.Helper()
	s.found(findings...)
	return s.again()
}

// again posts the last result again.
func (s *scene) again() *review.Outcome {
	s.Helper()
	out, err := s.post()
	if err != nil {
		s.Fatal(err)
	}
	return out
}

// push moves the head on, with the changes moved down by a number of lines.
func (s *scene) push(down int) {
	s.result.Head, s.result.Files = commit2, change(s, down)
	s.site.push(commit2, s.result.Files)
}

// want compares the comments on lines with "line title", followed by "closed" for
// what is resolved, hidden or marked.
func (s *scene) want(want ...string) {
	s.Helper()
	var got []string
	for _, c := range s.page().Comments {
		_, text, _ := strings.Cut(c.Body, "**")
		if text, ok := strings.CutPrefix(text, "No longer found"); ok {
			_, text, _ = strings.Cut(text, "\n\n**")
			c.Body = text
		} else {
			c.Body = "**" + text
		}
		title, _, _ := strings.Cut(strings.TrimPrefix(c.Body, "**"), "**")
		line := fmt.Sprintf("%d %s", c.Line, title)
		if c.Closed {
			line += " closed"
		}
		got = append(got, line)
	}
	if d := cmp.Diff(got, want); d != "" {
		s.Errorf("comments (-got +want):\n%s", d)
	}
}

// isDone reports whether the last result is recognized as posted.
func (s *scene) isDone() bool {
	s.Helper()
	state, err := s.client().Read(s.Context(), number, s.result.Head)
	if err != nil {
		s.Fatal(err)
	}
	_, done := state.Done(s.result.Head, s.result.Policy, []string{"code-review"})
	return done
}

// idle checks that the last result is recognized as posted, and that posting it
// again writes nothing.
func (s *scene) idle() {
	s.Helper()
	if !s.isDone() {
		s.Error("the head is not recognized as reviewed")
	}
	before := s.writes()
	if out := s.again(); s.writes() != before || out.Writes > 0 {
		s.Errorf("%d writes of another run:\n%s", s.writes()-before, out.Plan)
	}
}

// scenarios happen on every code host.
var scenarios = []struct {
	name string
	play func(*scene)
}{
	{"first run", func(s *scene) {
		outside := at(30, "Between the hunks")
		out := s.run(injection, unused, outside)
		s.want("13 SQL injection", "45 Unused call")
		p := s.page()
		if len(p.Summaries) != 1 || !strings.Contains(p.Summaries[0], outside.Description) {
			s.Errorf("summaries %q", p.Summaries)
		}
		if fails, ok := p.Checks["code-review"]; !ok || fails || p.Blocked {
			s.Errorf("checks %v, blocked %t", p.Checks, p.Blocked)
		}
		if out.SummaryURL == "" || out.Writes == 0 || len(out.Warnings) > 0 {
			s.Errorf("outcome %+v", out)
		}
		s.idle()
	}},
	{"first run without findings", func(s *scene) {
		s.run()
		if p := s.page(); len(p.Comments)+len(p.Summaries) > 0 || len(p.Checks) != 1 {
			s.Errorf("%+v", p)
		}
		s.idle()
	}},
	{"first run without findings, and reportOnSuccess", func(s *scene) {
		s.result.ReportOnSuccess = true
		s.run()
		if n := len(s.page().Summaries); n != 1 {
			s.Errorf("%d summaries", n)
		}
		s.idle()
	}},
	{"dry run", func(s *scene) {
		s.found(injection)
		out, err := review.Post(s.Context(), s.client(), s.result, true)
		if err != nil || s.writes() > 0 {
			s.Fatalf("%d writes, error %v", s.writes(), err)
		}
		want := "create  check run \"scanner/code-review\": neutral\n" +
			"create  comment app/db.go:13 \"SQL injection\": new finding\n" +
			"create  summary comment: there is none\n"
		if d := cmp.Diff(out.Plan.String(), want); d != "" {
			s.Errorf("plan (-got +want):\n%s", d)
		}
	}},
	{"same head", func(s *scene) {
		high := injection
		high.Severity = scanner.SeverityHigh
		s.run(high)
		s.idle()
		state, err := s.client().Read(s.Context(), number, commit1)
		if err != nil {
			s.Fatal(err)
		}
		if earlier, _ := state.Done(commit1, "p", []string{"code-review"}); !earlier.Fails || earlier.Counts.High != 1 || earlier.URL == "" {
			s.Errorf("%+v", earlier)
		}
		if _, done := state.Done(commit1, "p", []string{"code-review", "another"}); done {
			s.Error("done for a skill that did not run")
		}
		s.result.Policy = "another"
		if s.isDone() {
			s.Error("done with another policy")
		}
		s.result.Policy = "p"
		s.push(0)
		if s.isDone() {
			s.Error("done with another head")
		}
	}},
	{"moved code", func(s *scene) {
		s.run(injection, unused)
		s.push(50)
		s.run(at(63, "SQL injection"), at(95, "Unused call"))
		if n := len(s.page().Comments); n != 2 {
			s.Errorf("%d comments", n)
		}
		s.idle()
	}},
	{"reworded", func(s *scene) {
		s.run(injection, unused)
		s.push(0)
		s.run(at(13, "Injection of SQL through the name"), unused)
		s.want("13 SQL injection", "45 Unused call")
		s.idle()
	}},
	{"a new file, renamed by a push", func(s *scene) {
		_, files := long(s, 30)
		s.result.Files = files
		s.site.push(commit1, files)
		s.run(at(7, "Nothing is checked"), at(20, "Twice the same"))
		_, renamed := long(s, 30)
		renamed[0].Path = "app/store.go"
		s.result.Head, s.result.Files = commit2, renamed
		s.site.push(commit2, renamed)
		same, reworded := at(7, "Nothing is checked"), at(20, "A duplicate")
		same.Location.Path, reworded.Location.Path = "app/store.go", "app/store.go"
		s.found(same, reworded).Report.Files[0].Path = "app/store.go"
		s.again()
		want := []string{"Nothing is checked", "Twice the same"}
		for i, c := range s.page().Comments {
			if i >= len(want) || c.Closed || !strings.Contains(c.Body, want[i]) {
				s.Errorf("comment %d: %+v", i, c)
			}
		}
		s.idle()
		// Nor is it gone when the file gets a name that is not read.
		skip := s.found()
		skip.Report.Files, skip.Report.SkippedFiles = nil, []scanner.SkippedFile{{Filename: "app/store.go", Reason: "vendored"}}
		s.again()
		if c := s.page().Comments; c[0].Closed || c[1].Closed {
			s.Errorf("%+v", c)
		}
	}},
	{"fixed, and found again", func(s *scene) {
		s.run(injection, unused)
		first := s.page().Comments
		s.push(0)
		s.run(unused)
		s.want("13 SQL injection closed", "45 Unused call")
		s.idle()
		s.run(injection, unused)
		if d := cmp.Diff(s.page().Comments, first); d != "" {
			s.Errorf("comments (-got +want):\n%s", d)
		}
		s.idle()
	}},
	{"fixed, and found again, without the power to resolve", func(s *scene) {
		s.deny(resolving)
		s.run(injection, unused)
		first := s.page().Comments
		s.push(0)
		s.run(unused)
		s.want("13 SQL injection closed", "45 Unused call")
		s.idle()
		s.run(injection, unused)
		if d := cmp.Diff(s.page().Comments, first); d != "" {
			s.Errorf("comments (-got +want):\n%s", d)
		}
		s.idle()
	}},
	{"not looked at again", func(s *scene) {
		s.run(injection, unused)
		s.push(0)
		s.found(unused).Report.FailedHunks = 1
		s.again()
		s.want("13 SQL injection", "45 Unused call")
		if s.isDone() {
			s.Error("an incomplete review is done")
		}
	}},
	{"replied by a person with write access", func(s *scene) {
		s.run(injection, unused)
		s.reply("SQL injection", true, "The name is a constant.")
		s.push(0)
		s.run(unused)
		s.want("13 SQL injection", "45 Unused call")
		s.run(injection, unused)
		s.want("13 SQL injection", "45 Unused call")
		s.idle()
	}},
	{"answered, and reworded", func(s *scene) {
		s.run(injection, unused)
		s.reply("SQL injection", true, "The name is a constant.")
		s.push(0)
		s.run(at(13, "The name ends the string"), unused)
		s.want("13 SQL injection", "45 Unused call")
		if p := s.page(); !strings.Contains(p.Summaries[0], "Why The name ends the string matters.") {
			s.Errorf("not in the summary:\n%s", p.Summaries[0])
		}
		s.idle()
	}},
	{"another severity", func(s *scene) {
		s.run(injection, unused)
		high := injection
		high.Severity = scanner.SeverityHigh
		s.resolve("SQL injection")
		s.push(0)
		s.run(high, unused)
		s.want("13 SQL injection closed", "45 Unused call")
		if body := s.page().Comments[0].Body; !strings.Contains(body, "<sub>high · ") {
			s.Errorf("comment:\n%s", body)
		}
		s.idle()
	}},
	{"replied by a person without", func(s *scene) {
		s.run(injection)
		s.reply("SQL injection", false, "Me too.")
		s.push(0)
		s.run(injection)
		s.want("13 SQL injection")
		s.idle()
	}},
	{"resolved by a person", func(s *scene) {
		s.run(injection, unused)
		s.resolve("SQL injection")
		s.push(0)
		s.run(injection, unused)
		s.want("13 SQL injection closed", "45 Unused call")
		s.idle()
	}},
	{"forged markers", func(s *scene) {
		first := s.run(injection).Writes
		s.forge()
		if s.isDone() {
			s.Error("a forged review is done")
		}
		if p := s.page(); len(p.Comments)+len(p.Summaries)+len(p.Checks) > 0 {
			s.Fatalf("not forged: %+v", p)
		}
		if again := s.run(injection).Writes; again != first {
			s.Errorf("%d writes, without what was forged %d", again, first)
		}
		s.want("13 SQL injection")
		s.idle()
		s.push(0)
		s.run()
		s.want("13 SQL injection closed")
	}},
	{"a log of a fork", func(s *scene) {
		s.run(injection)
		s.found()
		verified := s.page()
		s.result, _ = review.Sanitize(s.result)
		s.again()
		if d := cmp.Diff(s.page(), verified); d != "" {
			s.Errorf("an unverified result changed what is verified (-got +want):\n%s", d)
		}
		if s.isDone() != true {
			s.Error("the verified result is no longer done")
		}
	}},
	{"changes requested", func(s *scene) {
		block := func(findings ...scanner.Finding) {
			s.found(findings...).RequestChanges = true
			s.again()
		}
		high := injection
		high.Severity = scanner.SeverityHigh
		block(high)
		if p := s.page(); !p.Blocked || !p.Checks["code-review"] {
			s.Errorf("%+v", p)
		}
		s.idle()
		s.push(0)
		block()
		if p := s.page(); p.Blocked || p.Checks["code-review"] {
			s.Errorf("%+v", p)
		}
		s.idle()
	}},
	{"fork", func(s *scene) {
		for _, p := range []power{resolving, commenting, checking} {
			s.deny(p)
		}
		out := s.run(injection)
		if p := s.page(); len(p.Comments)+len(p.Summaries)+len(p.Checks) > 0 || out.Writes > 0 || s.writes() > 2 {
			s.Errorf("%d writes tried, outcome %+v", s.writes(), out)
		}
		if len(out.Denied) != 2 || !out.NoChecks || s.isDone() {
			s.Errorf("outcome %+v", out)
		}
	}},
	{"without the power to make checks", func(s *scene) {
		s.deny(checking)
		out := s.run(injection)
		s.want("13 SQL injection")
		if p := s.page(); len(p.Summaries) != 1 || len(p.Checks) > 0 || !out.NoChecks || len(out.Warnings) != 1 {
			s.Errorf("%+v\n%+v", p, out)
		}
	}},
	{"a line that the host refuses", func(s *scene) {
		s.refuse("app/db.go", 13)
		out := s.run(injection, unused)
		s.want("45 Unused call")
		if p := s.page(); len(p.Summaries) != 1 || !strings.Contains(p.Summaries[0], injection.Description) || len(out.Warnings) == 0 {
			s.Errorf("warnings %q, summaries %q", out.Warnings, p.Summaries)
		}
	}},
	{"another run posts at the same time", func(s *scene) {
		s.found(injection, unused)
		s.before(1, func() { s.again() })
		s.again()
		s.want("13 SQL injection", "45 Unused call")
		if n := len(s.page().Summaries); n != 1 {
			s.Errorf("%d summaries", n)
		}
		s.idle()
	}},
	{"another run posts in the middle", func(s *scene) {
		_, files := long(s, 200)
		s.result.Files = files
		s.site.push(commit1, files)
		findings, _ := long(s, 40)
		s.found(findings...)
		s.before(3, func() { s.again() })
		s.again()
		open := 0
		for _, c := range s.page().Comments {
			if !c.Closed {
				open++
			}
		}
		if open != len(findings) {
			s.Errorf("%d open comments about %d findings", open, len(findings))
		}
		if n := len(s.page().Summaries); n != 1 {
			s.Errorf("%d summaries", n)
		}
		s.idle()
	}},
	{"a new file is renamed", func(s *scene) {
		s.result.Files = newFile(s, "app/db.go")
		s.site.push(commit1, s.result.Files)
		s.run(at(3, "Bad call"))
		s.reply("Bad call", true, "Won't fix.")
		s.result.Head, s.result.Files = commit2, newFile(s, "app/store.go")
		s.site.push(commit2, s.result.Files)
		renamed := at(3, "Bad call")
		renamed.Location.Path = "app/store.go"
		s.found(renamed).Report.Files[0].Path = "app/store.go"
		s.again()
		if n := len(s.page().Comments); n != 1 {
			s.Errorf("%d comments", n)
		}
		s.idle()
	}},
	{"a new file is renamed to where no skill looks", func(s *scene) {
		s.result.Files = newFile(s, "app/db.go")
		s.site.push(commit1, s.result.Files)
		s.run(at(3, "Bad call"))
		s.result.Head, s.result.Files = commit2, newFile(s, "vendor/db.go")
		s.site.push(commit2, s.result.Files)
		r := s.found()
		r.Report.Files, r.Report.SkippedFiles = nil, []scanner.SkippedFile{{Filename: "vendor/db.go", Reason: "pattern"}}
		s.again()
		if c := s.page().Comments; len(c) != 1 || c[0].Closed {
			s.Errorf("comments %+v", c)
		}
		s.idle()
	}},
	{"a file is renamed, with another severity", func(s *scene) {
		s.run(injection)
		s.push(0)
		s.result.Files[0].Path, s.result.Files[0].OldPath, s.result.Files[0].Status = "app/store.go", "app/db.go", diff.Renamed
		renamed := at(13, "SQL injection")
		renamed.Location.Path, renamed.Severity = "app/store.go", scanner.SeverityHigh
		s.site.push(commit2, s.result.Files)
		s.found(renamed).Report.Files[0].Path = "app/store.go"
		s.again()
		s.result.Policy = "another"
		s.again()
		if n := len(s.page().Comments); n != 1 {
			s.Errorf("%d comments", n)
		}
		s.idle()
	}},
	{"another run posted a summary", func(s *scene) {
		s.run(injection)
		first := s.result
		s.found(unused).Report.Skill = "another-skill"
		if _, err := review.Post(s.Context(), blind{s.client()}, s.result, false); err != nil || len(s.page().Summaries) != 2 {
			s.Fatalf("summaries %q, error %v", s.page().Summaries, err)
		}
		s.result = first
		s.again()
		p := s.page().Summaries
		if !strings.Contains(p[0], "SQL injection") || !strings.Contains(p[0], "Unused call") || !strings.HasPrefix(p[1], "The summary is in [an earlier comment](") {
			s.Errorf("summaries %q", p)
		}
		s.idle()
	}},
	{"head moved during the scan", func(s *scene) {
		s.found(injection)
		s.site.push(commit2, change(s, 0))
		if _, err := s.post(); !errors.Is(err, review.ErrHeadMoved) || s.writes() > 0 {
			s.Errorf("%d writes, error %v", s.writes(), err)
		}
	}},
	{"head moved while posting", func(s *scene) {
		s.found(injection)
		s.before(1, func() { s.site.push(commit2, change(s, 0)) })
		if _, err := s.post(); !errors.Is(err, review.ErrHeadMoved) {
			s.Errorf("error %v", err)
		}
		if n := s.writes(); n > 1 {
			s.Errorf("%d writes", n)
		}
	}},
	{"hundreds of findings", func(s *scene) {
		_, files := long(s, 200)
		s.result.Files = files
		s.site.push(commit1, files)
		findings, _ := long(s, 80)
		s.run(findings...)
		if n := len(s.page().Comments); n != 80 {
			s.Errorf("%d comments", n)
		}
		s.idle()
	}},
	{"something goes wrong at every write", func(s *scene) {
		for _, f := range []fault{dropped, lost, broken, tooQuick, limited} {
			for n, writes := 1, 99; n <= writes; n++ {
				ref, cut := s.played(), s.played()
				first := ref.writes()
				ref.again()
				writes = ref.writes() - first
				cut.fail(n, f)
				_, err := cut.post()
				if _, limit := errors.AsType[*review.LimitError](err); limit != (f == limited) || err != nil && !limit {
					s.Fatalf("write %d, %s: error %v", n, f, err)
				}
				cut.fail(0, "")
				if err != nil {
					cut.again()
				}
				if d := cmp.Diff(cut.page(), ref.page()); d != "" {
					s.Errorf("write %d, %s (-got +want):\n%s", n, f, d)
				}
				cut.idle()
			}
		}
	}},
}

// blind is a host on which a run sees nothing of what others post.
type blind struct{ review.Host }

func (b blind) Read(ctx context.Context, number int, head string) (review.State, error) {
	s, err := b.Host.Read(ctx, number, head)
	return review.State{Account: s.Account, Head: s.Head, MakesChecks: s.MakesChecks, Comments: 99, LineComments: 99}, err
}

// played returns a scene of its own, on which an earlier head was reviewed, and
// the next result takes writes of all kinds.
func (s *scene) played() *scene {
	p := newScene(s.T, s.host)
	high := injection
	high.Severity = scanner.SeverityHigh
	p.found(high, unused).RequestChanges = true
	p.again()
	p.found(unused).Report.Skill = "another-skill"
	if _, err := review.Post(p.Context(), blind{p.client()}, p.result, false); err != nil {
		p.Fatal(err)
	}
	p.push(0)
	p.found(unused, at(16, "Query without a limit")).RequestChanges = true
	return p
}

// long returns findings on the lines of a new file whose titles do not resemble each
// other, and the change.
func long(t testing.TB, n int) ([]scanner.Finding, []diff.File) {
	var findings []scanner.Finding
	var patch strings.Builder
	fmt.Fprintf(&patch, "diff --git a/app/db.go b/app/db.go\nnew file mode 100644\n--- /dev/null\n+++ b/app/db.go\n@@ -0,0 +1,%d @@\n", n)
	for i := 1; i <= n; i++ {
		word := strings.Map(func(r rune) rune { return 'a' + r - '0' }, fmt.Sprint(1000+i))
		findings = append(findings, at(i, "problem "+word+" of kind "+word))
		fmt.Fprintf(&patch, "+line %d\n", i)
	}
	files, err := diff.Parse([]byte(patch.String()))
	if err != nil {
		t.Fatal(err)
	}
	return findings, files
}

// newFile returns the change that adds a file.
func newFile(t testing.TB, path string) []diff.File {
	files, err := diff.Parse([]byte("diff --git a/" + path + " b/" + path + "\nnew file mode 100644\n--- /dev/null\n+++ b/" + path +
		"\n@@ -0,0 +1,4 @@\n+package p\n+\n+var q = bad()\n+var z = 2\n"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestScenarios(t *testing.T) {
	for _, host := range sites {
		for _, sc := range scenarios {
			t.Run(host.name+"/"+sc.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { sc.play(newScene(t, host.new)) })
			})
		}
	}
}
