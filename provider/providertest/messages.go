package providertest

import (
	"encoding/json"
	"net/http"
)

// messagesBody is [Rule.body] for the messages API of Anthropic. Its form is that of
// anthropics/anthropic-sdk-go 1.60.0: type Message in message.go, ErrorResponse in
// shared/shared.go.
func (r Rule) messagesBody(model string) []byte {
	type object = map[string]any
	switch {
	case r.Body != nil:
		return []byte(*r.Body)
	case r.status() >= 300:
		message, kind := r.Message, r.Code
		if message == "" {
			message = http.StatusText(r.status())
		}
		if kind == "" {
			kind = "test_error"
		}
		return marshal(object{"type": "error", "error": object{"type": kind, "message": message}, "request_id": "req_test"})
	}
	content := []object{} // not null
	if r.Reasoning != "" {
		content = append(content, object{"type": "thinking", "thinking": r.Reasoning, "signature": "c2lnbmF0dXJl"})
	}
	if text := r.text(); text != "" && r.Refusal == "" {
		content = append(content, object{"type": "text", "text": text})
	}
	for _, c := range r.ToolCalls {
		content = append(content, object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": json.RawMessage(c.Arguments)})
	}
	finish := map[string]string{"": "end_turn", "stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use"}[r.Finish]
	answer := object{"id": "msg_test", "type": "message", "role": "assistant", "model": model, "content": content, "stop_reason": finish}
	switch {
	case r.Refusal != "":
		answer["stop_reason"] = "refusal"
		answer["stop_details"] = object{"type": "refusal", "category": "cyber", "explanation": r.Refusal}
	case len(r.ToolCalls) > 0 && r.Finish == "":
		answer["stop_reason"] = "tool_use"
	case finish == "":
		answer["stop_reason"] = r.Finish
	}
	used := Usage{Input: 100, Output: 10}
	if r.Usage != nil {
		used = *r.Usage
	}
	answer["usage"] = object{
		"input_tokens":                used.Input - used.CacheRead,
		"cache_read_input_tokens":     used.CacheRead,
		"cache_creation_input_tokens": 0,
		"output_tokens":               used.Output,
	}
	return marshal(answer)
}
