package extract

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Raw is a finding as a model wrote it, with everything in its place but nothing
// checked: severity and confidence are any words, the path may name any file, and
// the lines may be anywhere. Strings are valid UTF-8, of bounded length, without
// NUL except in the text of a fix, and otherwise as written, control characters
// included.
type Raw struct {
	Severity     string
	Confidence   string // empty if there is none, or it is not a string
	Title        string
	Description  string
	Verification string

	// Path is the file that the model named; empty if none.
	Path string
	// StartLine and EndLine count from 1; zero means absent. EndLine is zero
	// where it is not after StartLine.
	StartLine, EndLine int
	// Quote is the text of the line or lines that the model means.
	Quote string

	// Fix is the suggested fix; nil if there is none, or it cannot be read.
	Fix *Fix
	// FixErr is the reason why the fix cannot be read; nil if there is none.
	FixErr error

	// Additional are the related places, those that can be read.
	Additional []RawLocation
}

// RawLocation is a place that a model named. Its StartLine is at least 1.
type RawLocation struct {
	Path               string
	StartLine, EndLine int
}

// The longest strings of a [Raw], in bytes. Longer ones are cut, except for fixes,
// of which a part is useless: they are dropped.
const (
	maxWord       = 200
	maxTitle      = 1000
	maxText       = 20_000
	maxQuote      = 8_000
	maxPath       = 4_096
	maxFix        = 200_000 // as JSON
	maxAdditional = 50
)

// Decode reads one element of [Result].Findings. Keys may be in any case, with
// underscores, hyphens or spaces; numbers may be in strings; the members of the
// location may be those of the finding. Unknown keys are ignored.
//
// It fails, with a reason in one line, when the element is not an object, when
// title, severity or description is missing or not a string, and when the
// location is given but its line can be read neither from a number nor from a
// quote. A line 0 means that there is none.
func Decode(raw json.RawMessage) (Raw, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || raw[0] != '{' {
		return Raw{}, fmt.Errorf("the finding is %s, not an object", shorten(raw))
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
		name  string
	}{
		{&f.Title, maxTitle, "title"},
		{&f.Severity, maxWord, "severity"},
		{&f.Description, maxText, "description"},
	} {
		if *s.to, err = o.required(s.limit, s.name); err != nil {
			return Raw{}, err
		}
	}
	f.Confidence = o.text(maxWord, "confidence")
	f.Verification = o.text(maxText, "verification")
	if err := f.locate(o); err != nil {
		return Raw{}, err
	}
	f.Fix, f.FixErr = o.fix(f.Title)
	return f, nil
}

// object is a JSON object with folded names.
type object []member

// member is a member of a JSON object, its name folded.
type member struct {
	name  string
	value json.RawMessage
}

// members returns the members of a JSON object in their order.
func members(raw json.RawMessage) ([]member, error) {
	p := parser{src: raw}
	if p.peek() != '{' {
		return nil, errors.New("not an object")
	}
	var fields []member
	st := p.object(1, func(key string) state {
		p.peek()
		from := p.pos
		st := p.value(2)
		fields = append(fields, member{fold(key), raw[from:p.pos]})
		return st
	})
	if st != whole || p.repaired {
		return nil, errSyntax
	}
	return fields, nil
}

var errSyntax = errors.New("it is cut off or malformed")

// last returns the last member of that name: a JSON object may repeat a name.
func last(fields []member, name string) (json.RawMessage, bool) {
	for i := len(fields) - 1; i >= 0; i-- {
		if fields[i].name == name {
			return fields[i].value, true
		}
	}
	return nil, false
}

func elements(raw json.RawMessage) []json.RawMessage {
	var elems []json.RawMessage
	if json.Unmarshal(raw, &elems) != nil {
		return nil
	}
	return elems
}

// fold makes the spellings of a key alike: startLine, start_line, Start-Line.
func fold(key string) string { return strings.ToLower(separators.Replace(key)) }

var separators = strings.NewReplacer("_", "", "-", "", " ", "")

// field returns the first of the names that has a value other than null.
func (o object) field(names ...string) (json.RawMessage, bool) {
	for _, name := range names {
		if v, ok := last(o, name); ok && string(v) != "null" {
			return v, true
		}
	}
	return nil, false
}

func (o object) required(limit int, name string) (string, error) {
	v, ok := o.field(name)
	if !ok {
		return "", fmt.Errorf("%s is missing", name)
	}
	s, ok := text(v, limit)
	if !ok {
		return "", fmt.Errorf("%s is %s, not a string", name, shorten(v))
	}
	if strings.TrimSpace(s) == "" {
		return "", fmt.Errorf("%s is empty", name)
	}
	return s, nil
}

// text returns a string, the empty one if none of the names has one.
func (o object) text(limit int, names ...string) string {
	v, ok := o.field(names...)
	if !ok {
		return ""
	}
	s, _ := text(v, limit)
	return s
}

// text returns the JSON string v without NUL, cut at limit bytes.
func text(v json.RawMessage, limit int) (string, bool) {
	if v[0] != '"' {
		return "", false
	}
	s, ok := unquote(v)
	if !ok {
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

// unquote returns the value of a JSON string.
func unquote(v []byte) (s string, ok bool) {
	if bytes.IndexByte(v, '\\') < 0 && utf8.Valid(v) {
		return string(v[1 : len(v)-1]), true // most strings
	}
	err := json.Unmarshal(v, &s)
	return s, err == nil
}

// shorten returns a value as it is cited in a message.
func shorten(v json.RawMessage) string {
	const limit = 40
	s := strings.Join(strings.Fields(strings.ReplaceAll(string(v), "\x00", "")), " ")
	if len(s) > limit {
		return strings.ToValidUTF8(s[:limit], "") + "…"
	}
	return cmp.Or(s, "missing")
}
