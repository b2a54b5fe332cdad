package github

import (
	"errors"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner/internal/githubtest"
	"github.com/codescan-dev/scanner/review"
	"github.com/google/go-cmp/cmp"
)

// TestKnown shows what happens to the comments of a skill that did not run this
// time, and may be configured no longer.
func TestKnown(t *testing.T) {
	a, b := found("SQL injection", "app/db.go", 13, 0), found("Unused call", "app/db.go", 45, 0)
	replied := func(h *githubtest.Host) {
		h.Comments = append(h.Comments, &githubtest.Comment{ID: h.NextID(), User: person, Body: "No.", Path: "app/db.go", InReplyTo: h.Comments[0].ID})
	}
	tests := []struct {
		name    string
		setup   func(*githubtest.Host)
		edit    func(*review.Result)
		want    []string // writes
		reason  string   // in the plan
		section bool     // is that of the skill left
	}{
		{"not known", nil, func(r *review.Result) { r.Known = nil }, nil, "the skill did not run", true},
		{"configured", nil, func(r *review.Result) { r.Known = []string{"old", "new"} }, nil, "the skill did not run", true},
		{"gone", nil, nil, []string{"resolve", "resolve", "dismiss"}, "dismiss review", false},
		{"no skill is left", nil, func(r *review.Result) { r.Known = []string{} }, []string{"resolve", "resolve", "dismiss"}, "the skill is no longer configured", false},
		{"a person replied", replied, nil, []string{"resolve", "dismiss"}, "the skill is no longer configured, but a person replied", false},
		{"incomplete", nil, func(r *review.Result) { r.Skills[0].Report.FailedHunks = 1 }, nil, "the skill did not run", true},
		{"stopped", nil, func(r *review.Result) { r.Stopped = errors.New("budget") }, nil, "the skill did not run", true},
		{"unverified", nil, func(r *review.Result) { r.Untrusted = true }, nil, "an unverified result", true},
		// A skill that ran was not removed, even if it is not in the list.
		{"ran", nil, func(r *review.Result) { r.Skills[0] = skillOf("old", a, b) }, []string{"dismiss"}, "nothing blocks any more", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := newHost(t, parse(t, patch))
			r := resultOf(t, skillOf("old", a, b))
			r.Skills[0].RequestChanges, r.Skills[0].Selection.Fails = true, true
			post(t, h, r)
			if tt.setup != nil {
				tt.setup(h)
			}
			h.Push(nextSHA, h.Files)
			r.Head, r.Skills, r.Known = nextSHA, []review.SkillResult{skillOf("new")}, []string{"new"}
			if tt.edit != nil {
				tt.edit(&r)
			}
			mark := len(h.Writes)
			out := post(t, h, r)
			if d := cmp.Diff(inlineWrites(h.Writes[mark:]), tt.want); d != "" || !strings.Contains(out.Plan.String(), tt.reason) {
				t.Errorf("writes (-got +want):\n%s\n%s", d, out.Plan)
			}
			if got := strings.Contains(h.IssueComments[0].Body, "### old"); got != tt.section {
				t.Errorf("its section is left: %t\n%s", got, h.IssueComments[0].Body)
			}
			mark = len(h.Writes)
			if out := post(t, h, r); len(h.Writes[mark:]) > 0 {
				t.Errorf("writes of the second run: %q\n%s", h.Writes[mark:], out.Plan)
			}
		})
	}
}
