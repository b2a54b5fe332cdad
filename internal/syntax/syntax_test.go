package syntax_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner/internal/syntax"
)

// marks shows what each byte of a text is: "." code, "q" a literal, "#" a comment,
// "t" text.
// The first byte of a literal or comment is in upper case, or "!".
func marks(file, text string) string {
	l := syntax.For(file)
	var out strings.Builder
	state := l.Start()
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			out.WriteByte('\n')
		}
		var spans []syntax.Span
		spans, state = l.Scan(line, state, nil)
		at := 0
		for _, s := range spans {
			part := []byte(strings.Repeat(string(".q#t"[s.Kind]), s.End-at))
			if s.Opens {
				part[0] = "?Q!"[s.Kind]
			}
			out.Write(part)
			at = s.End
		}
	}
	return out.String()
}

// testdata/scan.txt has files, each line with its marks below.
func TestScan(t *testing.T) {
	for _, tt := range scanTests(t) {
		if d := cmp.Diff(strings.Split(marks(tt.file, tt.text), "\n"), strings.Split(tt.marks, "\n")); d != "" {
			t.Errorf("%s: got (-) differs from want (+) for\n%s\n%s", tt.file, tt.text, d)
		}
	}
}

type scanTest struct{ file, text, marks string }

func scanTests(t testing.TB) []scanTest {
	t.Helper()
	data, err := os.ReadFile("testdata/scan.txt")
	if err != nil {
		t.Fatal(err)
	}
	var tests []scanTest
	for _, section := range strings.Split(strings.TrimPrefix(string(data), "== "), "\n== ") {
		lines := strings.Split(strings.TrimSuffix(section, "\n"), "\n")
		var text, marks []string
		for i := 1; i+1 < len(lines); i += 2 {
			text, marks = append(text, lines[i]), append(marks, lines[i+1])
		}
		tests = append(tests, scanTest{lines[0], strings.Join(text, "\n"), strings.Join(marks, "\n")})
	}
	return tests
}

// The spans of a line cover it, with any bytes, and a state does not depend on
// how it was reached.
func FuzzScan(f *testing.F) {
	for _, tt := range scanTests(f) {
		f.Add(tt.file, tt.text)
	}
	f.Add("a.php", "'\xff\x00")
	f.Fuzz(func(t *testing.T, file, text string) {
		l := syntax.For(file)
		if l == nil {
			return
		}
		state := l.Start()
		for _, line := range strings.Split(text, "\n") {
			spans, next := l.Scan(line, state, nil)
			at := 0
			for _, s := range spans {
				if s.End <= at || s.Kind > syntax.Text {
					t.Fatalf("span %+v after %d in %q", s, at, line)
				}
				at = s.End
			}
			if at != len(line) {
				t.Fatalf("spans %+v end at %d of %q", spans, at, line)
			}
			state = next
		}
	})
}

// Text that is hard to read takes as long as other text.
func BenchmarkScan(b *testing.B) {
	for _, tt := range []struct{ name, file, text string }{
		{"code", "a.ts", "const a = f(`x ${y}`, 'b') / 2 // comment\n"},
		{"nesting", "a.ts", "`${`${`${{{{\n"},
		{"quotes", "a.rb", "'\"'\"#{'\"'%w(\n"},
		{"slashes", "a.ts", "=/[/=/[/=/[/=/["},
	} {
		b.Run(tt.name, func(b *testing.B) {
			text := strings.Repeat(tt.text, 1<<20/len(tt.text))
			lines := strings.Split(text, "\n")
			b.SetBytes(int64(len(text)))
			l := syntax.For(tt.file)
			var spans []syntax.Span
			for b.Loop() {
				var s syntax.State
				for _, line := range lines {
					spans, s = l.Scan(line, s, spans[:0])
				}
			}
		})
	}
}

func TestFor(t *testing.T) {
	for file, same := range map[string]string{
		"x/A.TS": "b.js", "Dockerfile.dev": "Makefile", ".env.local": "a.env", "Rakefile": "a.rb", ".bashrc": "a.sh",
	} {
		if l := syntax.For(file); l == nil || l != syntax.For(same) {
			t.Errorf("%s and %s differ", file, same)
		}
	}
	for _, file := range []string{"", "a.txt", "README.md", "LICENSE", "c.txt", "a.", "C", "Scala", "profile.png"} {
		if syntax.For(file) != nil {
			t.Errorf("%q has a language", file)
		}
	}
}
