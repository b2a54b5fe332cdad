package jsonl

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
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
	if err != nil || dec.InputOffset() < int64(len(line)) {
		var text json.RawMessage
		err = json.Unmarshal(line, &text) // also looks at what follows the value
		if se, ok := errors.AsType[*json.SyntaxError](err); ok {
			return nil, fmt.Errorf("not valid JSON at byte %d: %w", se.Offset, err)
		}
	}
	if !utf8.Valid(line) {
		return nil, errors.New("not valid UTF-8")
	}
	if object, ok := v.(map[string]any); ok && object["type"] == TypeSummary {
		var l summaryLine
		if err := set(reflect.ValueOf(&l).Elem(), v, ""); err != nil {
			return nil, err
		}
		return l.record()
	}
	rec := new(SkillRecord) // of any other type
	if err := set(reflect.ValueOf(rec).Elem(), v, ""); err != nil {
		return nil, err
	}
	return rec, rec.Validate()
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

// set sets dst to a value at a place of a line, which it checks as a JSON schema does:
// names of fields are exact, null is not a value, and 1.0 is an integer. Package json
// is less strict.
func set(dst reflect.Value, v any, place string) error {
	t := dst.Type()
	if t.Kind() == reflect.Pointer {
		dst.Set(reflect.New(t.Elem()))
		return set(dst.Elem(), v, place)
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
			return fmt.Errorf("%s %q is not high, medium or low", place, s)
		}
		if ok {
			return setString(dst, s)
		}
	case reflect.Float64:
		want = "64-bit number"
		if n, ok := v.(json.Number); ok {
			if f, err := n.Float64(); err == nil {
				dst.SetFloat(f)
				return nil
			}
		}
	case reflect.Int, reflect.Int64:
		want = "64-bit integer"
		if n, ok := v.(json.Number); ok {
			if i, ok := integer(n); ok {
				dst.SetInt(i)
				return nil
			}
		}
	case reflect.Slice:
		want = "array"
		if list, ok := v.([]any); ok {
			return setList(dst, list, place)
		}
	default:
		if object, ok := v.(map[string]any); ok {
			return setObject(dst, object, place)
		}
	}
	if place != "" {
		place += ": "
	}
	return fmt.Errorf("%swant %s, got %s", place, want, describe(v))
}

func setString(dst reflect.Value, s string) error {
	switch p := dst.Addr().Interface().(type) {
	case *Time:
		return p.parse(s)
	case encoding.TextUnmarshaler:
		return p.UnmarshalText([]byte(s))
	}
	dst.SetString(s)
	return nil
}

func setList(dst reflect.Value, list []any, place string) error {
	dst.Set(reflect.MakeSlice(dst.Type(), len(list), len(list)))
	for i := range list {
		if err := set(dst.Index(i), list[i], place+"["+strconv.Itoa(i)+"]"); err != nil {
			return err
		}
	}
	return nil
}

// setObject sets a struct or a map to the members of an object that its type has.
func setObject(dst reflect.Value, object map[string]any, place string) error {
	t := dst.Type()
	if m, ok := dst.Addr().Interface().(*Metadata); ok { // any program may add to it
		text, err := json.Marshal(object)
		if err != nil {
			return err
		}
		m.read(text)
		return nil
	}
	if t.Kind() == reflect.Map {
		dst.Set(reflect.MakeMap(t))
		for _, name := range slices.Sorted(maps.Keys(object)) {
			elem := reflect.New(t.Elem()).Elem()
			if err := set(elem, object[name], fmt.Sprintf("%s[%q]", place, name)); err != nil {
				return err
			}
			dst.SetMapIndex(reflect.ValueOf(name), elem)
		}
		return nil
	}
	if place != "" {
		place += "."
	}
	for _, f := range fieldsOf(t) {
		if v, ok := object[f.name]; ok {
			if err := set(dst.FieldByIndex(f.index), v, place+f.name); err != nil {
				return err
			}
		}
	}
	for _, name := range required[t] {
		if _, ok := object[name]; !ok {
			return fmt.Errorf("%s%s is missing", place, name)
		}
	}
	if l, ok := dst.Addr().Interface().(*scanner.Location); ok && l.EndLine == 0 && object["endLine"] != nil {
		return fmt.Errorf("%sendLine 0 is not above 0", place) // in a Location, 0 is none
	}
	return nil
}

// field is a field of a struct that has a name in JSON.
type field struct {
	name  string
	index []int
}

// fieldCache holds the fields of types: reflect is slow to find them.
var fieldCache sync.Map // reflect.Type -> []field

func fieldsOf(t reflect.Type) []field {
	if fields, ok := fieldCache.Load(t); ok {
		return fields.([]field)
	}
	var fields []field
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			fields = append(fields, field{name, f.Index})
		}
	}
	fieldCache.Store(t, fields)
	return fields
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
