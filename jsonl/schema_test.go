package jsonl_test

import (
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/codescan-dev/scanner/jsonl"
)

// TestSchema: what is written is what schema.json describes, metadata included,
// which it does not require of others.
func TestSchema(t *testing.T) {
	schema, metadata := compileSchema(t, ""), compileSchema(t, "#/$defs/metadata")
	for _, line := range strings.Split(strings.TrimSpace(string(encodeAll(t, testRecords()...))), "\n") {
		record := parse(t, line)
		err := schema.Validate(record)
		if m, ok := record.(map[string]any)["metadata"]; ok && err == nil {
			err = metadata.Validate(m)
		}
		if err != nil {
			t.Errorf("%v\n%s", err, line)
		}
	}
}

// TestSchemaDescribesMetadata: each name in metadata is in the schema, and no other.
func TestSchemaDescribesMetadata(t *testing.T) {
	data, err := os.ReadFile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Defs struct {
			Metadata struct {
				Properties map[string]any
			}
		} `json:"$defs"`
	}
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	var names []string
	for f := range reflect.TypeFor[jsonl.Metadata]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names = append(names, name)
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(schema.Defs.Metadata.Properties)), slices.Sorted(slices.Values(names))); diff != "" {
		t.Errorf("names in metadata (-schema +Metadata):\n%s", diff)
	}
}

// compileSchema returns a part of the schema, or all of it.
func compileSchema(t *testing.T, part string) *jsonschema.Schema {
	t.Helper()
	f, err := os.Open("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	doc, err := jsonschema.UnmarshalJSON(f)
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("schema.json" + part)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func parse(t *testing.T, text string) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}
