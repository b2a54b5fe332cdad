package review

import (
	"strings"
	"testing"

	"github.com/codescan-dev/scanner"
)

// TestAnnotationLines has numbers that a model made up.
func TestAnnotationLines(t *testing.T) {
	for _, tt := range []struct {
		start, end int
		want       int // the end; 0 if there is no annotation
	}{{3, 0, 3}, {3, 5, 5}, {3, 1 << 40, 3 + maxAnnotationLines}, {1 << 40, 0, 0}, {1 << 40, 1 << 41, 0}} {
		f := found("x", "app/db.go", tt.start, tt.end)
		a := Annotate(&f, []scanner.Location{*f.Location})[0]
		if (a.Path != "") != (tt.want > 0) || a.EndLine != tt.want {
			t.Errorf("%d-%d: end %d, %t", tt.start, tt.end, a.EndLine, a.Path != "")
		}
	}
}

// TestLabels has texts behind a label that begin with a block of code: within a
// line, Markdown would be read in it.
func TestLabels(t *testing.T) {
	const hostile = "```\n[x](//evil)\n\n![y](//evil) @alice\n```"
	f := found("x", "app/db.go", 13, 0)
	f.Verification = hostile
	f.SuggestedFix = &scanner.SuggestedFix{Description: hostile, Diff: "x"}
	body := render(t, resultOf(t, skillOf("code-review", f))).Comments[0].Body
	if n := strings.Count(body, "\n\n<pre><code>[x](//evil)\n\n![y](//evil) @alice</code></pre>\n\n"); n != 2 {
		t.Errorf("%d blocks of code in\n%s", n, body)
	}
}

// Other bots read comments as Markdown, where the diff of a fix is lines as any other.
func TestCommandsInDiffs(t *testing.T) {
	f := found("x", "app/db.go", 13, 0)
	f.SuggestedFix = &scanner.SuggestedFix{Description: "d", Diff: "@@ -1,2 +1,3 @@\n /approve\n-@bot stop\n+@bot merge\n+/lgtm\n+// @bot\n"}
	body := render(t, resultOf(t, skillOf("code-review", f))).Comments[0].Body
	want := "```diff\n@@ -1,2 +1,3 @@\n /" + zwsp + "approve\n-@" + zwsp + "bot stop\n+@" + zwsp + "bot merge\n+/" + zwsp + "lgtm\n+// @bot\n```"
	if !strings.Contains(body, want) {
		t.Errorf("got\n%q\nwant in it\n%q", body, want)
	}
}

// A finding outside of the diff keeps what an inline comment has, and its fix cannot
// forge a part of the summary.
func TestFindingsOutsideOfTheDiff(t *testing.T) {
	f := found("x", "app/db.go", 900, 0)
	f.Verification = "Run it."
	f.SuggestedFix = &scanner.SuggestedFix{Description: "Change it", Diff: "@@ -900 +900 @@\n-a\n+" + sectionEnd + sectionMark + "eA==" + markerEnd + "\n"}
	summary := render(t, resultOf(t, skillOf("code-review", f))).Summary
	for _, want := range []string{"\n\nHow to verify: Run it.\n\n", "\n\nSuggested fix: Change it\n\n```diff\n@@ -900 +900 @@\n-a\n+<!--", "confidence · code-review · " + f.ID + "</sub>"} {
		if !strings.Contains(summary, want) {
			t.Errorf("%q is not in\n%s", want, summary)
		}
	}
	if got := readSections(summary); len(got) != 1 || got[0].skill != "code-review" {
		t.Errorf("sections %q", got)
	}
}
