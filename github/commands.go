package github

import (
	"fmt"
	"strings"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/text"
	"github.com/codescan-dev/scanner/review"
)

// WorkflowCommands returns the findings as commands that make a workflow's runner
// annotate lines, one command each. They need no token, and are the way to show
// findings where a workflow has no write permissions. The runner shows ten of each
// severity for a step. Nothing in a finding can start another command.
func WorkflowCommands(r review.Result) []string {
	var list []string
	for _, s := range r.Skills {
		for i := range s.Selection.Shown {
			list = append(list, workflowCommand(&s.Selection.Shown[i], s.Report.Skill))
		}
	}
	return list
}

// The runner's limits are not documented: these are those of check runs.
const (
	maxCommandTitle = 250 // characters
	maxCommandText  = 4_000
)

func workflowCommand(f *scanner.Finding, skill string) string {
	level := "notice"
	switch f.Severity {
	case scanner.SeverityHigh:
		level = "error"
	case scanner.SeverityMedium:
		level = "warning"
	}
	var b strings.Builder
	b.WriteString("::" + level + " ")
	if l := f.Location; l != nil && text.Clean(l.Path) == l.Path {
		fmt.Fprintf(&b, "file=%s,line=%d,endLine=%d,", commandProperty(l.Path), l.StartLine, l.LastLine())
	}
	title := text.Truncate(text.OneLine(f.Title), maxCommandTitle) + " (" + skill + ")"
	message := strings.TrimSpace(text.Clean(text.Truncate(f.Description, maxCommandText)))
	b.WriteString("title=" + commandProperty(title) + "::" + commandData(message))
	return b.String()
}

func commandData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func commandProperty(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}
