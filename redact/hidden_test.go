package redact_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/codescan-dev/scanner/redact"
)

// TestHiddenCharacters checks that the kinds of secrets that are found are also
// found with hidden characters in them.
func TestHiddenCharacters(t *testing.T) {
	utf16Bytes := func(s string, low, high int) string {
		var b strings.Builder
		for _, u := range utf16.Encode([]rune(s)) {
			two := [2]byte{}
			two[low], two[high] = byte(u), byte(u>>8)
			b.Write(two[:])
		}
		return b.String()
	}
	join := func(c string) func(string) string {
		return func(s string) string { return strings.Join(strings.Split(s, ""), c) }
	}
	for name, hide := range map[string]func(string) string{
		"UTF-16, little endian": func(s string) string { return utf16Bytes(s, 0, 1) },
		"UTF-16, big endian":    func(s string) string { return utf16Bytes(s, 1, 0) },
		"with a mark":           func(s string) string { return "\xff\xfe" + utf16Bytes(s, 0, 1) },
		"UTF-32":                join("\x00\x00\x00"),
		"zero-width space":      join("\u200b"),
		"byte order mark":       join("\ufeff"),
		"soft hyphen":           join("\u00ad"),
		"joiner":                join("\u200d"),
		"variation selector":    join("\ufe0f"),
		"bell":                  join("\a"),
	} {
		t.Run(name, func(t *testing.T) {
			known := "provider key 0123456789"
			r := redact.New(known)
			if got, n := r.Redact(hide("a\nx = " + known + "\nb\n")); n != 1 || leaks(strip(got), []string{known}) {
				t.Errorf("a known value: %q, %d", got, n)
			}
			kinds := 0
			for _, group := range secretKinds {
				for _, k := range group.kinds {
					g := &maker{r: rand.New(rand.NewPCG(uint64(kinds), 2))}
					text, secrets := g.fill(k, 0)
					kinds++
					if shown, _ := r.Redact(text); leaks(shown, secrets) {
						continue
					}
					got, _ := r.Redact(hide(text))
					if leaks(strip(got), secrets) {
						t.Errorf("%q leaks in %q", secrets, got)
					}
					if again, n := r.Redact(got); n != 0 || again != got {
						t.Errorf("%q becomes %q", got, again)
					}
					if strings.Count(got, "\n") != strings.Count(hide(text), "\n") {
						t.Errorf("%q has another number of lines", got)
					}
				}
			}
		})
	}
	for i, k := range harmlessKinds {
		g := &maker{r: rand.New(rand.NewPCG(uint64(i), 3))}
		text, _ := g.fill(k, 0)
		var r redact.Redactor
		if _, n := r.Redact(text); n > 0 {
			continue
		}
		hidden := join("\x00")(text)
		if got, n := r.Redact(hidden); n > 0 || got != hidden {
			t.Errorf("Redact(%q) = %q, %d", hidden, got, n)
		}
	}
}

// strip leaves ASCII, without NUL.
func strip(s string) string {
	return string(slices.DeleteFunc([]byte(s), func(c byte) bool { return c < ' ' && c != '\n' || c >= 0x7f }))
}
