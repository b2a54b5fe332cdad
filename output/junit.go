package output

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/text"
)

// The elements of JUnit's XML report, which has no standard: those and their attributes
// that Jenkins, GitLab and Azure all read.
type (
	junitReport struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Time     string       `xml:"time,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Time     string      `xml:"time,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		File    string        `xml:"file,attr,omitempty"`
		Line    int           `xml:"line,attr,omitempty"`
		Failure *junitProblem `xml:"failure"`
		Error   *junitProblem `xml:"error"`
		Output  string        `xml:"system-out,omitempty"`
	}
	junitProblem struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
)

// writeJUnit writes a test suite for each skill. Findings that reach the policy's failOn
// are failures, others are tests that pass, with the finding as their output. What was
// not analyzed is an error of the test "complete", which every suite has.
func writeJUnit(w io.Writer, r *report) error {
	all := junitReport{Name: "scanner", Time: seconds(r.run.Duration)}
	for i := range r.skills {
		s := &r.skills[i]
		suite := junitSuite{Name: s.Skill, Time: seconds(s.Duration)}
		for j, places := range s.Places(s.Shown) {
			suite.add(junitFinding(&s.Shown[j], s.Skill, places, s.Policy.FailOn))
		}
		suite.add(junitComplete(s.Skill, s.gaps()))
		if s.Fails && suite.Failures == 0 {
			suite.add(junitCase{Name: "failOn", Class: s.Skill, Failure: &junitProblem{
				Message: "findings that are not shown reach failOn", Type: "failOn",
			}})
		}
		all.add(suite)
	}
	if reason := r.stopped(); reason != "" || len(all.Suites) == 0 {
		suite := junitSuite{Name: "scanner", Time: seconds(r.run.Duration)}
		var gaps []gap
		if reason != "" {
			gaps = []gap{{message: "the run ended early: " + reason}}
		}
		suite.add(junitComplete("scanner", gaps))
		all.add(suite)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", " ")
	if err := enc.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (r *junitReport) add(s junitSuite) {
	r.Suites = append(r.Suites, s)
	r.Tests += s.Tests
	r.Failures += s.Failures
	r.Errors += s.Errors
}

func (s *junitSuite) add(c junitCase) {
	s.Cases = append(s.Cases, c)
	s.Tests++
	if c.Failure != nil {
		s.Failures++
	}
	if c.Error != nil {
		s.Errors++
	}
}

func junitFinding(f *scanner.Finding, skill string, places []scanner.Location, failOn scanner.Threshold) junitCase {
	c := junitCase{Name: line(f.Title), Class: skill}
	if f.Location != nil {
		c.Name = text.Visible(f.Location.String()) + ": " + c.Name
		c.File, c.Line = f.Location.Path, f.Location.StartLine
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s, id %s\n", severityText(f), f.ID)
	if f.Rule != "" {
		fmt.Fprintf(&b, "rule %s\n", line(f.Rule))
	}
	for _, l := range places {
		fmt.Fprintf(&b, "%s\n", text.Visible(l.String()))
	}
	b.WriteString("\n" + strings.TrimSpace(clean(f.Description)) + "\n")
	if fix := f.SuggestedFix; fix != nil {
		b.WriteString("\nSuggested fix: " + clean(fix.Description) + "\n\n" + clean(fix.Diff))
	}
	if !scanner.FailsAt([]scanner.Finding{*f}, failOn) {
		c.Output = b.String()
		return c
	}
	c.Failure = &junitProblem{Message: line(f.Title), Type: string(f.Severity), Text: b.String()}
	return c
}

func junitComplete(class string, gaps []gap) junitCase {
	c := junitCase{Name: "complete", Class: class}
	if len(gaps) == 0 {
		return c
	}
	var lines []string
	for _, g := range gaps {
		if g.at != nil {
			g.message = text.Visible(g.at.String()) + ": " + g.message
		}
		lines = append(lines, g.message)
	}
	c.Error = &junitProblem{Message: "not everything was analyzed", Type: "incomplete", Text: strings.Join(lines, "\n")}
	return c
}

// severityText writes severity and confidence.
func severityText(f *scanner.Finding) string {
	if f.Confidence == "" {
		return string(f.Severity)
	}
	return fmt.Sprintf("%s, %s confidence", f.Severity, f.Confidence)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }
