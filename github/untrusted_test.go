package github

import (
	"slices"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/githubtest"
	"github.com/codescan-dev/scanner/review"
	"github.com/google/go-cmp/cmp"
)

// TestForgedLogs posts results of logs that were forged on a pull request that a
// verified run has reviewed, on the same head and on the next one. Nothing that
// the verified run posted may change, and no check run may pass or fail.
func TestForgedLogs(t *testing.T) {
	a, b := found("SQL injection", "app/db.go", 13, 16), found("Unused call", "app/db.go", 45, 0)
	same := skillOf("code-review", a, b)
	failing := skillOf("code-review", a)
	failing.RequestChanges, failing.Selection.Fails = true, true
	forgedMarker := "x\n\n" + marker("summary", summaryMarker{Head: headSHA, Done: []done{{Policy: hash(16, "p1")}}})
	hostileFinding := found(forgedMarker, "app/db.go", 13, 0)
	hostileFinding.Description, hostileFinding.Verification = forgedMarker, forgedMarker
	hostileFinding.SuggestedFix = &scanner.SuggestedFix{Description: "```\n" + forgedMarker + "\n```", Diff: forgedMarker}
	offDiff := found("Off the diff", "app/db.go", 30, 0)
	elsewhere := found("Elsewhere", "../../etc/passwd", 1, 0)
	hostileSkips := skillOf("code-review")
	hostileSkips.Report.SkippedFiles = []scanner.SkippedFile{
		{Filename: "</details><img src=x>@alice\n<!-- scanner:end -->", Reason: "pattern", Pattern: "`@alice`"}, {Filename: "x", Reason: "@alice"},
	}
	tests := []struct {
		name   string
		skills []review.SkillResult
	}{
		{"empty", nil},
		{"nothing found", []review.SkillResult{skillOf("code-review")}},
		{"nothing found by patterns", []review.SkillResult{func() review.SkillResult { s := skillOf("code-review"); s.Report.PatternsOnly = true; return s }()}},
		{"the same", []review.SkillResult{same}},
		{"failing", []review.SkillResult{failing}},
		{"other paths", []review.SkillResult{skillOf("code-review", elsewhere)}},
		{"off the diff", []review.SkillResult{skillOf("code-review", offDiff)}},
		{"10,000 findings", []review.SkillResult{skillOf("code-review", many(10_000, "app/db.go")...)}},
		{"hostile text", []review.SkillResult{skillOf("code-review", hostileFinding), skillOf("x --> @alice", hostileFinding)}},
		{"hostile skipped files", []review.SkillResult{hostileSkips}},
		{"a skill named like a check run", []review.SkillResult{skillOf("code-review (unverified)", a), skillOf("scanner/code-review")}},
	}
	for _, tt := range tests {
		for _, head := range []string{headSHA, nextSHA} {
			t.Run(tt.name+" "+head[:1], func(t *testing.T) {
				h := newHost(t, parse(t, patch))
				verified := resultOf(t, skillOf("code-review", a, b))
				verified.Skills[0].RequestChanges, verified.Skills[0].Selection.Fails = true, true
				post(t, h, verified)
				ours := h.Dump()
				n := [4]int{len(h.Comments), len(h.IssueComments), len(h.Reviews), len(h.Checks)}
				h.Push(head, h.Files)

				forged := verified
				forged.Head, forged.Skills, forged.ReportOnSuccess = head, tt.skills, true
				forged, _ = review.Sanitize(forged)
				post(t, h, forged)

				for _, k := range h.Checks[n[3]:] {
					if k.Conclusion != "neutral" || !strings.HasSuffix(k.Name, " (unverified)") || k.Name == "scanner/code-review" {
						t.Errorf("check run %q: %s", k.Name, k.Conclusion)
					}
				}
				for _, r := range h.Reviews[n[2]:] {
					if r.State != "COMMENTED" || !strings.Contains(r.Body, "**Unverified:**") {
						t.Errorf("review %s %q", r.State, r.Body)
					}
				}
				for _, c := range h.Comments[n[0]:] {
					if !strings.Contains(c.Body, "**Unverified:**") {
						t.Errorf("comment %q", c.Body)
					}
				}
				if head == nextSHA && isDone(t, h, review.Result{Number: 7, Head: head, Policy: "p1", Skills: verified.Skills}) {
					t.Error("the new head is done")
				}
				if len(h.IssueComments) != n[1] {
					t.Error("another summary")
				}
				comments := len(h.Comments) - n[0]
				if comments > 50 {
					t.Errorf("%d comments", comments)
				}
				// Another time there is nothing to do.
				mark := len(h.Writes)
				post(t, h, forged)
				if got := h.Writes[mark:]; len(got) > 0 {
					t.Errorf("writes of the second run: %q", got)
				}

				// Without what it added, everything is as it was.
				h.Comments, h.IssueComments, h.Reviews, h.Checks, h.Head = h.Comments[:n[0]], h.IssueComments[:n[1]], h.Reviews[:n[2]], h.Checks[:n[3]], headSHA
				if d := cmp.Diff(h.Dump(), ours); d != "" {
					t.Errorf("the verified review changed (-got +want):\n%s", d)
				}
			})
		}
	}
}

// TestVerifiedAfterForged has a forged log first: it hides nothing of a verified
// run.
func TestVerifiedAfterForged(t *testing.T) {
	a := found("SQL injection", "app/db.go", 13, 16)
	h := newHost(t, parse(t, patch))
	forged, _ := review.Sanitize(resultOf(t, skillOf("code-review", a)))
	post(t, h, forged)
	verified := resultOf(t, skillOf("code-review", a))
	verified.Skills[0].RequestChanges, verified.Skills[0].Selection.Fails = true, true
	post(t, h, verified)
	if len(h.IssueComments) != 1 || strings.Contains(h.IssueComments[0].Body, "**Unverified:**") {
		t.Errorf("summaries:\n%s", h.Dump())
	}
	if len(h.Comments) != 2 || strings.Contains(h.Comments[1].Body, "**Unverified:**") || h.Reviews[1].State != "CHANGES_REQUESTED" {
		t.Errorf("comments:\n%s", h.Dump())
	}
	if k := h.Checks[1]; k.Name != "scanner/code-review" || k.Conclusion != "failure" {
		t.Errorf("check run %q: %s", k.Name, k.Conclusion)
	}
	if !isDone(t, h, verified) {
		t.Error("not done")
	}
}

// TestForgedForAnother has a log that was made for another pull request: the number
// comes from the event, and the client writes to no other.
func TestForgedForAnother(t *testing.T) {
	h := newHost(t, parse(t, patch))
	h.Pulls = append(h.Pulls, githubtest.Pull{Number: 8})
	r, _ := review.Sanitize(resultOf(t, skillOf("code-review", found("SQL injection", "app/db.go", 13, 16))))
	post(t, h, r)
	for _, req := range h.Requests {
		if strings.Contains(req, "/8") {
			t.Errorf("request %s", req)
		}
	}
}

func TestUntrusted(t *testing.T) {
	a := found("SQL injection", "app/db.go", 13, 16)
	a.SuggestedFix = &scanner.SuggestedFix{Description: "d", Diff: "@@ -13 +13 @@\n-\tq := \"select * from users where name = '\" + name + \"'\"\n+\tevil()\n"}
	h := newHost(t, parse(t, patch))
	trusted := resultOf(t, skillOf("code-review", a, found("Unused call", "app/db.go", 45, 0)))
	trusted.Skills[0].RequestChanges, trusted.Skills[0].Selection.Fails = true, true
	post(t, h, trusted)
	summary, verdict := h.IssueComments[0].Body, *h.Checks[0]

	forged := resultOf(t, skillOf("code-review"), skillOf("evil @alice <!-- scanner:summary -->", many(10000, "app/db.go")...))
	forged.Skills[1].Report.Findings[0].Location.Path = "other.go"
	forged.Skills[1].Selection = selection(forged.Skills[1].Report, scanner.Policy{})
	forged.Skills[1].RequestChanges, forged.Skills[1].Selection.Fails = true, true
	forged, left := review.Sanitize(forged)
	if len(left) != 2 {
		t.Errorf("left out: %q", left)
	}
	post(t, h, forged)
	if h.IssueComments[0].Body != summary || len(h.IssueComments) != 1 {
		t.Error("an unverified result replaced a verified summary")
	}
	if verdict.Conclusion != "failure" || h.Checks[0].Conclusion != "failure" {
		t.Error("the verdict changed")
	}
	for _, k := range h.Checks[1:] {
		if k.Conclusion != "neutral" || !strings.HasSuffix(k.Name, "(unverified)") {
			t.Errorf("check run %q: %q", k.Name, k.Conclusion)
		}
	}
	if h.Reviews[0].State != "CHANGES_REQUESTED" {
		t.Errorf("review %s", h.Reviews[0].State)
	}
	for _, rev := range h.Reviews[1:] {
		if rev.State != "COMMENTED" {
			t.Errorf("review %s", rev.State)
		}
	}
	for _, th := range h.Threads {
		if th.Resolved {
			t.Error("a thread was resolved")
		}
	}

	// A comment of a forged log does not replace that of a verified finding.
	h = newHost(t, parse(t, patch))
	log, _ := review.Sanitize(resultOf(t, skillOf("code-review", a)))
	post(t, h, log)
	if strings.Contains(h.Comments[0].Body, "```suggestion") {
		t.Error("an unverified fix is suggested")
	}
	if s, err := clientOf(t, h).Read(t.Context(), 7, headSHA); err != nil {
		t.Fatal(err)
	} else if _, ok := s.Done(headSHA, "p1", []string{"code-review"}); ok {
		t.Error("an unverified result is done")
	}
	post(t, h, trusted)
	if len(h.Comments) != 3 {
		t.Errorf("%d comments", len(h.Comments))
	}
}

// TestUnverifiedThreads are resolved by a verified result that looked at
// everything: its findings have their own threads.
func TestUnverifiedThreads(t *testing.T) {
	h := newHost(t, parse(t, patch))
	finding := found("SQL injection", "app/db.go", 13, 0)
	forged := resultOf(t, skillOf("code-review", finding))
	forged, _ = review.Sanitize(forged)
	post(t, h, forged)
	incomplete := resultOf(t, skillOf("code-review"))
	incomplete.Skills[0].Report.FailedHunks = 1
	post(t, h, incomplete)
	if first := h.Comments[0]; h.Threads[first.ID].Resolved {
		t.Fatal("an incomplete result resolved a thread")
	}
	post(t, h, resultOf(t, skillOf("code-review", finding)))
	if len(h.Comments) != 2 || !h.Threads[h.Comments[0].ID].Resolved || h.Threads[h.Comments[1].ID].Resolved {
		t.Errorf("%s", h.Dump())
	}
	mark := len(h.Writes)
	post(t, h, forged)
	if got := h.Writes[mark:]; slices.ContainsFunc(got, func(w string) bool { return strings.Contains(w, "pulls/7/reviews") }) {
		t.Errorf("posted again: %q", got)
	}
}

// TestUnverifiedSummary has an unverified result alone, with hostile text.
func TestUnverifiedSummary(t *testing.T) {
	h := newHost(t, parse(t, patch))
	s := skillOf("evil", found("Unused call <!-- scanner:end -->", "app/db.go", 30, 0))
	s.Report.SkippedFiles = []scanner.SkippedFile{
		{Filename: "</details><img src=x>@alice\n<!-- scanner:end -->", Reason: "pattern", Pattern: "`@alice`"}, {Filename: "x", Reason: "@alice"},
	}
	r, _ := review.Sanitize(resultOf(t, s))
	post(t, h, r)
	if n := len(h.IssueComments); n != 1 {
		t.Fatalf("%d summaries", n)
	}
	got := h.IssueComments[0].Body
	if !strings.Contains(got, "**Unverified:**") || strings.Count(got, "@alice") > strings.Count(got, "`@alice`") || strings.Count(got, "<!--") != 3 {
		t.Errorf("summary:\n%s", got)
	}
	if isDone(t, h, r) {
		t.Error("an unverified result is done")
	}
	// Another head has the same comment.
	h.Push(nextSHA, h.Files)
	r.Head = nextSHA
	post(t, h, r)
	if n := len(h.IssueComments); n != 1 || !strings.Contains(h.IssueComments[0].Body, nextSHA) {
		t.Errorf("%d comments\n%s", n, h.Dump())
	}
}
