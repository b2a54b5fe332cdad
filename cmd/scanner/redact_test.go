package main

import (
	"strings"
	"testing"
)

var redactTests = []struct {
	name, in, want string
	n              int
}{
	{"nothing", "x := token.Next()\npassword := os.Getenv(\"PASSWORD\")", "x := token.Next()\npassword := os.Getenv(\"PASSWORD\")", 0},
	{"AWS", "id = AKIA" + "IOSFODNN7EXAMPLE", "id = [redacted]", 1},
	{"GitHub", "ghp_" + "012345678901234567890123456789abcdef", "[redacted]", 1},
	{"key of a model", "key: sk-" + "proj-0123456789abcdefghij", "key: [redacted]", 1},
	{"assignment", `"password": "correct horse", x`, `"password": "[redacted]", x`, 1},
	{"several in a line", `apiKey="abcdef1", secret='abcdef2'`, `apiKey="[redacted]", secret='[redacted]'`, 2},
	{"once only", `token = "sk-` + `0123456789abcdefghijkl"`, `token = "[redacted]"`, 1},
	{"URL", "postgres://joe:hunter2@db/x", "postgres://joe:[redacted]@db/x", 1},
	{
		"private key", "a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabcd\n-----END RSA PRIVATE KEY-----\nb",
		"a\n-----BEGIN RSA PRIVATE KEY-----\n[redacted]\n[redacted]\n-----END RSA PRIVATE KEY-----\nb", 1,
	},
	{"a quote across lines is none", "password = \"\nabcdefgh\"", "password = \"\nabcdefgh\"", 0},
}

func TestRedact(t *testing.T) {
	for _, tt := range redactTests {
		t.Run(tt.name, func(t *testing.T) {
			got, n := redact(tt.in)
			if got != tt.want || n != tt.n {
				t.Errorf("redact(%q) = %q, %d, want %q, %d", tt.in, got, n, tt.want, tt.n)
			}
		})
	}
}

func FuzzRedact(f *testing.F) {
	for _, tt := range redactTests {
		f.Add(tt.in)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, n := redact(s)
		if strings.Count(got, "\n") != strings.Count(s, "\n") {
			t.Errorf("redact(%q) = %q, with another number of lines", s, got)
		}
		if n == 0 && got != s {
			t.Errorf("redact(%q) = %q, and counts nothing", s, got)
		}
	})
}
