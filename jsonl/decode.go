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

	"github.com/codescan-dev/scanner"
)

// runLine is a [Run] as it is read: a pointer distinguishes zero from missing.
type runLine struct {
	Run
	DurationMs *float64 `json:"durationMs"`
}

// skillLine is a [SkillRecord] as it is read.
type skillLine struct {
	SkillRecord
	Run     *runLine `json:"run"`
	Summary *string  `json:"summary"`
}

// summaryLine is a [SummaryRecord] as it is read.
type summaryLine struct {
	SummaryRecord
	Run           *runLine        `json:"run"`
	TotalFindings *int            `json:"totalFindings"`
	BySeverity    *severityCounts `json:"bySeverity"`
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
	var head struct {
		Type json.RawMessage `json:"type"`
	}
	// Only a Decoder has an error of its own for a text that ends too early.
	err := json.NewDecoder(bytes.NewReader(line)).Decode(&head)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("not valid JSON: %w", err)
	}
	var kind string
	_ = json.Unmarshal(head.Type, &kind) // any other type is a skill record
	var l interface{ finish() (Record, error) } = new(skillLine)
	if kind == TypeSummary {
		l = new(summaryLine)
	}
	err = json.Unmarshal(line, l)
	if se, ok := errors.AsType[*json.SyntaxError](err); ok {
		return nil, fmt.Errorf("not valid JSON at byte %d: %w", se.Offset, err)
	}
	if !utf8.Valid(line) {
		return nil, errors.New("not valid UTF-8")
	}
	if err != nil {
		return nil, fieldError(err)
	}
	return l.finish()
}

func (l *skillLine) finish() (Record, error) {
	var p problems
	rec := l.SkillRecord
	rec.Run = l.Run.finish(&p)
	if l.Summary == nil {
		p.missing("summary")
	} else {
		rec.Summary = *l.Summary
	}
	rec.check(&p)
	return &rec, p.err()
}

func (l *summaryLine) finish() (Record, error) {
	var p problems
	rec := l.SummaryRecord
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
	return &rec, p.err()
}

func (l *runLine) finish(p *problems) Run {
	if l == nil {
		p.missing("run")
		return Run{}
	}
	if l.DurationMs == nil {
		p.missing("run.durationMs")
	} else {
		l.Run.DurationMs = *l.DurationMs
	}
	l.Run.check(p)
	return l.Run
}

// fieldError formats an error about a value of the wrong type so that it names
// the field and the types as JSON does.
func fieldError(err error) error {
	te, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		return err
	}
	want := "object"
	switch te.Type.Kind() {
	case reflect.Int, reflect.Int64:
		want = "64-bit integer"
	case reflect.Float64:
		want = "64-bit number"
	case reflect.String:
		want = "string"
	case reflect.Slice:
		want = "array"
	}
	place := ""
	for part := range strings.SplitSeq(te.Field, ".") {
		// Names that begin with a capital letter are those of embedded types.
		if part != "" && !unicode.IsUpper(rune(part[0])) {
			place += part + "."
		}
	}
	if place != "" {
		place = strings.TrimSuffix(place, ".") + ": "
	}
	return fmt.Errorf("%swant %s, got %s", place, want, te.Value)
}
