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
	r.Skipped = one.Report.SkippedFiles
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

// TestSkippedOnce shows where skipped files are listed: once.
func TestSkippedOnce(t *testing.T) {
	a, b, c := skippedFor("a", "builtin"), skippedFor("b", "ignored"), skippedFor("c", "paths")
	for _, tt := range []struct {
		name     string
		skills   [][]scanner.SkippedFile
		run      []scanner.SkippedFile
		sections string // what is listed in the sections, and after them
	}{
		{"one skill", [][]scanner.SkippedFile{{a, b}}, []scanner.SkippedFile{a, b}, "|ab"},
		{"one skill of a log", [][]scanner.SkippedFile{{a, b}}, nil, "ab|"},
		{"two skills", [][]scanner.SkippedFile{{a, b}, {a, c}}, []scanner.SkippedFile{a}, "bc|a"},
		{"two skills, the same", [][]scanner.SkippedFile{{b}, {b}}, []scanner.SkippedFile{b}, "|b"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var skills []SkillResult
			for i, files := range tt.skills {
				s := skillOf(fmt.Sprint("skill", i))
				s.Report.SkippedFiles = files
				skills = append(skills, s)
			}
			r := resultOf(t, skills...)
			r.Skipped = tt.run
			job, err := JobSummary(r)
			if err != nil {
				t.Fatal(err)
			}
			listed := func(text string) (list string) {
				for _, name := range []string{"a", "b", "c"} {
					list += strings.Repeat(name, strings.Count(text, "\n- `"+name+"`: "))
				}
				return list
			}
			text := render(t, r).Summary
			i := strings.LastIndex(text, sectionEnd)
			if got := listed(text[:i]) + "|" + listed(text[i:]); got != tt.sections {
				t.Errorf("listed %s, want %s\n%s", got, tt.sections, text)
			}
			if got := len(listed(job)); got != len(tt.sections)-1 {
				t.Errorf("%d files listed in\n%s", got, job)
			}
		})
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
