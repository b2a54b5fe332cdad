package openai

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// unstream returns the completion that an answer of server-sent events makes up.
// Some servers send those although they were not requested. Any other body is
// returned as it is.
func unstream(body []byte) []byte {
	start := bytes.TrimLeft(body, " \t\r\n\ufeff")
	if !bytes.HasPrefix(start, []byte("data:")) && !bytes.HasPrefix(start, []byte("event:")) && !bytes.HasPrefix(start, []byte(":")) {
		return body
	}
	type object = map[string]any
	whole, choice, message := object{}, object{}, object{}
	for line := range bytes.Lines(start) {
		data, ok := bytes.CutPrefix(line, []byte("data:"))
		if !ok {
			continue
		}
		var event struct {
			Model   string          `json:"model"`
			Error   json.RawMessage `json:"error"`
			Usage   json.RawMessage `json:"usage"`
			Choices []struct {
				Index        int    `json:"index"`
				Delta        object `json:"delta"`
				Message      object `json:"message"` // in place of parts
				FinishReason string `json:"finish_reason"`
			} `json:"choices"`
		}
		// "[DONE]" is empty. A field of an odd type stays empty.
		_ = json.Unmarshal(data, &event)
		if len(event.Error) > 0 && string(event.Error) != "null" {
			return bytes.TrimSpace(data)
		}
		if event.Model != "" {
			whole["model"] = event.Model
		}
		if len(event.Usage) > 0 {
			whole["usage"] = event.Usage
		}
		for _, c := range event.Choices {
			if c.Index != 0 {
				continue
			}
			if c.Delta == nil && c.Message != nil {
				message = c.Message
			}
			merge(message, c.Delta)
			choice["message"] = message
			if c.FinishReason != "" {
				choice["finish_reason"] = c.FinishReason
			}
			whole["choices"] = []object{choice}
		}
	}
	if out, err := json.Marshal(whole); err == nil && len(whole) > 0 {
		return out
	}
	return body
}

// text is a text that comes in parts.
type text struct{ strings.Builder }

// MarshalJSON implements [json.Marshaler].
func (t *text) MarshalJSON() ([]byte, error) { return json.Marshal(t.String()) }

// merge adds a part of a message. Texts are continued, but not the names of things.
func merge(message, part map[string]any) {
	for key, value := range part {
		switch value := value.(type) {
		case nil:
		case string:
			old, ok := message[key].(*text)
			if !ok {
				old = new(text)
				message[key] = old
			} else if value != "" && slices.Contains([]string{"role", "id", "type", "name"}, key) {
				old.Reset()
			}
			old.WriteString(value)
		case map[string]any:
			old, ok := message[key].(map[string]any)
			if !ok {
				old = make(map[string]any)
				message[key] = old
			}
			merge(old, value)
		case []any:
			old, _ := message[key].([]any)
			message[key] = mergeList(old, value)
		default:
			message[key] = value
		}
	}
}

// mergeList adds parts of a list. Objects that have an index continue the one that has
// it, too.
func mergeList(list, parts []any) []any {
	for _, part := range parts {
		p, ok := part.(map[string]any)
		if !ok {
			list = append(list, part)
			continue
		}
		index, ok := p["index"].(float64)
		i := slices.IndexFunc(list, func(e any) bool {
			old, _ := e.(map[string]any)
			n, same := old["index"].(float64)
			return ok && same && n == index
		})
		if i < 0 {
			i = len(list)
			list = append(list, make(map[string]any))
		}
		merge(list[i].(map[string]any), p)
	}
	return list
}
