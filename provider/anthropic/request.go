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
	OutputConfig *outputConfig `json:"output_config,omitempty"`
}

type message struct {
	Role    string  `json:"role"`
	Content []block `json:"content"`
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
	for _, m := range req.Messages {
		role, blocks := "user", blocks(m)
		if m.Role == provider.RoleAssistant {
			role = "assistant"
		}
		// All results of one turn belong in one message.
		if last := len(out.Messages) - 1; last >= 0 && out.Messages[last].Role == role {
			out.Messages[last].Content = append(out.Messages[last].Content, blocks...)
			continue
		}
		out.Messages = append(out.Messages, message{role, blocks})
	}
	return json.Marshal(out)
}

// blocks returns the content of a message.
func blocks(m provider.Message) []block {
	if m.Role == provider.RoleTool {
		return []block{{Type: "tool_result", ToolUseID: m.ToolCallID, Content: m.Text}}
	}
	var out []block
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
