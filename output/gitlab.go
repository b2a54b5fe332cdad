package output

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/review"
)

// gitlabIssue is an element of a code quality report, as GitLab's page "Code Quality"
// describes it ("Import code quality results from a CI/CD job").
type gitlabIssue struct {
	Description string         `json:"description"`
	Content     *gitlabContent `json:"content,omitempty"`
	Check       string         `json:"check_name"`
	Fingerprint string         `json:"fingerprint"`
	Severity    string         `json:"severity"`
	Location    gitlabLocation `json:"location"`
}

// gitlabContent is of Code Climate's format, which GitLab's is a part of.
type gitlabContent struct {
	Body string `json:"body"`
}

type gitlabLocation struct {
	Path  string      `json:"path"`
	Lines gitlabLines `json:"lines"`
}

type gitlabLines struct {
	Begin int `json:"begin"`
	End   int `json:"end"`
}

// writeGitLab writes an issue for each place of each finding, with a fingerprint of its
// own, and one for what was not analyzed. GitLab shows no issue without a place: what has
// none is at the first line of the root of the repository.
func writeGitLab(w io.Writer, r *report) error {
	issues := []gitlabIssue{}
	add := func(issue gitlabIssue, l *scanner.Location) {
		issue.Location = gitlabLocation{Path: ".", Lines: gitlabLines{1, 1}}
		if l != nil {
			issue.Location = gitlabLocation{Path: l.Path, Lines: gitlabLines{l.StartLine, l.LastLine()}}
		}
		issues = append(issues, issue)
	}
	for i := range r.skills {
		s := &r.skills[i]
		for j, places := range s.Places(s.Shown) {
			f := &s.Shown[j]
			issue := gitlabIssue{
				Description: line(f.Title), Content: &gitlabContent{review.Annotate(f, nil)[0].Message}, Check: line(ruleOf(f, s.Skill)),
				Fingerprint: f.ID, Severity: gitlabSeverities[f.Severity],
			}
			add(issue, f.Location)
			for n, l := range places[min(len(places), 1):] {
				issue.Fingerprint = fmt.Sprintf("%s-%d", f.ID, n+2)
				add(issue, &l)
			}
		}
	}
	for i, g := range r.gaps() {
		add(gitlabIssue{
			Description: "Scanner: " + line(g.message), Check: "incomplete", Severity: "info", Fingerprint: fmt.Sprintf("incomplete-%d", i+1),
		}, g.at)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	return enc.Encode(issues)
}

var gitlabSeverities = map[scanner.Severity]string{scanner.SeverityHigh: "critical", scanner.SeverityMedium: "major", scanner.SeverityLow: "minor"}
