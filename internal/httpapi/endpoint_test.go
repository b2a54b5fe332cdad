package httpapi

import "testing"

func TestEndpoint(t *testing.T) {
	for _, tt := range []struct {
		url                    string
		loopback, confidential bool
	}{
		{"", false, true},
		{"https://API.openai.com./v1", false, true},
		{"https://api.openai.com.example.com/v1", false, true},
		{"http://localhost:1/v1", true, true},
		{"http://LOCALHOST/v1", true, true},
		{"http://ollama.localhost/v1", true, true},
		{"http://127.0.0.1/v1", true, true},
		{"http://127.8.9.1/v1", true, true},
		{"http://[::1]/v1", true, true},
		{"http://[::ffff:127.0.0.1]/v1", true, true},
		{"http://localhost.example.com/v1", false, false},
		{"http://127.0.0.1.example.com/v1", false, false},
		{"http://10.1.2.3/v1", false, true},
		{"http://192.168.0.9/v1", false, true},
		{"http://[fd00::1]/v1", false, true},
		{"http://169.254.1.1/v1", false, true},
		{"http://8.8.8.8/v1", false, false},
		{"http://0.0.0.0/v1", false, false},
		{"http://ollama:11434/v1", false, true},
		{"http://gpu.local/v1", false, true},
		{"http://vllm.models.svc.cluster.local/v1", false, true},
		{"http://example.com/v1", false, false},
		{"https://example.com/v1", false, true},
	} {
		e, err := ParseEndpoint(tt.url, "https://api.example.com/v1", "/messages")
		if err != nil {
			t.Errorf("%s: %v", tt.url, err)
			continue
		}
		if e.loopback() != tt.loopback || e.Confidential() != tt.confidential {
			t.Errorf("%s: loopback %t, confidential %t; want %t, %t", tt.url, e.loopback(), e.Confidential(), tt.loopback, tt.confidential)
		}
	}
}
