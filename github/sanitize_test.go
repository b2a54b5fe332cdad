package github

import (
	"strings"
	"testing"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/review"
	"github.com/google/go-cmp/cmp"
)

func TestSanitize(t *testing.T) {
	good := found("good", "app/db.go", 13, 0)
	good.AdditionalLocations = []scanner.Location{{Path: "app/db.go", StartLine: 1}, {Path: "/etc/passwd", StartLine: 1}}
	invalid := found("bad", "app/db.go", 13, 0)
	invalid.Severity = "catastrophic"
	s := skillOf("s", good, found("elsewhere", "../x", 1, 0), found("elsewhere", "other.go", 1, 0), invalid)
	s.RequestChanges = true
	s.Report.MergeGroups = []scanner.MergeGroup{{Primary: good.ID, Merged: []scanner.MergedFinding{
		{ID: "1", Location: &good.AdditionalLocations[0]}, {ID: "2", Location: &good.AdditionalLocations[1]}, {ID: "3"},
		{ID: "4", Location: &scanner.Location{Path: "app/db.go", StartLine: -1}},
	}}}
	s.Report.SkippedFiles = []scanner.SkippedFile{{Filename: "a", Reason: "@alice"}, {Filename: "b", Reason: "binary"}}
	s.Report.Notable = []diff.Notable{{Path: "app/db.go", What: "executable"}, {Path: "other.go", What: "executable"}}
	r := resultOf(t, s, skillOf("s"), skillOf("bad\nname"), skillOf(strings.Repeat("x", 101)))
	r.TrustHead, r.PolicyFiles = true, []string{"x"}

	got, left := review.Sanitize(r)
	if d := cmp.Diff(left, []string{
		"A skill left out: its name is repeated or not valid.",
		"A skill left out: its name is repeated or not valid.",
		"A skill left out: its name is repeated or not valid.",
		"2 findings left out: not in a file of this pull request.",
		"1 finding left out: not valid.",
	}); d != "" {
		t.Errorf("left out (-got +want):\n%s", d)
	}
	if !got.Untrusted || got.TrustHead || got.PolicyFiles != nil || len(got.Skills) != 1 || got.Skills[0].RequestChanges {
		t.Errorf("result %+v", got)
	}
	report := got.Skills[0].Report
	if len(report.Findings) != 1 || len(report.Findings[0].AdditionalLocations) != 1 || len(report.SkippedFiles) != 2 || len(report.Notable) != 1 {
		t.Errorf("report %+v, selection %+v", report, got.Skills[0].Selection)
	}
	if places := report.Places(report.Findings)[0]; len(places) != 2 || places[1] != good.AdditionalLocations[0] {
		t.Errorf("found at %v", places)
	}
	if len(good.AdditionalLocations) != 2 || r.Untrusted {
		t.Error("the argument was changed")
	}

	var skills []review.SkillResult
	for i := range 30 {
		skills = append(skills, skillOf("s"+strings.Repeat("x", i), many(300, "app/db.go")...))
	}
	got, left = review.Sanitize(resultOf(t, skills...))
	if len(got.Skills) != 20 || len(got.Skills[0].Report.Findings) != 200 || len(left) != 2 {
		t.Errorf("%d skills, %d findings, %q", len(got.Skills), len(got.Skills[0].Report.Findings), left)
	}
	if empty, left := review.Sanitize(resultOf(t)); len(empty.Skills) != 0 || left != nil {
		t.Errorf("empty: %+v, %q", empty, left)
	}
	// All of it can be posted.
	h := newHost(t, got.Files)
	out := post(t, h, got)
	if len(h.Comments) > 50 || len(h.IssueComments) != 1 || len(out.Warnings) > 0 {
		t.Errorf("%d comments, %d summaries, %q", len(h.Comments), len(h.IssueComments), out.Warnings)
	}
}
