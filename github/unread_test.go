package github

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/githubtest"
	"github.com/google/go-cmp/cmp"
)

func skippedFor(name, reason string) scanner.SkippedFile {
	return scanner.SkippedFile{Filename: name, Reason: reason}
}

// blocking returns the result of a skill that asks for changes for its findings of
// high severity.
func blocking(name string, findings ...scanner.Finding) SkillResult {
	s := skillOf(name, findings...)
	s.RequestChanges, s.Policy = true, scanner.Policy{FailOn: scanner.ThresholdHigh}
	s.Selection = scanner.Select(s.Report, s.Policy)
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

// placedLine returns the text of a line on the new side of the patch.
func placedLine(t *testing.T, path string, n int) string {
	t.Helper()
	at := place(new(found("x", path, n, 0)), sidesOf(parse(t, patch)))
	if at == nil {
		t.Fatalf("%s:%d is not in the patch", path, n)
	}
	return at.text
}

// TestHidden makes a file with a finding such that it is skipped. Neither the
// request for changes nor the thread may go away by that.
func TestHidden(t *testing.T) {
	const bad = "app/db.go"
	changed := diff.File{Path: bad, Status: diff.Modified}
	deleted := diff.File{Path: bad, Status: diff.Deleted}
	added := func(name string) diff.File { return diff.File{Path: name, Status: diff.Added} }
	renamed := func(name string) diff.File { return diff.File{Path: name, OldPath: bad, Status: diff.Renamed} }
	line := placedLine(t, bad, 13)
	head := fstest.MapFS{
		"vendor/moved.go":     {Data: []byte("package vendor\n\n  " + line + "\r\n")},
		"vendor/x.go":         {Data: []byte("package vendor\n")},
		"vendor/db.go":        {Data: []byte(line)},
		"app/db_generated.go": {Data: []byte("x\n" + line)},
		"old/db.go":           {Data: []byte(line)},
	}
	tests := []struct {
		name    string
		files   []diff.File
		skipped []scanner.SkippedFile
		reason  string // why request and thread are kept; empty if they are not
		old     string // the same for a request that does not say what it is about
	}{
		{"read", []diff.File{changed}, nil, "", ""},
		{"a line too long", []diff.File{changed}, []scanner.SkippedFile{skippedFor(bad, "too-large")}, "this time: too-large", "this time: too-large"},
		{"a NUL", []diff.File{changed}, []scanner.SkippedFile{skippedFor(bad, "binary")}, "this time: binary", "this time: binary"},
		{"ignored since", []diff.File{changed}, []scanner.SkippedFile{skippedFor(bad, "ignored")}, "", ""},
		{"a link", []diff.File{deleted, added(bad)}, []scanner.SkippedFile{skippedFor(bad, "link")}, "this time: link", "this time: link"},
		{"emptied", []diff.File{changed}, []scanner.SkippedFile{skippedFor(bad, "no-content")}, "", ""},
		{"deleted", []diff.File{deleted}, []scanner.SkippedFile{skippedFor(bad, "deleted")}, "", ""},
		{"deleted, with a NUL", []diff.File{deleted}, []scanner.SkippedFile{skippedFor(bad, "binary")}, "", ""},
		{"undone", nil, nil, "", ""},
		{"another file", []diff.File{changed, added("logo")}, []scanner.SkippedFile{skippedFor("logo", "binary")}, "", "this time: binary"},
		{"another file of its kind", []diff.File{changed, added("vendor/x.go")}, []scanner.SkippedFile{skippedFor("vendor/x.go", "builtin")}, "", "this time: builtin"},

		{"renamed to vendor", []diff.File{renamed("vendor/db.go")}, []scanner.SkippedFile{skippedFor("vendor/db.go", "builtin")}, "new name: builtin", "this time: builtin"},
		{"renamed to generated", []diff.File{renamed("app/db_generated.go")}, []scanner.SkippedFile{skippedFor("app/db_generated.go", "generated")}, "new name: generated", "this time: generated"},
		{"renamed to where no skill looks", []diff.File{renamed("old/db.go")}, []scanner.SkippedFile{skippedFor("old/db.go", "paths")}, "new name: paths", "new name: paths"},
		{"renamed, and read", []diff.File{renamed("app/query.go")}, nil, "", ""},
		{"renamed only", []diff.File{renamed("app/same.go")}, []scanner.SkippedFile{skippedFor("app/same.go", "no-content")}, "", ""},
		{"renamed to where another skill looks", []diff.File{renamed("old/db.go")}, nil, "does not look", "does not look"},
		// What the pull request had added has no old name.
		{"moved to vendor", []diff.File{added("vendor/moved.go")}, []scanner.SkippedFile{skippedFor("vendor/moved.go", "builtin")}, "added and skipped: builtin", "this time: builtin"},
		{"rewritten in vendor", []diff.File{deleted, added("vendor/moved.go")}, []scanner.SkippedFile{skippedFor("vendor/moved.go", "builtin")}, "added and skipped: builtin", "this time: builtin"},
		{"moved to where the policy skips", []diff.File{added("vendor/moved.go")}, []scanner.SkippedFile{skippedFor("vendor/moved.go", "pattern")}, "added and skipped: pattern", "added and skipped: pattern"},
		{"deleted beside vendored code", []diff.File{deleted, added("vendor/x.go")}, []scanner.SkippedFile{skippedFor("vendor/x.go", "builtin")}, "", "this time: builtin"},
		{"taken back beside vendored code", []diff.File{added("vendor/moved.go")}, []scanner.SkippedFile{skippedFor("vendor/moved.go", "builtin")}, "", "this time: builtin"},
		{"renamed to vendor, too large", []diff.File{renamed("vendor/large.go")}, []scanner.SkippedFile{skippedFor("vendor/large.go", "too-large")}, "new name: too-large", "this time: too-large"},
		{"deleted, and a lock file added", []diff.File{deleted, added("go.sum")}, []scanner.SkippedFile{skippedFor(bad, "deleted"), skippedFor("go.sum", "builtin")}, "", "this time: builtin"},
	}
	for _, tt := range tests {
		for _, where := range []string{"run", "skill", "old marker"} {
			t.Run(tt.name+"/"+where, func(t *testing.T) {
				h := newHost(t, parse(t, patch))
				r := resultOf(t, blocking("code-review", high("SQL injection", bad, 13)))
				post(t, h, r)
				reason := tt.reason
				if where == "old marker" {
					h.Reviews[0].Body = "x\n\n" + marker(markerReview, reviewMarker{Head: headSHA, Blocking: []string{"code-review"}})
					reason = tt.old
				}
				r.Head, r.Files, r.Skills = nextSHA, tt.files, []SkillResult{blocking("code-review")}
				r.Contents = head
				if strings.HasPrefix(tt.name, "taken back") {
					r.Contents = fstest.MapFS{bad: {Data: []byte("package app\n")}, "vendor/moved.go": head["vendor/moved.go"]}
				}
				r.Skills[0].Report.Files = []scanner.FileReport{{Path: bad}, {Path: "app/query.go"}}
				if where == "run" {
					r.Skipped = tt.skipped
				} else {
					r.Skills[0].Report.SkippedFiles = tt.skipped
				}
				h.Push(nextSHA, h.Files)
				out := post(t, h, r)
				if got, want := states(h), map[bool]string{false: "DISMISSED", true: "CHANGES_REQUESTED"}[reason != ""]; got != want {
					t.Errorf("review %s, want %s\n%s", got, want, out.Plan)
				}
				if got, want := h.Threads[h.Comments[0].ID].Resolved, tt.reason == ""; got != want {
					t.Errorf("thread resolved: %t\n%s", got, out.Plan)
				}
				if !strings.Contains(out.Plan.String(), reason) || !strings.Contains(out.Plan.String(), tt.reason) {
					t.Errorf("no %q in\n%s", reason, out.Plan)
				}
				mark := len(h.Writes)
				if out := post(t, h, r); len(h.Writes[mark:]) > 0 {
					t.Errorf("writes of the second run: %q\n%s", h.Writes[mark:], out.Plan)
				}
			})
		}
	}
}

// TestHiddenLater has a request stand while another file gets a finding, and then
// hides that one.
func TestHiddenLater(t *testing.T) {
	h := newHost(t, parse(t, patch))
	step := func(skills []SkillResult, skipped []scanner.SkippedFile, want string) {
		t.Helper()
		r := resultOf(t, skills...)
		r.Skipped = skipped
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
	one, two := high("SQL injection", "app/db.go", 13), high("Broken link", "docs/read me.md", 2)
	step([]SkillResult{blocking("s", one)}, nil, "CHANGES_REQUESTED")
	// What does not block is not what the request is about.
	step([]SkillResult{blocking("s", one, found("Odd word", "docs/read me.md", 1, 0))}, nil, "CHANGES_REQUESTED COMMENTED")
	step([]SkillResult{blocking("s", two)}, nil, "CHANGES_REQUESTED COMMENTED CHANGES_REQUESTED")
	step([]SkillResult{blocking("s")}, []scanner.SkippedFile{skippedFor("docs/read me.md", "binary")}, "DISMISSED COMMENTED CHANGES_REQUESTED")
	step([]SkillResult{blocking("s")}, nil, "DISMISSED COMMENTED DISMISSED")
	// Another skill's file is another one.
	step([]SkillResult{blocking("s", one), blocking("t", two)}, nil, "DISMISSED COMMENTED DISMISSED CHANGES_REQUESTED")
	hidden := blocking("s")
	hidden.Report.SkippedFiles = []scanner.SkippedFile{skippedFor("docs/read me.md", "binary")}
	step([]SkillResult{hidden, blocking("t")}, nil, "DISMISSED COMMENTED DISMISSED DISMISSED")
}

// TestHiddenFromMany has more findings than a request can name: then every file
// that is skipped counts.
func TestHiddenFromMany(t *testing.T) {
	var p strings.Builder
	var findings []scanner.Finding
	for i := range maxAbout + 1 {
		name := fmt.Sprintf("f%d.go", i)
		p.WriteString(newFile(name, "x\n"))
		findings = append(findings, high("x", name, 1))
	}
	for _, n := range []int{maxAbout, maxAbout + 1} {
		h := newHost(t, parse(t, p.String()))
		r := resultOf(t, blocking("s", findings[:n]...))
		r.Files = h.Files
		post(t, h, r)
		h.Push(nextSHA, h.Files)
		r.Head, r.Skills = nextSHA, []SkillResult{blocking("s")}
		r.Skipped = []scanner.SkippedFile{skippedFor("go.sum", "builtin")}
		post(t, h, r)
		if got, want := h.Reviews[0].State, map[bool]string{false: "DISMISSED", true: "CHANGES_REQUESTED"}[n > maxAbout]; got != want {
			t.Errorf("%d findings: review %s, want %s", n, got, want)
		}
	}
}

// TestAbout shows which findings a request is about.
func TestAbout(t *testing.T) {
	s := blocking("s", high("a", "a.go", 1), high("b", "a.go", 2), found("c", "c.go", 1, 0), high("d", "", 0), high("e", "e.go", 1))
	s.Report.Findings[4].Confidence = scanner.ConfidenceLow
	s.Policy.MinConfidence = scanner.ThresholdHigh
	if d := cmp.Diff(s.about(), []string{fileKey("a.go")}); d != "" {
		t.Errorf("-got +want:\n%s", d)
	}
	s.Policy = scanner.Policy{}
	want := []string{fileKey("a.go"), fileKey("c.go"), fileKey("e.go")}
	slices.Sort(want)
	if d := cmp.Diff(s.about(), want); d != "" {
		t.Errorf("without a policy (-got +want):\n%s", d)
	}
}

// TestStands has a request stand although no finding is left: the summary says
// why, since nobody would know what blocks the merge.
func TestStands(t *testing.T) {
	h := newHost(t, parse(t, patch))
	r := resultOf(t, blocking("s", high("SQL injection", "app/db.go", 13)))
	post(t, h, r)
	r.Skills = []SkillResult{blocking("s")}
	r.Skipped = []scanner.SkippedFile{skippedFor("app/db.go", "binary")}
	post(t, h, r)
	if got, want := h.IssueComments[0].Body, "A request for changes still stands: the file was skipped this time: binary. Whoever knows that it is settled can dismiss it."; !strings.Contains(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
	mark := len(h.Writes)
	post(t, h, r)
	if got := h.Writes[mark:]; len(got) > 0 {
		t.Errorf("writes of another run: %q", got)
	}
	r.Skipped = nil
	post(t, h, r)
	if got := h.IssueComments[0].Body; strings.Contains(got, "still stands") || states(h) != "DISMISSED" {
		t.Errorf("%s\n%s", states(h), got)
	}
}
