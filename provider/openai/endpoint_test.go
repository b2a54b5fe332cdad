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
		if e.prefix != tt.prefix || e.url.RawQuery != tt.query {
			t.Errorf("parseBaseURL(%q) = %q with query %q, want %q with %q", tt.in, e.prefix, e.url.RawQuery, tt.prefix, tt.query)
		}
	}
}

func TestEndpoint(t *testing.T) {
	for _, tt := range []struct {
		url                            string
		loopback, confidential, public bool
	}{
		{"", false, true, true},
		{"https://API.openai.com./v1", false, true, true},
		{"https://api.openai.com.example.com/v1", false, true, false},
		{"http://localhost:1/v1", true, true, false},
		{"http://LOCALHOST/v1", true, true, false},
		{"http://ollama.localhost/v1", true, true, false},
		{"http://127.0.0.1/v1", true, true, false},
		{"http://127.8.9.1/v1", true, true, false},
		{"http://[::1]/v1", true, true, false},
		{"http://[::ffff:127.0.0.1]/v1", true, true, false},
		{"http://localhost.example.com/v1", false, false, false},
		{"http://127.0.0.1.example.com/v1", false, false, false},
		{"http://10.1.2.3/v1", false, true, false},
		{"http://192.168.0.9/v1", false, true, false},
		{"http://[fd00::1]/v1", false, true, false},
		{"http://169.254.1.1/v1", false, true, false},
		{"http://8.8.8.8/v1", false, false, false},
		{"http://0.0.0.0/v1", false, false, false},
		{"http://ollama:11434/v1", false, true, false},
		{"http://gpu.local/v1", false, true, false},
		{"http://vllm.models.svc.cluster.local/v1", false, true, false},
		{"http://example.com/v1", false, false, false},
		{"https://example.com/v1", false, true, false},
	} {
		e, err := parseBaseURL(tt.url)
		if err != nil {
			t.Errorf("%s: %v", tt.url, err)
			continue
		}
		if e.loopback() != tt.loopback || e.confidential() != tt.confidential || e.public() != tt.public {
			t.Errorf("%s: loopback %t, confidential %t, public %t; want %t, %t, %t",
				tt.url, e.loopback(), e.confidential(), e.public(), tt.loopback, tt.confidential, tt.public)
		}
		if got := IsPublic(tt.url); got != tt.public {
			t.Errorf("IsPublic(%q) = %t", tt.url, got)
		}
	}
	if IsPublic("ftp://api.openai.com") {
		t.Error("an invalid URL passes")
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
		again, err := parseBaseURL(e.prefix)
		if err != nil || again.prefix != e.prefix || again.host() != e.host() {
			t.Errorf("%q becomes %q, and that %q, %v", s, e.prefix, again.prefix, err)
		}
	})
}
