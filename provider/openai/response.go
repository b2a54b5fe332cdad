package openai

import (
	"encoding/json"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"github.com/codescan-dev/scanner/internal/httpapi"
	"github.com/codescan-dev/scanner/internal/httperr"
	"github.com/codescan-dev/scanner/provider"
)

// extras are the fields of an answer that go-openai does not read.
type extras struct {
	Usage struct {
		// OpenRouter reports the cost of an answer. With the user's own key for
		// the vendor behind it, that is the fee alone, and the vendor's price is
		// in another field.
		Cost        *float64 `json:"cost"`
		IsBYOK      bool     `json:"is_byok"`
		CostDetails struct {
			Upstream *float64 `json:"upstream_inference_cost"`
		} `json:"cost_details"`
		PromptTokensDetails struct {
			CacheWriteTokens int64 `json:"cache_write_tokens"`
		} `json:"prompt_tokens_details"`
		// Other names of cached input: DeepSeek, and proxies for Anthropic.
		PromptCacheHitTokens     int64 `json:"prompt_cache_hit_tokens"`
		CacheReadInputTokens     int64 `json:"cache_read_input_tokens"`
		CacheCreationInputTokens int64 `json:"cache_creation_input_tokens"`
	} `json:"usage"`
	Choices []struct {
		Error   json.RawMessage `json:"error"`
		Message struct {
			Reasoning string `json:"reasoning"`
			// go-openai drops this one when the content comes in parts.
			ReasoningContent string `json:"reasoning_content"`
		} `json:"message"`
	} `json:"choices"`
}

// response turns an answer into a provider.Response. The usage is filled in also
// when there is an error.
func (c *Client) response(a openai.ChatCompletionResponse, from httpapi.Answer, model string) (provider.Response, error) {
	var x extras
	// The body is known to be JSON. A field of an odd type stays empty.
	_ = json.Unmarshal(from.Body, &x)

	resp := provider.Response{Model: a.Model, Usage: c.usage(a, x, model)}
	if len(a.Choices) == 0 {
		return resp, &provider.Error{Kind: provider.KindServer, Message: "the answer has no choices"}
	}
	choice := a.Choices[0]
	var reasoning string
	if len(x.Choices) > 0 {
		if e, ok := httperr.ParseObject(x.Choices[0].Error); ok {
			return resp, c.http.Classify(from, e)
		}
		reasoning = x.Choices[0].Message.Reasoning + x.Choices[0].Message.ReasoningContent
	}
	for _, call := range choice.Message.ToolCalls {
		resp.ToolCalls = append(resp.ToolCalls, provider.ToolCall{ID: call.ID, Name: call.Function.Name, Arguments: call.Function.Arguments})
	}
	resp.Stop = stopReason(string(choice.FinishReason), len(resp.ToolCalls))
	resp.Text = content(choice.Message)

	switch {
	case choice.Message.Refusal != "":
		return resp, &provider.Error{Kind: provider.KindRefusal, Message: "the model declined: " + c.http.Clean(choice.Message.Refusal)}
	case choice.FinishReason == openai.FinishReasonContentFilter:
		return resp, &provider.Error{Kind: provider.KindRefusal, Message: "the provider's content filter stopped the answer"}
	case resp.Text != "" || len(resp.ToolCalls) > 0 || resp.Stop == provider.StopLength:
		return resp, nil
	case strings.TrimSpace(reasoning) != "":
		// Some servers put the whole answer there when the request is for JSON.
		resp.Text = reasoning
		return resp, nil
	default:
		return resp, &provider.Error{Kind: provider.KindServer, Message: "the answer is empty"}
	}
}

// content returns the text of a message, which may come in parts.
func content(m openai.ChatCompletionMessage) string {
	if m.Content != "" {
		return m.Content
	}
	var b strings.Builder
	for _, part := range m.MultiContent {
		b.WriteString(part.Text)
	}
	return b.String()
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
func (c *Client) usage(a openai.ChatCompletionResponse, x extras, model string) provider.Usage {
	cached := max(x.Usage.PromptCacheHitTokens, x.Usage.CacheReadInputTokens)
	if d := a.Usage.PromptTokensDetails; d != nil {
		cached = max(cached, int64(d.CachedTokens))
	}
	u := provider.Usage{
		InputTokens:              max(int64(a.Usage.PromptTokens), 0),
		OutputTokens:             max(int64(a.Usage.CompletionTokens), 0),
		CacheReadInputTokens:     max(cached, 0),
		CacheCreationInputTokens: max(x.Usage.PromptTokensDetails.CacheWriteTokens, x.Usage.CacheCreationInputTokens, 0),
	}
	if cost := x.Usage.Cost; cost != nil && *cost >= 0 {
		sum := *cost
		if up := x.Usage.CostDetails.Upstream; x.Usage.IsBYOK && up != nil && *up >= 0 {
			sum += *up
		}
		u.CostUSD = &sum
		return u
	}
	u.CostUSD = c.prices.Cost(u, model, a.Model)
	return u
}
