package github

import (
	"fmt"
	"strings"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/text"
)

// maxJobSummary is below the 1 MiB that the host takes.
const maxJobSummary = 900_000

// JobSummary renders a result as Markdown for the summary of a workflow's job.
// Every finding is there with its details, as far as they fit. Only WebURL, Repo
// and Head are needed besides the skills.
func JobSummary(r Result) (string, error) {
	if err := r.validate(); err != nil {
		return "", err
	}
	parts := []string{"## Scanner: " + headline(&r)}
	parts = append(parts, notices(&r, r.Skills...)...)
	share := maxJobSummary / max(1, len(r.Skills)) / 2
	for i := range r.Skills {
		s := &r.Skills[i]
		parts = append(parts, "### "+boldTitle(s.name()))
		parts = append(parts, skillNotices(s)...)
		parts = append(parts, skillLine(s, ""), withoutComment(&r, s, share), skippedText(without(s.Report.SkippedFiles, r.Skipped)))
	}
	parts = append(parts, footer(&r)...)
	return fit(parts, maxJobSummary) + "\n", nil
}

// WorkflowCommands returns the findings as commands that make a workflow's
// runner annotate lines, one command each. They need no token, and are the way to
// show findings where a workflow may only read. The runner shows ten of each
// severity for a step. Nothing in a finding can start another command.
func WorkflowCommands(r Result) []string {
	var list []string
	for i := range r.Skills {
		s := &r.Skills[i]
		for j := range s.Selection.Shown {
			list = append(list, workflowCommand(&s.Selection.Shown[j], s.name()))
		}
	}
	return list
}

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
	fmt.Fprintf(&b, "title=%s::%s",
		commandProperty(oneLine(f.Title, maxAnnotationTitle)+" ("+skill+")"),
		commandData(strings.TrimSpace(text.Clean(text.Truncate(f.Description, 4_000)))))
	return b.String()
}

func commandData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func commandProperty(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}
