// Package jsonl keeps the results of runs as JSON Lines: one line for each skill
// of a run and, at the end, one line with the totals.
//
//	{"run":{"timestamp":"2026-02-18T14:32:15.123Z",…},"skill":"code-review","summary":"…","findings":[…],…}
//	{"run":{…},"skill":"security-review","summary":"…","findings":[],…}
//	{"run":{…},"type":"summary","totalFindings":3,"bySeverity":{"high":1,"medium":2,"low":0},…}
//
// # Records
//
// A line is a [SkillRecord] or a [SummaryRecord]. [FromReport] makes the first
// from a report and from what a policy selects of it, [NewSummary] makes the
// second from the records of a run, and [SkillRecord.Report] returns the report
// again. Fields that this project adds to the format are in the record's
// [Metadata]. The file schema.json in this directory describes both kinds of
// lines, metadata included, as a JSON schema (draft 2020-12).
//
// JSON can hold only UTF-8, and paths are any bytes. The functions that make
// records therefore quote a path that is not valid UTF-8 as git does, for
// instance "src/caf\351.c" with the quotation marks; all other paths are written
// as they are. Records that are read keep the quoted form. In any other text a
// [Writer] replaces invalid bytes by U+FFFD. Hidden characters, such as those that
// change the order of others, and "##" are written as escapes, so that a line can
// be printed on a terminal and in the log of a workflow.
//
// The record of a shard (metadata.shard with an index) holds all findings that are
// valid, neither merged nor filtered, and the policy that applies to them later.
//
// # Reading
//
// [Read] yields the records of a file of any size one by one and [ReadAll]
// collects them. Unknown fields are ignored, so that records of later versions can
// be read; known fields must be valid, and null is not a value. A line is valid if
// it is by schema.json, with "date-time" as an assertion. Reading ends at the first line that is not
// valid, with a [*LineError] that has its number. From the log of a run that was
// killed, everything before that line can be read.
//
// Numbers do not change when they are written and read: counts are kept as 64-bit integers, durations and costs
// as 64-bit floating-point numbers.
//
// # Writing
//
// A [Writer] writes each line in one call and nothing after a call that failed, so
// that a file has whole lines, of which only the last may be cut off. A [Sink] writes the records of a run with it, as the skills end. A [Dir] is
// the directory of a repository where the logs of all runs are kept; it creates
// log files and finds and deletes those that have expired.
package jsonl

import "fmt"

// Record is a line of a log: a [*SkillRecord] or a [*SummaryRecord].
type Record interface {
	// Validate reports everything that makes the record invalid, by the names of
	// the fields.
	Validate() error

	record()
}

// LineError is an error at a line of the input.
type LineError struct {
	// Line counts the lines of the input from 1, blank ones included.
	Line int
	Err  error
}

// Error returns the line's number and what is wrong with it.
func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns the error without its place.
func (e *LineError) Unwrap() error { return e.Err }
