package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"

	openai "github.com/sashabaranov/go-openai"

	"github.com/codescan-dev/scanner/provider"
)

// body is the body of a request. The types of go-openai for messages and tools have
// methods that encode them, and their output is parsed again to become part of the
// whole; their messages also have no fields that only one server knows.
type body struct {
	openai.ChatCompletionRequest
	Messages []any  `json:"messages"` // message, or the JSON of one that the API sent
	Tools    []tool `json:"tools,omitempty"`
}

type tool openai.Tool

type message struct {
	Role       string            `json:"role"`
	Content    string            `json:"content,omitempty"`
	ToolCalls  []openai.ToolCall `json:"tool_calls,omitempty"`
	ToolCallID string            `json:"tool_call_id,omitempty"`
}

// request returns the HTTP request for req.
//
// The client of go-openai is not used: it refuses models and parameters by its own
// lists, and answers for the type of fields that do not matter.
func (c *Client) request(ctx context.Context, req provider.Request, stream bool) (*http.Request, error) {
	b := c.parameters(req)
	if stream {
		b.Stream, b.StreamOptions = true, &openai.StreamOptions{IncludeUsage: true}
	}
	if req.System != "" {
		b.Messages = append(b.Messages, message{Role: openai.ChatMessageRoleSystem, Content: req.System})
	}
	for _, m := range req.Messages {
		b.Messages = append(b.Messages, newMessage(m))
	}
	data, err := json.Marshal(b)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base.Prefix()+chatPath, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	switch key := c.http.Key; {
	case key == "":
	case c.base.azure():
		r.Header.Set(openai.AzureAPIKeyHeader, key)
	default:
		r.Header.Set("Authorization", "Bearer "+key)
	}
	return r, nil
}

// parameters returns everything of a request but its messages.
//
// No temperature is set: models that reason accept only their default.
func (c *Client) parameters(req provider.Request) *body {
	out := &body{ChatCompletionRequest: openai.ChatCompletionRequest{Model: req.Model}}
	for _, t := range req.Tools {
		out.Tools = append(out.Tools, newTool(t))
	}
	if req.NoToolCalls && len(req.Tools) > 0 {
		out.ToolChoice = "none"
	}
	if req.Schema != nil {
		out.ResponseFormat = &openai.ChatCompletionResponseFormat{
			Type: openai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{
				Name: req.Schema.Name, Schema: req.Schema.JSON, Strict: true,
			},
		}
	}
	// OpenAI refuses max_tokens for its newer models, others ignore the new name.
	if c.base.public() || c.base.azure() {
		out.MaxCompletionTokens = max(req.MaxTokens, 0)
	} else {
		//lint:ignore SA1019 the name that servers other than OpenAI's know
		out.MaxTokens = max(req.MaxTokens, 0)
	}
	return out
}

func newMessage(m provider.Message) any {
	if m.Raw != nil {
		return m.Raw
	}
	out := message{Role: string(m.Role), Content: m.Text, ToolCallID: m.ToolCallID}
	if m.Text == "" && m.Role != provider.RoleAssistant {
		out.Content = " " // servers refuse a message without content
	}
	for _, c := range m.ToolCalls {
		out.ToolCalls = append(out.ToolCalls, openai.ToolCall{
			ID: c.ID, Type: openai.ToolTypeFunction,
			Function: openai.FunctionCall{Name: c.Name, Arguments: c.Arguments},
		})
	}
	return out
}

func newTool(t provider.Tool) tool {
	parameters := t.Parameters
	if len(parameters) == 0 {
		parameters = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return tool{
		Type:     openai.ToolTypeFunction,
		Function: &openai.FunctionDefinition{Name: t.Name, Description: t.Description, Parameters: parameters},
	}
}
