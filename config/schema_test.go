package config

import (
	_ "embed"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"

	"github.com/codescan-dev/scanner/internal/tomlfile"
)

//go:embed example.toml
var example string

//go:embed user-example.toml
var userExample string

// commentedKey matches the beginning of a line of an example that sets a key, or begins
// a table, when it is no comment any more.
var commentedKey = regexp.MustCompile(`(?m)^# (\[|[A-Za-z0-9]+ = )`)

// TestExamplesAreComplete checks that the examples parse, and have every key that
// their file may have, some as comments.
func TestExamplesAreComplete(t *testing.T) {
	tests := []struct {
		name, text string
		in         scope
	}{{"example.toml", example, inProject}, {"user-example.toml", userExample, inUser}}
	for _, tt := range tests {
		all := commentedKey.ReplaceAllString(tt.text, "$1")
		for _, text := range []string{tt.text, all} {
			f, err := parse(tt.name, []byte(text), tt.in)
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
				continue
			}
			checkJudgment(t, tt.in, text, nil)
			if _, err := Resolve(Input{File: f}); err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
		}
		var values map[string]any
		if err := toml.Unmarshal([]byte(all), &values); err != nil {
			t.Fatal(err)
		}
		have := make(map[string]bool)
		collect(schema(), values, have)
		var check func(*tomlfile.Key)
		check = func(k *tomlfile.Key) {
			if message, _ := tt.in.checkKey(k.Name, k); message != "" {
				return
			}
			if len(k.Keys) == 0 && k.Elem == nil && !have[k.Path] {
				t.Errorf("%s lacks %s", tt.name, k.Path)
			}
			for _, c := range k.Keys {
				check(c)
			}
			if k.Elem != nil {
				check(k.Elem)
			}
		}
		check(schema())
	}
}

func collect(k *tomlfile.Key, v any, have map[string]bool) {
	have[k.Path] = true
	switch v := v.(type) {
	case map[string]any:
		for _, c := range k.Keys {
			if value, ok := v[c.Name]; ok {
				collect(c, value, have)
			}
		}
		if k.Elem != nil {
			for _, value := range v {
				collect(k.Elem, value, have)
			}
		}
	case []any:
		for _, value := range v {
			collect(k.Elem, value, have)
		}
	}
}

// TestSchema checks which file may have which key, and that a value of each kind
// of key can be validated: a wrong tag panics on first use.
func TestSchema(t *testing.T) {
	var user, project []string
	for _, k := range schema().All() {
		switch scope(k.Tag.Get("in")) {
		case inUser:
			user = append(user, k.Path)
		case inProject:
			project = append(project, k.Path)
		}
		if k.Rule != "" {
			checkValue(k, reflect.Zero(k.Type).Interface(), "")
		}
		if strings.HasPrefix(k.Want, "a whole number") == (k.Type.Kind() != reflect.Int && k.Type.Kind() != reflect.Int64) && k.Path != "version" {
			t.Errorf("%s wants %s", k.Path, k.Want)
		}
		if k.Want != strings.TrimSpace(k.Want) {
			t.Errorf("%s wants %q, which is incomplete", k.Path, k.Want)
		}
		if strings.Contains(strings.ToLower(k.Name), "apikey") {
			t.Errorf("%s: a key must not be in a file", k.Path)
		}
	}
	if d := cmp.Diff(user, []string{"provider.kind", "provider.baseURL", "provider.prices", "provider.redact", "provider.sendFiles", "provider.agentEnv", "cache", "fix"}); d != "" {
		t.Errorf("keys of the user's file (-got +want):\n%s", d)
	}
	if d := cmp.Diff(project, []string{"defaults.requestChanges", "defaults.verify", "defaults.nonProductCode", "skills"}); d != "" {
		t.Errorf("keys of scanner.toml (-got +want):\n%s", d)
	}
}

// TestStarter checks that the file for new repositories is valid, and that it is when
// the settings that it shows are no comments any more.
func TestStarter(t *testing.T) {
	text := Starter("https://example.com/schema.json")
	if first, _, _ := strings.Cut(text, "\n"); first != "#:schema https://example.com/schema.json" {
		t.Errorf("the first line is %q", first)
	}
	all := commentedKey.ReplaceAllString(text, "$1")
	if !strings.Contains(all, "\ntriggers = [{ type = \"pull_request\" }, ") {
		t.Errorf("comments are left:\n%s", all)
	}
	for _, text := range []string{text, all} {
		f, err := Parse("scanner.toml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		checkJudgment(t, inProject, text, nil)
		if _, err := Resolve(Input{File: f}); err != nil {
			t.Error(err)
		}
		checkJudgment(t, inProject, text, nil)
	}
}
