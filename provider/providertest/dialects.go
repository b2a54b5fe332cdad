package providertest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/codescan-dev/scanner/internal/fallback"
	"github.com/codescan-dev/scanner/provider"
)

// dialect is a server that refuses features of requests, or answers in its own way.
type dialect struct {
	name string
	// reply answers request n, counting from 0. The zero Rule is replaced by the
	// planted finding.
	reply func(n int, q Request) Rule
	// chat is set for what only exists in the API of OpenAI.
	chat bool
	// calls is set if the model calls a tool for every chunk.
	calls bool
}

// planted is the finding that must arrive.
const planted = `[{"title":"Planted 4711","severity":"high"}]`

// The texts are those that servers have.
var dialects = []dialect{
	{name: "tools and response format exclude each other",
		reply: refuse(toolsAndFormat, Rule{Status: 400, Message: "Function calling with a response mime type: 'application/json' is unsupported"})},
	{name: "tools need an option of the server", reply: refuse(withTools, Rule{Status: 500, Message: "tools param requires --jinja flag"})},
	{name: "no function calling", reply: refuse(withTools, Rule{Status: 400, Message: "Model does not support Function Calling"})},
	{name: "no endpoint for the parameters", reply: refuse(withTools,
		Rule{Status: 404, Message: "No endpoints found that can handle the requested parameters. To learn more about provider routing, visit: https://openrouter.ai/docs"})},
	{name: "refused with status 200", chat: true, reply: refuse(withTools,
		Rule{Body: new(`{"error":{"code":404,"message":"No endpoints found that support tool use"}}`)})},
	{name: "strict", reply: refuse(withFormat, Rule{Status: 400, Message: `Invalid JSON payload received. Unknown name "strict": Cannot find field.`})},
	{name: "keywords of schemas", reply: refuse(withFormat,
		Rule{Status: 400, Message: "Invalid schema for response_format 'findings': 'additionalProperties' is not supported"})},
	{name: "type of the response format", reply: refuse(withFormat, Rule{Status: 400, Message: "This response_format type is unavailable now"})},
	{name: "no words for tools", reply: refuse(withTools, Rule{Status: 400, Body: new("")})},
	{name: "no words for the response format", reply: refuse(withFormat, Rule{Status: 400, Body: new("{}")})},
	{name: "no words for both", reply: refuse(toolsOrFormat, Rule{Status: 400, Body: new("Bad Request")})},
	{name: "web page", reply: refuse(withTools, Rule{Status: 422, Body: new("<html><title>Unprocessable</title></html>")})},
	{name: "validation error", reply: refuse(toolsOrFormat, Rule{Status: 422,
		Body: new(`{"detail":[{"type":"extra_forbidden","loc":["body","response_format"],"msg":"Extra inputs are not permitted"}]}`)})},
	{name: "JSON not generated", reply: func(n int, _ Request) Rule {
		if n == 0 {
			return Rule{Status: 400, Code: "json_validate_failed", Message: "Failed to generate JSON. Please adjust your prompt."}
		}
		return Rule{}
	}},

	{name: "thoughts must come back", calls: true, reply: conversation("thought-7f3a",
		Rule{Reasoning: "thought-7f3a", ToolCalls: []ToolCall{{ID: "c1", Name: "read", Arguments: `{"path":"a.go"}`}}})},
	{name: "signatures of calls must come back", calls: true, chat: true, reply: conversation("signature-7f3a",
		Rule{ToolCalls: []ToolCall{{ID: "c1", Name: "read", Arguments: `{"path":"a.go"}`,
			Extra: map[string]any{"extra_content": map[string]any{"google": map[string]any{"thought_signature": "signature-7f3a"}}}}}})},
	{name: "arguments as an object", calls: true, chat: true, reply: conversation("", Rule{Body: new(
		`{"choices":[{"finish_reason":"tool_calls","message":{"role":"assistant","content":null,"tool_calls":[{"id":"c1","function":{"name":"read","arguments":{"path":"a.go"}}}]}}]}`)})},

	{name: "created as a float", chat: true, reply: chat(`{"created":1700000000.5,"choices":[%s],"usage":{"prompt_tokens":1,"completion_tokens":1}}`)},
	{name: "created as a text", chat: true, reply: chat(`{"created":"1700000000","choices":[%s],"usage":{"prompt_tokens":1,"completion_tokens":1}}`)},
	{name: "usage as floats", chat: true, reply: chat(`{"choices":[%s],"usage":{"prompt_tokens":1.0,"completion_tokens":1.5,"total_tokens":2.5}}`)},
	{name: "usage missing", chat: true, reply: chat(`{"choices":[%s]}`)},
	{name: "streams only", chat: true, reply: func(_ int, q Request) Rule {
		if !bytes.Contains(q.Body, []byte(`"stream":true`)) {
			return Rule{Status: 400, Code: "invalid_parameter_error", Message: "parameter.enable_thinking must be set to false for non-streaming calls"}
		}
		return events()
	}},
	{name: "server-sent events", chat: true, reply: func(int, Request) Rule { return events() }},
}

// events returns an answer in two server-sent events.
func events() Rule {
	first, second, _ := strings.Cut(`{"findings":`+planted+`}`, "4")
	body := fmt.Sprintf("data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":%q}}]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":%q},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
		first+"4", second)
	return Rule{Body: &body, Header: map[string]string{"Content-Type": "text/event-stream"}}
}

func withTools(q Request) bool      { return q.Tools > 0 }
func withFormat(q Request) bool     { return q.ResponseFormat != "" }
func toolsAndFormat(q Request) bool { return withTools(q) && withFormat(q) }
func toolsOrFormat(q Request) bool  { return withTools(q) || withFormat(q) }

// refuse answers some requests with rule.
func refuse(refused func(Request) bool, rule Rule) func(int, Request) Rule {
	return func(_ int, q Request) Rule {
		if refused(q) {
			return rule
		}
		return Rule{}
	}
}

// conversation answers with the call of a tool first. Then the request must hold a
// text of that answer, list the tools and forbid to call them.
func conversation(text string, call Rule) func(int, Request) Rule {
	return func(_ int, q Request) Rule {
		switch {
		case !bytes.Contains(q.Body, []byte("result-7f3a")):
			return call
		case !bytes.Contains(q.Body, []byte(text)) || !withTools(q) || !q.NoToolCalls:
			return Rule{Status: 400, Message: "a field of the assistant's message is missing"}
		}
		return Rule{}
	}
}

// chat answers with a body that holds the choice.
func chat(format string) func(int, Request) Rule {
	body := fmt.Sprintf(format, fmt.Sprintf(`{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":%q}}`, `{"findings":`+planted+`}`))
	return func(int, Request) Rule { return Rule{Body: &body} }
}

// backend is a dialect in use.
type backend struct {
	dialect
	mu       sync.Mutex
	requests int
	refused  int
}

func (b *backend) answer(q Request) (Rule, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	rule := b.reply(b.requests, q)
	b.requests++
	switch {
	case rule.Status >= 300 || rule.Body != nil && strings.Contains(*rule.Body, `"error"`):
		b.refused++
		rule.DelayMs = 5 // so that others would be refused meanwhile
	case rule.Body == nil && rule.ToolCalls == nil:
		rule.Findings = json.RawMessage(planted)
	}
	return rule, true
}

// testDialects tests that the planted finding arrives whatever a server refuses: with
// at most 3 requests for the first chunk, 1 for each after it, and one more where the
// model calls a tool.
func testDialects(t *testing.T, open func(*testing.T, Situation) provider.Provider) {
	start := func(t *testing.T, d dialect, slots int) (*backend, analyzer) {
		b := &backend{dialect: d}
		p := open(t, Situation{Reply: b.answer, Chat: d.chat})
		if f, ok := p.(provider.FeatureSender); !ok || !f.SendsFeatures() {
			t.Skip("the adapter does not send tools and schemas to a server")
		}
		return b, analyzer{p, fallback.New(p, nil, nil), provider.NewLimiter(slots)}
	}
	for _, d := range dialects {
		t.Run("dialect/"+d.name, func(t *testing.T) {
			b, a := start(t, d, 1)
			for chunk := range 3 {
				before := b.requests
				a.analyze(t, chunk)
				most := 1
				if chunk == 0 {
					most = 3
				}
				if d.calls {
					most++
				}
				if n := b.requests - before; n > most {
					t.Errorf("chunk %d took %d requests, want at most %d", chunk, n, most)
				}
			}
		})
		t.Run("dialect/"+d.name+"/concurrently", func(t *testing.T) {
			b, a := start(t, d, 8)
			var wg sync.WaitGroup
			for chunk := range 40 {
				wg.Go(func() { a.analyze(t, chunk) })
			}
			wg.Wait()
			if b.refused > 2 {
				t.Errorf("%d requests were refused, want those of one chunk: at most 2", b.refused)
			}
		})
	}
}

// analyzer makes requests as package scanner does.
type analyzer struct {
	provider provider.Provider
	forms    *fallback.Forms
	limiter  *provider.Limiter
}

// analyze sends a chunk, and the result of a tool if the model calls one.
func (a analyzer) analyze(t *testing.T, chunk int) {
	req := prompt
	req.Messages = []provider.Message{{Role: provider.RoleUser, Text: fmt.Sprintf("Look at chunk %d", chunk)}}
	req.Schema = &provider.Schema{Name: "findings", JSON: json.RawMessage(`{"type":"object","additionalProperties":false}`)}
	req.Tools = []provider.Tool{{Name: "read", Description: "Reads a file.", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)}}
	resp, err := a.complete(t.Context(), req)
	if err == nil && len(resp.ToolCalls) == 1 {
		call := resp.ToolCalls[0]
		if call.Name != "read" || !strings.Contains(call.Arguments, `"a.go"`) {
			t.Errorf("the call of the tool is %+v", call)
		}
		req.Messages = append(req.Messages,
			provider.Message{Role: provider.RoleAssistant, Text: resp.Text, ToolCalls: resp.ToolCalls, Raw: resp.Raw},
			provider.Message{Role: provider.RoleTool, ToolCallID: call.ID, Text: "result-7f3a"})
		req.NoToolCalls = true
		resp, err = a.complete(t.Context(), req)
	}
	if err != nil || !strings.Contains(resp.Text, "Planted 4711") {
		t.Errorf("chunk %d: answer %q, error %v; want the planted finding", chunk, resp.Text, err)
	}
}

func (a analyzer) complete(ctx context.Context, req provider.Request) (resp provider.Response, err error) {
	call := a.forms.Begin(ctx, req)
	defer call.End()
	policy := provider.RetryPolicy{InitialDelay: provider.NoDelay}
	_, err = policy.Retry(ctx, a.limiter, nil, func(ctx context.Context) (err error) {
		resp, err = call.Try(ctx, a.provider.Complete)
		return err
	}, nil)
	return resp, err
}
