package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/codescan-dev/scanner/internal/text"
)

func TestCleanText(t *testing.T) {
	for _, tt := range []struct{ name, in, text, line string }{
		{"plain", "all right", "all right", "all right"},
		{"newlines", "a\nb\r\nc", "a\nb\nc", `a\nb\nc`},
		{"tab", "a\tb", "a b", "a b"},
		{"color", "\x1b[31mred\x1b[0m", "red", "red"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := cleanText(tt.in); got != tt.text {
				t.Errorf("cleanText(%q) = %q, want %q", tt.in, got, tt.text)
			}
			if got := cleanLine(tt.in); got != tt.line {
				t.Errorf("cleanLine(%q) = %q, want %q", tt.in, got, tt.line)
			}
		})
	}
}

func TestCleanWords(t *testing.T) {
	if got, want := cleanWords(" a\n b\t\x1b[1mc "), "a b c"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCleanCode(t *testing.T) {
	if got, want := cleanCode("\tif x {\x1b[8m\r"), "    if x {"; got != want {
		t.Errorf("got %q, want %q", got, want)
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
	f.Add("a\tb\r\x1b[8m\u202e\xff\n")
	f.Fuzz(func(t *testing.T, s string) {
		for name, got := range map[string]string{
			"cleanLine": cleanLine(s), "cleanWords": cleanWords(s), "cleanPath": cleanPath(s), "cleanCode": cleanCode(s),
		} {
			if !utf8.ValidString(got) {
				t.Errorf("%s(%q) = %q, which is not UTF-8", name, s, got)
			}
			if i := strings.IndexFunc(got, text.Hidden); i >= 0 {
				t.Errorf("%s(%q) = %q, with a hidden character at %d", name, s, got, i)
			}
		}
	})
}
