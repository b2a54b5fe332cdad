package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/codescan-dev/scanner/internal/tomlfile"
)

// schemas returns the committed schemas, as others read them.
var schemas = sync.OnceValue(func() map[scope]*jsonschema.Schema {
	compiled := make(map[scope]*jsonschema.Schema)
	for in, text := range map[scope]string{inProject: Schema(false), inUser: Schema(true)} {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			panic(err)
		}
		c := jsonschema.NewCompiler()
		if err := c.AddResource(string(in), doc); err != nil {
			panic(err)
		}
		compiled[in] = c.MustCompile(string(in))
	}
	return compiled
})

// judge validates a file by its schema.
func judge(in scope, text string) error {
	var values map[string]any
	if err := toml.Unmarshal(bytes.TrimPrefix([]byte(text), []byte("\ufeff")), &values); err != nil {
		return err
	}
	data, err := json.Marshal(values) // fails for nan and inf
	if err != nil {
		return err
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return err
	}
	return schemas()[in].Validate(v)
}

// checkJudgment checks that the schema accepts what the parser accepts, and refuses what
// the parser refuses for a reason that a schema can express.
func checkJudgment(t *testing.T, in scope, text string, parsed error) {
	t.Helper()
	err := judge(in, text)
	if parsed == nil && err != nil {
		t.Errorf("%s\nthe schema refuses it: %v", text, err)
	}
	if parsed == nil || err != nil {
		return
	}
	e, _ := errors.AsType[*tomlfile.Error](parsed)
	for _, p := range e.Problems {
		if !inexpressible(p.Message) {
			t.Errorf("%s\nthe schema accepts it, the parser: %v", text, parsed)
		}
	}
}

// inexpressible reports whether a message is about what a schema does not know: the form
// of a text that is not empty, how a number is written, and what follows from a schedule.
func inexpressible(message string) bool {
	for _, rule := range textRules {
		if strings.HasSuffix(message, "want "+rule.want) && (strings.HasPrefix(message, "want ") || strings.HasPrefix(message, `got "`)) {
			return !strings.HasPrefix(message, `got ""`)
		}
	}
	return regexp.MustCompile(`^glob ".|with a fraction|with schedule triggers$|pull_request triggers only$`).MatchString(message)
}

// TestSchemas checks what is wrong in tables instead of values; for values see
// TestParseValues.
func TestSchemas(t *testing.T) {
	for _, text := range []string{
		"", "version = 2", "version = '1'", "version = 1\nskill = []", "version = 1\n[defaults]\nfailon = 'high'",
		"version = 1\n[[skills]]", "version = 1\n[skills]\nname = 'a'", "version = 1\n[[logs]]\ncleanup = 'ask'",
		"version = 1\n[provider]\napiKey = 'x'", "version = 1\nrunner = 1", "version = 1\nmaxAge = '3d'",
		"version = 1\n[[skills]]\nname = 'a'", "version = 1\n[cache]",
	} {
		_, err := Parse("scanner.toml", []byte(text))
		checkJudgment(t, inProject, text, err)
		_, err = ParseUser("config.toml", []byte(text))
		checkJudgment(t, inUser, text, err)
	}
}
