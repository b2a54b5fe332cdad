package providertest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// Script specifies how a [Server] answers: with the first rule that matches the
// request and is not used up. A request that no rule matches is answered with
// status 400 and kept in [Server.Unmatched].
//
// The zero Script answers every request with no findings.
type Script struct {
	// Key, if set, is the API key that requests must carry; others get a 401.
	Key   string `json:"key,omitempty"`
	Rules []Rule `json:"rules,omitempty"`
	// Reply, if not nil, takes precedence over the rules. Calls run concurrently.
	Reply func(r Request) (rule Rule, ok bool) `json:"-"`
}

// Rule is one answer and the requests it is for. The zero Rule matches every
// request, any number of times, and answers it with no findings.
type Rule struct {
	// Match is a text that a message of the request must contain, for instance
	// the path of a file.
	Match string `json:"match,omitempty"`
	// Model is the model that the request must name.
	Model string `json:"model,omitempty"`
	// RequestBody is a text that the request's raw body must contain, for instance
	// "json_schema".
	RequestBody string `json:"requestBody,omitempty"`
	// Times is how often the rule applies; 0 means always.
	Times int `json:"times,omitempty"`

	// DelayMs comes before the answer, in milliseconds.
	DelayMs int `json:"delayMs,omitempty"`
	// Status is the HTTP status; 0 is 200.
	Status int `json:"status,omitempty"`
	// Header is added to the answer.
	Header map[string]string `json:"headers,omitempty"`
	// Body is sent as it is. Without it, the body is a completion, or for an
	// error status an error object with Message.
	Body *string `json:"body,omitempty"`
	// Message is the text of an error object.
	Message string `json:"message,omitempty"`
	// Code is the code of an error object.
	Code string `json:"code,omitempty"`

	// Content is the text of the completion.
	Content *string `json:"content,omitempty"`
	// Findings is an array of findings: the text becomes an object that holds
	// it. It is short for Content.
	Findings json.RawMessage `json:"findings,omitempty"`
	// Refusal makes the completion a refusal with this text.
	Refusal string `json:"refusal,omitempty"`
	// Reasoning is the model's reasoning, apart from the text.
	Reasoning string `json:"reasoning,omitempty"`
	// Finish is the finish_reason; empty is "stop", or "tool_calls" if there are
	// ToolCalls.
	Finish string `json:"finish,omitempty"`
	// ToolCalls are the calls that the completion requests.
	ToolCalls []ToolCall `json:"toolCalls,omitempty"`
	// Usage is what the completion reports; nil is 100 tokens in and 10 out.
	Usage *Usage `json:"usage,omitempty"`

	// Fault breaks the answer.
	Fault Fault `json:"fault,omitempty"`
}

// ToolCall is a call of a tool in a completion.
type ToolCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
	// Extra holds more fields of the call, in the API of OpenAI.
	Extra map[string]any `json:"extra,omitempty"`
}

// Usage is the usage that a completion reports.
type Usage struct {
	Input     int64    `json:"input"` // cached ones included
	Output    int64    `json:"output"`
	CacheRead int64    `json:"cacheRead,omitempty"`
	Cost      *float64 `json:"cost,omitempty"` // in US dollars
}

// Fault is a way to break an answer.
type Fault string

// The faults. The empty Fault breaks nothing.
const (
	FaultReset   Fault = "reset"   // the connection is reset instead of an answer
	FaultHang    Fault = "hang"    // no answer until the client goes or the server is closed
	FaultCut     Fault = "cut"     // half of the body, then the connection is closed
	FaultStall   Fault = "stall"   // half of the body, then nothing, as with hang
	FaultEmpty   Fault = "empty"   // no body
	FaultGarbage Fault = "garbage" // a body that is not JSON
)

func (f Fault) valid() bool {
	return slices.Contains([]Fault{"", FaultReset, FaultHang, FaultCut, FaultStall, FaultEmpty, FaultGarbage}, f)
}

// ParseScript reads a Script from JSON:
//
//	{"rules": [
//	  {"match": "src/a.go", "times": 1, "status": 429, "headers": {"Retry-After": "1"}},
//	  {"match": "src/a.go", "findings": [{"title": "...", "severity": "high"}]},
//	  {"match": "src/b.go", "fault": "reset"},
//	  {"delayMs": 500, "content": "no findings"}
//	]}
//
// A key or a fault that does not exist is an error.
func ParseScript(data []byte) (Script, error) {
	var s Script
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil {
		return Script{}, fmt.Errorf("parsing script: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return Script{}, errors.New("parsing script: text after the end of the object")
	}
	for i, r := range s.Rules {
		if err := r.validate(); err != nil {
			return Script{}, fmt.Errorf("parsing script: rules[%d]: %w", i, err)
		}
	}
	return s, nil
}

func (r Rule) validate() error {
	switch {
	case r.Times < 0:
		return fmt.Errorf("times is %d; want a number of requests, or 0 for always", r.Times)
	case r.DelayMs < 0:
		return fmt.Errorf("delayMs is %d; want a number of milliseconds", r.DelayMs)
	case r.Status != 0 && (r.Status < 200 || r.Status > 599):
		return fmt.Errorf("status is %d; want a status from 200 to 599", r.Status)
	case !r.Fault.valid():
		return fmt.Errorf("unknown fault %q", r.Fault)
	case r.Content != nil && r.Findings != nil:
		return errors.New("content and findings cannot be used together")
	}
	return nil
}

// matches reports whether r is for the request.
func (r Rule) matches(q Request) bool {
	return (r.Model == "" || r.Model == q.Model) &&
		(r.RequestBody == "" || bytes.Contains(q.Body, []byte(r.RequestBody))) &&
		(r.Match == "" || slices.ContainsFunc(q.Messages, func(m Message) bool { return strings.Contains(m.Content, r.Match) }))
}

// status returns the HTTP status of the answer.
func (r Rule) status() int {
	if r.Status == 0 {
		return http.StatusOK
	}
	return r.Status
}

// body returns the body of the answer, as it is before any fault.
func (r Rule) body(model string) []byte {
	switch {
	case r.Body != nil:
		return []byte(*r.Body)
	case r.status() >= 300:
		return errorBody(r.status(), r.Message, r.Code)
	}

	type object = map[string]any
	message := object{"role": "assistant", "content": r.text()}
	finish := r.Finish
	if len(r.ToolCalls) > 0 {
		var calls []object
		for _, c := range r.ToolCalls {
			call := object{"id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": c.Arguments}}
			maps.Copy(call, c.Extra)
			calls = append(calls, call)
		}
		message["tool_calls"] = calls
		if finish == "" {
			finish = "tool_calls"
		}
	}
	if r.Refusal != "" {
		message["content"] = nil
		message["refusal"] = r.Refusal
	}
	if r.Reasoning != "" {
		message["reasoning_content"] = r.Reasoning
	}
	if finish == "" {
		finish = "stop"
	}
	used := Usage{Input: 100, Output: 10}
	if r.Usage != nil {
		used = *r.Usage
	}
	usage := object{
		"prompt_tokens":         used.Input,
		"completion_tokens":     used.Output,
		"total_tokens":          used.Input + used.Output,
		"prompt_tokens_details": object{"cached_tokens": used.CacheRead},
	}
	if used.Cost != nil {
		usage["cost"] = *used.Cost
	}
	return marshal(object{
		"id":      "chatcmpl-test",
		"object":  "chat.completion",
		"created": 1700000000,
		"model":   model,
		"choices": []object{{"index": 0, "message": message, "finish_reason": finish}},
		"usage":   usage,
	})
}

// text returns the text of the completion.
func (r Rule) text() string {
	switch {
	case r.Content != nil:
		return *r.Content
	case len(r.ToolCalls) > 0 && r.Findings == nil:
		return ""
	case r.Findings != nil:
		return `{"findings":` + string(r.Findings) + `}`
	default:
		return `{"findings":[]}`
	}
}

// errorBody returns an error object as the API of OpenAI has it.
func errorBody(status int, message, code string) []byte {
	if message == "" {
		message = http.StatusText(status)
	}
	e := map[string]any{"message": message, "type": "test_error", "param": nil, "code": nil}
	if code != "" {
		e["code"] = code
	}
	return marshal(map[string]any{"error": e})
}

func marshal(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		// Findings of a Go test may be invalid JSON; the answer reports it.
		return errorBody(http.StatusInternalServerError, err.Error(), "")
	}
	return data
}
