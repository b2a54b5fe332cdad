package agent

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// api replaces the APIs behind the agent CLIs in recordings: those of Anthropic,
// OpenAI (responses and chat completions) and Google. The first element of the path
// is the situation.
type api struct {
	url string

	mu     sync.Mutex
	bodies []string
	sent   []string // where the requests with a prompt went, with which credentials
}

// apiText is the answer of its models.
const apiText = "hello äöü 世界 🌍"

func newAPI(t *testing.T) *api {
	a := &api{}
	s := httptest.NewServer(a)
	t.Cleanup(s.Close)
	a.url = s.URL
	return a
}

// requests returns the bodies of the requests since the last call.
func (a *api) requests() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	bodies := a.bodies
	a.bodies, a.sent = nil, nil
	return bodies
}

// targets returns where the requests with a prompt went since the last call of
// requests: the path, and the credentials in the headers.
func (a *api) targets() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return strings.Join(a.sent, "")
}

// apiErrors are the situations in which a request is answered with an error.
var apiErrors = map[string]struct {
	status int
	google string // the status of Google's APIs
	kind   string // the type or code of others
	text   string
}{
	"unauthorized":    {401, "UNAUTHENTICATED", "authentication_error", "invalid key: sk-echoed-0123456789"},
	"no-login":        {401, "UNAUTHENTICATED", "authentication_error", "Missing bearer authentication"},
	"bedrock":         {403, "", "UnrecognizedClientException", "The security token included in the request is invalid."},
	"forbidden":       {403, "PERMISSION_DENIED", "permission_error", "Your key does not have permission"},
	"unknown-model":   {404, "NOT_FOUND", "not_found_error", "model: x does not exist"},
	"rate-limit":      {429, "RESOURCE_EXHAUSTED", "rate_limit_error", "Rate limit reached. Please try again in 7s."},
	"too-long":        {400, "INVALID_ARGUMENT", "invalid_request_error", "prompt is too long: 208310 tokens > 200000 maximum"},
	"bad-request":     {400, "INVALID_ARGUMENT", "invalid_request_error", "the request is odd"},
	"too-large":       {413, "INVALID_ARGUMENT", "request_too_large", "Request exceeds the maximum size"},
	"server-error":    {500, "INTERNAL", "api_error", "Internal error"},
	"overloaded":      {529, "UNAVAILABLE", "overloaded_error", "Overloaded"},
	"no-credit":       {400, "FAILED_PRECONDITION", "invalid_request_error", "Your credit balance is too low to access the API."},
	"stream-too-long": {200, "", "context_length_exceeded", "Your input exceeds the context window of this model."},
	"stream-quota":    {200, "", "insufficient_quota", "You exceeded your current quota."},
	"stream-limit":    {200, "", "rate_limit_exceeded", "Rate limit reached. Please try again in 1.5s."},
	"stream-failed":   {200, "", "server_error", "The server had an error."},
	"stream-busy":     {200, "", "server_is_overloaded", "The server is overloaded."},
	"stream-flagged":  {200, "", "invalid_prompt", "Invalid prompt: your prompt was flagged as potentially violating our usage policy."},
}

func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	situation, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	a.mu.Lock()
	a.bodies = append(a.bodies, string(body))
	if strings.Contains(string(body), "You review code.") {
		line := r.Method + " " + r.URL.String()
		for _, name := range []string{"Authorization", "X-Api-Key", "X-Team"} {
			if value, _, _ := strings.Cut(r.Header.Get(name), "/"); value != "" {
				line += " " + name + ": " + value
			}
		}
		a.sent = append(a.sent, line+"\n")
	}
	a.mu.Unlock()
	if situation == "reset" {
		drop(w, false)
		return
	}
	var request struct {
		Model string `json:"model"`
	}
	_ = json.Unmarshal(body, &request) // Google's have no model
	e, failing := apiErrors[situation]
	if failing && e.status != http.StatusOK {
		if situation == "rate-limit" {
			w.Header().Set("Retry-After", "7")
		}
		w.Header().Set("Content-Type", "application/json")
		if situation == "bedrock" {
			w.Header().Set("X-Amzn-Errortype", e.kind)
		}
		w.WriteHeader(e.status)
		switch {
		case situation == "bedrock":
			fmt.Fprintf(w, `{"message":%q}`, e.text)
		case strings.Contains(path, "messages"):
			fmt.Fprintf(w, `{"type":"error","error":{"type":%q,"message":%q},"request_id":"req_1"}`, e.kind, e.text)
		case strings.Contains(path, "enerateContent"):
			fmt.Fprintf(w, `{"error":{"code":%d,"message":%q,"status":%q}}`, e.status, e.text, e.google)
		default:
			fmt.Fprintf(w, `{"error":{"message":%q,"type":"test_error","param":null,"code":%q}}`, e.text, e.kind)
		}
		return
	}
	text, stop := apiText, "end"
	switch situation {
	case "empty":
		text = ""
	case "length":
		text, stop = "half an ans", "length"
	case "refusal":
		text, stop = "", "refusal"
	}
	w.Header().Set("Content-Type", "text/event-stream")
	switch {
	case strings.Contains(path, "v1/messages"):
		anthropic(w, request.Model, text, stop, situation == "cut")
	case strings.HasSuffix(path, "/responses"):
		responses(w, text, stop, situation == "cut", e.kind, e.text)
	case strings.Contains(path, "enerateContent"):
		google(w, text, stop)
	case strings.HasSuffix(path, "/chat/completions"):
		chat(w, request.Model, text, stop)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// drop ends the connection, after what was written if flush is set.
func drop(w http.ResponseWriter, flush bool) {
	c := http.NewResponseController(w)
	if flush {
		_ = c.Flush()
	}
	if conn, _, err := c.Hijack(); err == nil {
		conn.Close()
	}
}

type object = map[string]any

// event writes an event of a stream.
func event(w io.Writer, name string, v object) {
	v["type"] = name
	data, _ := json.Marshal(v)
	fmt.Fprintf(w, "event: %s\ndata: %s\n\n", name, data)
}

func anthropic(w http.ResponseWriter, model, text, stop string, cut bool) {
	stop = map[string]string{"end": "end_turn", "length": "max_tokens", "refusal": "refusal"}[stop]
	event(w, "message_start", object{"message": object{
		"id": "msg_1", "type": "message", "role": "assistant", "model": model, "content": []any{}, "stop_reason": nil, "stop_sequence": nil,
		"usage": object{"input_tokens": 234, "output_tokens": 1, "cache_read_input_tokens": 1000, "cache_creation_input_tokens": 0},
	}})
	if stop != "refusal" {
		event(w, "content_block_start", object{"index": 0, "content_block": object{"type": "text", "text": ""}})
		event(w, "content_block_delta", object{"index": 0, "delta": object{"type": "text_delta", "text": text}})
		if cut {
			drop(w, true)
			return
		}
		event(w, "content_block_stop", object{"index": 0})
	}
	event(w, "message_delta", object{"delta": object{"stop_reason": stop, "stop_sequence": nil}, "usage": object{"output_tokens": 56}})
	event(w, "message_stop", object{})
}

func responses(w http.ResponseWriter, text, stop string, cut bool, code, message string) {
	event(w, "response.created", object{"response": object{"id": "resp_1"}})
	if code != "" {
		event(w, "response.failed", object{"response": object{"id": "resp_1", "status": "failed", "error": object{"code": code, "message": message}}})
		return
	}
	content := object{"type": "output_text", "text": text, "annotations": []any{}}
	if stop == "refusal" {
		content = object{"type": "refusal", "refusal": "I can't help with that."}
	}
	item := object{"type": "message", "role": "assistant", "id": "msg_1", "content": []any{content}}
	if cut {
		drop(w, true)
		return
	}
	event(w, "response.output_item.done", object{"output_index": 0, "item": item})
	usage := object{
		"input_tokens": 1234, "input_tokens_details": object{"cached_tokens": 1000},
		"output_tokens": 56, "output_tokens_details": object{"reasoning_tokens": 5}, "total_tokens": 1290,
	}
	if stop == "length" {
		event(w, "response.incomplete", object{"response": object{
			"id": "resp_1", "status": "incomplete", "incomplete_details": object{"reason": "max_output_tokens"}, "usage": usage,
		}})
		return
	}
	event(w, "response.completed", object{"response": object{"id": "resp_1", "status": "completed", "output": []any{item}, "usage": usage}})
}

func google(w io.Writer, text, stop string) {
	parts := []any{object{"text": text}}
	if stop == "refusal" {
		parts = []any{}
	}
	data, _ := json.Marshal(object{
		"candidates": []any{object{
			"content":      object{"role": "model", "parts": parts},
			"finishReason": map[string]string{"end": "STOP", "length": "MAX_TOKENS", "refusal": "SAFETY"}[stop],
			"index":        0,
		}},
		"usageMetadata": object{
			"promptTokenCount": 1234, "candidatesTokenCount": 51, "thoughtsTokenCount": 5, "cachedContentTokenCount": 1000, "totalTokenCount": 1290,
		},
		"modelVersion": "test-model", "responseId": "r1",
	})
	fmt.Fprintf(w, "data: %s\r\n\r\n", data)
}

func chat(w io.Writer, model, text, stop string) {
	chunk := func(v object) {
		v["id"], v["object"], v["created"], v["model"] = "c1", "chat.completion.chunk", 1700000000, model
		data, _ := json.Marshal(v)
		fmt.Fprintf(w, "data: %s\n\n", data)
	}
	chunk(object{"choices": []any{object{"index": 0, "delta": object{"role": "assistant", "content": text}}}})
	chunk(object{
		"choices": []any{object{
			"index": 0, "delta": object{},
			"finish_reason": map[string]string{"end": "stop", "length": "length", "refusal": "content_filter"}[stop],
		}},
		"usage": object{
			"prompt_tokens": 1234, "completion_tokens": 56, "total_tokens": 1290, "prompt_tokens_details": object{"cached_tokens": 1000},
		},
	})
	fmt.Fprint(w, "data: [DONE]\n\n")
}
