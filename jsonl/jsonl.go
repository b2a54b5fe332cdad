// Package jsonl keeps the results of runs as JSON Lines: one line for each skill
// of a run and, at the end, one line that sums the run up.
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
// JSON cannot hold any byte but UTF-8, and paths can. The functions that make
// records therefore quote a path that is not valid UTF-8 as git does, for
// instance "src/caf\351.c" with the quotation marks; all other paths stand as
// they are. Records that are read keep the quoted form. In any other text a
// [Writer] replaces invalid bytes by U+FFFD.
//
// # Reading
//
// [Read] goes through a file of any size record by record and [ReadAll] collects
// them. Fields that are not known are ignored, so that records of later versions
// can be read; fields that are known must be right. The first line that is not
// valid ends the reading with a [*LineError], which names it by its number. Of a
// run that was killed, everything up to that line is there.
//
// Numbers come through unchanged: counts as 64-bit integers, durations and costs
// as 64-bit floating-point numbers.
//
// # Writing
//
// A [Writer] hands over each line in one call and refuses to go on after a call
// that failed: a file of it holds whole lines, of which only the last may be cut
// off. A [Sink] writes the records of a run with it, as the skills end. A [Dir] is
// the directory of a repository where the logs of all runs are kept; it creates
// log files and finds and deletes those that have expired.
package jsonl

import "fmt"

// Record is a line of a log: a [*SkillRecord] or a [*SummaryRecord].
type Record interface {
	// Validate reports everything that makes the record invalid, each thing by
	// the name of its field.
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
