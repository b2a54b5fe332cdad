package openai

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner/provider"
	"github.com/codescan-dev/scanner/provider/providertest"
)

// What go-openai knows about models does not decide what is sent.
func TestCompleteAnyModel(t *testing.T) {
	server := newServer(t, providertest.Script{})
	c := newClient(t, server.URL)
	for _, model := range []string{"o1", "o1-mini", "gpt-5-mini", "gpt-6-sol", "gpt-4o", "text-davinci-003"} {
		req := question
		req.Model = model
		req.MaxTokens = 100
		req.Tools = []provider.Tool{{Name: "read"}}
		if _, err := c.Complete(t.Context(), req); err != nil {
			t.Errorf("%s: %v", model, err)
		}
	}
}

// The name of the limit of tokens depends on the server.
func TestCompleteMaxTokens(t *testing.T) {
	for base, want := range map[string]string{
		"":                             `"max_completion_tokens":7`,
		"https://me.openai.azure.com":  `"max_completion_tokens":7`,
		"http://127.0.0.1:11434/v1":    `"max_tokens":7`,
		"https://openrouter.ai/api/v1": `"max_tokens":7`,
	} {
		c, err := New(Config{BaseURL: base, APIKey: testKey})
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(c.parameters(provider.Request{MaxTokens: 7}))
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(data), "tokens"); !strings.Contains(string(data), want) || n != 1 {
			t.Errorf("%q: request %s, want %s", base, data, want)
		}
	}
}

// The answers of the model come back unchanged, with fields that only the server
// knows, and the last turn lists the tools without letting the model call them.
func TestCompleteConversation(t *testing.T) {
	const message = `{"role":"assistant","content":null,"reasoning_content":"hm","x":1.50,"tool_calls":[{"id":"c1","type":"function",` +
		`"function":{"name":"read","arguments":"{}"},"extra_content":{"google":{"thought_signature":"c2ln+/<>"}}}]}`
	body := `{"choices":[{"finish_reason":"tool_calls","message":` + message + `}]}`
	server := newServer(t, providertest.Script{Rules: []providertest.Rule{{Times: 1, Body: &body}, {}}})
	c := newClient(t, server.URL)
	req := question
	resp, err := c.Complete(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if string(resp.Raw) != message {
		t.Errorf("Raw is %s, want %s", resp.Raw, message)
	}
	req.Messages = append(req.Messages[:len(req.Messages):len(req.Messages)],
		provider.Message{Role: provider.RoleAssistant, ToolCalls: resp.ToolCalls, Raw: resp.Raw},
		provider.Message{Role: provider.RoleTool, ToolCallID: "c1", Text: "result"})
	req.NoToolCalls = true
	req.Tools = []provider.Tool{{Name: "read"}}
	if _, err := c.Complete(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Messages   []json.RawMessage `json:"messages"`
		Tools      []any             `json:"tools"`
		ToolChoice string            `json:"tool_choice"`
	}
	if err := json.Unmarshal(server.Requests()[1].Body, &got); err != nil {
		t.Fatal(err)
	}
	if n := len(got.Messages); n < 3 || string(unescape(got.Messages[n-2])) != message {
		t.Errorf("the messages are %s; want the second to last to be %s", got.Messages, message)
	}
	if got.ToolChoice != "none" || len(got.Tools) != 1 {
		t.Errorf("tool choice %q and %d tools, want none and 1", got.ToolChoice, len(got.Tools))
	}
}

// unescape undoes what encoding/json does to raw messages.
func unescape(data []byte) []byte {
	return []byte(strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(data)))
}
