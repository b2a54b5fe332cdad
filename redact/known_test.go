package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

func TestKnownForms(t *testing.T) {
	const known = `p<äss"/w+rd\ü?&=%1`
	quoted, err := json.Marshal(known)
	if err != nil {
		t.Fatal(err)
	}
	escaped := strings.Trim(string(quoted), `"`)
	r := New(known, "short", "", "        ", "\nfirst line\nsecond line, too\n")
	tests := []struct{ name, text string }{
		{"itself", known},
		{"query", url.QueryEscape(known)},
		{"path", url.PathEscape(known)},
		{"query in lower case", regexp.MustCompile("%..").ReplaceAllStringFunc(url.QueryEscape(known), strings.ToLower)},
		{"json", escaped},
		{"json with escaped slashes", strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(escaped, "/", `\/`), `\u003c`, "<"), `\u0026`, "&")},
		{"hex", hex.EncodeToString([]byte(known))},
		{"upper hex", strings.ToUpper(hex.EncodeToString([]byte(known)))},
		{"base64", base64.StdEncoding.EncodeToString([]byte(known))},
		{"base64 of a header", base64.StdEncoding.EncodeToString([]byte("user:" + known))},
		{"base64 of a longer header", base64.StdEncoding.EncodeToString([]byte("users:" + known + "@host"))},
		{"base64 of a header of another length", base64.StdEncoding.EncodeToString([]byte("a user:" + known + "!"))},
		{"url-safe base64", base64.URLEncoding.EncodeToString([]byte(known))},
		{"a line of several", "second line, too"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := "a\nx" + tt.text + "y\n"
			got, n := r.Redact(text)
			if n != 1 || strings.Count(got, "[REDACTED:known-secret]") != 1 || strings.Count(got, "\n") != 2 {
				t.Fatalf("Redact(%q) = %q, %d", text, got, n)
			}
			check(t, r, text)
			// A base64 digit at each end can belong to what is around it.
			if left := len(got) - len("a\nx[REDACTED:known-secret]y\n"); left > 20 {
				t.Errorf("%d bytes of %q are left: %q", left, tt.text, got)
			}
		})
	}
	for _, text := range []string{"short", "        x        ", "first", known[:7]} {
		if got, n := r.Redact(text); n != 0 || got != text {
			t.Errorf("Redact(%q) = %q, %d", text, got, n)
		}
	}
}

func TestKnownOverlap(t *testing.T) {
	for _, tt := range []struct {
		name  string
		known []string
		text  string
		want  string
	}{
		{"one in another", []string{"abcdefgh", "xxabcdefghxx"}, "xxabcdefghxx abcdefgh", "[REDACTED:known-secret] [REDACTED:known-secret#2]"},
		{"one after another", []string{"abcdefgh", "efghijkl"}, "abcdefghijkl", "[REDACTED:known-secret]"},
		{"itself", []string{"aaaaaaaa"}, strings.Repeat("a", 20), "[REDACTED:known-secret]"},
		{"with a rule", []string{"abcdefgh"}, "abcdefghghp_" + newGen(8).b62(36), "[REDACTED:known-secret][REDACTED:github-token]"},
		{"in a value", []string{"abcdefgh"}, `password = "x9$abcdefgh!K1"`, `password = "[REDACTED:known-secret]"`},
		{"a word of placeholders", []string{"REDACTED", "known-secret"}, "REDACTED [REDACTED:known-secret]", "[REDACTED:known-secret#2] [REDACTED:known-secret]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := New(tt.known...)
			if got, _ := r.Redact(tt.text); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
			check(t, r, tt.text)
		})
	}
}

// A value found by its name is replaced everywhere, unless that hides a name.
func TestPropagation(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"of 8 bytes", "password: 'kX9$mQ2!'\nlog(kX9$mQ2!)", "password: '[REDACTED:password]'\nlog([REDACTED:password])"},
		{"made up", "password: 'tr0mbone42'\nlogin me tr0mbone42", "password: '[REDACTED:password]'\nlogin me [REDACTED:password]"},
		{"in another word", "password: 'trombone42'\ntrombone42x", "password: '[REDACTED:password]'\ntrombone42x"},
		{"an identifier", "password: 'trombone42'\ntrombone42 := 1\nf(trombone42)", "password: '[REDACTED:password]'\ntrombone42 := 1\nf(trombone42)"},
		{"a path", "password: 'trombone42'\nimport \"corp/trombone42\"", "password: '[REDACTED:password]'\nimport \"corp/trombone42\""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, _ := New().Redact(tt.in); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
			check(t, New(), tt.in)
		})
	}
}
