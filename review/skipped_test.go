package review

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

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

// TestCouldBeText distinguishes text with a few odd bytes from other data.
func TestCouldBeText(t *testing.T) {
	source := strings.Repeat("a := b // ünïcode\r\n", 20)
	tests := []struct {
		name, text string
		want       bool
	}{
		{"source with a NUL", source + "\x00\n", true},
		{"source in another encoding", source + "// caf\xe9 \x00\n", true},
		{"image", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x01\x00\xff\xfe\x00\x01\x02\x03", false},
		{"zeros", strings.Repeat("\x00", 100), false},
		{"empty", "", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := Result{Contents: fstest.MapFS{"f": {Data: []byte(tt.text)}}}
			if got := r.couldBeText("f"); got != tt.want {
				t.Errorf("got %t", got)
			}
		})
	}
	r := Result{Contents: fstest.MapFS{}}
	if !r.couldBeText("f") || !new(Result).couldBeText("f") {
		t.Error("what cannot be read could be text")
	}
}
