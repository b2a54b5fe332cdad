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

// TestSchema: what is written is what schema.json describes, and the schema refuses
// what the reader refuses.
func TestSchema(t *testing.T) {
	schema := compileSchema(t)
	for _, line := range strings.Split(strings.TrimSpace(string(encodeAll(t, testRecords()...))), "\n") {
		if err := schema.Validate(parse(t, line)); err != nil {
			t.Errorf("%v\n%s", err, line)
		}
	}
	// The schema is for what is written. It knows no null, no time in another
	// zone and no range of numbers.
	differs := map[string]bool{
		"null for optional fields":  true,
		"timestamp in another zone": true,
		"duration out of range":     true,
		"not UTF-8":                 true, // the schema sees what was replaced
	}
	checked := 0
	for _, tt := range readTests {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(tt.in))
		if err != nil {
			continue // not one line of JSON
		}
		checked++
		err = schema.Validate(v)
		if agree := (err == nil) == (tt.err == ""); agree == differs[tt.name] {
			t.Errorf("%s: the schema gives %v, the reader %q\n%s", tt.name, err, tt.err, tt.in)
		}
	}
	if checked < 40 {
		t.Errorf("only %d inputs were compared", checked)
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

func compileSchema(t *testing.T) *jsonschema.Schema {
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
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("schema.json")
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
