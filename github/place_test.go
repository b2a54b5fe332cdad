package github

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
)

// TestOutsideTheDiff has findings that no comment can be made on, among others
// that can be commented on. The review is taken, and they are in the summary.
func TestOutsideTheDiff(t *testing.T) {
	in := found("In the diff", "app/db.go", 13, 0)
	var all []scanner.Finding
	for _, f := range []scanner.Finding{
		found("Between the hunks", "app/db.go", 30, 0), found("Another file", "app/other.go", 1, 0),
		found("No place", "", 0, 0), found("Far away", "app/db.go", 1<<40, 0),
	} {
		all = append(all, in, f)
	}
	h := newHost(t, parse(t, patch))
	out := post(t, h, resultOf(t, skillOf("code-review", all[1], in, all[3], all[5], all[7])))
	if len(h.Reviews) != 1 || len(h.Comments) != 1 || len(out.Warnings) > 0 {
		t.Errorf("%d reviews, %d comments, warnings %q", len(h.Reviews), len(h.Comments), out.Warnings)
	}
	for _, f := range all {
		if got := strings.Contains(h.IssueComments[0].Body, f.Description); got != (f.Title != in.Title) {
			t.Errorf("%q: details in the summary: %t", f.Title, got)
		}
	}
	if n := len(h.Checks[0].Annotations); n != 3 { // not the one without a place, nor the one far away
		t.Errorf("%d annotations", n)
	}
}

// TestOddPaths posts about files whose names have a meaning in Markdown or URLs.
func TestOddPaths(t *testing.T) {
	paths := []string{
		"a b.go", "a\"b.go", "a'b.go", "a`b.go", "``", "a]b.go", "a)b(c.go", "[x](y).go", "a|b.go", "a<b>.go", "<!-- scanner:end -->",
		"a\nb.go", "a\n```\n@alice", "a\tb.go", "a\r\nb.go", "@alice/b.go", "#1/GH-2.go", "www.evil.test/a.go", "a$b$c.go", "a%2Fb.go", "a?b#c.go",
		"größe/日本.go", "a\u202eog.b", "a\u200bb.go", "\x1b[31m.go", "a\\b.go", "-a.go", "~/a.go", "**a**.go", "_a_.go", "::error::x", "a,b:c.go", "%0A::error::x",
		strings.Repeat("long/", 300) + "x.go", " a.go ", "a\xff\xfeb.go",
	}
	for i, path := range paths {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			files := []diff.File{{Path: path, Status: diff.Added, Hunks: []diff.Hunk{{NewStart: 1, NewLines: 2, Body: "+one\n+two\n"}}}}
			f, g := found("Odd", path, 1, 2), found("Odd too", path, 9, 0)
			f.AdditionalLocations = []scanner.Location{{Path: path, StartLine: 2}}
			f.SuggestedFix = &scanner.SuggestedFix{Description: "d", Diff: "@@ -1 +1 @@\n-one\n+1\n"}
			r := resultOf(t, skillOf("code-review", f, g))
			r.Files, r.PolicyFiles, r.Skills[0].Report.SkippedFiles = files, []string{path}, []scanner.SkippedFile{skippedOf(path)}
			h := newHost(t, files)
			out := post(t, h, r)
			// The host speaks JSON, which has no bytes that are not UTF-8.
			want := 1
			if !utf8.ValidString(path) {
				want = 0
			}
			if len(h.Comments) != want || len(h.IssueComments) != 1 || len(h.Checks) != 1 || len(out.Warnings) > 0 {
				t.Fatalf("%d comments, %d summaries, %d check runs, warnings %q", len(h.Comments), len(h.IssueComments), len(h.Checks), out.Warnings)
			}
			body := h.IssueComments[0].Body
			if n := strings.Count(body, "<!--"); n != 3 || strings.Count(body, "<!-- scanner:section ") != 1 {
				t.Errorf("%d comments of HTML in the summary\n%s", n, body)
			}
			for _, k := range h.Checks[0].Annotations {
				if k["path"] != path {
					t.Errorf("annotation of %q", k["path"])
				}
			}
			for line := range strings.Lines(body) {
				if strings.Contains(line, "blob") && strings.Contains(line, "\u202e") || strings.HasPrefix(line, "```") && want > 0 || strings.HasPrefix(line, "    ") {
					t.Errorf("line %q", line)
				}
			}
			mark := len(h.Writes)
			post(t, h, r)
			if got := h.Writes[mark:]; len(got) > 0 {
				t.Errorf("writes of the second run: %q", got)
			}
		})
	}
}

func TestFileURL(t *testing.T) {
	flavor := Flavor("", Repo{"o", "r"})
	for _, tt := range []struct {
		path       string
		start, end int
		want       string
	}{
		{"a/b.go", 0, 0, "a/b.go"},
		{"a/b.go", 3, 0, "a/b.go#L3"},
		{"a/b.go", 3, 5, "a/b.go#L3-L5"},
		{"a b/(c)[d].go", 1, 1, "a%20b/%28c%29%5Bd%5D.go#L1"},
		{"routes/$id.$x.ts", 1, 1, "routes/$id.$x.ts#L1"},
		{"a?b#c%d", 1, 1, "a%3Fb%23c%25d#L1"},
		{"a\xffb\n", 1, 1, "a%FFb%0A#L1"},
	} {
		want := "https://github.com/o/r/blob/" + headSHA + "/" + tt.want
		if got := flavor.FileURL(headSHA, tt.path, tt.start, tt.end); got != want {
			t.Errorf("%q: got %q, want %q", tt.path, got, want)
		}
	}
}

// TestCRLF has a file with carriage returns: comments are made on its lines, and
// known again when the line ends change.
func TestCRLF(t *testing.T) {
	h := newHost(t, parse(t, newFile("f.txt", "one\r\ntwo\r\nthree\r\n")))
	r := resultOf(t, skillOf("code-review", found("x", "f.txt", 2, 3)))
	r.Files = h.Files
	post(t, h, r)
	h.Push(nextSHA, parse(t, newFile("f.txt", "one\ntwo\nthree\n")))
	r.Head, r.Files = nextSHA, h.Files
	post(t, h, r)
	if len(h.Comments) != 1 || h.Threads[h.Comments[0].ID].Resolved {
		t.Errorf("comments:\n%s", h.Dump())
	}
}
