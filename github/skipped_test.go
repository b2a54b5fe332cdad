package github

import (
	"regexp"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/review"
)

// TestUnread has a clean run that skipped files of the change. The reason decides
// about its check run and its notices.
func TestUnread(t *testing.T) {
	changed := func(name string) diff.File { return diff.File{Path: name, Status: diff.Modified} }
	renamed := func(old, name string) diff.File {
		return diff.File{Path: name, OldPath: old, Status: diff.Renamed}
	}
	const none = 0 // chunks
	tests := []struct {
		name       string
		chunks     int
		files      []diff.File
		skipped    []scanner.SkippedFile
		conclusion review.Conclusion
		title      string
		notice     string // of the summary comment; empty if there is none
	}{
		{"all read", 3, nil, nil, review.Success, "no findings", ""},
		{"too large", 3, []diff.File{changed("a.go")}, []scanner.SkippedFile{skippedFor("a.go", "too-large")}, review.Neutral, "incomplete: 1 file not read; no findings, 1 file skipped", "**Not read:** `a.go` (too-large)."},
		{"unreadable", 3, nil, []scanner.SkippedFile{skippedFor("a.go", "unreadable")}, review.Neutral, "incomplete: 1 file not read; no findings, 1 file skipped", "**Not read:** `a.go` (unreadable)."},
		{"binary", none, nil, []scanner.SkippedFile{skippedFor("b", "binary"), skippedFor("a.go", "too-large")}, review.Neutral, "incomplete: 2 files not read; no findings, 2 files skipped", "**Not read:** `b` (binary), `a.go` (too-large)."},
		{"gone", 3, []diff.File{{Path: "b", Status: diff.Deleted}}, []scanner.SkippedFile{skippedFor("b", "deleted")}, review.Success, "no findings", ""},
		{"made generated", 3, []diff.File{renamed("a.go", "a_generated.go")}, []scanner.SkippedFile{skippedFor("a_generated.go", "generated")}, review.Neutral, "no findings, 1 change to check by hand, 1 file skipped", "**Check by hand:** `a_generated.go` (renamed to where it is skipped)."},
		{"a NUL in a new file", 3, []diff.File{{Path: "deploy", Status: diff.Added}}, []scanner.SkippedFile{skippedFor("deploy", "binary")}, review.Neutral, "incomplete: 1 file not read; no findings, 1 file skipped", "**Not read:** `deploy` (binary)."},
		{"moved to vendor", 3, []diff.File{renamed("a.go", "vendor/a.go")}, []scanner.SkippedFile{skippedFor("vendor/a.go", "builtin")}, review.Neutral, "no findings, 1 change to check by hand, 1 file skipped", "**Check by hand:** `vendor/a.go` (renamed to where it is skipped)."},
		{"new link", 3, []diff.File{{Path: "x", Status: diff.Added, Mode: 0o120000, Skip: diff.ReasonLink}}, []scanner.SkippedFile{skippedFor("x", "link")}, review.Neutral, "no findings, 1 change to check by hand, 1 file skipped", "**Check by hand:** `x` (symbolic link)."},
		{"executable", 3, []diff.File{{Path: "x", OldMode: 0o100644, Mode: 0o100755}}, []scanner.SkippedFile{skippedFor("x", "no-content")}, review.Neutral, "no findings, 1 change to check by hand", "**Check by hand:** `x` (executable)."},
		{"moved to workflows", 3, []diff.File{renamed("a.yml", ".github/workflows/a.yml")}, nil, review.Neutral, "no findings, 1 change to check by hand", "**Check by hand:** `.github/workflows/a.yml` (renamed to where tools may run it)."},
		{"moved within vendor", 3, []diff.File{renamed("vendor/b.go", "vendor/a.go")}, []scanner.SkippedFile{skippedFor("vendor/a.go", "builtin")}, review.Success, "no findings, 1 file skipped", ""},
		{"moved to where no skill looks", 3, []diff.File{renamed("a.go", "old/a.go")}, []scanner.SkippedFile{skippedFor("old/a.go", "paths")}, review.Success, "no findings, 1 file skipped", ""},
		{"a lock file, too", 3, []diff.File{changed("go.sum")}, []scanner.SkippedFile{skippedFor("go.sum", "builtin")}, review.Success, "no findings, 1 file skipped", ""},
		{"a lock file alone", none, []diff.File{changed("go.sum")}, []scanner.SkippedFile{skippedFor("go.sum", "builtin")}, review.Success, "no findings, 1 file skipped", ""},
		{"a link that was there before", none, nil, []scanner.SkippedFile{skippedFor("x", "link")}, review.Success, "no findings, 1 file skipped", ""},
		{"kept out by the policy", none, nil, []scanner.SkippedFile{skippedFor("a", "paths"), skippedFor("b", "ignored"), skippedFor("c", "pattern")}, review.Success, "no findings, 3 files skipped", ""},
		{"nothing to read", none, nil, []scanner.SkippedFile{skippedFor("a", "deleted"), skippedFor("b", "no-content")}, review.Success, "no findings", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := newHost(t, parse(t, patch))
			r := resultOf(t, skillOf("code-review"))
			r.Files = append(r.Files, tt.files...)
			r.Skills[0].Report.Chunks = scanner.ChunkCounts{Total: tt.chunks, Analyzed: tt.chunks}
			r.Skills[0].Report.SkippedFiles = tt.skipped
			post(t, h, r)
			k := h.Checks[0]
			if k.Conclusion != string(tt.conclusion) || k.Title != tt.title {
				t.Errorf("check run: %s %q", k.Conclusion, k.Title)
			}
			for _, f := range tt.skipped {
				if want := "\n- `" + f.Filename + "`: " + f.Reason; strings.Count(k.Summary, want) != 1 {
					t.Errorf("no %q once in\n%s", want, k.Summary)
				}
			}
			if got, want := len(h.IssueComments) == 1, tt.notice != ""; got != want {
				t.Fatalf("a summary comment: %t", got)
			}
			if tt.notice != "" {
				body := h.IssueComments[0].Body
				for _, text := range []string{body, k.Summary} {
					if !strings.Contains(text, "\n\n"+tt.notice+"\n") && !strings.HasPrefix(text, tt.notice+"\n") {
						t.Errorf("no notice %q in\n%s", tt.notice, text)
					}
				}
				headline := regexp.MustCompile(`, \d+ files? skipped$`).ReplaceAllString(tt.title, "")
				if !strings.HasPrefix(body, "## Scanner: "+headline+"\n") {
					t.Errorf("headline of\n%s", body)
				}
			}
			// The head is known: no model is called, and nothing is written.
			if !isDone(t, h, r) {
				t.Errorf("not done:\n%s", h.Dump())
			}
			mark := len(h.Writes)
			post(t, h, r)
			if got := h.Writes[mark:]; len(got) > 0 {
				t.Errorf("writes of the second run: %q", got)
			}
		})
	}
}
