package anthropic

import (
	"bytes"
	"encoding/json"

	"github.com/codescan-dev/scanner/provider"
)

// defaultMaxTokens is the limit of an answer, thoughts included, which the API
// requires. Anthropic's SDK for Go refuses to wait without streaming for more than
// 21,333.
const defaultMaxTokens = 20_000

// The form of a request is that of anthropics/anthropic-sdk-go 1.60.0, message.go.
type request struct {
	Model        string        `json:"model"`
	MaxTokens    int           `json:"max_tokens"`
	System       []block       `json:"system,omitempty"`
	Messages     []message     `json:"messages"`
	Tools        []tool        `json:"tools,omitempty"`
	ToolChoice   *toolChoice   `json:"tool_choice,omitempty"`
	OutputConfig *outputConfig `json:"output_config,omitempty"`
}

type message struct {
	Role    string `json:"role"`
	Content any    `json:"content"` // []block, or the JSON of one that the API sent
}

type toolChoice struct {
	Type string `json:"type"`
}

// block is a part of a message. Its Type determines which fields it has.
type block struct {
	Type         string          `json:"type"`
	Text         string          `json:"text,omitempty"`
	ID           string          `json:"id,omitempty"`
	Name         string          `json:"name,omitempty"`
	Input        json.RawMessage `json:"input,omitempty"`
	ToolUseID    string          `json:"tool_use_id,omitempty"`
	Content      string          `json:"content,omitempty"`
	CacheControl *cacheControl   `json:"cache_control,omitempty"`
}

type cacheControl struct {
	Type string `json:"type"`
}

type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"input_schema"`
}

type outputConfig struct {
	Format struct {
		Type   string          `json:"type"`
		Schema json.RawMessage `json:"schema"`
	} `json:"format"`
}

// emptyObject is the input of a tool without parameters, and the schema of one.
var emptyObject = json.RawMessage(`{"type":"object","properties":{}}`)

// encode returns the body of a request.
//
// No temperature is set: newer models refuse it.
func encode(req provider.Request) ([]byte, error) {
	out := request{Model: req.Model, MaxTokens: req.MaxTokens}
	if out.MaxTokens <= 0 {
		out.MaxTokens = defaultMaxTokens
	}
	if req.System != "" {
		// The cache holds all up to the mark: the tools, and the system prompt.
		out.System = []block{{Type: "text", Text: req.System, CacheControl: &cacheControl{"ephemeral"}}}
	}
	for _, t := range req.Tools {
		schema := t.Parameters
		if len(schema) == 0 {
			schema = emptyObject
		}
		out.Tools = append(out.Tools, tool{t.Name, t.Description, schema})
	}
	if req.Schema != nil {
		out.OutputConfig = &outputConfig{}
		out.OutputConfig.Format.Type, out.OutputConfig.Format.Schema = "json_schema", req.Schema.JSON
	}
	if req.NoToolCalls && len(req.Tools) > 0 {
		out.ToolChoice = &toolChoice{"none"}
	}
	var results []block // all results of one turn belong in one message
	for i, m := range req.Messages {
		switch {
		case m.Role == provider.RoleTool:
			results = append(results, block{Type: "tool_result", ToolUseID: m.ToolCallID, Content: m.Text})
			if i+1 == len(req.Messages) || req.Messages[i+1].Role != provider.RoleTool {
				out.Messages = append(out.Messages, message{"user", results})
				results = nil
			}
		case len(m.Raw) > 0:
			out.Messages = append(out.Messages, message{string(m.Role), m.Raw})
		default:
			out.Messages = append(out.Messages, message{string(m.Role), blocks(m)})
		}
	}
	return json.Marshal(out)
}

// blocks returns the content of a message that is not the result of a tool.
func blocks(m provider.Message) []block {
	out := []block{}
	if m.Text != "" { // an empty block is refused
		out = append(out, block{Type: "text", Text: m.Text})
	}
	for _, c := range m.ToolCalls {
		input := json.RawMessage(c.Arguments)
		if !json.Valid(input) || !bytes.HasPrefix(bytes.TrimSpace(input), []byte("{")) {
			input = json.RawMessage("{}")
		}
		out = append(out, block{Type: "tool_use", ID: c.ID, Name: c.Name, Input: input})
	}
	return out
}
