package scanner

import (
	"errors"
	"fmt"
	"strings"
)

// Severity is how bad a problem is. The zero value is invalid: every finding
// has a severity.
type Severity string

// The severities, from worst to least.
const (
	// SeverityHigh causes incorrect behavior, data loss or a crash in normal usage.
	SeverityHigh Severity = "high"
	// SeverityMedium is incorrect behavior that needs specific conditions to trigger.
	SeverityMedium Severity = "medium"
	// SeverityLow is a code quality issue that does not affect correctness.
	SeverityLow Severity = "low"
)

// Rank orders severities: high 0, medium 1, low 2. An invalid one ranks last.
func (s Severity) Rank() int { return rank(string(s)) }

// Valid reports whether s is one of the three severities.
func (s Severity) Valid() bool { return s.Rank() < rankInvalid }

// UnmarshalText reads a severity, in any case. For compatibility "critical" is
// read as high and "info" as low; anything else is an error.
func (s *Severity) UnmarshalText(text []byte) error {
	v := strings.ToLower(strings.TrimSpace(string(text)))
	switch v {
	case "critical":
		v = "high"
	case "info":
		v = "low"
	}
	if !Severity(v).Valid() {
		return fmt.Errorf("unknown severity %q: want high, medium or low", text)
	}
	*s = Severity(v)
	return nil
}

// Confidence is how sure a skill is of a finding. The zero value means that it is
// unknown; such a finding always passes the confidence filter.
type Confidence string

// The confidences, from surest to least sure.
const (
	// ConfidenceHigh: the pattern is traced to specific code and confirmed triggerable.
	ConfidenceHigh Confidence = "high"
	// ConfidenceMedium: the pattern is present but the surrounding context may mitigate it.
	ConfidenceMedium Confidence = "medium"
	// ConfidenceLow: a vague resemblance or a speculative issue.
	ConfidenceLow Confidence = "low"
)

// Rank orders confidences: high 0, medium 1, low 2. An absent one ranks as low.
func (c Confidence) Rank() int {
	if c == "" {
		return rankLow
	}
	return rank(string(c))
}

// Valid reports whether c is absent or one of the three confidences.
func (c Confidence) Valid() bool { return c.Rank() < rankInvalid }

// UnmarshalText reads a confidence, in any case. Anything but high, medium, low
// and the empty string is an error.
func (c *Confidence) UnmarshalText(text []byte) error {
	v := Confidence(strings.ToLower(strings.TrimSpace(string(text))))
	if !v.Valid() {
		return fmt.Errorf("unknown confidence %q: want high, medium or low", text)
	}
	*c = v
	return nil
}

// Threshold is a bound for a filter: "high", "medium", "low", "off", or absent.
// What absent and off mean depends on the filter; see [FilterSeverity],
// [FilterConfidence] and [FailsAt].
type Threshold string

// The thresholds. The zero value is absent.
const (
	ThresholdNone   Threshold = ""
	ThresholdHigh   Threshold = "high"
	ThresholdMedium Threshold = "medium"
	ThresholdLow    Threshold = "low"
	ThresholdOff    Threshold = "off"
)

const (
	rankLow     = 2
	rankInvalid = 3
)

func rank(s string) int {
	switch s {
	case "high":
		return 0
	case "medium":
		return 1
	case "low":
		return rankLow
	}
	return rankInvalid
}

// Finding is a potential problem that a skill reports.
type Finding struct {
	// ID identifies the finding across runs: 12 hexadecimal digits made from its
	// content, so that it survives code that moves.
	ID         string     `json:"id"`
	Severity   Severity   `json:"severity"`
	Confidence Confidence `json:"confidence,omitempty"`
	Title      string     `json:"title"`
	// Description is what is wrong and why it matters.
	Description string `json:"description"`
	// Verification is how to test or verify the issue.
	Verification string `json:"verification,omitempty"`
	// Location is nil for a finding about a whole file or a concept.
	Location *Location `json:"location,omitempty"`
	// AdditionalLocations are related places, among them those of similar
	// findings that were merged into this one.
	AdditionalLocations []Location    `json:"additionalLocations,omitempty"`
	SuggestedFix        *SuggestedFix `json:"suggestedFix,omitempty"`
	// ElapsedMs is the time its analysis took, in milliseconds.
	ElapsedMs float64 `json:"elapsedMs,omitempty"`
	// Rule is the id of the rule that found it, after the name of its skill and a
	// slash ("security-review/private-key"); empty if a model did. The records of
	// package jsonl have it in their metadata.
	Rule string `json:"-"`
}

// Location is a place in a file.
type Location struct {
	// Path is relative to the repository root, with '/'.
	Path string `json:"path"`
	// StartLine is the first line, from 1.
	StartLine int `json:"startLine"`
	// EndLine is the last line; zero means that the location is a single line.
	EndLine int `json:"endLine,omitempty"`
}

// LastLine returns the last line of the location.
func (l Location) LastLine() int {
	return max(l.StartLine, l.EndLine)
}

// String returns the location as "path:line" or "path:start-end".
func (l Location) String() string {
	if l.EndLine > l.StartLine {
		return fmt.Sprintf("%s:%d-%d", l.Path, l.StartLine, l.EndLine)
	}
	return fmt.Sprintf("%s:%d", l.Path, l.StartLine)
}

// SuggestedFix is a change that would solve a finding.
type SuggestedFix struct {
	Description string `json:"description"`
	// Diff shows Edits as a unified diff. Secrets in its context lines are
	// replaced as in what was sent.
	Diff string `json:"diff"`
	// Edits are the change itself: exact edits of the file of the finding's
	// location. In a record they are derived from Diff; see [ParseEdits].
	Edits []Edit `json:"-"`
}

// Validate reports everything that makes f an invalid finding: a missing id,
// title or description, an unknown severity or confidence, a location without a
// path or with lines below 1, a negative time.
func (f *Finding) Validate() error {
	var errs []error
	require := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	require(f.ID != "", "id is missing")
	require(f.Severity.Valid(), "severity %q is not high, medium or low", f.Severity)
	require(f.Confidence.Valid(), "confidence %q is not high, medium or low", f.Confidence)
	require(f.Title != "", "title is missing")
	require(f.Description != "", "description is missing")
	require(f.ElapsedMs >= 0, "elapsedMs %v is negative", f.ElapsedMs)
	if f.Location != nil {
		errs = append(errs, prefixed("location", f.Location.Validate()))
	}
	for i, l := range f.AdditionalLocations {
		errs = append(errs, prefixed(fmt.Sprintf("additionalLocations[%d]", i), l.Validate()))
	}
	if s := f.SuggestedFix; s != nil {
		require(s.Description != "", "suggestedFix.description is missing")
		require(s.Diff != "", "suggestedFix.diff is missing")
	}
	return errors.Join(errs...)
}

// Validate reports a missing path and lines below 1.
func (l Location) Validate() error {
	switch {
	case l.Path == "":
		return errors.New("path is missing")
	case l.StartLine < 1:
		return fmt.Errorf("startLine %d is not above 0", l.StartLine)
	case l.EndLine < 0:
		return fmt.Errorf("endLine %d is not above 0", l.EndLine)
	}
	return nil
}

func prefixed(where string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", where, err)
}
