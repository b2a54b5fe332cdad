package openai

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"github.com/codescan-dev/scanner/internal/httperr"
	"github.com/codescan-dev/scanner/provider"
)

// dialect is the set of parameters that a server accepts for a model. Servers that
// claim to be compatible refuse what they do not know, so a request falls back, one
// step at a time, to one that demands less.
type dialect struct {
	format format
	limit  limit
	tokens string // the name of the limit that is tried first
}

// format is how JSON is requested.
type format uint8

const (
	formatSchema format = iota // response_format json_schema, strict
	formatObject               // response_format json_object
	formatNone                 // by the prompt alone
)

// limit is how the limit of tokens is sent.
type limit uint8

const (
	limitFirst limit = iota // under the name dialect.tokens
	limitOther              // under the other name
	limitNone               // not at all
)

// The two names of the limit of tokens.
const (
	maxTokens           = "max_tokens"
	maxCompletionTokens = "max_completion_tokens"
)

// firstDialect returns the best guess for a new model.
func firstDialect(model string, base endpoint) dialect {
	// Local servers silently ignore max_completion_tokens, OpenAI refuses
	// max_tokens for its newer models.
	if base.public() || base.azure() || reasons(model) {
		return dialect{tokens: maxCompletionTokens}
	}
	return dialect{tokens: maxTokens}
}

// reasons reports whether model is one of OpenAI's that think before they answer.
func reasons(model string) bool {
	bare := model[strings.LastIndexByte(model, '/')+1:]
	for _, prefix := range []string{"o1", "o3", "o4", "gpt-5", "gpt-6"} {
		if strings.HasPrefix(bare, prefix) {
			return true
		}
	}
	return false
}

// merge returns the less demanding dialect of both in every respect.
func (d dialect) merge(e dialect) dialect {
	d.format = max(d.format, e.format)
	d.limit = max(d.limit, e.limit)
	return d
}

// after returns the dialect to try after err, and whether there is one.
func (d dialect) after(err error, req provider.Request) (dialect, bool) {
	e, ok := errors.AsType[*httperr.Error](err)
	// Some servers have status 500 for a parameter that they do not know.
	if !ok || provider.KindOf(err) != provider.KindInvalid && e.Status != http.StatusInternalServerError && e.Status != http.StatusNotImplemented {
		return d, false
	}
	switch {
	case req.MaxTokens > 0 && d.limit < limitNone && e.Mentions(maxTokens, maxCompletionTokens):
		d.limit++
		return d, true
	case req.Schema != nil && d.format < formatNone && e.Mentions(
		"response_format", "response format", "json_schema", "json schema", "json_object", "json mode",
		"structured output", "structured_output", "guided_json", "guided decoding", "grammar"):
		d.format++
		return d, true
	}
	return d, false
}

// request returns req as go-openai sends it.
//
// No temperature is set: models that reason accept only their default.
func (d dialect) request(req provider.Request) openai.ChatCompletionRequest {
	out := openai.ChatCompletionRequest{Model: req.Model}
	if req.System != "" {
		out.Messages = append(out.Messages, openai.ChatCompletionMessage{Role: openai.ChatMessageRoleSystem, Content: req.System})
	}
	for _, m := range req.Messages {
		out.Messages = append(out.Messages, message(m))
	}
	for _, t := range req.Tools {
		out.Tools = append(out.Tools, tool(t))
	}
	if req.Schema != nil {
		switch d.format {
		case formatSchema:
			out.ResponseFormat = &openai.ChatCompletionResponseFormat{
				Type: openai.ChatCompletionResponseFormatTypeJSONSchema,
				JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{
					Name: req.Schema.Name, Schema: req.Schema.JSON, Strict: true,
				},
			}
		case formatObject:
			out.ResponseFormat = &openai.ChatCompletionResponseFormat{Type: openai.ChatCompletionResponseFormatTypeJSONObject}
		}
	}
	name := d.tokens
	if d.limit == limitOther {
		name = map[string]string{maxTokens: maxCompletionTokens, maxCompletionTokens: maxTokens}[d.tokens]
	}
	switch {
	case d.limit == limitNone || req.MaxTokens <= 0:
	case name == maxCompletionTokens:
		out.MaxCompletionTokens = req.MaxTokens
	case !reasons(req.Model): // go-openai does not send it for these
		//lint:ignore SA1019 the name that servers other than OpenAI's know
		out.MaxTokens = req.MaxTokens
	}
	return out
}

// message returns m as go-openai sends it.
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

// tool returns t as go-openai sends it.
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
