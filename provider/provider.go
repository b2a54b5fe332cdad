// Package provider defines how scanner talks to a language model: one request, one
// whole answer. Where the answer comes from is up to an adapter below this package
// (an HTTP API, an agent CLI), which implements [Provider].
//
// An adapter makes exactly one attempt. The rest is in this package:
//
//   - A [Limiter] bounds the requests in flight. All requests to the same provider
//     share one, so that all of them wait when the provider requests it.
//   - [RetryPolicy.Retry] is the retry loop. Package scanner calls it; callers
//     never wrap a provider in retries of their own.
//   - The [Kind] of an [Error] is what the caller can do about it. The loop retries
//     by it.
//   - [Usage] counts tokens and cost, with the [Prices] of models where a provider
//     does not report the cost of an answer.
//
// To use a model that no adapter of scanner reaches, implement [Provider] and test
// it with the suite of package providertest.
package provider

import (
	"context"
	"encoding/json"
)

// Provider answers requests to a language model.
//
// Implementations must be safe for concurrent use.
type Provider interface {
	// Complete answers one request whole, in one attempt.
	//
	// When ctx ended, its error is or wraps the context's error, and is not
	// retryable if ctx was canceled. Otherwise it is or wraps an *[Error], whose
	// [Kind] is what the caller can do. An error may come with a Response whose
	// Usage is set, when tokens were spent anyway.
	Complete(ctx context.Context, req Request) (Response, error)
}

// FeatureSender is implemented by providers of which it is known whether they send
// the Tools and the Schema of a request to a server, which may refuse them.
type FeatureSender interface {
	Provider
	// SendsFeatures is false for providers that send nothing but text, such as
	// agent CLIs: no other form of a refused request remains to be tried. If it
	// is true, the first requests to a model wait for the one that finds out
	// what the server accepts. Without this method, a refused request is tried
	// without its features, and none waits.
	SendsFeatures() bool
}

// Request is one question to a model.
type Request struct {
	// Model is the name of the model as the provider knows it. Empty means
	// the provider's own default, if it has one.
	Model string
	// System is the system prompt. It comes first, and is the same for all
	// chunks of a skill, so that a provider can serve it from its prompt cache.
	System string
	// Messages is the conversation, oldest first. It ends with a message of
	// role [RoleUser] or [RoleTool].
	Messages []Message
	// Schema requests an answer in JSON of this shape. Nil means free text. A
	// provider that cannot enforce a schema ignores it: the prompt describes
	// the answer as well.
	Schema *Schema
	// Tools are the functions the model may call. None means no tools.
	Tools []Tool
	// NoToolCalls makes the model answer now. The tools are still listed, since
	// the conversation has calls of them.
	NoToolCalls bool
	// MaxTokens caps the answer, in tokens. Zero means the provider's default.
	MaxTokens int
	// Task is what the request is for. It does not affect the answer.
	Task Task `json:"-"`
}

// Size returns the number of bytes of the texts of the request.
func (r *Request) Size() int {
	n := len(r.System)
	for _, m := range r.Messages {
		n += len(m.Text) + len(m.Raw)
	}
	for _, t := range r.Tools {
		n += len(t.Name) + len(t.Description) + len(t.Parameters)
	}
	if r.Schema != nil {
		n += len(r.Schema.JSON)
	}
	return n
}

// Role is the author of a [Message].
type Role string

// The roles of a conversation.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Message is one turn of a conversation.
type Message struct {
	Role Role
	// Text may be empty when an assistant only calls tools.
	Text string
	// ToolCalls are the calls that an assistant message requests.
	ToolCalls []ToolCall
	// Raw is Response.Raw of the answer that an assistant message repeats. The
	// provider sends it in place of Text and ToolCalls, so that fields which only
	// the API knows, such as signatures of thoughts, come back unchanged.
	Raw json.RawMessage
	// ToolCallID names the call that a message of role [RoleTool] answers.
	ToolCallID string
}

// Schema is a JSON schema for an answer.
type Schema struct {
	// Name identifies the schema: letters, digits, '_' and '-', at most 64.
	Name string
	// JSON is the schema itself. It must satisfy strict mode: every object
	// lists all its properties as required and allows no others.
	JSON json.RawMessage
}

// Tool describes a function that the model may call.
type Tool struct {
	// Name identifies the function: letters, digits, '_' and '-', at most 64.
	Name string
	// Description is for the model: what the function does and when to call it.
	Description string
	// Parameters is the JSON schema of the arguments. Empty means none.
	Parameters json.RawMessage
}

// ToolCall is a model's request to call a [Tool]. All of it is untrusted.
type ToolCall struct {
	ID        string // names the call in Message.ToolCallID
	Name      string // of the tool; there may be no such tool
	Arguments string // JSON as the model wrote it; it may be invalid
}

// StopReason is why a model stopped writing.
type StopReason string

// The reasons to stop. An unknown reason is the empty string.
const (
	StopEnd       StopReason = "end"    // the answer is complete
	StopLength    StopReason = "length" // cut off by a token limit
	StopToolCalls StopReason = "tools"  // the model is waiting for tool results
)

// Response is a model's whole answer.
type Response struct {
	// Text is the answer as the model wrote it: untrusted, of any shape. Thoughts
	// that an API returns apart from it are not in it.
	Text string
	// ToolCalls are the calls whose results the model is waiting for.
	ToolCalls []ToolCall
	// Raw is the assistant's message in the form of the API, for Message.Raw. It is
	// only set with ToolCalls; nil means that the API has no form of its own.
	Raw json.RawMessage
	// Stop is why the model stopped. After [StopLength], Text may be cut
	// anywhere, or empty.
	Stop StopReason
	// Usage is what this request consumed.
	Usage Usage
	// Model is the model that answered; empty if the provider does not report
	// it.
	Model string
	// Moved is by how many lines the code has moved since the answer was given, which
	// has the line numbers of then. It is 0 except for recorded answers.
	Moved int
}
