package jsonl

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/codescan-dev/scanner"
)

// summaryLine is a [SummaryRecord] as it is read.
type summaryLine struct {
	SummaryRecord
	BySeverity severityCounts `json:"bySeverity"`
}

// severityCounts also has the names that severities once had, as findings do.
type severityCounts struct {
	scanner.SeverityCounts
	Critical int `json:"critical"`
	Info     int `json:"info"`
}

// decode reads one line, of which the record keeps no part. The error wraps
// io.ErrUnexpectedEOF when the line ends too early.
func decode(line []byte) (Record, error) {
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	var v any
	// Only a Decoder has an error of its own for a text that ends too early.
	err := dec.Decode(&v)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("not valid JSON: %w", err)
	}
	var text json.RawMessage
	err = json.Unmarshal(line, &text) // also looks at what follows the value
	if se, ok := errors.AsType[*json.SyntaxError](err); ok {
		return nil, fmt.Errorf("not valid JSON at byte %d: %w", se.Offset, err)
	}
	if !utf8.Valid(line) {
		return nil, errors.New("not valid UTF-8")
	}
	if object, ok := v.(map[string]any); ok && object["type"] == TypeSummary {
		var l summaryLine
		if err := unmarshal(v, &l); err != nil {
			return nil, err
		}
		return l.record()
	}
	rec := new(SkillRecord) // of any other type
	if err := unmarshal(v, rec); err != nil {
		return nil, err
	}
	return rec, rec.Validate()
}

// unmarshal sets what record points to, to the value of a line.
func unmarshal(v any, record any) error {
	v, err := conform(v, reflect.TypeOf(record).Elem(), "")
	if err != nil {
		return err
	}
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, record)
}

func (l *summaryLine) record() (Record, error) {
	var p problems
	c := l.BySeverity
	p.notNegative("bySeverity.critical", float64(c.Critical))
	p.notNegative("bySeverity.info", float64(c.Info))
	if err := p.err(); err != nil {
		return nil, err
	}
	rec := &l.SummaryRecord
	rec.BySeverity = c.SeverityCounts
	rec.BySeverity.High += c.Critical
	rec.BySeverity.Low += c.Info
	return rec, rec.Validate()
}

// required are the fields that [Record.Validate] cannot miss, since it does not
// distinguish a zero from a missing value.
var required = map[reflect.Type][]string{
	reflect.TypeFor[Run]():         {"durationMs"},
	reflect.TypeFor[SkillRecord](): {"run", "summary"},
	reflect.TypeFor[summaryLine](): {"run", "totalFindings", "bySeverity"},
}

// conform checks a value at a place of a line against the type that it is for. It
// returns what package json decodes to the value that a JSON schema sees: names of
// fields are exact, null is not a value, and 1.0 is an integer.
func conform(v any, t reflect.Type, place string) (any, error) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	want, kind := "object", t.Kind()
	if t == reflect.TypeFor[Time]() {
		kind = reflect.String
	}
	switch kind {
	case reflect.String:
		want = "string"
		s, ok := v.(string)
		level := t == reflect.TypeFor[scanner.Severity]() || t == reflect.TypeFor[scanner.Confidence]()
		if level && s != strings.ToLower(strings.TrimSpace(s)) { // as it may be in a model's answer
			return nil, fmt.Errorf("%s %q is not high, medium or low", place, s)
		}
		if ok {
			return s, nil
		}
	case reflect.Float64:
		want = "64-bit number"
		if n, ok := v.(json.Number); ok {
			if _, err := n.Float64(); err == nil {
				return n, nil
			}
		}
	case reflect.Int, reflect.Int64:
		want = "64-bit integer"
		if n, ok := v.(json.Number); ok {
			if i, ok := integer(n); ok {
				return i, nil
			}
		}
	case reflect.Slice:
		want = "array"
		if list, ok := v.([]any); ok {
			return list, conformList(list, t.Elem(), place)
		}
	default:
		if object, ok := v.(map[string]any); ok {
			return conformObject(object, t, place)
		}
	}
	if place != "" {
		place += ": "
	}
	return nil, fmt.Errorf("%swant %s, got %s", place, want, describe(v))
}

func conformList(list []any, t reflect.Type, place string) (err error) {
	for i := range list {
		if list[i], err = conform(list[i], t, fmt.Sprintf("%s[%d]", place, i)); err != nil {
			return err
		}
	}
	return nil
}

// conformObject returns the members of an object that the type has.
func conformObject(object map[string]any, t reflect.Type, place string) (_ map[string]any, err error) {
	if t == reflect.TypeFor[Metadata]() {
		return object, nil // any program may add to it
	}
	known := make(map[string]any)
	if t.Kind() == reflect.Map {
		for _, name := range slices.Sorted(maps.Keys(object)) {
			if known[name], err = conform(object[name], t.Elem(), fmt.Sprintf("%s[%q]", place, name)); err != nil {
				return nil, err
			}
		}
		return known, nil
	}
	if place != "" {
		place += "."
	}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		v, ok := object[name]
		if !ok || name == "" || name == "-" {
			continue
		}
		if known[name], err = conform(v, f.Type, place+name); err != nil {
			return nil, err
		}
	}
	for _, name := range required[t] {
		if _, ok := known[name]; !ok {
			return nil, fmt.Errorf("%s%s is missing", place, name)
		}
	}
	if t == reflect.TypeFor[scanner.Location]() && known["endLine"] == int64(0) {
		return nil, fmt.Errorf("%sendLine 0 is not above 0", place) // in a Location, 0 is none
	}
	return known, nil
}

// integer returns the value of a number if it is an integer, such as 1, 1.0 or 1e2.
func integer(n json.Number) (int64, bool) {
	if i, err := n.Int64(); err == nil {
		return i, true
	}
	const precision = 1024 // in bits; what a float64 rounds to an integer is none
	f, _, err := big.ParseFloat(n.String(), 10, precision, big.ToNearestEven)
	if err != nil || !f.IsInt() {
		return 0, false
	}
	i, accuracy := f.Int64()
	return i, accuracy == big.Exact
}

// describe returns the kind of a value in messages.
func describe(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case json.Number:
		return "number " + v.String()
	case []any:
		return "array"
	default:
		return "object"
	}
}
