package openai

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner/provider"
	"github.com/codescan-dev/scanner/provider/providertest"
)

func TestCompleteResponse(t *testing.T) {
	for _, tt := range []struct {
		name string
		body string
		want provider.Response
	}{
		{
			name: "plain", body: `{"model":"m-1","choices":[{"message":{"role":"assistant","content":"hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":2}}`,
			want: provider.Response{Text: "hello", Stop: provider.StopEnd, Model: "m-1", Usage: provider.Usage{InputTokens: 10, OutputTokens: 2}},
		},
		{
			name: "cut off", body: `{"choices":[{"message":{"content":"hel"},"finish_reason":"length"}]}`,
			want: provider.Response{Text: "hel", Stop: provider.StopLength},
		},
		{
			name: "cut off while thinking", body: `{"choices":[{"message":{"content":"","reasoning_content":"hmm"},"finish_reason":"length"}]}`,
			want: provider.Response{Stop: provider.StopLength},
		},
		{
			name: "unknown reason", body: `{"choices":[{"message":{"content":"x"},"finish_reason":"tired"}]}`,
			want: provider.Response{Text: "x"},
		},
		{
			name: "no reason", body: `{"choices":[{"message":{"content":"x"}}]}`,
			want: provider.Response{Text: "x"},
		},
		{
			name: "content in parts", body: `{"choices":[{"message":{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},"finish_reason":"stop"}]}`,
			want: provider.Response{Text: "ab", Stop: provider.StopEnd},
		},
		{
			name: "tool calls", body: `{"choices":[{"message":{"content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"read","arguments":"{\"path\""}}]},"finish_reason":"tool_calls"}]}`,
			want: provider.Response{Stop: provider.StopToolCalls, ToolCalls: []provider.ToolCall{{ID: "c1", Name: "read", Arguments: `{"path"`}}},
		},
		{
			name: "tool calls that end with stop", body: `{"choices":[{"message":{"content":"let me see","tool_calls":[{"id":"c1","type":"function","function":{"name":"read","arguments":"{}"}}]},"finish_reason":"stop"}]}`,
			want: provider.Response{Text: "let me see", Stop: provider.StopToolCalls, ToolCalls: []provider.ToolCall{{ID: "c1", Name: "read", Arguments: `{}`}}},
		},
		{
			name: "reasoning apart", body: `{"choices":[{"message":{"content":"answer","reasoning_content":"hmm","reasoning":"hm"},"finish_reason":"stop"}]}`,
			want: provider.Response{Text: "answer", Stop: provider.StopEnd},
		},
		{
			name: "answer in the reasoning", body: `{"choices":[{"message":{"content":null,"reasoning":"{\"findings\":[]}"},"finish_reason":"stop"}]}`,
			want: provider.Response{Text: `{"findings":[]}`, Stop: provider.StopEnd},
		},
		{
			name: "reasoning in front", body: `{"choices":[{"message":{"content":"\n<think>maybe {}\n</think>\n\nanswer </think>"},"finish_reason":"stop"}]}`,
			want: provider.Response{Text: "\n<think>maybe {}\n</think>\n\nanswer </think>", Stop: provider.StopEnd},
		},
		{
			name: "reasoning alone", body: `{"choices":[{"message":{"content":"<think>maybe</think>\n"},"finish_reason":"stop"}]}`,
			want: provider.Response{Text: "<think>maybe</think>\n", Stop: provider.StopEnd},
		},
		{
			name: "reasoning without end", body: `{"choices":[{"message":{"content":"<think>maybe"},"finish_reason":"length"}]}`,
			want: provider.Response{Text: "<think>maybe", Stop: provider.StopLength},
		},
		{
			name: "odd types", body: `{"created":1.7e9,"system_fingerprint":7,"model":"m-1","choices":[{"index":"0","logprobs":"x","message":{"content":"hello","annotations":1},"finish_reason":"stop"}],"usage":{"prompt_tokens":10.0,"completion_tokens":2.0,"total_tokens":"x","completion_tokens_details":3}}`,
			want: provider.Response{Text: "hello", Stop: provider.StopEnd, Model: "m-1", Usage: provider.Usage{InputTokens: 10, OutputTokens: 2}},
		},
		{
			name: "created as text", body: `{"created":"2026-01-01T00:00:00Z","choices":[{"message":{"content":"hello"},"finish_reason":"stop"}],"usage":"none"}`,
			want: provider.Response{Text: "hello", Stop: provider.StopEnd},
		},
		{
			name: "arguments as an object", body: `{"choices":[{"message":{"role":"assistant","content":null,"tool_calls":[{"id":"c1","function":{"name":"read","arguments":{"path":"a"}}},{"id":"c2","function":{"name":"list","arguments":null}}]},"finish_reason":"tool_calls"}]}`,
			want: provider.Response{Stop: provider.StopToolCalls, ToolCalls: []provider.ToolCall{{ID: "c1", Name: "read", Arguments: `{"path":"a"}`}, {ID: "c2", Name: "list"}},
				Raw: json.RawMessage(`{"role":"assistant","content":null,"tool_calls":[{"id":"c1","function":{"name":"read","arguments":{"path":"a"}}},{"id":"c2","function":{"name":"list","arguments":null}}]}`)},
		},
		{
			name: "stream", body: ": comment\nevent: x\ndata: {\"model\":\"m-1\",\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n" +
				"data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"hel\"}}]}\r\n\r\n" +
				"data:{\"choices\":[{\"delta\":{\"content\":\"lo\"},\"finish_reason\":null},{\"index\":1,\"delta\":{\"content\":\"other\"}}],\"usage\":null}\n\n" +
				"data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: {\"choices\":[],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":2}}\n\ndata: [DONE]\n\n",
			want: provider.Response{Text: "hello", Stop: provider.StopEnd, Model: "m-1", Usage: provider.Usage{InputTokens: 10, OutputTokens: 2}},
		},
		{
			name: "stream of one message", body: `data: {"model":"m-1","choices":[{"message":{"role":"assistant","content":"hello"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n",
			want: provider.Response{Text: "hello", Stop: provider.StopEnd, Model: "m-1"},
		},
		{
			name: "stream of parts with the whole", body: `data: {"choices":[{"delta":{"content":"hel"},"message":{"content":"hel"}}]}` + "\n\n" +
				`data: {"choices":[{"delta":{"content":"lo"},"message":{"content":"hello"},"finish_reason":"stop"}]}` + "\n\n",
			want: provider.Response{Text: "hello", Stop: provider.StopEnd},
		},
		{
			name: "stream of tool calls", body: `data: {"choices":[{"delta":{"role":"assistant","reasoning_content":"h","tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"read","arguments":"{\"p"}}]}}]}` + "\n\n" +
				`data: {"choices":[{"delta":{"reasoning_content":"m","tool_calls":[{"index":0,"id":"c1","function":{"arguments":"ath\"}"}},{"index":1,"id":"c2","function":{"name":"list","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}` + "\n\n",
			want: provider.Response{Stop: provider.StopToolCalls, ToolCalls: []provider.ToolCall{{ID: "c1", Name: "read", Arguments: `{"path"}`}, {ID: "c2", Name: "list", Arguments: "{}"}},
				Raw: json.RawMessage(`{"reasoning_content":"hm","role":"assistant","tool_calls":[{"function":{"arguments":"{\"path\"}","name":"read"},"id":"c1","index":0,"type":"function"},{"function":{"arguments":"{}","name":"list"},"id":"c2","index":1}]}`)},
		},
		{
			name: "several choices", body: `{"choices":[{"message":{"content":"a"},"finish_reason":"stop"},{"message":{"content":"b"}}]}`,
			want: provider.Response{Text: "a", Stop: provider.StopEnd},
		},
		{
			name: "choices and an error", body: `{"error":{"message":"ignored"},"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}`,
			want: provider.Response{Text: "a", Stop: provider.StopEnd},
		},
		{
			name: "text behind the object", body: `{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}` + "\n\n",
			want: provider.Response{Text: "a", Stop: provider.StopEnd},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := newServer(t, providertest.Script{Rules: []providertest.Rule{{Body: &tt.body}}})
			got, err := newClient(t, server.URL).Complete(t.Context(), question)
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
	own := provider.Prices{
		"mine":   {InputPerMTok: 1000, OutputPerMTok: 2000, CacheReadPerMTok: new(100.0)},
		"free":   {},
		"gpt-4o": {InputPerMTok: 1},
	}
	for _, tt := range []struct {
		name   string
		model  string // of the request
		answer string // the model that answers
		usage  string
		want   provider.Usage
	}{
		{"own price", "mine", "", `{"prompt_tokens":1000,"completion_tokens":100,"prompt_tokens_details":{"cached_tokens":400}}`,
			provider.Usage{InputTokens: 1000, OutputTokens: 100, CacheReadInputTokens: 400, CostUSD: new(0.6 + 0.04 + 0.2)}},
		{"list price", "gpt-5-mini", "", `{"prompt_tokens":1000000,"completion_tokens":1000000}`,
			provider.Usage{InputTokens: 1_000_000, OutputTokens: 1_000_000, CostUSD: new(2.25)}},
		{"own price beats list price", "gpt-4o", "", `{"prompt_tokens":1000000,"completion_tokens":5}`,
			provider.Usage{InputTokens: 1_000_000, OutputTokens: 5, CostUSD: new(1.0)}},
		{"price of the model that answers", "alias", "mine-2025-01-01", `{"prompt_tokens":1000,"completion_tokens":0}`,
			provider.Usage{InputTokens: 1000, CostUSD: new(1.0)}},
		{"reported cost beats all", "mine", "", `{"prompt_tokens":1000,"completion_tokens":100,"cost":0.5}`,
			provider.Usage{InputTokens: 1000, OutputTokens: 100, CostUSD: new(0.5)}},
		{"reported cost of nothing", "mine", "", `{"prompt_tokens":1000,"completion_tokens":100,"cost":0}`,
			provider.Usage{InputTokens: 1000, OutputTokens: 100, CostUSD: new(0.0)}},
		{"own key behind a router", "x", "", `{"prompt_tokens":1,"completion_tokens":1,"cost":0.25,"is_byok":true,"cost_details":{"upstream_inference_cost":0.5}}`,
			provider.Usage{InputTokens: 1, OutputTokens: 1, CostUSD: new(0.75)}},
		{"router's own key", "x", "", `{"prompt_tokens":1,"completion_tokens":1,"cost":0.25,"cost_details":{"upstream_inference_cost":0.5}}`,
			provider.Usage{InputTokens: 1, OutputTokens: 1, CostUSD: new(0.25)}},
		{"negative cost", "x", "", `{"prompt_tokens":1,"completion_tokens":1,"cost":-1}`, provider.Usage{InputTokens: 1, OutputTokens: 1}},
		{"free", "free", "", `{"prompt_tokens":1,"completion_tokens":1}`, provider.Usage{InputTokens: 1, OutputTokens: 1, CostUSD: new(0.0)}},
		{"unknown price", "x", "y", `{"prompt_tokens":1,"completion_tokens":1}`, provider.Usage{InputTokens: 1, OutputTokens: 1}},
		{"nothing reported", "mine", "", `null`, provider.Usage{}},
		{"nonsense", "mine", "", `{"prompt_tokens":-5,"completion_tokens":-5,"prompt_tokens_details":{"cached_tokens":-1}}`, provider.Usage{}},
		{"cache of DeepSeek", "x", "", `{"prompt_tokens":10,"completion_tokens":1,"prompt_cache_hit_tokens":4}`,
			provider.Usage{InputTokens: 10, OutputTokens: 1, CacheReadInputTokens: 4}},
		{"cache of proxies", "x", "", `{"prompt_tokens":10,"completion_tokens":1,"cache_read_input_tokens":4,"cache_creation_input_tokens":3}`,
			provider.Usage{InputTokens: 10, OutputTokens: 1, CacheReadInputTokens: 4, CacheCreationInputTokens: 3}},
		{"cache of routers", "x", "", `{"prompt_tokens":10,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":4,"cache_write_tokens":3}}`,
			provider.Usage{InputTokens: 10, OutputTokens: 1, CacheReadInputTokens: 4, CacheCreationInputTokens: 3}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			body := `{"model":"` + tt.answer + `","choices":[{"message":{"content":"x"},"finish_reason":"stop"}],"usage":` + tt.usage + `}`
			server := newServer(t, providertest.Script{Rules: []providertest.Rule{{Body: &body}}})
			c, err := New(Config{BaseURL: server.URL, Prices: own})
			if err != nil {
				t.Fatal(err)
			}
			req := question
			req.Model = tt.model
			resp, err := c.Complete(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, resp.Usage, cmp.Comparer(func(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 })); diff != "" {
				t.Errorf("usage (-want +got):\n%s", diff)
			}
		})
	}
}

// Tokens were spent on an answer that is of no use, too.
func TestCompleteUsageOfFailure(t *testing.T) {
	for _, message := range []string{`{"content":"","refusal":"no"}`, `{"content":""}`} {
		body := `{"choices":[{"message":` + message + `,"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":2}}`
		server := newServer(t, providertest.Script{Rules: []providertest.Rule{{Body: &body}}})
		resp, err := newClient(t, server.URL).Complete(t.Context(), question)
		if err == nil {
			t.Fatalf("%s is an answer", message)
		}
		if want := (provider.Usage{InputTokens: 10, OutputTokens: 2}); resp.Usage != want {
			t.Errorf("%s: usage %+v, want %+v", message, resp.Usage, want)
		}
	}
}
