package tools

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

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

// arguments are those of all tools. One that is null or missing is zero.
type arguments struct {
	Path       string `json:"path"`
	Pattern    string `json:"pattern"`
	Offset     int32  `json:"offset"`
	Limit      int32  `json:"limit"`
	IgnoreCase bool   `json:"ignoreCase"`
}

// parse reads the JSON object that a model wrote.
func parse(text string) (arguments, error) {
	var args arguments
	if len(text) > maxArguments {
		return args, fmt.Errorf("the arguments are longer than %d bytes", maxArguments)
	}
	err := json.Unmarshal([]byte(cmp.Or(strings.TrimSpace(text), "{}")), &args)
	var wrongType *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrongType) && wrongType.Field != "":
		return args, fmt.Errorf("%q must be of type %v, got %s", wrongType.Field, wrongType.Type, wrongType.Value)
	case err != nil:
		return args, errors.New("the arguments are not a JSON object")
	}
	return args, nil
}
