package anthropic

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/codescan-dev/scanner/internal/httpapi"
	"github.com/codescan-dev/scanner/internal/httperr"
	"github.com/codescan-dev/scanner/provider"
)

// answer is the part of an answer that is read.
type answer struct {
	Type       string          `json:"type"`
	Model      string          `json:"model"`
	Content    json.RawMessage `json:"content"` // of blocks
	StopReason string          `json:"stop_reason"`
	// StopDetails explains a refusal.
	StopDetails struct {
		Category    string `json:"category"`
		Explanation string `json:"explanation"`
	} `json:"stop_details"`
	Usage struct {
		// InputTokens are those that the cache has no part in.
		InputTokens              float64 `json:"input_tokens"`
		CacheCreationInputTokens float64 `json:"cache_creation_input_tokens"`
		CacheReadInputTokens     float64 `json:"cache_read_input_tokens"`
		OutputTokens             float64 `json:"output_tokens"`
	} `json:"usage"`
}

// response turns an answer into a provider.Response. The usage is filled in also
// when there is an error.
func (c *Client) response(from httpapi.Answer, a *answer, model string) (provider.Response, error) {
	if a.Type != "message" && a.Content == nil {
		if e, ok := httperr.ParseObject(from.Body); ok {
			return provider.Response{}, c.http.Classify(from, e)
		}
		return provider.Response{}, &provider.Error{Kind: provider.KindServer, Status: from.Status, Message: "the answer is not a message"}
	}

	resp := provider.Response{Model: a.Model, Stop: stopReason(a.StopReason), Usage: c.usage(a, model)}
	var blocks []block
	// It is known to be JSON. A field of an odd type stays empty.
	_ = json.Unmarshal(a.Content, &blocks)
	var text strings.Builder
	for _, b := range blocks {
		switch b.Type {
		case "text":
			text.WriteString(b.Text)
		case "tool_use":
			resp.ToolCalls = append(resp.ToolCalls, provider.ToolCall{ID: b.ID, Name: b.Name, Arguments: string(b.Input)})
			resp.Raw = a.Content // thoughts must come back with their signatures
		}
	}
	resp.Text = text.String()
	switch {
	case a.StopReason == "refusal":
		e := &provider.Error{Kind: provider.KindRefusal, Message: "the model declined to answer"}
		if why := cmp.Or(a.StopDetails.Explanation, a.StopDetails.Category); why != "" {
			e.Message = "the model declined: " + c.http.Clean(why)
		}
		return resp, e
	case resp.Text == "" && len(resp.ToolCalls) == 0 && resp.Stop != provider.StopLength:
		return resp, &provider.Error{Kind: provider.KindServer, Message: "the answer is empty"}
	}
	return resp, nil
}

// stopReason translates a stop_reason.
func stopReason(s string) provider.StopReason {
	switch s {
	case "end_turn", "stop_sequence":
		return provider.StopEnd
	case "max_tokens", "model_context_window_exceeded":
		return provider.StopLength
	case "tool_use":
		return provider.StopToolCalls
	}
	return ""
}

// usage returns what the answer consumed. The API reports no cost.
func (c *Client) usage(a *answer, model string) provider.Usage {
	count := func(n float64) int64 { return int64(min(max(n, 0), 1<<50)) } // so that no sum overflows
	read, written := count(a.Usage.CacheReadInputTokens), count(a.Usage.CacheCreationInputTokens)
	u := provider.Usage{
		InputTokens:              count(a.Usage.InputTokens) + read + written,
		OutputTokens:             count(a.Usage.OutputTokens),
		CacheReadInputTokens:     read,
		CacheCreationInputTokens: written,
	}
	u.CostUSD = c.prices.Cost(u, model, a.Model)
	return u
}
