package term

import (
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
	"github.com/google/go-cmp/cmp"
)

var wrapTests = []struct {
	name, in string
	want     []string
}{
	{"empty", "", []string{""}},
	{"fits", "ten wide..", []string{"ten wide.."}},
	{"words", "one two three four", []string{"one two", "three four"}},
	{"newlines", "one\n\ntwo", []string{"one", "", "two"}},
	{"indented", "  one two three", []string{"  one two", "three"}},
	{"long word", "a 0123456789abc d", []string{"a", "0123456789", "abc d"}},
	{"several spaces", "one   two  ", []string{"one two"}},
	{"wide characters", "世界世界世界 世界", []string{"世界世界世", "界 世界"}},
	{"combined characters", "👩‍💻👩‍💻👩‍💻👩‍💻👩‍💻👩‍💻", []string{"👩‍💻👩‍💻👩‍💻👩‍💻👩‍💻", "👩‍💻"}},
}

func TestWrap(t *testing.T) {
	for _, tt := range wrapTests {
		t.Run(tt.name, func(t *testing.T) {
			if d := cmp.Diff(tt.want, Wrap(tt.in, 10)); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

func TestHardWrap(t *testing.T) {
	for in, want := range map[string][]string{
		"":         {""},
		"abc":      {"abc"},
		"abcd":     {"abc", "d"},
		"a  b  c ": {"a  ", "b  ", "c "},
		"世界":       {"世", "界"},
	} {
		if d := cmp.Diff(want, hardWrap(in, 3)); d != "" {
			t.Errorf("hardWrap(%q): (-want +got)\n%s", in, d)
		}
	}
	if d := cmp.Diff([]string{"世", "界"}, hardWrap("世界", 1)); d != "" {
		t.Errorf("too narrow: (-want +got)\n%s", d)
	}
}

func TestTruncate(t *testing.T) {
	for _, tt := range []struct {
		in    string
		width int
		want  string
	}{
		{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"世界", 3, "世…"}, {"abc", 0, ""}, {"abc", -1, ""},
	} {
		if got := truncate(tt.in, tt.width); got != tt.want && (tt.width > 0 || len(got) > len("…")) {
			t.Errorf("truncate(%q, %d) = %q, want %q", tt.in, tt.width, got, tt.want)
		}
	}
}

func FuzzWrap(f *testing.F) {
	for _, tt := range wrapTests {
		f.Add(tt.in, 10)
	}
	f.Fuzz(func(t *testing.T, s string, width int) {
		width = max(width%200, 2)
		s = cleanText(s)
		letters := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if got := letters(strings.Join(Wrap(s, width), " ")); got != letters(s) {
			t.Errorf("Wrap(%q, %d) has %q", s, width, got)
		}
		if got := strings.Join(hardWrap(s, width), ""); got != s {
			t.Errorf("hardWrap(%q, %d) has %q", s, width, got)
		}
		for _, l := range append(Wrap(s, width), hardWrap(s, width)...) {
			if n := displaywidth.String(l); n > width {
				t.Errorf("%q is %d wide, want at most %d", l, n, width)
			}
		}
	})
}
