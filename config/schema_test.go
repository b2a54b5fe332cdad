package config

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"
)

// TestExamplesAreComplete: the examples parse, and hold every key that their
// file may hold.
func TestExamplesAreComplete(t *testing.T) {
	tests := []struct {
		name, text string
		in         scope
	}{{"example.toml", Example, inProject}, {"user-example.toml", UserExample, inUser}}
	for _, tt := range tests {
		f, err := parse(tt.name, []byte(tt.text), tt.in)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if _, err := Resolve(Input{File: f}); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		var values map[string]any
		if err := toml.Unmarshal([]byte(tt.text), &values); err != nil {
			t.Fatal(err)
		}
		have := make(map[string]bool)
		collect(fileSchema(), values, have)
		var known func(*schema)
		known = func(s *schema) {
			if !s.anything(tt.in) {
				return
			}
			if s.path != "" && !have[s.path] {
				t.Errorf("%s lacks %s", tt.name, s.path)
			}
			for _, f := range s.fields {
				known(f)
			}
			if s.elem != nil {
				known(s.elem)
			}
		}
		known(fileSchema())
	}
}

func collect(s *schema, v any, have map[string]bool) {
	have[s.path] = true
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if s.elem != nil {
				collect(s.elem, value, have)
			} else if f := s.field(key); f != nil {
				collect(f, value, have)
			}
		}
	case []any:
		for _, value := range v {
			collect(s.elem, value, have)
		}
	}
}

// TestSchema: each key says what is allowed, and which file may hold it.
func TestSchema(t *testing.T) {
	var keys, user, project []string
	fileSchema().visit(func(s *schema) {
		if s.want == "" {
			t.Errorf("%q does not say what is allowed", s.path)
		}
		if s.name != "" && len(s.fields) == 0 {
			keys = append(keys, s.path)
		}
		switch s.in {
		case inUser:
			user = append(user, s.path)
		case inProject:
			project = append(project, s.path)
		}
		if strings.HasSuffix(s.path, "[]") && s.typ.Kind() != reflect.Struct && s.typ.Kind() != reflect.String {
			t.Errorf("%s: elements are tables or strings", s.path)
		}
	})
	if d := cmp.Diff(user, []string{"provider.baseURL", "provider.prices", "provider.redact", "fix.check"}); d != "" {
		t.Errorf("keys of the user's file (-got +want):\n%s", d)
	}
	if d := cmp.Diff(project, []string{"defaults.requestChanges", "defaults.verify", "skills"}); d != "" {
		t.Errorf("keys of scanner.toml (-got +want):\n%s", d)
	}
	if i := slices.IndexFunc(keys, func(k string) bool { return strings.Contains(strings.ToLower(k), "apikey") }); i >= 0 {
		t.Errorf("%s: a key must not be in a file", keys[i])
	}
}
