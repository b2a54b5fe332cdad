package jsonl

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"

	scanner "github.com/codescan-dev/scanner"
)

// runLine is a [Run] as it is read: what is required and may be zero is told
// from what is missing.
type runLine struct {
	Run
	DurationMs *float64 `json:"durationMs"`
}

// skillLine is a [SkillRecord] as it is read.
type skillLine struct {
	SkillRecord
	Type    json.RawMessage `json:"type"`
	Run     *runLine        `json:"run"`
	Summary *string         `json:"summary"`
}

// summaryLine is a [SummaryRecord] as it is read.
type summaryLine struct {
	SummaryRecord
	Run           *runLine        `json:"run"`
	TotalFindings *int            `json:"totalFindings"`
	BySeverity    *severityCounts `json:"bySeverity"`
}

// severityCounts also knows the names that severities once had: findings are
// read under them, so the counts of such findings are too.
type severityCounts struct {
	scanner.SeverityCounts
	Critical int `json:"critical"`
	Info     int `json:"info"`
}

// decode reads one line, of which the record keeps no part. The error is or
// wraps io.ErrUnexpectedEOF when the line ends too early.
func decode(line []byte) (Record, error) {
	// Nearly all lines are skill records, so the type is not looked up first.
	var l skillLine
	err := json.Unmarshal(line, &l)
	if se, ok := errors.AsType[*json.SyntaxError](err); ok {
		return nil, syntaxError(line, se)
	}
	if !utf8.Valid(line) {
		return nil, fmt.Errorf("not valid UTF-8 at byte %d", invalidAt(line)+1)
	}
	if isSummary(l.Type) || err != nil && isSummary(typeOf(line)) {
		return decodeSummary(line)
	}
	if err != nil {
		return nil, fieldError(line, err)
	}
	return l.finish()
}

func (l *skillLine) finish() (Record, error) {
	rec := new(SkillRecord)
	*rec = l.SkillRecord
	var p problems
	rec.Run = l.Run.finish(&p)
	if l.Summary == nil {
		p.missing("summary")
	} else {
		rec.Summary = *l.Summary
	}
	rec.check(&p)
	if err := p.err(); err != nil {
		return nil, err
	}
	return rec, nil
}

func decodeSummary(line []byte) (Record, error) {
	var l summaryLine
	if err := json.Unmarshal(line, &l); err != nil {
		return nil, fieldError(line, err)
	}
	rec := new(SummaryRecord)
	*rec = l.SummaryRecord
	var p problems
	rec.Run = l.Run.finish(&p)
	if l.TotalFindings == nil {
		p.missing("totalFindings")
	} else {
		rec.TotalFindings = *l.TotalFindings
	}
	if c := l.BySeverity; c == nil {
		p.missing("bySeverity")
	} else {
		rec.BySeverity = c.SeverityCounts
		rec.BySeverity.High += c.Critical
		rec.BySeverity.Low += c.Info
	}
	rec.check(&p)
	if err := p.err(); err != nil {
		return nil, err
	}
	return rec, nil
}

func (l *runLine) finish(p *problems) Run {
	if l == nil {
		p.missing("run")
		return Run{}
	}
	run := l.Run
	if l.DurationMs == nil {
		p.missing("run.durationMs")
	} else {
		run.DurationMs = *l.DurationMs
	}
	run.check(p)
	return run
}

// typeOf returns the type of a line that is valid JSON.
func typeOf(line []byte) json.RawMessage {
	var l struct {
		Type json.RawMessage `json:"type"`
	}
	// Whatever has no type is a skill record, and decoding that gave an error.
	_ = json.Unmarshal(line, &l)
	return l.Type
}

func isSummary(raw json.RawMessage) bool {
	if len(raw) == 0 {
		return false
	}
	var s string
	return json.Unmarshal(raw, &s) == nil && s == TypeSummary
}

func syntaxError(line []byte, err *json.SyntaxError) error {
	// Unmarshal has no error of its own for a text that ends too early, and
	// words it in several ways. A Decoder has.
	var v json.RawMessage
	if json.NewDecoder(bytes.NewReader(line)).Decode(&v) == io.ErrUnexpectedEOF {
		return fmt.Errorf("not valid JSON: %w", io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("not valid JSON at byte %d: %w", err.Offset, err)
}

// fieldError words an error of encoding/json about a value of the wrong type, or
// of one of our own types about its value, so that it names the field.
func fieldError(line []byte, err error) error {
	if i, err := findingError(line); err != nil {
		return typeError(err, fmt.Sprintf("findings[%d]", i))
	}
	return typeError(err, "")
}

// findingError decodes the findings of a line one by one to learn which of them
// is wrong. encoding/json does not tell.
func findingError(line []byte) (int, error) {
	var l struct {
		Findings []json.RawMessage `json:"findings"`
	}
	if json.Unmarshal(line, &l) != nil {
		return 0, nil
	}
	for i, raw := range l.Findings {
		var f scanner.Finding
		if err := json.Unmarshal(raw, &f); err != nil {
			return i, err
		}
	}
	return 0, nil
}

// typeError words an error about a value at the place that prefix names.
func typeError(err error, prefix string) error {
	te, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		if prefix != "" {
			err = fmt.Errorf("%s: %w", prefix, err)
		}
		return err
	}
	place := place(prefix, te.Field)
	number, isNumber := strings.CutPrefix(te.Value, "number ")
	switch want := jsonType(te.Type); {
	case isNumber && want == "integer":
		return fmt.Errorf("%s: %s is not an integer of %d bits", place, number, te.Type.Bits())
	case isNumber && want == "number":
		return fmt.Errorf("%s: %s is out of range", place, number)
	case place == "":
		return fmt.Errorf("want %s, got %s", want, te.Value)
	default:
		return fmt.Errorf("%s: want %s, got %s", place, want, te.Value)
	}
}

// place joins the parts of the way to a field. encoding/json also names the
// embedded types on the way; unlike the fields they begin with a capital letter.
func place(prefix, field string) string {
	var parts []string
	if prefix != "" {
		parts = append(parts, prefix)
	}
	for part := range strings.SplitSeq(field, ".") {
		if part != "" && !unicode.IsUpper(rune(part[0])) {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ".")
}

// jsonType returns what JSON calls the values of t.
func jsonType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int, reflect.Int64:
		return "integer"
	case reflect.Float64:
		return "number"
	case reflect.String:
		return "string"
	case reflect.Slice:
		return "array"
	default:
		return "object"
	}
}

// invalidAt returns where text stops being UTF-8.
func invalidAt(text []byte) int {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(text)
}
