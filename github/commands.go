package github

import (
	"fmt"
	"strings"

	"github.com/codescan-dev/scanner/internal/text"
	"github.com/codescan-dev/scanner/review"
)

// WorkflowCommands returns the findings as commands that make a workflow's runner
// annotate lines, one for each place. They need no token, and are the way to show
// findings where a workflow has no write permissions. The runner shows ten of each
// severity for a step. Nothing in a finding can start another command.
func WorkflowCommands(r review.Result) []string {
	var list []string
	for _, s := range r.Skills {
		for i, places := range s.Report.Places(s.Selection.Shown) {
			for _, a := range review.Annotate(&s.Selection.Shown[i], places) {
				a.Title += " (" + s.Report.Skill + ")"
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
