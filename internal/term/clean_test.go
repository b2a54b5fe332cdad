package term

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/codescan-dev/scanner/internal/text"
)

var cleanTests = []struct{ name, in, text, line, words, code string }{
	{"plain", "all right", "all right", "all right", "all right", "all right"},
	{"newlines", "a\nb\r\nc", "a\nb\nc", `a\nb\nc`, "a b c", `a\u{000A}b\u{000D}\u{000A}c`},
	{"tab", "a\tb", "a b", "a b", "a b", "a    b"},
	{"line of code", "\tif x {\x1b[8m\r", " if x {\n", ` if x {\n`, "if x {", `    if x {\u{001B}[8m`},
	{"color", " \x1b[31mred\x1b[0m ", " red ", " red ", "red", ` \u{001B}[31mred\u{001B}[0m `},
	{"bidi", "a\u202eb", "ab", "ab", "ab", `a\u{202E}b`},
	{"invalid UTF-8", "a\xffb", "a\ufffdb", "a\ufffdb", "a\ufffdb", `a\x{FF}b`},
}

func TestClean(t *testing.T) {
	for _, tt := range cleanTests {
		t.Run(tt.name, func(t *testing.T) {
			for _, c := range []struct {
				name, want string
				clean      func(string) string
			}{
				{"cleanText", tt.text, cleanText}, {"cleanLine", tt.line, cleanLine},
				{"cleanWords", tt.words, cleanWords}, {"cleanCode", tt.code, cleanCode},
			} {
				if got := c.clean(tt.in); got != c.want {
					t.Errorf("%s(%q) = %q, want %q", c.name, tt.in, got, c.want)
				}
			}
		})
	}
}

func TestCleanPath(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"plain", "src/a b.go", "src/a b.go"},
		{"unicode", "src/ä.go", "src/ä.go"},
		{"newline", "a\nb", `"a\nb"`},
		{"tab and quote", "a\t\"b\"", `"a\t\"b\""`},
		{"backslash", `a\b`, `"a\\b"`},
		{"invalid UTF-8", "a\xffb", `"a\377b"`},
		{"escape", "\x1b[31m", `"\033[31m"`},
		{"bidi", "a\u202eb", `"a\342\200\256b"`},
		{"controls with a letter", "\a\b\t\n\v\f\r", `"\a\b\t\n\v\f\r"`},
		{"replacement character itself", "a\ufffd", "a\ufffd"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := cleanPath(tt.in); got != tt.want {
				t.Errorf("cleanPath(%q) = %s, want %s", tt.in, got, tt.want)
			}
		})
	}
}

func FuzzClean(f *testing.F) {
	for _, tt := range cleanTests {
		f.Add(tt.in)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for name, got := range map[string]string{
			"cleanLine": cleanLine(s), "cleanWords": cleanWords(s), "cleanPath": cleanPath(s), "cleanCode": cleanCode(s),
		} {
			if !utf8.ValidString(got) {
				t.Errorf("%s(%q) = %q, which is not UTF-8", name, s, got)
			}
			if i := strings.IndexFunc(got, text.Hidden); i >= 0 {
				t.Errorf("%s(%q) = %q, which has a hidden character at %d", name, s, got, i)
			}
		}
		if got := cleanText(s); cleanText(got) != got {
			t.Errorf("cleanText is not idempotent on %q: %q, %q", s, got, cleanText(got))
		}
	})
}
