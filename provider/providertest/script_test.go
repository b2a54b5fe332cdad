package providertest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseScript(t *testing.T) {
	got, err := ParseScript([]byte(`{
		"key": "sk-1",
		"rules": [
			{"match": "a.go", "times": 1, "status": 429, "headers": {"Retry-After": "1"}, "message": "slow down"},
			{"match": "a.go", "model": "m", "findings": [{"title": "x"}]},
			{"requestBody": "json_schema", "status": 400, "body": ""},
			{"delayMs": 500, "content": "text", "usage": {"input": 1, "output": 2, "cacheRead": 1, "cost": 0.5}},
			{"fault": "hang"}
		]
	}`))
	if err != nil {
		t.Fatal(err)
	}
	want := Script{Key: "sk-1", Rules: []Rule{
		{Match: "a.go", Times: 1, Status: 429, Header: map[string]string{"Retry-After": "1"}, Message: "slow down"},
		{Match: "a.go", Model: "m", Findings: json.RawMessage(`[{"title": "x"}]`)},
		{RequestBody: "json_schema", Status: 400, Body: new("")},
		{DelayMs: 500, Content: new("text"), Usage: &Usage{Input: 1, Output: 2, CacheRead: 1, Cost: new(0.5)}},
		{Fault: FaultHang},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("script (-want +got):\n%s", diff)
	}
}

func TestParseScriptError(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"empty", "", "EOF"},
		{"not JSON", "rules:", "invalid character"},
		{"unknown key", `{"rules": [{"mtach": "a"}]}`, `unknown field "mtach"`},
		{"wrong type", `{"rules": [{"times": "1"}]}`, "times"},
		{"text behind", `{} {}`, "after the end"},
		{"negative times", `{"rules": [{}, {"times": -1}]}`, "rules[1]: times is -1"},
		{"negative delay", `{"rules": [{"delayMs": -1}]}`, "rules[0]: delayMs is -1"},
		{"status", `{"rules": [{"status": 99}]}`, "rules[0]: status is 99"},
		{"fault", `{"rules": [{"fault": "explode"}]}`, `rules[0]: unknown fault "explode"`},
		{"two texts", `{"rules": [{"content": "", "findings": []}]}`, "cannot be used together"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := ParseScript([]byte(tt.in)); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

// The answers of every valid script are JSON, unless it sets a body or a fault.
func FuzzParseScript(f *testing.F) {
	f.Add([]byte(`{"rules": [{"match": "a.go", "findings": [{}], "usage": {"cost": 1}}]}`))
	f.Add([]byte(`{"rules": [{"status": 500, "message": "x", "code": "y"}, {"refusal": "no"}]}`))
	f.Add([]byte(`{"rules": [{"toolCalls": [{"id": "1", "name": "n", "arguments": "{"}]}, {"body": "x"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ParseScript(data)
		if err != nil {
			return
		}
		for _, r := range s.Rules {
			r.matches(Request{Body: data, Messages: []Message{{Content: string(data)}}})
			if body := r.body("m"); r.Body == nil && !json.Valid(body) {
				t.Errorf("the answer %q of %+v is not JSON", body, r)
			}
		}
	})
}
