package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/codescan-dev/scanner/provider"
)

// definitions are the tools with their schemas, which satisfy strict mode: every
// property is required, and an optional one may be null.
var definitions = map[string]provider.Tool{
	Read: {
		Name:        Read,
		Description: "Read lines of a file of the repository under review. The answer has the lines as NUMBER |TEXT. Use it when a finding depends on code that you have not been shown.",
		Parameters: json.RawMessage(`{
			"type": "object",
			"properties": {
				"path": {"type": "string", "description": "path of the file, relative to the root of the repository"},
				"offset": {"type": ["integer", "null"], "description": "number of the first line, from 1; null for the beginning"},
				"limit": {"type": ["integer", "null"], "description": "number of lines; null for as many as fit"}
			},
			"required": ["path", "offset", "limit"],
			"additionalProperties": false
		}`),
	},
	Grep: {
		Name:        Grep,
		Description: "Find the lines of the repository under review that match a regular expression. The answer has them as NUMBER |TEXT below the path of their file. Use it to find definitions and callers.",
		Parameters: json.RawMessage(`{
			"type": "object",
			"properties": {
				"pattern": {"type": "string", "description": "regular expression in RE2 syntax, matched against single lines"},
				"path": {"type": ["string", "null"], "description": "a file, a directory, or a glob such as **/*.go; null for all files"},
				"ignoreCase": {"type": ["boolean", "null"], "description": "true to ignore case"}
			},
			"required": ["pattern", "path", "ignoreCase"],
			"additionalProperties": false
		}`),
	},
	Glob: {
		Name:        Glob,
		Description: "List the files of the repository under review whose paths match a glob.",
		Parameters: json.RawMessage(`{
			"type": "object",
			"properties": {
				"pattern": {"type": "string", "description": "a glob such as *.go, src/**/*.ts or docs/"}
			},
			"required": ["pattern"],
			"additionalProperties": false
		}`),
	},
}

// Definitions returns the tools for a request, always in the same order and with
// the same bytes, so that a provider can cache the request.
func (s *Set) Definitions() []provider.Tool {
	var list []provider.Tool
	for _, name := range s.allowed {
		t := definitions[name]
		t.Parameters = compact(t.Parameters)
		list = append(list, t)
	}
	return list
}

// compact returns a copy of JSON without white space outside of strings.
func compact(raw json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		return slices.Clone(raw) // does not happen: the tests parse the definitions
	}
	return b.Bytes()
}

// maxArguments is the length of arguments, in bytes.
const maxArguments = 16 << 10

// arguments are the members of the JSON object that a model wrote.
type arguments map[string]json.RawMessage

func parse(text string) (arguments, error) {
	if len(text) > maxArguments {
		return nil, fmt.Errorf("the arguments are longer than %d bytes", maxArguments)
	}
	if strings.TrimSpace(text) == "" {
		text = "{}"
	}
	var args arguments
	if err := json.Unmarshal([]byte(text), &args); err != nil {
		return nil, errors.New("the arguments are not a JSON object")
	}
	return args, nil
}

// get returns a member, or nil if there is none or it is null.
func (a arguments) get(name string) json.RawMessage {
	raw := a[name]
	if string(raw) == "null" {
		return nil
	}
	return raw
}

// text returns a string; empty if there is none.
func (a arguments) text(name string) (string, error) {
	raw := a.get(name)
	if raw == nil {
		return "", nil
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return "", fmt.Errorf("%q must be a string", name)
	}
	if !utf8.ValidString(s) {
		return "", fmt.Errorf("%q is not valid UTF-8", name)
	}
	return s, nil
}

// required is text for an argument that has no default.
func (a arguments) required(name string) (string, error) {
	s, err := a.text(name)
	if err == nil && s == "" {
		err = fmt.Errorf("%q is missing", name)
	}
	return s, err
}

// positive returns a number of at least 1; 0 if there is none. Some models write
// numbers as strings or with a fraction.
func (a arguments) positive(name string) (int, error) {
	raw := a.get(name)
	if raw == nil {
		return 0, nil
	}
	text := strings.TrimSuffix(strings.Trim(string(raw), `"`), ".0")
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > 1<<31-1 {
		return 0, fmt.Errorf("%q must be a number from 1 to %d", name, 1<<31-1)
	}
	return n, nil
}

// flag returns a boolean; false if there is none.
func (a arguments) flag(name string) (bool, error) {
	switch raw := strings.Trim(string(a.get(name)), `"`); raw {
	case "", "false":
		return false, nil
	case "true":
		return true, nil
	default:
		return false, fmt.Errorf("%q must be true or false", name)
	}
}
