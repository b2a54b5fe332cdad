package github

import (
	"strings"
	"testing"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/githubtest"
	"github.com/codescan-dev/scanner/review"
)

func skippedFor(name, reason string) scanner.SkippedFile {
	return scanner.SkippedFile{Filename: name, Reason: reason}
}

// blocking returns the result of a skill that asks for changes for its findings of
// high severity.
func blocking(name string, findings ...scanner.Finding) review.SkillResult {
	s := skillOf(name, findings...)
	s.RequestChanges = true
	s.Selection = selection(s.Report, scanner.Policy{FailOn: scanner.ThresholdHigh})
	return s
}

func high(title, path string, line int) scanner.Finding {
	f := found(title, path, line, 0)
	f.Severity = scanner.SeverityHigh
	return f
}

func states(h *githubtest.Host) string {
	var list []string
	for _, r := range h.Reviews {
		list = append(list, r.State)
	}
	return strings.Join(list, " ")
}

// TestHidden makes a file with a finding such that it is not read. Neither the
// request for changes nor the thread may go away by that.
func TestHidden(t *testing.T) {
	const bad = "app/db.go"
	changed := diff.File{Path: bad, Status: diff.Modified}
	deleted := diff.File{Path: bad, Status: diff.Deleted}
	added := func(name string) diff.File { return diff.File{Path: name, Status: diff.Added} }
	renamed := func(name string) diff.File { return diff.File{Path: name, OldPath: bad, Status: diff.Renamed} }
	skip := func(name, reason string) []scanner.SkippedFile {
		return []scanner.SkippedFile{{Filename: name, Reason: reason}}
	}
	tests := []struct {
		name    string
		files   []diff.File
		skipped []scanner.SkippedFile
		read    string // a file that is read
		reason  string // why request and thread are kept; empty if they are not
	}{
		{"read", []diff.File{changed}, nil, bad, ""},
		{"a line too long", []diff.File{changed}, skip(bad, "too-large"), "", "not read: too-large"},
		{"a NUL", []diff.File{changed}, skip(bad, "binary"), "", "not read: binary"},
		{"ignored since", []diff.File{changed}, skip(bad, "ignored"), "", "not read: ignored"},
		{"a link", []diff.File{deleted, added(bad)}, skip(bad, "link"), "", "not read: link"},
		{"emptied", []diff.File{changed}, skip(bad, "no-content"), "", ""},
		{"deleted", []diff.File{deleted}, skip(bad, "deleted"), "", ""},
		{"deleted, with a NUL", []diff.File{deleted}, skip(bad, "binary"), "", ""},
		{"undone", nil, nil, "", ""},
		{"another file", []diff.File{changed, added("logo")}, skip("logo", "binary"), bad, ""},

		{"renamed to vendor", []diff.File{renamed("vendor/db.go")}, skip("vendor/db.go", "builtin"), "", "renamed and not read: builtin"},
		{"renamed to where no skill looks", []diff.File{renamed("old/db.go")}, skip("old/db.go", "paths"), "", "renamed and not read: paths"},
		{"renamed to where another skill looks", []diff.File{renamed("old/db.go")}, nil, "", "the skill does not look there"},
		{"renamed, and read", []diff.File{renamed("app/query.go")}, nil, "app/query.go", ""},
		{"renamed only", []diff.File{renamed("app/same.go")}, skip("app/same.go", "no-content"), "", ""},
		{"copied to vendor", []diff.File{changed, {Path: "vendor/db.go", OldPath: bad, Status: diff.Copied}}, skip("vendor/db.go", "builtin"), bad, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := newHost(t, parse(t, patch))
			r := resultOf(t, blocking("code-review", high("SQL injection", bad, 13)))
			post(t, h, r)
			r.Head, r.Files, r.Skills = nextSHA, tt.files, []review.SkillResult{blocking("code-review")}
			r.Skills[0].Report.Files = []scanner.FileReport{{Path: tt.read}}
			r.Skills[0].Report.SkippedFiles = tt.skipped
			h.Push(nextSHA, h.Files)
			out := post(t, h, r)
			if got, want := states(h), map[bool]string{false: "DISMISSED", true: "CHANGES_REQUESTED"}[tt.reason != ""]; got != want {
				t.Errorf("review %s, want %s\n%s", got, want, out.Plan)
			}
			if got, want := h.Threads[h.Comments[0].ID].Resolved, tt.reason == ""; got != want {
				t.Errorf("thread resolved: %t\n%s", got, out.Plan)
			}
			if !strings.Contains(out.Plan.String(), tt.reason) {
				t.Errorf("no %q in\n%s", tt.reason, out.Plan)
			}
			mark := len(h.Writes)
			if out := post(t, h, r); len(h.Writes[mark:]) > 0 {
				t.Errorf("writes of the second run: %q\n%s", h.Writes[mark:], out.Plan)
			}
		})
	}
}

// TestHiddenLater keeps a request while another file gets a finding, and then hides
// that one.
func TestHiddenLater(t *testing.T) {
	const doc = "docs/read me.md"
	h := newHost(t, parse(t, patch))
	step := func(skills []review.SkillResult, skipped []scanner.SkippedFile, want string) {
		t.Helper()
		r := resultOf(t, skills...)
		r.Skills[0].Report.SkippedFiles = skipped
		r.Skills[0].Report.Files = []scanner.FileReport{{Path: "app/db.go"}, {Path: doc}}
		out := post(t, h, r)
		if got := states(h); got != want {
			t.Fatalf("reviews %s, want %s\n%s", got, want, out.Plan)
		}
		mark := len(h.Writes)
		post(t, h, r)
		if got := h.Writes[mark:]; len(got) > 0 {
			t.Fatalf("writes of another run: %q", got)
		}
	}
	one, two := high("SQL injection", "app/db.go", 13), high("Broken link", doc, 2)
	step([]review.SkillResult{blocking("s", one)}, nil, "CHANGES_REQUESTED")
	step([]review.SkillResult{blocking("s", two)}, nil, "CHANGES_REQUESTED COMMENTED")
	step([]review.SkillResult{blocking("s")}, []scanner.SkippedFile{skippedFor(doc, "binary")}, "CHANGES_REQUESTED COMMENTED")
	// Resolving the thread does not help: the author of the change can do that.
	th := h.Threads[h.Comments[1].ID]
	th.Resolved, th.ResolvedBy = true, person
	step([]review.SkillResult{blocking("s")}, []scanner.SkippedFile{skippedFor(doc, "binary")}, "CHANGES_REQUESTED COMMENTED")
	step([]review.SkillResult{blocking("s")}, nil, "DISMISSED COMMENTED")
}

// TestHiddenFromAnother hides a file from a skill whose findings are elsewhere.
func TestHiddenFromAnother(t *testing.T) {
	const doc = "docs/read me.md"
	h := newHost(t, parse(t, patch))
	post(t, h, resultOf(t, blocking("s", high("SQL injection", "app/db.go", 13)), blocking("t", high("Broken link", doc, 2))))
	r := resultOf(t, blocking("s"), blocking("t"))
	r.Skills[0].Report.SkippedFiles = []scanner.SkippedFile{skippedFor(doc, "binary")}
	r.Skills[1].Report.Files = []scanner.FileReport{{Path: doc}}
	post(t, h, r)
	if got := states(h); got != "DISMISSED" {
		t.Errorf("reviews %s", got)
	}
}

// TestOpenRequest keeps a request although no finding is left: the summary explains
// it, since nobody would know what blocks the merge.
func TestOpenRequest(t *testing.T) {
	h := newHost(t, parse(t, patch))
	r := resultOf(t, blocking("s", high("SQL injection", "app/db.go", 13)))
	post(t, h, r)
	r.Skills = []review.SkillResult{blocking("s")}
	r.Skills[0].Report.SkippedFiles = []scanner.SkippedFile{skippedFor("app/db.go", "binary")}
	post(t, h, r)
	if got, want := h.IssueComments[0].Body, "A request for changes is still open: the file was not read: binary. Anyone who knows that it is resolved can dismiss it."; !strings.Contains(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
	mark := len(h.Writes)
	post(t, h, r)
	if got := h.Writes[mark:]; len(got) > 0 {
		t.Errorf("writes of another run: %q", got)
	}
	r.Skills[0].Report.SkippedFiles = nil
	post(t, h, r)
	if got := h.IssueComments[0].Body; strings.Contains(got, "still open") || states(h) != "DISMISSED" {
		t.Errorf("%s\n%s", states(h), got)
	}
}
