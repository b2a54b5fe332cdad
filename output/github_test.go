package output_test

import (
	"strings"
	"testing"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/text"
	"github.com/codescan-dev/scanner/output"
	"github.com/codescan-dev/scanner/review"
	"github.com/google/go-cmp/cmp"
)

func TestWorkflowCommands(t *testing.T) {
	a := found("100% wrong: a, b\n::error::x", "app/a,b:c.go", 3, 5)
	a.ID, a.Severity, a.Confidence = "0123456789ab", scanner.SeverityHigh, scanner.ConfidenceHigh
	a.Description = "line 1\r\n::stop-commands::x"
	b := found("No tests", "", 0, 0)
	b.Severity = scanner.SeverityLow
	c := found("c", "a\nb.go", 1, 0)
	skill := review.SkillResult{Report: &scanner.SkillReport{Skill: "code-\x1b[31mreview"}, Selection: scanner.Selection{Shown: []scanner.Finding{a, b, c}}}
	skill.Report.MergeGroups = []scanner.MergeGroup{{Primary: c.ID, Merged: []scanner.MergedFinding{
		{ID: "m", Location: &scanner.Location{Path: "d.go", StartLine: 2}},
	}}}
	got := output.WorkflowCommands(review.Result{Skills: []review.SkillResult{skill}})
	want := []string{
		"::error file=app/a%2Cb%3Ac.go,line=3,endLine=5,title=100%25 wrong%3A a%2C b %3A%3Aerror%3A%3Ax (code-review)::line 1%0A::stop-commands::x%0A%0Ahigh confidence, id 0123456789ab",
		"::notice title=No tests (code-review)::Why No tests matters.%0A%0Aid No tests",
		"::warning file=a%0Ab.go,line=1,endLine=1,title=c (code-review)::Why c matters.%0A%0Aid ca b.go",
		"::warning file=d.go,line=2,endLine=2,title=c (code-review)::Why c matters.%0A%0Aid ca b.go",
	}
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("(-got +want):\n%s", d)
	}
}

// found returns a finding; without a path it has no place.
func found(title, path string, start, end int) scanner.Finding {
	f := scanner.Finding{ID: title + path, Severity: scanner.SeverityMedium, Title: title, Description: "Why " + title + " matters."}
	if path != "" {
		f.Location = &scanner.Location{Path: path, StartLine: start, EndLine: end}
	}
	return f
}

// readCommand reads a line as the runner of a workflow does.
func readCommand(t *testing.T, line string) (name string, properties map[string]string, data string) {
	t.Helper()
	if strings.ContainsAny(line, "\r\n") {
		t.Fatalf("several lines: %q", line)
	}
	head, data, ok := strings.Cut(strings.TrimPrefix(line, "::"), "::")
	if !ok || !strings.HasPrefix(line, "::") {
		t.Fatalf("no command: %q", line)
	}
	name, rest, _ := strings.Cut(head, " ")
	properties = make(map[string]string)
	for p := range strings.SplitSeq(rest, ",") {
		k, v, ok := strings.Cut(p, "=")
		if !ok || properties[k] != "" {
			t.Fatalf("property %q of %q", p, line)
		}
		properties[k] = strings.NewReplacer("%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%").Replace(v)
	}
	return name, properties, strings.NewReplacer("%0D", "\r", "%0A", "\n", "%25", "%").Replace(data)
}

// FuzzWorkflowCommands looks for a text that makes another command, or another
// property, than the one it is.
func FuzzWorkflowCommands(f *testing.F) {
	for _, s := range []string{"a", "::error::x", "%0A::error::x", "a,file=b", "x\n::add-mask::y", "x\r::stop-commands::y", "a=b:c", "\u2028::warning::", "##[error]x", "%25", ""} {
		f.Add(s, s, s, s)
	}
	f.Fuzz(func(t *testing.T, title, description, path, skill string) {
		finding := found(title, path, 3, 4)
		finding.Description = description
		if path == "" {
			finding.Location = &scanner.Location{Path: path, StartLine: 3, EndLine: 4}
		}
		clean := func(s string, n int) string { return text.Truncate(text.OneLine(s), n) }
		skill = clean(skill, 100)
		line := output.WorkflowCommands(review.Result{Skills: []review.SkillResult{{
			Report: &scanner.SkillReport{Skill: skill}, Selection: scanner.Selection{Shown: []scanner.Finding{finding}},
		}}})[0]
		name, properties, data := readCommand(t, line)
		if title = clean(title, 250); title == "" {
			title = "untitled"
		}
		want := map[string]string{"title": title + " (" + skill + ")"}
		if path != "" && text.Clean(path) == path {
			want["file"], want["line"], want["endLine"] = path, "3", "4"
		}
		if d := cmp.Diff(properties, want); d != "" || name != "warning" {
			t.Fatalf("%q: %s %s", line, name, d)
		}
		got := strings.TrimSpace(text.Clean(text.Truncate(description, 10_000)))
		if got == "" {
			got = title
		}
		if finding.ID != "" {
			got += "\n\n" + clean("id "+finding.ID, 250)
		}
		if got = text.Truncate(got, 4_000); data != got {
			t.Fatalf("%q: text %q, want %q", line, data, got)
		}
	})
}
