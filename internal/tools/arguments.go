package tools

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
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
	Path       string  `json:"path"`
	Pattern    string  `json:"pattern"`
	Offset     number  `json:"offset"`
	Limit      number  `json:"limit"`
	IgnoreCase boolean `json:"ignoreCase"`
}

// parse reads the JSON object that a model wrote.
func parse(text string) (arguments, error) {
	var args arguments
	if len(text) > maxArguments {
		return args, fmt.Errorf("the arguments are longer than %d bytes", maxArguments)
	}
	err := json.Unmarshal([]byte(cmp.Or(strings.TrimSpace(text), "{}")), &args)
	var wrongType *json.UnmarshalTypeError
	var wrongValue *valueError
	switch {
	case errors.As(err, &wrongValue):
		return args, wrongValue
	case errors.As(err, &wrongType) && wrongType.Field != "":
		return args, fmt.Errorf("%q must be a %v", wrongType.Field, wrongType.Type)
	case err != nil:
		return args, errors.New("the arguments are not a JSON object")
	}
	return args, nil
}

// valueError is a value that a model may correct.
type valueError struct{ value, want string }

func (e *valueError) Error() string { return fmt.Sprintf("%s is not %s", e.value, e.want) }

// number is at least 1, or 0 if there is none. Some models write numbers as strings
// or with a fraction.
type number int

// UnmarshalJSON implements [json.Unmarshaler].
func (n *number) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	i, err := strconv.ParseInt(strings.TrimSuffix(strings.Trim(string(data), `"`), ".0"), 10, 32)
	if err != nil || i < 1 {
		return &valueError{string(data), fmt.Sprintf("a number from 1 to %d", math.MaxInt32)}
	}
	*n = number(i)
	return nil
}

// boolean is false if there is none. Some models write it as a string.
type boolean bool

// UnmarshalJSON implements [json.Unmarshaler].
func (b *boolean) UnmarshalJSON(data []byte) error {
	switch strings.Trim(string(data), `"`) {
	case "null", "false", "":
	case "true":
		*b = true
	default:
		return &valueError{string(data), "true or false"}
	}
	return nil
}
