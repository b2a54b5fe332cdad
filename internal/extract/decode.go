package extract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// Raw is a finding as a model wrote it, with everything in its place but nothing
// judged: severity and confidence are its own words, the path may name any file,
// and the lines may lie anywhere. Strings are valid UTF-8 without NUL, of bounded
// length, and otherwise as written, control characters included.
type Raw struct {
	ID           string
	Severity     string
	Confidence   string // empty if the model did not say, or not in a string
	Title        string
	Description  string
	Verification string

	// HasLocation is set when StartLine or Quote is.
	HasLocation bool
	// Path is the file that the model named; empty if none.
	Path string
	// StartLine and EndLine count from 1; zero means absent. EndLine is zero
	// where it is not after StartLine.
	StartLine, EndLine int
	// Quote is the text of the line or lines that the model means.
	Quote string

	// FixDescription and FixDiff are both set or both empty.
	FixDescription string
	FixDiff        string
	// FixTooLong is set when there was a fix, but its diff is too long.
	FixTooLong bool

	// Additional are the related places, those that can be read.
	Additional []RawLocation
}

// RawLocation is a place that a model named. Its StartLine is at least 1.
type RawLocation struct {
	Path               string
	StartLine, EndLine int
}

// The longest strings of a [Raw], in bytes. Longer ones are cut, except for a
// diff, which is worth nothing in parts: its fix is dropped.
const (
	maxWord       = 200
	maxTitle      = 1000
	maxText       = 20_000
	maxQuote      = 8_000
	maxPath       = 4_096
	maxDiff       = 100_000
	maxAdditional = 50
)

// Decode reads one element of [Result].Findings. It accepts the spellings that
// models use: keys in other cases and under other common names, numbers in
// strings, a location as an object, as text ("a.go:12-15"), or flat in the
// finding. Keys it does not know are ignored.
//
// It fails, with a reason in one line, when the element is not an object, when
// title, severity or description is missing or not a string, and when the
// location is given but its line can be read neither from a number nor from a
// quote. A line 0 is taken for "none".
func Decode(raw json.RawMessage) (Raw, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || raw[0] != '{' {
		return Raw{}, fmt.Errorf("the finding is %s, not an object", typeName(raw))
	}
	fields, err := members(raw)
	if err != nil {
		return Raw{}, fmt.Errorf("the finding is not valid JSON: %w", err)
	}
	o := object(fields)
	var f Raw
	for _, s := range []struct {
		to    *string
		limit int
		names []string
	}{
		{&f.Title, maxTitle, titleNames},
		{&f.Severity, maxWord, severityNames},
		{&f.Description, maxText, descriptionNames},
	} {
		if *s.to, err = o.required(s.limit, s.names...); err != nil {
			return Raw{}, err
		}
	}
	f.ID = o.text(maxWord, "id")
	f.Confidence = o.text(maxWord, "confidence")
	f.Verification = o.text(maxText, "verification", "howtoverify")
	if err := f.locate(o); err != nil {
		return Raw{}, err
	}
	f.FixDescription, f.FixDiff = o.fix(f.Title)
	if len(f.FixDiff) > maxDiff {
		f.FixDescription, f.FixDiff, f.FixTooLong = "", "", true
	}
	return f, nil
}

// The names of keys, folded, the expected one first.
var (
	titleNames       = []string{"title", "name"}
	severityNames    = []string{"severity", "level"}
	descriptionNames = []string{"description", "message", "details", "explanation"}
	fixNames         = []string{"suggestedfix", "fix", "suggestion"}
	diffNames        = []string{"diff", "patch"}
)

// object is a JSON object with folded names.
type object []member

// field returns the first of the names that stands for something other than
// null.
func (o object) field(names ...string) (json.RawMessage, bool) {
	for _, name := range names {
		if v, ok := last(o, name); ok && string(v) != "null" {
			return v, true
		}
	}
	return nil, false
}

func (o object) required(limit int, names ...string) (string, error) {
	v, ok := o.field(names...)
	if !ok {
		return "", fmt.Errorf("%s is missing", names[0])
	}
	s, ok := text(v, limit)
	if !ok {
		return "", fmt.Errorf("%s is %s, not a string", names[0], typeName(v))
	}
	if strings.TrimSpace(s) == "" {
		return "", fmt.Errorf("%s is empty", names[0])
	}
	return s, nil
}

// text returns a string, the empty one if there is none of that name.
func (o object) text(limit int, names ...string) string {
	v, ok := o.field(names...)
	if !ok {
		return ""
	}
	s, _ := text(v, limit)
	return s
}

// fix returns the suggested fix. One without a diff is none.
func (o object) fix(title string) (description, diff string) {
	v, ok := o.field(fixNames...)
	if !ok {
		return "", ""
	}
	if v[0] == '{' {
		fields, err := members(v)
		if err != nil {
			return "", ""
		}
		fix := object(fields)
		description = fix.text(maxText, descriptionNames...)
		if v, ok = fix.field(diffNames...); !ok {
			return "", ""
		}
	}
	diff, ok = text(v, math.MaxInt)
	// A string in place of the object is a diff only if it says so.
	if !ok || strings.TrimSpace(diff) == "" || description == "" && !strings.Contains(diff, "@@") {
		return "", ""
	}
	if strings.TrimSpace(description) == "" {
		description = title
	}
	return description, diff
}

// text returns the JSON string v without NUL, cut at limit bytes.
func text(v json.RawMessage, limit int) (string, bool) {
	if v[0] != '"' {
		return "", false
	}
	var s string
	if json.Unmarshal(v, &s) != nil {
		return "", false
	}
	s = strings.ReplaceAll(s, "\x00", "")
	if len(s) <= limit {
		return s, true
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return strings.Clone(s[:limit]), true
}

func typeName(v json.RawMessage) string {
	if len(v) == 0 {
		return "nothing"
	}
	switch v[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}
