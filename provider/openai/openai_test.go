package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner/internal/httpapi"
	"github.com/codescan-dev/scanner/provider"
	"github.com/codescan-dev/scanner/provider/providertest"
)

const testKey = "sk-test-0123456789"

// newServer starts a server that follows script.
func newServer(tb testing.TB, script providertest.Script) *providertest.Server {
	s := providertest.NewServer(script)
	tb.Cleanup(s.Close)
	return s
}

// newClient returns a client for a base URL, with the test key.
func newClient(tb testing.TB, baseURL string) *Client {
	tb.Helper()
	c, err := New(Config{BaseURL: baseURL, APIKey: testKey})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(c.http.CloseIdleConnections)
	return c
}

// question is a request with everything in it that scanner sends.
var question = provider.Request{
	Model:     "test-model",
	System:    "You review code.",
	Messages:  []provider.Message{{Role: provider.RoleUser, Text: "Look at main.go"}},
	Schema:    &provider.Schema{Name: "findings", JSON: json.RawMessage(`{"type":"object"}`)},
	MaxTokens: 1000,
}

func TestConformance(t *testing.T) {
	providertest.Conformance(t, func(t *testing.T, s providertest.Situation) provider.Provider {
		rule := providertest.Rule{Content: &s.Text, Message: "your key " + s.Secret + " is\x1b[31m\nwrong"}
		if !s.Usage.IsZero() {
			rule.Usage = &providertest.Usage{
				Input: s.Usage.InputTokens, Output: s.Usage.OutputTokens,
				CacheRead: s.Usage.CacheReadInputTokens, Cost: s.Usage.CostUSD,
			}
		}
		switch s.Kind {
		case provider.KindAuth:
			rule.Status = http.StatusUnauthorized
		case provider.KindRateLimit:
			rule.Status = http.StatusTooManyRequests
		case provider.KindTimeout:
			rule.Status = http.StatusRequestTimeout
		case provider.KindServer:
			rule.Status = http.StatusInternalServerError
		case provider.KindConnection:
			rule.Fault = providertest.FaultReset
		case provider.KindSubprocess:
			return nil // there is none
		case provider.KindInvalid:
			rule.Status = http.StatusBadRequest
		case provider.KindRefusal:
			rule.Refusal = "I will not look at " + s.Secret
		case provider.KindContextLength:
			rule.Status, rule.Code = http.StatusBadRequest, "context_length_exceeded"
		}
		if s.Hang {
			rule.Fault = providertest.FaultHang
		}
		server := newServer(t, providertest.Script{Key: s.Secret, Rules: []providertest.Rule{rule}, Reply: s.Reply})
		c, err := New(Config{BaseURL: server.URL, APIKey: s.Secret})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.http.CloseIdleConnections)
		return c
	})
}

func TestNew(t *testing.T) {
	for _, tt := range []struct {
		name string
		cfg  Config
		err  string // part of it; empty if there is none
	}{
		{"public endpoint", Config{APIKey: "sk-1"}, ""},
		{"no key", Config{}, "no API key for api.openai.com"},
		{"blank key", Config{APIKey: " \n"}, "no API key for api.openai.com"},
		{"no key on the loopback", Config{BaseURL: "http://127.0.0.1:11434/v1"}, ""},
		{"no key in a private network", Config{BaseURL: "http://10.0.0.5/v1"}, "no API key for 10.0.0.5"},
		{"line break in the key", Config{APIKey: "sk-1\nsk-2"}, "invalid API key"},
		{"not ASCII", Config{APIKey: "sk-ключ"}, "invalid API key"},
		{"line break around the key", Config{APIKey: "sk-1\r\n"}, ""},
		{"clear text", Config{BaseURL: "http://example.com/v1", APIKey: "sk-1"}, "clear text to example.com"},
		{"clear text in a private network", Config{BaseURL: "http://192.168.1.5:8000/v1", APIKey: "sk-1"}, ""},
		{"bad URL", Config{BaseURL: "ftp://example.com", APIKey: "sk-1"}, `scheme "ftp"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := New(tt.cfg)
			switch {
			case tt.err == "" && (err != nil || c == nil):
				t.Fatalf("error %v", err)
			case tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)):
				t.Fatalf("error %v, want one with %q", err, tt.err)
			}
			if err != nil && tt.cfg.APIKey != "" && strings.Contains(err.Error(), tt.cfg.APIKey) {
				t.Errorf("the key shows in %q", err)
			}
			if want := strings.Contains(tt.err, "no API key"); errors.Is(err, ErrNoKey) != want {
				t.Errorf("is ErrNoKey: %t, want %t", !want, want)
			}
		})
	}
}

// What goes over the wire, to the letter.
func TestCompleteRequest(t *testing.T) {
	server := newServer(t, providertest.Script{})
	req := question
	req.Tools = []provider.Tool{
		{Name: "read", Description: "Reads a file.", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)},
		{Name: "list"},
	}
	req.Messages = append(req.Messages[:1:1],
		provider.Message{Role: provider.RoleAssistant, ToolCalls: []provider.ToolCall{{ID: "c1", Name: "read", Arguments: `{"path":"a.go"}`}}},
		provider.Message{Role: provider.RoleTool, ToolCallID: "c1"},
	)
	if _, err := newClient(t, server.URL).Complete(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	requests := server.Requests()
	if len(requests) != 1 {
		t.Fatalf("%d requests, want 1", len(requests))
	}
	got := requests[0]
	const want = `{
		"model": "test-model",
		"stream": false,
		"max_tokens": 1000,
		"messages": [
			{"role": "system", "content": "You review code."},
			{"role": "user", "content": "Look at main.go"},
			{"role": "assistant", "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "read", "arguments": "{\"path\":\"a.go\"}"}}]},
			{"role": "tool", "tool_call_id": "c1", "content": " "}
		],
		"tools": [
			{"type": "function", "function": {"name": "read", "description": "Reads a file.", "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}}},
			{"type": "function", "function": {"name": "list", "parameters": {"type": "object", "properties": {}}}}
		],
		"response_format": {"type": "json_schema", "json_schema": {"name": "findings", "schema": {"type": "object"}, "strict": true}}
	}`
	if diff := cmp.Diff(decode(t, want), decode(t, string(got.Body))); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
	if got.Path != "/v1/chat/completions" {
		t.Errorf("path %q", got.Path)
	}
	for name, want := range map[string]string{
		"Authorization": "Bearer " + testKey,
		"Content-Type":  "application/json",
		"User-Agent":    "scanner",
	} {
		if value := got.Header.Get(name); value != want {
			t.Errorf("header %s is %q, want %q", name, value, want)
		}
	}
}

func decode(t *testing.T, s string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		t.Fatalf("%v in %s", err, s)
	}
	return v
}

func TestCompleteWithoutKey(t *testing.T) {
	server := newServer(t, providertest.Script{})
	c, err := New(Config{BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Complete(t.Context(), question); err != nil {
		t.Fatal(err)
	}
	if value, ok := server.Requests()[0].Header["Authorization"]; ok {
		t.Errorf("Authorization is %q without a key", value)
	}
}

func TestCompleteModel(t *testing.T) {
	server := newServer(t, providertest.Script{})
	complete := func(t *testing.T, configured, requested string) (provider.Response, error) {
		c, err := New(Config{BaseURL: server.URL, Model: configured})
		if err != nil {
			t.Fatal(err)
		}
		return c.Complete(t.Context(), provider.Request{Model: requested, Messages: question.Messages})
	}
	for _, tt := range []struct{ name, configured, requested, want string }{
		{"requested", "", "a", "a"},
		{"configured", "b", "", "b"},
		{"requested overrides configured", "b", "a", "a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			resp, err := complete(t, tt.configured, tt.requested)
			if err != nil || resp.Model != tt.want {
				t.Errorf("model %q, error %v; want %q", resp.Model, err, tt.want)
			}
		})
	}
	t.Run("none", func(t *testing.T) {
		before := len(server.Requests())
		if _, err := complete(t, "", ""); provider.KindOf(err) != provider.KindInvalid {
			t.Errorf("error %v, want an InvalidRequestError", err)
		}
		if len(server.Requests()) != before {
			t.Error("a request without a model was sent")
		}
	})
	t.Run("public endpoint", func(t *testing.T) {
		c, err := New(Config{APIKey: testKey})
		if err != nil || c.model != DefaultModel {
			t.Errorf("model %q, error %v; want %q", c.model, err, DefaultModel)
		}
	})
}

// Azure has its own header for the key and requires a version in the query.
func TestCompleteAzure(t *testing.T) {
	var got *http.Request
	c, err := New(Config{
		BaseURL:    "https://me.openai.azure.com/openai/deployments/d?api-version=2024-10-21",
		APIKey:     testKey,
		HTTPClient: &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) { got = r; return nil, errors.New("no network") })},
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Complete(t.Context(), question)
	if provider.KindOf(err) != provider.KindConnection {
		t.Errorf("error %v, want a ConnectionError", err)
	}
	if want := "https://me.openai.azure.com/openai/deployments/d/chat/completions?api-version=2024-10-21"; got.URL.String() != want {
		t.Errorf("URL %s, want %s", got.URL, want)
	}
	if key, auth := got.Header.Get("api-key"), got.Header.Get("Authorization"); key != testKey || auth != "" {
		t.Errorf("api-key %q, Authorization %q", key, auth)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// The client of the caller keeps its own way with redirects.
func TestNewLeavesHTTPClientAlone(t *testing.T) {
	client := &http.Client{}
	if _, err := New(Config{APIKey: testKey, HTTPClient: client}); err != nil {
		t.Fatal(err)
	}
	if client.CheckRedirect != nil {
		t.Error("New changed the caller's http.Client")
	}
}

func TestCompleteConcurrently(t *testing.T) {
	server := newServer(t, providertest.Script{Reply: func(q providertest.Request) (providertest.Rule, bool) {
		return providertest.Rule{Content: &q.Messages[0].Content}, true
	}})
	c := newClient(t, server.URL)
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			text := fmt.Sprint("question ", i)
			resp, err := c.Complete(t.Context(), provider.Request{
				Model:    fmt.Sprint("model-", i%3),
				Messages: []provider.Message{{Role: provider.RoleUser, Text: text}},
			})
			if err != nil || resp.Text != text {
				t.Errorf("answer %q, error %v; want %q", resp.Text, err, text)
			}
		})
	}
	wg.Wait()
}

func TestCompleteEndedContext(t *testing.T) {
	server := newServer(t, providertest.Script{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := newClient(t, server.URL).Complete(ctx, question); err != context.Canceled {
		t.Errorf("error %v, want %v itself", err, context.Canceled)
	}
	if n := len(server.Requests()); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}

func BenchmarkComplete(b *testing.B) {
	server := newServer(b, providertest.Script{Reply: func(providertest.Request) (providertest.Rule, bool) {
		return providertest.Rule{}, true
	}})
	c := newClient(b, server.URL)
	req := question
	req.Messages = []provider.Message{{Role: provider.RoleUser, Text: strings.Repeat("+\tif err != nil { return err }\n", 300)}}
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := c.Complete(b.Context(), req); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

// closing notes whether it was closed.
type closing struct {
	io.Reader
	closed bool
}

func (c *closing) Close() error { c.closed = true; return nil }

// Bodies are closed, also those that are not read to the end.
func TestCompleteClosesBody(t *testing.T) {
	for _, size := range []int{10, httpapi.MaxBody + 10} {
		body := &closing{Reader: strings.NewReader(strings.Repeat(" ", size))}
		c, err := New(Config{APIKey: testKey, HTTPClient: &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Body: body, Request: r}, nil
		})}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Complete(t.Context(), question); provider.KindOf(err) != provider.KindServer {
			t.Errorf("error %v, want a ServerError", err)
		}
		if !body.closed {
			t.Errorf("the body of %d bytes was not closed", size)
		}
	}
}
