package openai

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner/provider"
	"github.com/codescan-dev/scanner/provider/providertest"
)

// params are the parameters of a request in which dialects differ.
type params struct {
	Model  string
	Format string // the type of the response format
	Limit  string // the name of the limit of tokens
}

func paramsOf(q providertest.Request) params {
	a := params{Model: q.Model, Format: q.ResponseFormat}
	for _, name := range []string{maxTokens, maxCompletionTokens} {
		var body map[string]json.RawMessage
		if json.Unmarshal(q.Body, &body) == nil && body[name] != nil {
			a.Limit = name
		}
	}
	return a
}

// refusals is a server that refuses what accepts does not accept.
func refusals(accepts func(params) (ok bool, rule providertest.Rule)) providertest.Script {
	return providertest.Script{Reply: func(q providertest.Request) (providertest.Rule, bool) {
		if ok, rule := accepts(paramsOf(q)); !ok {
			return rule, true
		}
		return providertest.Rule{}, true
	}}
}

func TestDialectFallback(t *testing.T) {
	refuse := func(status int, text string) providertest.Rule {
		return providertest.Rule{Status: status, Message: text}
	}
	body := func(status int, body string) providertest.Rule { return providertest.Rule{Status: status, Body: &body} }
	for _, tt := range []struct {
		name    string
		model   string
		accepts func(a params) (bool, providertest.Rule)
		first   []params // of the first call
		second  []params // of the second
		kind    provider.Kind
	}{
		{
			name: "accepts everything", model: "m",
			accepts: func(params) (bool, providertest.Rule) { return true, providertest.Rule{} },
			first:   []params{{"m", "json_schema", maxTokens}},
			second:  []params{{"m", "json_schema", maxTokens}},
		},
		{
			name: "no schema", model: "m",
			accepts: func(a params) (bool, providertest.Rule) {
				return a.Format != "json_schema", refuse(400, "response_format.type json_schema is not supported")
			},
			first:  []params{{"m", "json_schema", maxTokens}, {"m", "json_object", maxTokens}},
			second: []params{{"m", "json_object", maxTokens}},
		},
		{
			name: "no format at all", model: "m",
			accepts: func(a params) (bool, providertest.Rule) {
				return a.Format == "", body(422, `{"detail":[{"type":"extra_forbidden","loc":["body","response_format"],"msg":"Extra inputs are not permitted"}]}`)
			},
			first:  []params{{"m", "json_schema", maxTokens}, {"m", "json_object", maxTokens}, {"m", "", maxTokens}},
			second: []params{{"m", "", maxTokens}},
		},
		{
			name: "grammar fails with 500", model: "m",
			accepts: func(a params) (bool, providertest.Rule) {
				return a.Format == "", refuse(500, "failed to parse grammar")
			},
			first:  []params{{"m", "json_schema", maxTokens}, {"m", "json_object", maxTokens}, {"m", "", maxTokens}},
			second: []params{{"m", "", maxTokens}},
		},
		{
			name: "refused with status 200", model: "m",
			accepts: func(a params) (bool, providertest.Rule) {
				return a.Format != "json_schema", body(200, `{"error":{"message":"json_schema unsupported","code":400}}`)
			},
			first:  []params{{"m", "json_schema", maxTokens}, {"m", "json_object", maxTokens}},
			second: []params{{"m", "json_object", maxTokens}},
		},
		{
			name: "other name of the limit", model: "m",
			accepts: func(a params) (bool, providertest.Rule) {
				return a.Limit != maxTokens, refuse(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
			},
			first:  []params{{"m", "json_schema", maxTokens}, {"m", "json_schema", maxCompletionTokens}},
			second: []params{{"m", "json_schema", maxCompletionTokens}},
		},
		{
			name: "no limit", model: "m",
			accepts: func(a params) (bool, providertest.Rule) {
				return a.Limit == "", refuse(400, "max_tokens is too large")
			},
			first:  []params{{"m", "json_schema", maxTokens}, {"m", "json_schema", maxCompletionTokens}, {"m", "json_schema", ""}},
			second: []params{{"m", "json_schema", ""}},
		},
		{
			name: "model that reasons", model: "vendor/gpt-5-mini",
			accepts: func(a params) (bool, providertest.Rule) {
				return a.Limit != maxTokens, refuse(400, "no max_tokens")
			},
			first:  []params{{"vendor/gpt-5-mini", "json_schema", maxCompletionTokens}},
			second: []params{{"vendor/gpt-5-mini", "json_schema", maxCompletionTokens}},
		},
		{
			name: "model that reasons, on a server that does not know its limit", model: "o3",
			accepts: func(a params) (bool, providertest.Rule) {
				return a.Limit != maxCompletionTokens, refuse(400, "unknown field max_completion_tokens")
			},
			first:  []params{{"o3", "json_schema", maxCompletionTokens}, {"o3", "json_schema", ""}},
			second: []params{{"o3", "json_schema", ""}},
		},
		{
			name: "neither schema nor limit", model: "m",
			accepts: func(a params) (bool, providertest.Rule) {
				if a.Limit != "" {
					return false, refuse(422, "max_tokens, max_completion_tokens: unknown")
				}
				return a.Format == "", refuse(400, "structured output is not supported")
			},
			first: []params{
				{"m", "json_schema", maxTokens}, {"m", "json_schema", maxCompletionTokens},
				{"m", "json_schema", ""}, {"m", "json_object", ""}, {"m", "", ""},
			},
			second: []params{{"m", "", ""}},
		},
		{
			name: "refuses everything", model: "m", kind: provider.KindInvalid,
			accepts: func(a params) (bool, providertest.Rule) { return false, refuse(400, "response_format is bad") },
			first:   []params{{"m", "json_schema", maxTokens}, {"m", "json_object", maxTokens}, {"m", "", maxTokens}},
			second:  []params{{"m", "json_schema", maxTokens}, {"m", "json_object", maxTokens}, {"m", "", maxTokens}},
		},
		{
			name: "too long is not about the limit", model: "m", kind: provider.KindContextLength,
			accepts: func(a params) (bool, providertest.Rule) {
				return false, refuse(400, "maximum context length is 4096 tokens, reduce max_tokens or response_format")
			},
			first:  []params{{"m", "json_schema", maxTokens}},
			second: []params{{"m", "json_schema", maxTokens}},
		},
		{
			name: "rate limit is not about the format", model: "m", kind: provider.KindRateLimit,
			accepts: func(a params) (bool, providertest.Rule) { return false, refuse(429, "too many response_format") },
			first:   []params{{"m", "json_schema", maxTokens}},
			second:  []params{{"m", "json_schema", maxTokens}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := newServer(t, refusals(tt.accepts))
			c := newClient(t, server.URL)
			req := question
			req.Model = tt.model
			seen := 0
			for i, want := range [][]params{tt.first, tt.second} {
				_, err := c.Complete(t.Context(), req)
				if provider.KindOf(err) != tt.kind {
					t.Errorf("call %d: error %v, want kind %v", i, err, tt.kind)
				}
				var got []params
				for _, q := range server.Requests()[seen:] {
					got = append(got, paramsOf(q))
				}
				seen += len(got)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("requests of call %d (-want +got):\n%s", i, diff)
				}
			}
		})
	}
}

// What one model accepts has no influence on another.
func TestDialectPerModel(t *testing.T) {
	server := newServer(t, refusals(func(a params) (bool, providertest.Rule) {
		return a.Model != "old" || a.Format == "", providertest.Rule{Status: 400, Message: "response_format"}
	}))
	c := newClient(t, server.URL)
	for _, model := range []string{"old", "new", "old"} {
		req := question
		req.Model = model
		if _, err := c.Complete(t.Context(), req); err != nil {
			t.Fatal(err)
		}
	}
	var got []params
	for _, q := range server.Requests() {
		got = append(got, paramsOf(q))
	}
	want := []params{
		{"old", "json_schema", maxTokens}, {"old", "json_object", maxTokens}, {"old", "", maxTokens},
		{"new", "json_schema", maxTokens},
		{"old", "", maxTokens},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

// Requests that learn at the same time must not undo what others learned.
func TestDialectConcurrently(t *testing.T) {
	server := newServer(t, refusals(func(a params) (bool, providertest.Rule) {
		return a.Format == "" && a.Limit != maxTokens, providertest.Rule{Status: 400, Message: "response_format and max_tokens"}
	}))
	c := newClient(t, server.URL)
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			req := question
			if i%2 == 0 {
				req.Schema = nil // learns about the limit alone
			}
			if _, err := c.Complete(t.Context(), req); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	before := len(server.Requests())
	if _, err := c.Complete(t.Context(), question); err != nil {
		t.Fatal(err)
	}
	if n := len(server.Requests()) - before; n != 1 {
		t.Errorf("%d requests after all was learned, want 1", n)
	}
}

// go-openai refuses some models and parameters without asking the server.
func TestCompleteRefusedByLibrary(t *testing.T) {
	server := newServer(t, providertest.Script{})
	c := newClient(t, server.URL)
	for _, model := range []string{"o1", "o1-mini", "o3-mini", "o4-mini", "gpt-5", "gpt-5-mini", "gpt-5.4", "gpt-6-sol", "gpt-4o", "gpt-4"} {
		req := question
		req.Model = model
		if _, err := c.Complete(t.Context(), req); err != nil {
			t.Errorf("%s: %v", model, err)
		}
	}
	req := question
	req.Model = "text-davinci-003"
	if _, err := c.Complete(t.Context(), req); provider.KindOf(err) != provider.KindInvalid || !strings.Contains(err.Error(), "not supported") {
		t.Errorf("error %v, want an InvalidRequestError", err)
	}
	req.Model = "gpt-6-sol"
	req.Tools = []provider.Tool{{Name: "read"}}
	if _, err := c.Complete(t.Context(), req); provider.KindOf(err) != provider.KindInvalid {
		t.Errorf("error %v, want an InvalidRequestError", err)
	}
}
