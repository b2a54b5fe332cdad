package anthropic

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner/provider"
	"github.com/codescan-dev/scanner/provider/providertest"
)

const testKey = "sk-ant-test-0123456789"

// newServer starts a server that follows script.
func newServer(tb testing.TB, script providertest.Script) *providertest.Server {
	s := providertest.NewServer(script)
	tb.Cleanup(s.Close)
	return s
}

// newClient returns a client with the test key.
func newClient(tb testing.TB, cfg Config) *Client {
	tb.Helper()
	if cfg.APIKey == "" {
		cfg.APIKey = testKey
	}
	c, err := New(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(c.http.CloseIdleConnections)
	return c
}

// question is a request with everything in it that scanner sends first.
var question = provider.Request{
	Model:    "test-model",
	System:   "You review code.",
	Messages: []provider.Message{{Role: provider.RoleUser, Text: "Look at main.go"}},
	Schema:   &provider.Schema{Name: "findings", JSON: json.RawMessage(`{"type":"object"}`)},
	Tools: []provider.Tool{
		{Name: "read", Description: "Reads a file.", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)},
		{Name: "list"},
	},
}

func TestConformance(t *testing.T) {
	providertest.Conformance(t, func(t *testing.T, s providertest.Situation) provider.Provider {
		if s.Chat {
			return nil
		}
		rule := providertest.Rule{Content: &s.Text, Message: "your key " + s.Secret + " is\x1b[31m\nwrong"}
		if !s.Usage.IsZero() {
			rule.Usage = &providertest.Usage{Input: s.Usage.InputTokens, Output: s.Usage.OutputTokens, CacheRead: s.Usage.CacheReadInputTokens}
		}
		switch s.Kind {
		case provider.KindAuth:
			rule.Status, rule.Code = http.StatusUnauthorized, "authentication_error"
		case provider.KindRateLimit:
			rule.Status, rule.Code = http.StatusTooManyRequests, "rate_limit_error"
		case provider.KindTimeout:
			rule.Status, rule.Code = http.StatusRequestTimeout, "timeout_error"
		case provider.KindServer:
			rule.Status, rule.Code = 529, "overloaded_error"
		case provider.KindConnection:
			rule.Fault = providertest.FaultReset
		case provider.KindSubprocess:
			return nil // there is none
		case provider.KindInvalid:
			rule.Status, rule.Code = http.StatusBadRequest, "invalid_request_error"
		case provider.KindRefusal:
			rule.Refusal = "I will not look at " + s.Secret
		case provider.KindContextLength:
			rule.Status, rule.Code = http.StatusBadRequest, "invalid_request_error"
			rule.Message = "prompt is too long: 209761 tokens > 200000 maximum " + s.Secret
		}
		if s.Hang {
			rule.Fault = providertest.FaultHang
		}
		server := newServer(t, providertest.Script{Key: s.Secret, Rules: []providertest.Rule{rule}, Reply: s.Reply})
		return newClient(t, Config{
			BaseURL: server.URL, APIKey: s.Secret,
			Prices: provider.Prices{"test-model": {CacheReadPerMTok: new(12.5)}},
		})
	})
}

// What goes over the wire, to the letter.
func TestCompleteRequest(t *testing.T) {
	server := newServer(t, providertest.Script{Key: testKey})
	req := question
	req.Messages = append(req.Messages[:1:1],
		provider.Message{Role: provider.RoleAssistant, Text: "Let me see.", ToolCalls: []provider.ToolCall{
			{ID: "c1", Name: "read", Arguments: `{"path":"a.go"}`},
			{ID: "c2", Name: "list", Arguments: `not an object`},
		}},
		provider.Message{Role: provider.RoleTool, ToolCallID: "c1", Text: "package a"},
		provider.Message{Role: provider.RoleTool, ToolCallID: "c2"},
	)
	if _, err := newClient(t, Config{BaseURL: server.URL}).Complete(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	got := server.Requests()[0]
	const want = `{
		"model": "test-model",
		"max_tokens": 20000,
		"system": [{"type": "text", "text": "You review code.", "cache_control": {"type": "ephemeral"}}],
		"messages": [
			{"role": "user", "content": [{"type": "text", "text": "Look at main.go"}]},
			{"role": "assistant", "content": [
				{"type": "text", "text": "Let me see."},
				{"type": "tool_use", "id": "c1", "name": "read", "input": {"path": "a.go"}},
				{"type": "tool_use", "id": "c2", "name": "list", "input": {}}
			]},
			{"role": "user", "content": [
				{"type": "tool_result", "tool_use_id": "c1", "content": "package a"},
				{"type": "tool_result", "tool_use_id": "c2"}
			]}
		],
		"tools": [
			{"name": "read", "description": "Reads a file.", "input_schema": {"type": "object", "properties": {"path": {"type": "string"}}}},
			{"name": "list", "input_schema": {"type": "object", "properties": {}}}
		],
		"output_config": {"format": {"type": "json_schema", "schema": {"type": "object"}}}
	}`
	if diff := cmp.Diff(decode(t, []byte(want)), decode(t, got.Body)); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
	for name, want := range map[string]string{
		"X-Api-Key": testKey, "Anthropic-Version": "2023-06-01", "Content-Type": "application/json", "Authorization": "",
	} {
		if got := got.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// Thoughts come back as they were, with the calls that they led to; and the last turn
// lists the tools, but lets the model call none.
func TestCompleteToolTurn(t *testing.T) {
	content := `[{"type":"thinking","thinking":"<hm>","signature":"c2ln","new":[1.50]},{"type":"tool_use","id":"c1","name":"read","input":{"path":"a.go"}}]`
	first := `{"type":"message","content":` + content + `,"stop_reason":"tool_use"}`
	server := newServer(t, providertest.Script{Rules: []providertest.Rule{{Body: &first, Times: 1}, {}}})
	c := newClient(t, Config{BaseURL: server.URL})
	req := question
	resp, err := c.Complete(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	req.NoToolCalls = true
	req.Messages = append(req.Messages[:1:1],
		provider.Message{Role: provider.RoleAssistant, Text: resp.Text, ToolCalls: resp.ToolCalls, Raw: resp.Raw},
		provider.Message{Role: provider.RoleTool, ToolCallID: "c1", Text: "package a"},
	)
	if _, err := c.Complete(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	var sent struct {
		Messages   []struct{ Content any }
		ToolChoice map[string]string `json:"tool_choice"`
		Tools      []any
	}
	if err := json.Unmarshal(server.Requests()[1].Body, &sent); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(decode(t, []byte(content)), sent.Messages[1].Content); diff != "" {
		t.Errorf("the assistant's message (-want +got):\n%s", diff)
	}
	if sent.ToolChoice["type"] != "none" || len(sent.Tools) != 2 {
		t.Errorf("tool_choice %v with %d tools, want none with 2", sent.ToolChoice, len(sent.Tools))
	}
}

func decode(t *testing.T, data []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestNew(t *testing.T) {
	for in, want := range map[string]string{
		"":                                     "https://api.anthropic.com/v1",
		"https://api.anthropic.com":            "https://api.anthropic.com/v1",
		"https://gate.example.com/anthropic/":  "https://gate.example.com/anthropic/v1",
		"https://gate.example.com/v1/messages": "https://gate.example.com/v1",
	} {
		if got := newClient(t, Config{BaseURL: in}).http.Prefix(); got != want {
			t.Errorf("base URL %q becomes %q, want %q", in, got, want)
		}
	}
	if _, err := New(Config{}); !errors.Is(err, ErrNoKey) {
		t.Errorf("without a key: error %v", err)
	}
	for _, cfg := range []Config{{}, {BaseURL: "http://example.com", APIKey: testKey}, {APIKey: "sk-1\nsk-2"}, {BaseURL: "https://u:" + testKey + "@example.com"}} {
		c, err := New(cfg)
		if err == nil || c != nil || strings.Contains(err.Error(), testKey) {
			t.Errorf("New(%+v) = %v, %v; want an error without the key", cfg, c, err)
		}
	}
}

func TestCompleteResponse(t *testing.T) {
	const usage = `"usage":{"input_tokens":10,"output_tokens":2}`
	used := provider.Usage{InputTokens: 10, OutputTokens: 2}
	for _, tt := range []struct {
		name string
		body string
		want provider.Response
	}{
		{
			name: "text in parts, after thoughts",
			body: `{"type":"message","model":"m-1","content":[{"type":"thinking","thinking":"hmm","signature":"x"},{"type":"redacted_thinking","data":"y"},{"type":"text","text":"a"},{"type":"text","text":"b","citations":null}],"stop_reason":"end_turn",` + usage + `}`,
			want: provider.Response{Text: "ab", Stop: provider.StopEnd, Model: "m-1", Usage: used},
		},
		{
			name: "cut off", body: `{"type":"message","content":[{"type":"text","text":"hal"}],"stop_reason":"max_tokens",` + usage + `}`,
			want: provider.Response{Text: "hal", Stop: provider.StopLength, Usage: used},
		},
		{
			name: "cut off while thinking", body: `{"type":"message","content":[{"type":"thinking","thinking":"hmm"}],"stop_reason":"max_tokens",` + usage + `}`,
			want: provider.Response{Stop: provider.StopLength, Usage: used},
		},
		{
			name: "end of the context window", body: `{"type":"message","content":[],"stop_reason":"model_context_window_exceeded",` + usage + `}`,
			want: provider.Response{Stop: provider.StopLength, Usage: used},
		},
		{
			name: "unknown reason", body: `{"type":"message","content":[{"type":"text","text":"a"}],"stop_reason":"tired",` + usage + `}`,
			want: provider.Response{Text: "a", Usage: used},
		},
		{
			name: "tool calls", body: `{"type":"message","content":[{"type":"text","text":"let me see"},{"type":"tool_use","id":"c1","name":"read","input":{"path":"a.go"}}],"stop_reason":"tool_use",` + usage + `}`,
			want: provider.Response{Text: "let me see", Stop: provider.StopToolCalls, ToolCalls: []provider.ToolCall{{ID: "c1", Name: "read", Arguments: `{"path":"a.go"}`}}, Usage: used,
				Raw: json.RawMessage(`[{"type":"text","text":"let me see"},{"type":"tool_use","id":"c1","name":"read","input":{"path":"a.go"}}]`)},
		},
		{
			name: "unknown blocks, usage of another type",
			body: `{"content":[{"type":"new","content":[{}]},{"type":"text","text":"a"}],"stop_reason":"end_turn","usage":{"input_tokens":"?","output_tokens":2.0}}`,
			want: provider.Response{Text: "a", Stop: provider.StopEnd, Usage: provider.Usage{OutputTokens: 2}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := newServer(t, providertest.Script{Rules: []providertest.Rule{{Body: &tt.body}}})
			got, err := newClient(t, Config{BaseURL: server.URL}).Complete(t.Context(), question)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("response (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCompleteUsage(t *testing.T) {
	body := `{"type":"message","model":"mine-20260101","content":[{"type":"text","text":"a"}],"stop_reason":"end_turn",
		"usage":{"input_tokens":100,"cache_creation_input_tokens":200,"cache_read_input_tokens":700,"output_tokens":50}}`
	server := newServer(t, providertest.Script{Rules: []providertest.Rule{{Body: &body}}})
	c := newClient(t, Config{BaseURL: server.URL, Prices: provider.Prices{
		"mine": {InputPerMTok: 10_000, OutputPerMTok: 20_000, CacheReadPerMTok: new(1_000.0), CacheWritePerMTok: new(12_500.0)},
	}})
	got, err := c.Complete(t.Context(), question)
	if err != nil {
		t.Fatal(err)
	}
	want := provider.Usage{
		InputTokens: 1000, OutputTokens: 50, CacheReadInputTokens: 700, CacheCreationInputTokens: 200,
		CostUSD: new(1.0 + 2.5 + 0.7 + 1.0),
	}
	if diff := cmp.Diff(want, got.Usage); diff != "" {
		t.Errorf("usage (-want +got):\n%s", diff)
	}
}

func TestCompleteErrors(t *testing.T) {
	for _, tt := range []struct {
		name   string
		status int
		body   string
		header map[string]string
		kind   provider.Kind
		text   string // the whole message
		hint   string // a part of it
		wait   time.Duration
	}{
		{name: "bad key", status: 401, body: `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"},"request_id":"r"}`,
			kind: provider.KindAuth, text: "HTTP 401 Unauthorized: invalid x-api-key", hint: "check the API key, and that it belongs to 127.0.0.1"},
		{name: "permission", status: 403, body: `{"type":"error","error":{"type":"permission_error","message":"no"}}`,
			kind: provider.KindAuth, text: "HTTP 403 Forbidden: no", hint: "model"},
		{name: "credit", status: 400, body: `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}`,
			kind: provider.KindAuth, text: "HTTP 400 Bad Request: Your credit balance is too low to access the Anthropic API.", hint: "billing"},
		{name: "own limit of spending", status: 400, body: `{"type":"error","error":{"type":"invalid_request_error","message":"You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC."}}`,
			kind: provider.KindAuth, text: "HTTP 400 Bad Request: You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.", hint: "billing"},
		{name: "monthly cap", status: 429, body: `{"type":"error","error":{"type":"rate_limit_error","message":"capped","details":{"error_code":"enforced_spend_limit_reached"}}}`,
			kind: provider.KindAuth, text: "HTTP 429 Too Many Requests: capped", hint: "billing"},
		{name: "rate limit", status: 429, body: `{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}`, header: map[string]string{"Retry-After": "7"},
			kind: provider.KindRateLimit, text: "HTTP 429 Too Many Requests: slow down", wait: 7 * time.Second},
		{name: "overloaded", status: 529, body: `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, header: map[string]string{"Retry-After": "3"},
			kind: provider.KindServer, text: "HTTP 529: Overloaded", wait: 3 * time.Second},
		{name: "overloaded with 200", status: 200, body: `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`,
			kind: provider.KindServer, text: "Overloaded"},
		{name: "no such model", status: 404, body: `{"type":"error","error":{"type":"not_found_error","message":"model: claude-9"}}`,
			kind: provider.KindInvalid, text: "HTTP 404 Not Found: model: claude-9", hint: "name of the model"},
		{name: "too long", status: 400, body: `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 209761 tokens > 200000 maximum"}}`,
			kind: provider.KindContextLength, text: "HTTP 400 Bad Request: prompt is too long: 209761 tokens > 200000 maximum"},
		{name: "no room for an answer", status: 400, body: `{"type":"error","error":{"type":"invalid_request_error","message":"input length and max_tokens exceed context limit: 199000 + 20000 > 200000"}}`,
			kind: provider.KindContextLength, text: "HTTP 400 Bad Request: input length and max_tokens exceed context limit: 199000 + 20000 > 200000"},
		{name: "blocked", status: 400, body: `{"type":"error","error":{"type":"invalid_request_error","message":"Output blocked by content filtering policy"}}`,
			kind: provider.KindRefusal, text: "HTTP 400 Bad Request: Output blocked by content filtering policy"},
		{name: "body too large", status: 413, body: `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`,
			kind: provider.KindContextLength, text: "HTTP 413 Request Entity Too Large: Request exceeds the maximum size"},
		{name: "refusal", status: 200, body: `{"type":"message","content":[],"stop_reason":"refusal","stop_details":{"type":"refusal","category":"cyber","explanation":null}}`,
			kind: provider.KindRefusal, text: "the model declined: cyber"},
		{name: "empty", status: 200, body: `{"type":"message","content":[],"stop_reason":"end_turn"}`, kind: provider.KindServer, text: "the answer is empty"},
		{name: "another API", status: 200, body: `{"choices":[]}`, kind: provider.KindServer, text: "the answer is not a message"},
		{name: "list", status: 200, body: `[]`, kind: provider.KindServer, text: "the answer is not a message"},
		{name: "web page", status: 200, body: `<!doctype html><title>x</title>`, kind: provider.KindServer, text: "the answer is a web page", hint: "base URL"},
		{name: "redirect", status: 308, header: map[string]string{"Location": "https://elsewhere.example.com/v1/messages"},
			kind: provider.KindInvalid, text: "HTTP 308 Permanent Redirect: redirects are not followed", hint: "https://elsewhere.example.com/v1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := newServer(t, providertest.Script{Rules: []providertest.Rule{{Status: tt.status, Body: &tt.body, Header: tt.header}}})
			_, err := newClient(t, Config{BaseURL: server.URL}).Complete(t.Context(), question)
			e, ok := errors.AsType[*provider.Error](err)
			if !ok || e.Kind != tt.kind || e.Message != tt.text || !strings.Contains(e.Hint, tt.hint) || e.RetryAfter != tt.wait {
				t.Errorf("error %+v, want a %v %q with the hint %q after %v", e, tt.kind, tt.text, tt.hint, tt.wait)
			}
		})
	}
}

// Neither the key nor the code may travel to where a server points.
func TestCompleteRedirect(t *testing.T) {
	elsewhere := newServer(t, providertest.Script{})
	server := newServer(t, providertest.Script{Rules: []providertest.Rule{{Status: 307, Header: map[string]string{"Location": elsewhere.URL + "/messages"}}}})
	_, err := newClient(t, Config{BaseURL: server.URL}).Complete(t.Context(), question)
	if provider.KindOf(err) != provider.KindInvalid || len(elsewhere.Requests()) > 0 {
		t.Errorf("error %v, %d requests elsewhere; want an InvalidRequestError and none", err, len(elsewhere.Requests()))
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Any answer is a response, or an error that is classified, short, one line, and
// does not show the key.
func FuzzComplete(f *testing.F) {
	for _, body := range []string{
		"", "null", "{}", "[]", `{"type":"error","error":{"type":"overloaded_error","message":"` + testKey + `"}}`, `{"type":"error"}`,
		`{"type":"message","content":[{"type":"text","text":"a"},{"type":"tool_use","id":1,"input":{"a":[1,null]}}],"stop_reason":"tool_use","usage":{"input_tokens":9223372036854775807,"cache_read_input_tokens":9223372036854775807,"output_tokens":-1}}`,
		`{"type":"message","content":[{"type":"thinking","thinking":"x"}],"stop_reason":"refusal","stop_details":{"explanation":"` + testKey + `\u001b[0m"}}`,
	} {
		f.Add(200, body)
		f.Add(400, body)
		f.Add(529, body)
	}
	f.Fuzz(func(t *testing.T, status int, body string) {
		if status < 200 || status > 599 {
			t.Skip()
		}
		c, err := New(Config{BaseURL: "http://localhost", APIKey: testKey, HTTPClient: &http.Client{
			Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
			}),
		}})
		if err != nil {
			t.Fatal(err)
		}
		resp, err := c.Complete(t.Context(), question)
		if u := resp.Usage; u.InputTokens < 0 || u.OutputTokens < 0 || u.CacheReadInputTokens < 0 || u.CacheCreationInputTokens < 0 {
			t.Errorf("usage %+v", u)
		}
		if err == nil {
			if status >= 300 || resp.Text == "" && len(resp.ToolCalls) == 0 && resp.Stop != provider.StopLength {
				t.Errorf("status %d, body %q: answer %+v", status, body, resp)
			}
			return
		}
		e, ok := errors.AsType[*provider.Error](err)
		if !ok || e.Kind == provider.KindUnknown || e.Message == "" {
			t.Fatalf("status %d, body %q: error %#v", status, body, err)
		}
		for _, text := range []string{e.Error(), e.Hint} {
			if strings.Contains(text, testKey) || strings.ContainsFunc(text, unicode.IsControl) || !utf8.ValidString(text) || utf8.RuneCountInString(text) > 550 {
				t.Errorf("status %d, body %q: %q is not fit to be shown", status, body, text)
			}
		}
	})
}
