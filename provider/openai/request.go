package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"

	openai "github.com/sashabaranov/go-openai"

	"github.com/codescan-dev/scanner/provider"
)

// body is the body of a request. Its messages are not those of go-openai, which
// knows no other fields than its own.
type body struct {
	openai.ChatCompletionRequest
	Messages []json.RawMessage `json:"messages"`
}

// request returns the HTTP request for req.
//
// The client of go-openai is not used: it refuses models and parameters by its own
// lists, and answers for the type of fields that do not matter.
func (c *Client) request(ctx context.Context, req provider.Request, stream bool) (*http.Request, error) {
	b := body{ChatCompletionRequest: c.parameters(req)}
	if stream {
		b.Stream, b.StreamOptions = true, &openai.StreamOptions{IncludeUsage: true}
	}
	messages := req.Messages
	if req.System != "" {
		messages = append([]provider.Message{{Role: openai.ChatMessageRoleSystem, Text: req.System}}, messages...)
	}
	for _, m := range messages {
		raw := m.Raw
		if raw == nil {
			var err error
			if raw, err = json.Marshal(message(m)); err != nil {
				return nil, err
			}
		}
		b.Messages = append(b.Messages, raw)
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
func (c *Client) parameters(req provider.Request) openai.ChatCompletionRequest {
	out := openai.ChatCompletionRequest{Model: req.Model}
	for _, t := range req.Tools {
		out.Tools = append(out.Tools, tool(t))
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

// message returns m as go-openai encodes it.
func message(m provider.Message) openai.ChatCompletionMessage {
	out := openai.ChatCompletionMessage{Role: string(m.Role), Content: m.Text, ToolCallID: m.ToolCallID}
	if m.Text == "" && m.Role != provider.RoleAssistant {
		out.Content = " " // go-openai omits an empty content, which servers refuse
	}
	for _, c := range m.ToolCalls {
		out.ToolCalls = append(out.ToolCalls, openai.ToolCall{
			ID: c.ID, Type: openai.ToolTypeFunction,
			Function: openai.FunctionCall{Name: c.Name, Arguments: c.Arguments},
		})
	}
	return out
}

// tool returns t as go-openai encodes it.
func tool(t provider.Tool) openai.Tool {
	parameters := t.Parameters
	if len(parameters) == 0 {
		parameters = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return openai.Tool{
		Type:     openai.ToolTypeFunction,
		Function: &openai.FunctionDefinition{Name: t.Name, Description: t.Description, Parameters: parameters},
	}
}
