package openai

import (
	"strings"
	"testing"
)

func TestParseBaseURL(t *testing.T) {
	for _, tt := range []struct {
		in     string
		prefix string
		query  string
		err    string
	}{
		{in: "", prefix: "https://api.openai.com/v1"},
		{in: "https://api.openai.com/v1/", prefix: "https://api.openai.com/v1"},
		{in: " https://openrouter.ai/api/v1\n", prefix: "https://openrouter.ai/api/v1"},
		{in: "https://openrouter.ai/api/v1/chat/completions", prefix: "https://openrouter.ai/api/v1"},
		{in: "https://openrouter.ai/api/v1/chat/completions/", prefix: "https://openrouter.ai/api/v1"},
		{in: "http://localhost:11434", prefix: "http://localhost:11434"},
		{in: "http://[::1]:8080/v1", prefix: "http://[::1]:8080/v1"},
		{in: "https://me.openai.azure.com", prefix: "https://me.openai.azure.com/openai/v1"},
		{in: "https://me.openai.azure.com/openai/deployments/d?api-version=1", prefix: "https://me.openai.azure.com/openai/deployments/d", query: "api-version=1"},
		{in: "https://me.openai.azure.com/openai/deployments/d/chat/completions?api-version=1", prefix: "https://me.openai.azure.com/openai/deployments/d", query: "api-version=1"},
		{in: "localhost:11434", err: `scheme "localhost"`},
		{in: "example.com/v1", err: `scheme ""`},
		{in: "https://", err: "no host"},
		{in: "https://:8080/v1", err: "no host"},
		{in: "https:example.com", err: "no host"},
		{in: "file:///etc/passwd", err: `scheme "file"`},
		{in: "https://user:hunter2@example.com", err: "user name or password"},
		{in: "https://example.com/#x", err: "fragment"},
		{in: "https://hunter2 .example.com:port", err: "invalid base URL"},
		{in: "https://user:hunter2@example.com:x", err: "invalid base URL"},
		{in: "https://example.com/hunter2\x7f", err: "invalid base URL"},
	} {
		e, err := parseBaseURL(tt.in)
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("parseBaseURL(%q): error %v, want one with %q", tt.in, err, tt.err)
			} else if strings.Contains(err.Error(), ":hunter2") || strings.Contains(err.Error(), "/hunter2") {
				t.Errorf("parseBaseURL(%q): the error shows what may be a password: %v", tt.in, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("parseBaseURL(%q): %v", tt.in, err)
			continue
		}
		if e.Prefix() != tt.prefix || e.RawQuery() != tt.query {
			t.Errorf("parseBaseURL(%q) = %q with query %q, want %q with %q", tt.in, e.Prefix(), e.RawQuery(), tt.prefix, tt.query)
		}
	}
}

func TestIsPublic(t *testing.T) {
	for url, want := range map[string]bool{
		"":                                      true,
		"https://API.openai.com./v1":            true,
		"https://api.openai.com.example.com/v1": false,
		"http://localhost:1/v1":                 false,
		"ftp://api.openai.com":                  false,
	} {
		if got := IsPublic(url); got != want {
			t.Errorf("IsPublic(%q) = %t, want %t", url, got, want)
		}
	}
}

func FuzzParseBaseURL(f *testing.F) {
	for _, s := range []string{"", "https://api.openai.com/v1", "http://[::1%25eth0]:1/v1?a=b", "https://u:p@h/#f", "http://a/%2f/chat/completions"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		e, err := parseBaseURL(s)
		if err != nil {
			return
		}
		again, err := parseBaseURL(e.Prefix())
		if err != nil || again.Prefix() != e.Prefix() || again.Host() != e.Host() {
			t.Errorf("%q becomes %q, and that %q, %v", s, e.Prefix(), again.Prefix(), err)
		}
	})
}
