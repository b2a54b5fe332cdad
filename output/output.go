// Package output writes the report of a run in formats that other programs and people
// read: SARIF, GitLab's code quality, JUnit, Reviewdog's diagnostics, commands of a
// workflow's runner, Markdown, text, and a page of HTML. JSON Lines are the matter of
// package jsonl.
//
// [New] returns a [scanner.Sink], which writes once, when the run has finished: a report
// that was cut short leaves nothing half-written. Every format shows when the
// run was incomplete. The texts of models, files and paths are untrusted, and are escaped
// for the format.
package output

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"time"

	"github.com/codescan-dev/scanner"
)

// Options are what a report is written with in addition to the results of the run.
type Options struct {
	// Version is that of the program.
	Version string
	// Start is when the run began; zero means that it is not known.
	Start time.Time
	// Commit is the commit that HEAD named, in full; empty means that it is not known.
	Commit string
	// Skills are those of the run. Their texts, and those of their rules, explain the
	// findings. May be empty.
	Skills []scanner.Skill
	// Code holds the files as they were scanned, for excerpts; nil means that they are
	// not at hand.
	Code fs.FS
	// Redact, when set, replaces the secrets in code that a report quotes: in excerpts, and
	// in fixes, which no program can apply then. The number of lines stays the same.
	Redact func(text string) (string, int)
}

// formatWriter writes a report in a format.
type formatWriter struct {
	name  string
	about string
	write func(w io.Writer, r *report) error
}

// formats are sorted by name.
var formats = []formatWriter{
	{"github", "commands that annotate lines in a workflow of GitHub", writeGitHub},
	{"gitlab", "a code quality report of GitLab", writeGitLab},
	{"html", "a page for a browser, in a single file", writeHTML},
	{"junit", "a JUnit test report, in XML", writeJUnit},
	{"markdown", "a page of Markdown, as in the summary of a job", writeMarkdown},
	{"rdjson", "diagnostics of Reviewdog", writeRDJSON},
	{"sarif", "SARIF 2.1.0", writeSARIF},
	{"text", "text for people, without colors", writeText},
}

// Formats returns the names of the formats, sorted.
func Formats() []string {
	var names []string
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

// New returns a sink that writes a run to w in a format, which is one of [Formats]. It
// writes in a single call, when the run has finished, and closes nothing.
func New(name string, w io.Writer, opts Options) (scanner.Sink, error) {
	i := slices.IndexFunc(formats, func(f formatWriter) bool { return f.name == name })
	if i < 0 {
		return nil, fmt.Errorf("unknown format %q", name)
	}
	if opts.Code != nil && opts.Redact != nil {
		opts.Code = &redactedFS{opts.Code, opts.Redact, make(map[string][]byte)}
	}
	return &sink{w: w, format: &formats[i], report: report{Options: opts}}, nil
}

// sink collects the reports of the skills.
type sink struct {
	w      io.Writer
	format *formatWriter
	report report
}

func (s *sink) Skill(r *scanner.SkillReport, sel scanner.Selection) error {
	quoted := *r
	sel.Shown, quoted.Suppressed = slices.Clone(sel.Shown), slices.Clone(r.Suppressed)
	for i := range sel.Shown {
		s.report.quotable(&sel.Shown[i])
	}
	for i := range quoted.Suppressed {
		s.report.quotable(&quoted.Suppressed[i].Finding)
	}
	s.report.skills = append(s.report.skills, skillResult{&quoted, sel})
	return nil
}

func (s *sink) Finish(run *scanner.RunReport) error {
	s.report.run = run
	var b bytes.Buffer
	if err := s.format.write(&b, &s.report); err != nil {
		return fmt.Errorf("format %s: %w", s.format.name, err)
	}
	_, err := s.w.Write(b.Bytes())
	return err
}

// report is a finished run.
type report struct {
	Options
	run    *scanner.RunReport
	skills []skillResult
}

// skillResult is the report of a skill and what is shown of it.
type skillResult struct {
	*scanner.SkillReport
	scanner.Selection
}
