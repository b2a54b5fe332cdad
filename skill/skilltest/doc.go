// Package skilltest tests skills, and the reports of runs.
//
// [DiffLogs] compares a report with one that is kept in a file: what differs from
// run to run, such as times, is left out.
package skilltest
