package review_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/ignore"
	"github.com/codescan-dev/scanner/internal/match"
	"github.com/codescan-dev/scanner/internal/text"
	"github.com/codescan-dev/scanner/review"
	"github.com/google/go-cmp/cmp"
)

// offered returns the diff that a summary offers; empty if there is none.
func offered(t *testing.T, body string) string {
	_, text, ok := strings.Cut(body, "**To ignore**")
	if !ok {
		return ""
	}
	_, text, _ = strings.Cut(text, "```diff\n")
	text, _, ok = strings.Cut(text, "\n```")
	if !ok {
		t.Fatalf("no diff in\n%s", body)
	}
	return text + "\n"
}

// TestOffer applies the diff that is offered when a person with write access asks for an
// entry.
func TestOffer(t *testing.T) {
	const entry = "[[ignore]]\npath = \"b.go\"\nskill = \"s\"\ntitle = \"T\"\nreason = \"R\"\n"
	for _, base := range []string{"", entry, strings.TrimSuffix(entry, "\n"), "# none\n", strings.Repeat("# none\n", 9) + entry} {
		// The title could be a command to another bot, and end the diff or the comment.
		finding := at(13, "/merge this: @dependabot merge ``` --> <!-- scanner:end -->")
		finding.Rule = "code-review/sql"
		plan := play(t, push{findings: []scanner.Finding{finding}}, push{
			findings: []scanner.Finding{finding},
			host:     reply(true, "scanner ignore it is a \"constant\" /approve @bob now\nand more"),
			report: func(r *scanner.SkillReport) {
				r.PlaceHashes = map[string]scanner.PlaceHash{
					finding.ID: {Line: strings.Repeat("1", 16), Before: strings.Repeat("2", 16)}, "merged": {Line: strings.Repeat("3", 16)},
				}
				r.MergeGroups = []scanner.MergeGroup{{Primary: finding.ID, Merged: []scanner.MergedFinding{
					{ID: "merged", Location: &scanner.Location{Path: "app/db.go", StartLine: 16}},
				}}}
			},
			result: func(r *review.Result) { r.IgnoreFile = &base },
		})[1]
		body := plan.SummaryBody(review.Progress{})
		if !strings.Contains(body, "**To ignore** 1 finding, as [alice](https://host.test/r/1) asked") || strings.Contains(body, "@dependabot merge") || strings.Contains(body, " /approve") {
			t.Errorf("summary:\n%s", body)
		}
		dir := t.TempDir()
		file := filepath.Join(dir, filepath.FromSlash(ignore.File))
		if base != "" {
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(base), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		patch := offered(t, body)
		cmd := exec.Command("git", "apply", "-")
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(patch)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s\n%s", err, out, patch)
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		before, err := ignore.Parse([]byte(base))
		if err != nil {
			t.Fatal(err)
		}
		got, err := ignore.Parse(data)
		if err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
		want := ignore.Entry{
			Path: "app/db.go", Rule: finding.Rule, Title: finding.Title, Line: strings.Repeat("1", 16), Before: strings.Repeat("2", 16),
			Reason: `it is a "constant" /approve @bob now`, By: "alice",
		}
		second := want
		second.Line, second.Before = strings.Repeat("3", 16), ""
		if d := cmp.Diff(got, append(before, want, second)); d != "" {
			t.Errorf("entries (-got +want):\n%s", d)
		}
	}
}

// TestNoOffer has replies that do not ask for an entry, or must not.
func TestNoOffer(t *testing.T) {
	base := ""
	known := func(r *review.Result) { r.IgnoreFile = &base }
	for _, tt := range []struct {
		name   string
		host   func([]review.Thread)
		next   scanner.Finding
		result func(*review.Result)
		want   bool
	}{
		{"asked for", reply(true, "Scanner ignore it is a constant"), injection, known, true},
		{"in code font", reply(true, "`scanner ignore it is a constant`"), injection, known, true},
		{"and then something else", both(reply(true, "scanner ignore it is a constant"), reply(true, "Thanks.")), injection, known, true},
		{"without write access", reply(false, "scanner ignore it is a constant"), injection, known, false},
		{"without a reason", reply(true, "scanner ignore  "), injection, known, false},
		{"in the middle", reply(true, "You could reply:\nscanner ignore it is a constant"), injection, known, false},
		{"another finding at the same place", reply(true, "scanner ignore it is a constant"), at(13, "Quotes are missing"), known, false},
		{"an unverified result", reply(true, "scanner ignore it is a constant"), injection, func(r *review.Result) { known(r); r.Untrusted = true }, false},
		{"the file is not known", reply(true, "scanner ignore it is a constant"), injection, nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			plan := play(t, push{findings: []scanner.Finding{injection}}, push{findings: []scanner.Finding{tt.next}, host: tt.host, result: tt.result})[1]
			if got := offered(t, plan.SummaryBody(review.Progress{})) != ""; got != tt.want {
				t.Errorf("offered: %t", got)
			}
		})
	}
}

// FuzzOffer has any title and reply: what is offered is one entry that can be read, and
// matches the finding.
func FuzzOffer(f *testing.F) {
	f.Add("SQL injection", "scanner ignore it is a constant")
	f.Add("/merge @dependabot merge\n```\n<!-- scanner:end -->", "`Scanner IGNORE \"x\" \\ ``` /approve @bob now\u202e`")
	f.Add("\u200b", "scanner ignore \x00\x7f\xff")
	f.Fuzz(func(t *testing.T, title, answer string) {
		finding, base := injection, ""
		finding.Title = title
		plan := play(t, push{findings: []scanner.Finding{finding}}, push{
			findings: []scanner.Finding{finding}, host: reply(true, answer), result: func(r *review.Result) { r.IgnoreFile = &base },
		})[1]
		patch := offered(t, plan.SummaryBody(review.Progress{}))
		if patch == "" {
			return
		}
		var added strings.Builder
		_, hunk, _ := strings.Cut(patch, "@@\n")
		for line := range strings.Lines(hunk) {
			rest, ok := strings.CutPrefix(line, "+")
			if !ok {
				t.Fatalf("%q in\n%s", line, patch)
			}
			added.WriteString(rest)
		}
		entries, err := ignore.Parse([]byte(added.String()))
		if err != nil || len(entries) != 1 || match.Title(entries[0].Title) != match.Title(text.OneLine(title)) || len(entries[0].Reason) > 1000 {
			t.Errorf("%v: %q of\n%s", err, entries, patch)
		}
	})
}
