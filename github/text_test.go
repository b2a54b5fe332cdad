package github

import (
	"fmt"
	"strings"
	"testing"
)

// TestHostileComments posts hostile texts everywhere a text can come from: the host
// takes them.
func TestHostileComments(t *testing.T) {
	for i, text := range []string{
		strings.Repeat("<!-- @alice ![x](y) ", 6000), strings.Repeat("`", 100_000), strings.Repeat("<", 100_000), strings.Repeat("\n```\n", 20_000),
		"x\n<!-- scanner:finding e30= -->", "</details>", "\xff\u202e\x00", "\x1b]0;title\a", "::error::x", " ",
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			a, b := found(text, "app/db.go", 13, 16), found(text, "", 0, 0)
			a.Description, a.Verification, b.Description = text+"\n", text, text
			a.AdditionalLocations = append(a.AdditionalLocations, *found("", text+"x", 1, 2).Location)
			r := resultOf(t, skillOf("code-review", a, b))
			r.Notes, r.PolicyFiles = []string{text}, []string{text}
			r.Skills[0].Report.SkippedFiles = append(r.Skills[0].Report.SkippedFiles, skippedOf(text))
			h := newHost(t, r.Files)
			post(t, h, r)
			if len(h.Comments) != 1 || len(h.IssueComments) != 1 || len(h.Checks) != 1 {
				t.Errorf("%d comments, %d summaries, %d check runs", len(h.Comments), len(h.IssueComments), len(h.Checks))
			}
		})
	}
}
