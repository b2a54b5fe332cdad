package gitlab_test

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/review"
)

// quickActions are those of merge requests in https://docs.gitlab.com/user/project/quick_actions/.
var quickActions = strings.Fields(`approve assign assign_reviewer award cc clear_time_log close copy_metadata done draft
	duplicate estimate label labels lock merge milestone react ready reassign reassign_reviewer rebase relabel
	remove_estimate remove_label remove_milestone remove_time_spent reopen request_review reviewer ship shrug spend
	spend_time submit_review subscribe tableflip target_branch title todo unapprove unassign unassign_reviewer unlabel
	unlock unsubscribe`)

// mentions are the references in https://docs.gitlab.com/user/markdown/#gitlab-specific-references.
var mentions = []string{
	"@alice", "@group/sub", "@all", "#123", "GL-123", "[issue:123]", "!123", "[merge_request:1]", "$123", "[snippet:123]", "&123", "[epic:123]",
	"[cadence:1]", `*iteration:"x"`, "[vulnerability:123]", "[feature_flag:123]", "~123", "~bug", `~"feature request"`, "%123", "%v1.23",
	`%"release candidate"`, "g/p#1", "g/p!1", "other@alice", "[contact:a@b.test]", "[[wiki]]", "[[_TOC_]]", "[TOC]", "^alert#12", "[work_item:1]",
}

// forms are the ways in which a text can be written so that it has a meaning.
var forms = []string{
	"%s", "x\n%s\ny", "x\r\n%s\r\ny", "\n\n%s", "- %s", "> %s", ">>>\n%s\n>>>", "`%s`", "```\n%s\n```", "````\n```\n%[1]s\n```\n%[1]s", "~~~\n%s\n~~~",
	"<p>\n%s\n</p>", "<!--\n%s\n-->", "    %s", "\t%s", "**%s**", "[x](y)\n%s", "\\%s", "&#47;%s", "x\u2028%s", "x\v%s", "x\f%s", "x\u0085%s", "\u200b%s", "\ufeff%s",
	"</details>\n%s", "<pre>\n%s", "$$\n%s\n$$", "```suggestion:-0+0\n%s\n```", "x `a\n%s\nb` y", "$`%s`$",
}

var (
	inCode = regexp.MustCompile("(?s)<pre><code>.*?</code></pre>|<code>[^\n]*?</code>|`[^`\n]+`|<!-- [^>]* -->|\\]\\([^)\n]*\\)|<sub>.*?</sub>")
	// referenced finds what the host would make a link of, in the text of the HTML.
	referenced = regexp.MustCompile(`@[\w.]|[#!$&]\d|[%~][\w"]|\[(?:\[|[a-zA-Z_]+:)|GL-\d|\*iteration:`)
)

// TestHostileText puts quick actions and references everywhere a text of a model, or of
// the author of a change, can be. The fake host runs any line that looks like a quick
// action, also in blocks of code.
func TestHostileText(t *testing.T) {
	var texts []string
	for _, name := range quickActions {
		for _, form := range []string{"/%s", "/%s @alice ~x"} {
			texts = append(texts, fmt.Sprintf(form, name))
		}
	}
	texts = append(texts, "/MERGE", "//merge", "/merge\n/close\n/approve")
	texts = append(texts, mentions...)
	h := newHost(t)
	posted := 0
	for i, form := range forms {
		for from := 0; from < len(texts); from += 70 {
			var all strings.Builder
			for _, text := range texts[from:min(from+70, len(texts))] {
				fmt.Fprintf(&all, form+"\n", text)
			}
			h.Discussions, h.Statuses = nil, nil
			post(t, h, hostileResult(t, all.String()))
			for _, d := range h.Discussions {
				posted++
				body := d.Notes[0].Body
				if n := strings.Count(body, "<!-- scanner:finding"); n > 1 || review.Marker(body) == "" {
					t.Fatalf("form %q: %d markers in\n%s", form, n, body)
				}
				text := html.UnescapeString(inCode.ReplaceAllString(withoutFences(body), ""))
				if at := referenced.FindStringIndex(text); at != nil {
					t.Fatalf("form %d %q: reference in %q", i, form, text[max(0, at[0]-200):min(len(text), at[1]+50)])
				}
			}
			if len(h.Commands) > 0 {
				t.Fatalf("form %q: quick actions %q", form, h.Commands)
			}
		}
	}
	if posted < 3*len(forms) {
		t.Errorf("%d notes", posted)
	}
}

// withoutFences returns a text without its blocks of code.
func withoutFences(s string) string {
	var out []string
	fence := ""
	for line := range strings.SplitSeq(s, "\n") {
		ticks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case strings.HasPrefix(fence, "<"):
			if strings.Contains(line, fence) {
				fence = ""
			}
		case fence != "":
			if len(ticks) >= len(fence) && ticks == line {
				fence = ""
			}
		case strings.HasPrefix(line, "<pre>") && !strings.Contains(line, "</pre>"):
			fence = "</pre>"
		case len(ticks) >= 3:
			fence = ticks
		default:
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

// hostileResult has a text everywhere.
func hostileResult(t *testing.T, text string) review.Result {
	a, b, c := found(text, "app/db.go", 13, 16), found(text, "", 0, 0), found(text, "new.go", 3, 0)
	for _, f := range []*scanner.Finding{&a, &b, &c} {
		f.Description, f.Verification, f.Rule = text, text, "code-review/x"
		f.SuggestedFix = &scanner.SuggestedFix{Description: text, Diff: "@@ -1 +1 @@\n-" + strings.ReplaceAll(text, "\n", "\n+") + "\n" + text}
		f.AdditionalLocations = []scanner.Location{{Path: text, StartLine: 1}}
	}
	c.SuggestedFix.Edits = []scanner.Edit{{Line: 3, Old: []string{"var x = 1"}, New: strings.Split(text, "\n")}}
	r := resultOf(t, skillOf("code-review", a, b, c))
	report := r.Skills[0].Report
	report.SkippedFiles = []scanner.SkippedFile{{Filename: text, Reason: text, Pattern: text}, {Filename: "x", Reason: "binary"}, {Filename: text, Reason: "binary"}}
	report.FailedHunks, report.Failures = 1, []scanner.ChunkFailure{{Reason: text}}
	report.Suppressed = []scanner.Suppressed{{Finding: b, Suppression: scanner.Suppression{Note: text, Check: true}}}
	report.Model = text
	report.Notable = []diff.Notable{{Path: text, What: text}}
	r.Notes, r.PolicyFiles = []string{text}, []string{text}
	return r
}
