package prompt

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/codescan-dev/scanner/internal/extract"
	"github.com/codescan-dev/scanner/provider"
)

const fullFinding = `{
	"location": {"path": "a.go", "startLine": 3, "endLine": 5, "quote": "x"},
	"title": "t", "description": "d", "verification": "v",
	"severity": "high", "confidence": "medium",
	"additionalLocations": [{"path": "b.go", "startLine": 7, "endLine": 9}],
	"suggestedFix": {"description": "f", "replace": [{"old": "a", "new": "b"}]}
}`

const bareFinding = `{
	"location": null, "title": "t", "description": "d", "verification": null,
	"severity": "low", "confidence": null, "additionalLocations": [], "suggestedFix": null
}`

func compile(t *testing.T, s *provider.Schema) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(s.JSON))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(s.Name, doc); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile(s.Name)
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

func TestSchema(t *testing.T) {
	analysis, extraction := compile(t, Schema()), compile(t, ExtractionSchema())
	for _, c := range []struct {
		name, doc                 string
		validOnce, validToExtract bool
	}{
		{"none", `{"findings":[]}`, true, true},
		{"full and bare", `{"findings":[` + fullFinding + `,` + bareFinding + `]}`, true, true},
		{"null", `{"findings":null}`, false, true},
		{"no list", `{}`, false, false},
		{"bare list", `[]`, false, false},
		{"more beside the list", `{"findings":[],"x":1}`, false, false},
		{"a property missing", `{"findings":[` + strings.Replace(fullFinding, `"verification": "v",`, "", 1) + `]}`, false, false},
		{"a property more", `{"findings":[` + strings.Replace(fullFinding, `"title"`, `"id": "x", "title"`, 1) + `]}`, false, false},
		{"an alias for severity", `{"findings":[` + strings.Replace(fullFinding, `"high"`, `"critical"`, 1) + `]}`, false, false},
		{"a line in a string", `{"findings":[` + strings.Replace(fullFinding, `3`, `"3"`, 1) + `]}`, false, false},
		{"no title", `{"findings":[` + strings.Replace(fullFinding, `"t"`, `null`, 1) + `]}`, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc, err := jsonschema.UnmarshalJSON(strings.NewReader(c.doc))
			if err != nil {
				t.Fatal(err)
			}
			if err := analysis.Validate(doc); (err == nil) != c.validOnce {
				t.Errorf("analysis: valid %v, want %v: %v", err == nil, c.validOnce, err)
			}
			if err := extraction.Validate(doc); (err == nil) != c.validToExtract {
				t.Errorf("extraction: valid %v, want %v: %v", err == nil, c.validToExtract, err)
			}
		})
	}
}

// Strict mode wants every object to list all its properties and to allow no
// others, and knows few keywords.
func TestSchemaStrict(t *testing.T) {
	known := []string{"additionalProperties", "anyOf", "enum", "items", "properties", "required", "type"}
	var walk func(at string, s map[string]any)
	walk = func(at string, s map[string]any) {
		for _, k := range slices.Sorted(maps.Keys(s)) {
			if !slices.Contains(known, k) {
				t.Errorf("%s: keyword %q", at, k)
			}
		}
		if properties, ok := s["properties"].(map[string]any); ok {
			var required []string
			for _, r := range s["required"].([]any) {
				required = append(required, r.(string))
			}
			slices.Sort(required)
			if diff := cmp.Diff(required, slices.Sorted(maps.Keys(properties))); diff != "" {
				t.Errorf("%s: required and properties differ:\n%s", at, diff)
			}
			if s["additionalProperties"] != false {
				t.Errorf("%s: additional properties are allowed", at)
			}
			for k, v := range properties {
				walk(at+"."+k, v.(map[string]any))
			}
		}
		if items, ok := s["items"].(map[string]any); ok {
			walk(at+"[]", items)
		}
		if anyOf, ok := s["anyOf"].([]any); ok {
			for i, v := range anyOf {
				walk(fmt.Sprintf("%s|%d", at, i), v.(map[string]any))
			}
		}
	}
	for _, s := range []*provider.Schema{Schema(), ExtractionSchema(), VerificationSchema()} {
		var doc map[string]any
		if err := json.Unmarshal(s.JSON, &doc); err != nil {
			t.Fatal(err)
		}
		walk(s.Name, doc)
		if bytes.ContainsAny(s.JSON, "\n\t") {
			t.Errorf("%s is not compact", s.Name)
		}
	}
	if s := Schema(); &s.JSON[0] == &Schema().JSON[0] {
		t.Error("two schemas share memory")
	}
}

// Every property that the schema asks for means something to the decoder, and
// the rules name it.
func TestSchemaDecodes(t *testing.T) {
	full, err := extract.Decode(json.RawMessage(fullFinding))
	if err != nil {
		t.Fatal(err)
	}
	want := extract.Raw{
		Title: "t", Description: "d", Verification: "v", Severity: "high", Confidence: "medium",
		Path: "a.go", StartLine: 3, EndLine: 5, Quote: "x",
		Additional: []extract.RawLocation{{Path: "b.go", StartLine: 7, EndLine: 9}},
		Fix:        &extract.Fix{Description: "f", Pairs: []extract.Pair{{Old: "a", New: "b"}}},
	}
	if diff := cmp.Diff(full, want); diff != "" {
		t.Errorf("(-got +want):\n%s", diff)
	}
	if _, err := extract.Decode(json.RawMessage(bareFinding)); err != nil {
		t.Errorf("bare finding: %v", err)
	}

	var doc map[string]any
	if err := json.Unmarshal([]byte(fullFinding), &doc); err != nil {
		t.Fatal(err)
	}
	properties := 0
	var without func(object map[string]any)
	without = func(object map[string]any) {
		for _, k := range slices.Sorted(maps.Keys(object)) {
			properties++
			v := object[k]
			delete(object, k)
			raw, err := json.Marshal(doc)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := extract.Decode(raw); err == nil && cmp.Equal(got, full) {
				t.Errorf("nothing is missing without %q", k)
			}
			if !strings.Contains(systemRules, k) || !strings.Contains(extractionRules, k) {
				t.Errorf("the rules do not name %q", k)
			}
			object[k] = v
			switch v := v.(type) {
			case map[string]any:
				without(v)
			case []any:
				without(v[0].(map[string]any))
			}
		}
	}
	without(doc)
	if n := strings.Count(string(Schema().JSON), `"type":`) - strings.Count(string(Schema().JSON), `"type":"null"`) -
		len([]string{"root", "findings", "finding", "additional location", "replacement"}); n != properties {
		t.Errorf("the example has %d properties, the schema %d", properties, n)
	}

	// A valid example of the schema is read without repair.
	r := extract.Findings(`{"findings":[` + fullFinding + `,` + bareFinding + `]}`)
	if r.Err != nil || r.Method != extract.MethodJSON || len(r.Findings) != 2 {
		t.Errorf("extracted %d findings, method %q, %v", len(r.Findings), r.Method, r.Err)
	}
	// The answer that the rules have for "not stated" is understood.
	if r := extract.Findings(`{"findings":null}`); r.Err != extract.ErrUnstated {
		t.Errorf("error %v, want %v", r.Err, extract.ErrUnstated)
	}
}
