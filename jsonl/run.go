package jsonl

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Run is what the records of a run have in common.
type Run struct {
	// Timestamp is the time the run began. Required.
	Timestamp Time `json:"timestamp"`
	// DurationMs is the time since Timestamp in milliseconds: in the summary
	// record the duration of the run, in a skill record the time until it was
	// made. Required, and may be zero.
	DurationMs float64 `json:"durationMs"`
	// Cwd is the directory the run was started in. Required.
	Cwd string `json:"cwd"`
	// RunID is a UUID; see [NewRun]. Required.
	RunID string `json:"runId"`
	// TraceID is an id that the caller has for the run. The command sets that of
	// the workflow run with its attempt, for instance "99-1". Optional.
	TraceID string `json:"traceId,omitempty"`
	// Model is the model the run was started with. Optional.
	Model string `json:"model,omitempty"`
	// HeadSHA is the commit that HEAD named. Optional.
	HeadSHA string `json:"headSha,omitempty"`
}

// NewRun returns the metadata of a run that began at start in the directory cwd,
// with a new random id. The time is kept in UTC and to the millisecond.
func NewRun(start time.Time, cwd string) Run {
	return Run{
		Timestamp: newTime(start),
		Cwd:       quotePath(cwd),
		// Version 4: the first eight characters, which name the log file, are
		// random. In a version 7 they would be the same for a minute.
		RunID: uuid.NewString(),
	}
}

// WithDuration returns a copy of r with the duration set to d.
func (r Run) WithDuration(d time.Duration) Run {
	r.DurationMs = milliseconds(d)
	return r
}

// FileName returns the name of the run's log file: the first eight characters of
// the run's id, a '-', and the timestamp with '-' for every ':' and '.'. An example
// is "0f8fad5b-2026-02-18T14-32-15-123Z.jsonl". It is an error if the id does not
// begin with eight lower-case hexadecimal digits.
func (r Run) FileName() (string, error) {
	time := strings.NewReplacer(":", "-", ".", "-").Replace(r.Timestamp.String())
	name := fmt.Sprintf("%.8s-%s.jsonl", r.RunID, time)
	if !logName.MatchString(name) {
		return "", fmt.Errorf("run id %q does not begin with eight lower-case hexadecimal digits", r.RunID)
	}
	return name, nil
}

func (r *Run) check(p *problems) {
	if r.Timestamp.IsZero() {
		p.missing("run.timestamp")
	}
	p.notNegative("run.durationMs", r.DurationMs)
	p.notEmpty("run.cwd", r.Cwd)
	p.notEmpty("run.runId", r.RunID)
}

// Time is a point in time that is written as ISO 8601 in UTC with milliseconds:
// "2026-02-18T14:32:15.123Z".
type Time struct{ time.Time }

// newTime drops what the written form does not contain, so that a record equals
// what is read back from it. A time beyond the years 0 to 9999, to which the zone
// of a time that is read can lead, becomes the nearest one.
func newTime(t time.Time) Time {
	t = t.UTC().Truncate(time.Millisecond)
	switch y := t.Year(); {
	case y < 0:
		t = time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)
	case y > 9999:
		t = time.Date(9999, 12, 31, 23, 59, 59, 999_000_000, time.UTC)
	}
	return Time{t}
}

const jsonTime = "2006-01-02T15:04:05.000Z"

// String returns the written form of t.
func (t Time) String() string { return newTime(t.Time).Format(jsonTime) }

// MarshalJSON returns the written form of t as a JSON string.
func (t Time) MarshalJSON() ([]byte, error) { return json.Marshal(t.String()) }

// dateTime is the form that schema.json asks for. Package time also accepts a comma, one
// digit of an hour, and zones of any number of hours.
var dateTime = regexp.MustCompile(`^\d{4}(-\d\d){2}T\d\d(:\d\d){2}(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

// UnmarshalJSON reads any ISO 8601 time that names a date, a time with seconds
// and a zone (as RFC 3339 has it). The time is kept in UTC and to the
// millisecond.
func (t *Time) UnmarshalJSON(data []byte) error {
	var s string
	if err := json.Unmarshal(data, &s); err != nil {
		return fmt.Errorf("timestamp: want string, got %s", data)
	}
	return t.parse(s)
}

func (t *Time) parse(s string) error {
	var v time.Time
	if err := v.UnmarshalText([]byte(s)); err != nil || !dateTime.MatchString(s) {
		return fmt.Errorf("timestamp %q is not an ISO 8601 time such as %q", s, jsonTime)
	}
	*t = newTime(v)
	return nil
}
