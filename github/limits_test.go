package github

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/githubtest"
	"github.com/codescan-dev/scanner/review"
	"github.com/google/go-cmp/cmp"
)

// TestSizes fills everything with texts of all widths. The host counts characters,
// but a database behind it bytes: both stay below.
func TestSizes(t *testing.T) {
	for _, unit := range []string{"x", "é", "漢", "🙂", "<", "`", "@", "#1", "*", "\n", "\n- ", "```\n", "a b ", "\x00", "\xff", "\u202e"} {
		if testing.Short() && strings.Contains("@#1*é\n- a b ", unit) {
			continue
		}
		t.Run(unit, func(t *testing.T) {
			text := strings.Repeat(unit, 100_000/len(unit))
			f := found(text, "app/db.go", 13, 16)
			f.Description, f.Verification = text, text
			for range 25 {
				f.AdditionalLocations = append(f.AdditionalLocations, scanner.Location{Path: text, StartLine: 1})
			}
			f.SuggestedFix = &scanner.SuggestedFix{Description: text, Diff: text}
			var all []scanner.Finding
			for range 16 {
				g := f
				g.ID = hash(12, text, string(rune(len(all))))
				if len(all) > 0 {
					g.Location = nil
				}
				all = append(all, g)
			}
			r := resultOf(t, skillOf("code-review", all...))
			r.Notes, r.PolicyFiles = []string{text, text}, []string{text}
			r.Stopped = errors.New(text)
			r.Skills[0].Report.SkippedFiles = []scanner.SkippedFile{skippedOf(text)}
			h := newHost(t, r.Files)
			if out := post(t, h, r); len(h.Comments) != 1 || len(h.IssueComments) != 1 || len(h.Checks) != 1 || len(out.Warnings) > 0 {
				t.Fatalf("%d comments, %d summaries, %d check runs, warnings %q", len(h.Comments), len(h.IssueComments), len(h.Checks), out.Warnings)
			}
			for name, body := range map[string]string{"comment": h.Comments[0].Body, "summary": h.IssueComments[0].Body, "check run": h.Checks[0].Summary} {
				if len(body) > 65_536 || utf8.RuneCountInString(body) > 65_536 || !utf8.ValidString(body) {
					t.Errorf("%s: %d bytes", name, len(body))
				}
			}
			for _, a := range h.Checks[0].Annotations {
				title, _ := a["title"].(string)
				message, _ := a["message"].(string)
				if utf8.RuneCountInString(title) > 255 || len(message) > 64<<10 {
					t.Errorf("annotation: title of %d, message of %d", len(title), len(message))
				}
			}
		})
	}
}

// TestAnnotationBatches counts the requests of a check run.
func TestAnnotationBatches(t *testing.T) {
	_, p := numbered("big.go", 200)
	for _, tt := range []struct{ findings, creates, updates int }{{0, 1, 0}, {1, 1, 0}, {50, 1, 0}, {51, 1, 1}, {100, 1, 1}, {120, 1, 2}} {
		h := newHost(t, parse(t, p))
		r := resultOf(t, skillOf("code-review", many(tt.findings, "big.go")...))
		r.Number, r.Files = 0, nil
		post(t, h, r)
		creates, updates := 0, 0
		for _, w := range h.Writes {
			if strings.HasPrefix(w, "POST ") {
				creates++
			} else {
				updates++
			}
		}
		if k := h.Checks[0]; creates != tt.creates || updates != tt.updates || len(k.Annotations) != tt.findings || k.Status != "completed" {
			t.Errorf("%d findings: %d creates, %d updates, %d annotations, %s", tt.findings, creates, updates, len(k.Annotations), k.Status)
		}
	}
}

// TestTooQuick has the host refuse comments that follow others too soon, which is
// a limit by another name.
func TestTooQuick(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, parse(t, patch))
		n := 0
		rt := roundTrip(func(req *http.Request) (*http.Response, error) {
			if strings.HasSuffix(req.URL.Path, "/reviews") && req.Method == "POST" {
				if n++; n < 3 {
					return respond(req, 422, `{"message":"Validation Failed","errors":[{"resource":"PullRequestReview","code":"unprocessable","field":"data","message":"was submitted too quickly after a previous comment"}]}`), nil
				}
			}
			return h.RoundTrip(req)
		})
		start := time.Now()
		out, err := review.Post(t.Context(), clientOf(t, rt), resultOf(t, skillOf("code-review", found("x", "app/db.go", 13, 0))), false)
		if err != nil || len(h.Comments) != 1 || len(out.Warnings) > 0 || time.Since(start) != 2*time.Minute {
			t.Errorf("%d comments after %s, warnings %q, error %v", len(h.Comments), time.Since(start), out.Warnings, err)
		}
	})
}

// TestPatchesOfTheHost has patches that cannot be read: their files have no lines
// to comment on, and the others do.
func TestPatchesOfTheHost(t *testing.T) {
	rt := roundTrip(func(req *http.Request) (*http.Response, error) {
		return respond(req, 200, `[{"filename":"a","status":"modified","patch":"@@ -1,9 +1,9 @@\n cut"},{"filename":"b","status":"renamed","previous_filename":"c","patch":"@@ -1 +1 @@\n-x\n+y"}]`), nil
	})
	files, err := clientOf(t, rt).Files(t.Context(), 7)
	if err != nil || len(files) != 2 || files[0].Hunks != nil || len(files[1].Hunks) != 1 || files[1].OldPath != "c" {
		t.Errorf("%+v, %v", files, err)
	}
}

// TestCommentInOtherCase shows that the case of logins does not matter.
func TestCommentInOtherCase(t *testing.T) {
	h := newHost(t, parse(t, patch))
	r := resultOf(t, skillOf("code-review", found("x", "app/db.go", 13, 0)))
	post(t, h, r)
	h.Comments[0].User, h.IssueComments[0].User = "GitHub-Actions[bot]", "GitHub-Actions[bot]"
	mark := len(h.Writes)
	post(t, h, r)
	if got := h.Writes[mark:]; len(got) > 0 {
		t.Errorf("writes %q", got)
	}
}

// TestNothingNew shows the outcome when there was nothing to do.
func TestNothingNew(t *testing.T) {
	h := newHost(t, parse(t, patch))
	r := resultOf(t, skillOf("code-review", found("x", "app/db.go", 13, 0)))
	first := post(t, h, r)
	out := post(t, h, r)
	if out.Writes != 0 || out.SummaryURL != first.SummaryURL || out.SummaryURL == "" {
		t.Errorf("first %+v, then %+v", first, out)
	}
}

// TestPages posts after hundreds of other things of every kind.
func TestPages(t *testing.T) {
	h := newHost(t, parse(t, patch))
	for range 250 {
		id := h.NextID()
		h.IssueComments = append(h.IssueComments, &githubtest.Comment{ID: id, User: person, Body: "x"})
		h.Reviews = append(h.Reviews, &githubtest.Review{ID: id, User: person, State: "COMMENTED", Body: "x"})
		h.Checks = append(h.Checks, &githubtest.Check{ID: id, Name: "test", Head: headSHA, App: "other", Status: "completed"})
		h.Comments = append(h.Comments, &githubtest.Comment{ID: id, User: person, Path: "app/db.go", Line: 13, Body: "x"})
		h.Threads[id] = &githubtest.Thread{}
		h.Files = append(h.Files, h.Files[0])
		h.Pulls = append([]githubtest.Pull{{Number: 1000, HeadRef: "topic", HeadRepo: "o/r", Head: nextSHA}}, h.Pulls...)
	}
	r := resultOf(t, skillOf("code-review", found("x", "app/db.go", 13, 0)))
	r.Skills[0].RequestChanges, r.Skills[0].Selection.Fails = true, true
	post(t, h, r)
	mark := len(h.Writes)
	post(t, h, r)
	if got := h.Writes[mark:]; len(got) > 0 || !isDone(t, h, r) {
		t.Errorf("writes %q", got)
	}
	c := clientOf(t, h)
	if files, err := c.Files(t.Context(), 7); err != nil || len(files) != 252 {
		t.Errorf("%d files, %v", len(files), err)
	}
	n, err := c.FindPullRequest(t.Context(), review.Head{Commit: headSHA, Ref: "topic", Repo: "o/r"})
	if n != 7 || err != nil {
		t.Errorf("pull request %d, %v", n, err)
	}

	// The thread is resolved, and the request dismissed, behind all the others.
	r.Head, r.Skills = nextSHA, []review.SkillResult{skillOf("code-review")}
	h.Push(nextSHA, h.Files)
	mark = len(h.Writes)
	post(t, h, r)
	if d := cmp.Diff(inlineWrites(h.Writes[mark:]), []string{"resolve", "dismiss"}); d != "" {
		t.Error(d)
	}
}
