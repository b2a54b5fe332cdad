package text_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/codescan-dev/scanner/internal/text"
)

var cleanTests = []struct{ name, in, want, line string }{
	{"empty", "", "", ""},
	{"plain", "all right", "all right", "all right"},
	{"unicode", "größer → 世界 e\u0301", "größer → 世界 e\u0301", "größer → 世界 e\u0301"},
	{"white space", "  two\n\n lines\t here ", "  two\n\n lines\t here ", "two lines here"},
	{"line breaks", "a\nb\r\nc\rd\u2028e\u2029f\v\fg\u0085h", "a\nb\nc\nd\ne\nf\n\ng\nh", "a b c d e f g h"},
	{"color", "\x1b[31mred\x1b[0m", "red", "red"},
	{"title", "x\x1b]0;owned\x07y", "xy", "xy"},
	{"hyperlink", "\x1b]8;;http://evil\x1b\\click\x1b]8;;\x1b\\", "click", "click"},
	{"device control", "a\x1bPq#0\x1b\\b", "ab", "ab"},
	{"character set", "a\x1b(Bb\x1bcd", "abd", "abd"},
	{"C1 sequence", "a\u009b31mb", "ab", "ab"},
	{"C1 title", "a\u009d0;owned\ab", "ab", "ab"},
	{"C1 end", "a\u009d0;owned\u009cb", "ab", "ab"},
	{"raw C1 byte", "a\x9b31mb", "a\ufffd31mb", "a\ufffd31mb"},
	{"unterminated title keeps the rest", "a\x1b]0;rest", "a0;rest", "a0;rest"},
	{"unterminated sequence at the end", "a\x1b[31", "a31", "a31"},
	{"title over a newline", "a\x1b]0;x\nb\x07c", "a0;x\nbc", "a0;x bc"},
	{"sequence in a sequence", "\x1b\x1b[m[31mred", "[31mred", "[31mred"},
	{"lone escape", "a\x1b", "a", "a"},
	{"bell, backspace, NUL, DEL", "a\a\b\x00\x7fb", "ab", "ab"},
	{"bidi", "a\u202eb\u2066c\u200fd\u061ce", "abcde", "abcde"},
	{"invisible", "a\u200bb\ufeffc\u2060d\U000e0041e\u200df\ufe0fg\u3164h", "abcdefgh", "abcdefgh"},
	{"private use", "a\ue000b", "ab", "ab"},
	{"invalid UTF-8", "a\xffb", "a\ufffdb", "a\ufffdb"},
}

func TestClean(t *testing.T) {
	for _, tt := range cleanTests {
		t.Run(tt.name, func(t *testing.T) {
			if got := text.Clean(tt.in); got != tt.want {
				t.Errorf("Clean(%q) = %q, want %q", tt.in, got, tt.want)
			}
			if got := text.OneLine(tt.in); got != tt.line {
				t.Errorf("OneLine(%q) = %q, want %q", tt.in, got, tt.line)
			}
		})
	}
}

func TestVisible(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"", ""},
		{"\tx := \"äöü\" // 世界 🌍", "\tx := \"äöü\" // 世界 🌍"},
		{"a\nb\r", `a\u{000A}b\u{000D}`},
		{"\x1b[31m\u202e\u200b\ufe0f", `\u{001B}[31m\u{202E}\u{200B}\u{FE0F}`},
		{"\xffa\xc3", `\x{FF}a\x{C3}`},
		{"\ufffd", "\ufffd"},
	} {
		if got := text.Visible(tt.in); got != tt.want {
			t.Errorf("Visible(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestTruncate(t *testing.T) {
	for _, tt := range []struct {
		in   string
		n    int
		want string
	}{
		{"", 3, ""}, {"äöü", 3, "äöü"}, {"äöüß", 3, "äöü…"}, {"ab cd", 3, "ab…"}, {"ab", 0, "…"},
	} {
		if got := text.Truncate(tt.in, tt.n); got != tt.want {
			t.Errorf("Truncate(%q, %d) = %q, want %q", tt.in, tt.n, got, tt.want)
		}
	}
}

func TestTruncateBytes(t *testing.T) {
	for _, tt := range []struct {
		in   string
		n    int
		want string
	}{
		{"", 3, ""}, {"abc", 3, "abc"}, {"abcd", 3, "abc […1 more bytes]"}, {"äöü", 3, "ä […4 more bytes]"},
	} {
		if got := text.TruncateBytes(tt.in, tt.n); got != tt.want {
			t.Errorf("TruncateBytes(%q, %d) = %q, want %q", tt.in, tt.n, got, tt.want)
		}
	}
}

func FuzzClean(f *testing.F) {
	for _, tt := range cleanTests {
		f.Add(tt.in)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := text.Clean(s)
		if !utf8.ValidString(got) {
			t.Errorf("Clean(%q) = %q, which is not UTF-8", s, got)
		}
		if i := strings.IndexFunc(got, func(r rune) bool { return r != '\n' && r != '\t' && text.Hidden(r) }); i >= 0 {
			t.Errorf("Clean(%q) = %q, with a hidden character at %d", s, got, i)
		}
		if again := text.Clean(got); again != got {
			t.Errorf("Clean(%q) = %q, and cleaned again %q", s, got, again)
		}
		if line := text.Visible(s); strings.ContainsFunc(strings.ReplaceAll(line, "\t", ""), text.Hidden) || !utf8.ValidString(line) || text.Visible(line) != line {
			t.Errorf("Visible(%q) = %q", s, line)
		}
		if line := text.OneLine(s); strings.ContainsFunc(line, text.Hidden) {
			t.Errorf("OneLine(%q) = %q, with a hidden character", s, line)
		}
	})
}

func BenchmarkClean(b *testing.B) {
	for _, bb := range []struct{ name, s string }{
		{"plain", strings.Repeat("plain text of a model, ", 5000)},
		{"unicode", strings.Repeat("größer → 世界 ", 5000)},
		{"colors", strings.Repeat("\x1b[31mred\x1b[0m", 5000)},
		{"unending", strings.Repeat("\x1b]", 50_000)},
		{"C1", strings.Repeat("\u009d", 50_000)},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.SetBytes(int64(len(bb.s)))
			for b.Loop() {
				text.Clean(bb.s)
			}
		})
	}
}

func TestBreakCommands(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"plain", "a.go:3: high: x::y ## a [b] # [c]\n", "a.go:3: high: x::y ## a [b] # [c]\n"},
		{"command", "::set-output name=x::1\n", ": :set-output name=x::1\n"},
		{"indented", "a\n \u00a0\t::stop-commands::x\nb\n", "a\n \u00a0\t: :stop-commands::x\nb\n"},
		{"every line", "::a\n\n::b\n::c", ": :a\n\n: :b\n: :c"},
		{"brackets", "[time] scanner: ##[add-mask]a\n", "[time] scanner: ## [add-mask]a\n"},
		{"brackets made by the rule", "####[[error]\n", "#### [[error]\n"},
		{"Azure", "x ##vso[task.setvariable]a ##VSO[x]", "x ## vso[task.setvariable]a ## VSO[x]"},
		{"TeamCity", "##teamcity[testFailed name='x']", "## teamcity[testFailed name='x']"},
		{"colons without end", "::::", ": :::"},
		{"nothing", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := text.BreakCommands(tt.in); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
