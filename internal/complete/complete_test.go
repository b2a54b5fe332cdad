package complete_test

import (
	"strings"
	"testing"

	"github.com/codescan-dev/scanner/internal/complete"
	"github.com/codescan-dev/scanner/internal/text"
)

// What a shell passes, and what a repository names, results in lines of two fields
// without characters that steer a terminal.
func FuzzWrite(f *testing.F) {
	f.Add("bash", "--output", "=", "html:x", "html:x\x1b[31m", "a\tb\nc")
	f.Add("zsh", `it\'s`, "", "$(touch pwned)", "", "\u202e")
	f.Add("powershell", "scan", "x", "=--o", "--offline", "")
	f.Add("zsh", "", "", "a", "\t", "")
	f.Fuzz(func(t *testing.T, shell, a, b, last, word, about string) {
		var out strings.Builder
		l := complete.Parse(shell, []string{a, b, last})
		l.Write(&out, []complete.Candidate{{Word: word, About: about}, {Word: l.Last + word, About: about}})
		for line := range strings.Lines(out.String()) {
			word, about, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			if !ok || strings.ContainsFunc(word+about, text.Hidden) {
				t.Errorf("%q", line)
			}
		}
	})
}
