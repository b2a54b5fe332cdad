package main

import (
	"strings"
	"testing"
	"unicode/utf8"
)

var cleanTests = []struct {
	name, in, text, line string
}{
	{"plain", "all right", "all right", "all right"},
	{"unicode", "größer → 世界 👩‍💻", "größer → 世界 👩‍💻", "größer → 世界 👩‍💻"},
	{"newlines", "a\nb\r\nc", "a\nb\nc", `a\nb\nc`},
	{"carriage return", "good\rbad", "goodbad", "goodbad"},
	{"tab", "a\tb", "a b", "a b"},
	{"color", "\x1b[31mred\x1b[0m", "red", "red"},
	{"title", "x\x1b]0;owned\x07y", "xy", "xy"},
	{"hyperlink", "\x1b]8;;http://evil\x1b\\click\x1b]8;;\x1b\\", "click", "click"},
	{"device control", "a\x1bPq#0\x1b\\b", "ab", "ab"},
	{"C1 sequence", "a\u009b31mb", "ab", "ab"},
	{"C1 title", "a\u009d0;owned\u0007b", "ab", "ab"},
	{"raw C1 byte", "a\x9b31mb", "a\ufffd31mb", "a\ufffd31mb"},
	{"unterminated title keeps the rest", "a\x1b]0;rest", "a]0;rest", "a]0;rest"},
	{"unterminated sequence at the end", "a\x1b[31", "a[31", "a[31"},
	{"endless title", "a\x1b]0;" + strings.Repeat("x", maxSequence), "a]0;" + strings.Repeat("x", maxSequence), "a]0;" + strings.Repeat("x", maxSequence)},
	{"lone escape", "a\x1b", "a", "a"},
	{"sequence does not cross a newline", "a\x1b]0;x\nb\x07c", "a]0;x\nbc", `a]0;x\nbc`},
	{"bell, backspace, NUL, DEL", "a\a\b\x00\x7fb", "ab", "ab"},
	{"bidi", "a\u202eb\u2066c\u200fd\u061ce", "abcde", "abcde"},
	{"invisible", "a\u200bb\ufeffc\u2060d\U000e0041e", "abcde", "abcde"},
	{"line separators", "a\u2028b\u2029c", "abc", "abc"},
	{"invalid UTF-8", "a\xff\xc3b", "a\ufffd\ufffdb", "a\ufffd\ufffdb"},
}

func TestClean(t *testing.T) {
	for _, tt := range cleanTests {
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
	for _, tt := range cleanTests {
		f.Add(tt.in)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for name, got := range map[string]string{
			"cleanLine": cleanLine(s), "cleanWords": cleanWords(s), "cleanPath": cleanPath(s), "cleanCode": cleanCode(strings.ReplaceAll(s, "\n", "")),
		} {
			if !utf8.ValidString(got) {
				t.Errorf("%s(%q) = %q, which is not UTF-8", name, s, got)
			}
			if i := strings.IndexFunc(got, unprintable); i >= 0 {
				t.Errorf("%s(%q) = %q, which has a control at %d", name, s, got, i)
			}
		}
		if got := cleanText(s); cleanText(got) != got {
			t.Errorf("cleanText is not idempotent on %q: %q, %q", s, got, cleanText(got))
		}
	})
}

func BenchmarkClean(b *testing.B) {
	for name, s := range map[string]string{
		"plain":    strings.Repeat("plain text of a model, ", 5000),
		"unicode":  strings.Repeat("größer → 世界 ", 5000),
		"colors":   strings.Repeat("\x1b[31mred\x1b[0m", 5000),
		"unending": strings.Repeat("\x1b]", 50_000),
		"C1":       strings.Repeat("\u009d", 50_000),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				cleanText(s)
			}
		})
	}
}
