package openai

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/codescan-dev/scanner/internal/httpapi"
	"github.com/codescan-dev/scanner/internal/httperr"
	"github.com/codescan-dev/scanner/provider"
)

// completion is an answer as far as it is read. Numbers are read in any notation.
type completion struct {
	Model   string `json:"model"`
	Choices []struct {
		Error        json.RawMessage `json:"error"`
		FinishReason string          `json:"finish_reason"`
		Message      json.RawMessage `json:"message"`
	} `json:"choices"`
	Usage struct {
		PromptTokens        float64 `json:"prompt_tokens"`
		CompletionTokens    float64 `json:"completion_tokens"`
		PromptTokensDetails struct {
			CachedTokens     float64 `json:"cached_tokens"`
			CacheWriteTokens float64 `json:"cache_write_tokens"`
		} `json:"prompt_tokens_details"`
		// OpenRouter reports the cost of an answer. With the user's own key for
		// the vendor behind it, that is the fee alone, and the vendor's price is
		// in another field.
		Cost        *float64 `json:"cost"`
		IsBYOK      bool     `json:"is_byok"`
		CostDetails struct {
			Upstream *float64 `json:"upstream_inference_cost"`
		} `json:"cost_details"`
		// Other names of cached input: DeepSeek, and proxies for Anthropic.
		PromptCacheHitTokens     float64 `json:"prompt_cache_hit_tokens"`
		CacheReadInputTokens     float64 `json:"cache_read_input_tokens"`
		CacheCreationInputTokens float64 `json:"cache_creation_input_tokens"`
	} `json:"usage"`
}

// answerMessage is the message of an answer.
type answerMessage struct {
	Role             string          `json:"role"`
	Content          json.RawMessage `json:"content"` // a text, or parts of one
	Refusal          string          `json:"refusal"`
	Reasoning        string          `json:"reasoning"`
	ReasoningContent string          `json:"reasoning_content"`
	ToolCalls        []struct {
		ID       string `json:"id"`
		Function struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"` // a text, or the object itself
		} `json:"function"`
	} `json:"tool_calls"`
}

// response turns an answer into a provider.Response. The usage is filled in also
// when there is an error.
func (c *Client) response(a httpapi.Answer, x *completion, model string) (provider.Response, error) {
	resp := provider.Response{Model: x.Model, Usage: c.usage(x, model)}
	if len(x.Choices) == 0 {
		if e, ok := httperr.ParseObject(a.Body); ok {
			return resp, c.http.Classify(a, e)
		}
		return resp, &provider.Error{Kind: provider.KindServer, Message: "the answer has no choices"}
	}
	choice := x.Choices[0]
	if e, ok := httperr.ParseObject(choice.Error); ok {
		return resp, c.http.Classify(a, e)
	}
	var m answerMessage
	_ = json.Unmarshal(choice.Message, &m)
	for _, call := range m.ToolCalls {
		resp.ToolCalls = append(resp.ToolCalls, provider.ToolCall{ID: call.ID, Name: call.Function.Name, Arguments: stringOr(call.Function.Arguments)})
	}
	if len(resp.ToolCalls) > 0 && m.Role == "assistant" {
		resp.Raw = choice.Message
	}
	resp.Stop = stopReason(choice.FinishReason, len(resp.ToolCalls))
	resp.Text = content(m.Content)

	switch {
	case m.Refusal != "":
		return resp, &provider.Error{Kind: provider.KindRefusal, Message: "the model declined: " + c.http.Clean(m.Refusal)}
	case choice.FinishReason == "content_filter":
		return resp, &provider.Error{Kind: provider.KindRefusal, Message: "the provider's content filter stopped the answer"}
	case resp.Text != "" || len(resp.ToolCalls) > 0 || resp.Stop == provider.StopLength:
		return resp, nil
	case strings.TrimSpace(m.Reasoning+m.ReasoningContent) != "":
		// Some servers put the whole answer there when the request is for JSON.
		resp.Text = m.Reasoning + m.ReasoningContent
		return resp, nil
	default:
		return resp, &provider.Error{Kind: provider.KindServer, Message: "the answer is empty"}
	}
}

// content returns the text of a message, which may come in parts.
func content(raw json.RawMessage) string {
	var parts []struct {
		Text string `json:"text"`
	}
	if !bytes.HasPrefix(raw, []byte("[")) || json.Unmarshal(raw, &parts) != nil {
		return stringOr(raw)
	}
	var b strings.Builder
	for _, part := range parts {
		b.WriteString(part.Text)
	}
	return b.String()
}

// stringOr returns a JSON string as text, nothing for null, and any other value as
// JSON.
func stringOr(raw json.RawMessage) string {
	var s *string
	if json.Unmarshal(raw, &s) != nil {
		return string(raw)
	}
	if s == nil {
		return ""
	}
	return *s
}

// stopReason translates a finish_reason.
func stopReason(finish string, toolCalls int) provider.StopReason {
	switch finish {
	case "length", "max_tokens":
		return provider.StopLength
	case "tool_calls", "function_call":
		return provider.StopToolCalls
	}
	switch {
	case toolCalls > 0:
		return provider.StopToolCalls // some servers send "stop"
	case finish == "stop" || finish == "end_turn" || finish == "eos":
		return provider.StopEnd
	}
	return ""
}

// usage returns what the answer consumed, with the cost that the API reports or
// that of the price table.
func (c *Client) usage(x *completion, model string) provider.Usage {
	r := &x.Usage
	u := provider.Usage{
		InputTokens:              tokens(r.PromptTokens),
		OutputTokens:             tokens(r.CompletionTokens),
		CacheReadInputTokens:     tokens(max(r.PromptTokensDetails.CachedTokens, r.PromptCacheHitTokens, r.CacheReadInputTokens)),
		CacheCreationInputTokens: tokens(max(r.PromptTokensDetails.CacheWriteTokens, r.CacheCreationInputTokens)),
	}
	if r.Cost != nil && *r.Cost >= 0 {
		sum := *r.Cost
		if up := r.CostDetails.Upstream; r.IsBYOK && up != nil && *up >= 0 {
			sum += *up
		}
		u.CostUSD = &sum
		return u
	}
	u.CostUSD = c.prices.Cost(u, model, x.Model)
	return u
}

// tokens returns a number of tokens that a server reported.
func tokens(n float64) int64 { return int64(min(max(n, 0), 1e15)) }
