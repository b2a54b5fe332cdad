package review

import (
	"fmt"
	"testing"

	"github.com/codescan-dev/scanner"
)

// TestUnreadBySkill shows that a file that one skill could not read is not held
// against another that did not want it, and that a scheduled run changes nothing.
func TestUnreadBySkill(t *testing.T) {
	one, two := skillOf("one"), skillOf("two")
	one.Report.SkippedFiles = []scanner.SkippedFile{skippedFor("a.go", "too-large")}
	r := resultOf(t, one, two)
	verdicts := func() string {
		out := render(t, r)
		return fmt.Sprint(out.Checks[0].Conclusion, " ", out.Checks[1].Conclusion)
	}
	if got := verdicts(); got != "neutral success" {
		t.Errorf("check runs: %s", got)
	}
	r.Number = 0
	if got := verdicts(); got != "success success" {
		t.Errorf("check runs without a pull request: %s", got)
	}
}
