package output

import (
	"fmt"
	"io"
	"strings"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/text"
	"github.com/codescan-dev/scanner/review"
)

// writeGitHub writes the commands, and a warning for what was not analyzed.
func writeGitHub(w io.Writer, r *report) error {
	lines := WorkflowCommands(r.result())
	for _, g := range r.gaps() {
		for _, a := range review.Annotate(&scanner.Finding{Severity: scanner.SeverityMedium, Title: "Not analyzed", Description: g.message}, placesOf(g.at)) {
			lines = append(lines, workflowCommand(a))
		}
	}
	_, err := io.WriteString(w, strings.Join(append(lines, ""), "\n"))
	return err
}

func placesOf(l *scanner.Location) []scanner.Location {
	if l == nil {
		return nil
	}
	return []scanner.Location{*l}
}

// writeMarkdown writes what the page of a workflow's job shows.
func writeMarkdown(w io.Writer, r *report) error {
	text, err := review.JobSummary(r.result())
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	return err
}

// result returns the report as package review has it.
func (r *report) result() review.Result {
	res := review.Result{Head: r.Commit, Duration: r.run.Duration, Stopped: r.run.Stopped}
	for _, s := range r.skills {
		res.Skills = append(res.Skills, review.SkillResult{Report: s.SkillReport, Selection: s.Selection})
	}
	return res
}

// WorkflowCommands returns the findings as commands that make a workflow's runner
// annotate lines, one for each place. They need no token, and are the way to show
// findings where a workflow has no write permissions. The runner shows ten of each
// severity for a step. Nothing in a finding can start another command.
func WorkflowCommands(r review.Result) []string {
	var list []string
	for _, s := range r.Skills {
		for i, places := range s.Report.Places(s.Selection.Shown) {
			for _, a := range review.Annotate(&s.Selection.Shown[i], places) {
				a.Title += " (" + line(s.Report.Skill) + ")"
				list = append(list, workflowCommand(a))
			}
		}
	}
	return list
}

// maxCommandText is the length of a message in characters. The limit of the runner
// is not documented.
const maxCommandText = 4_000

func workflowCommand(a review.Annotation) string {
	place := ""
	if a.Path != "" {
		place = fmt.Sprintf("file=%s,line=%d,endLine=%d,", commandProperty(a.Path), a.StartLine, a.EndLine)
	}
	level := strings.Replace(a.Level, "failure", "error", 1)
	return "::" + level + " " + place + "title=" + commandProperty(a.Title) + "::" + commandData(text.Truncate(a.Message, maxCommandText))
}

func commandData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func commandProperty(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}
