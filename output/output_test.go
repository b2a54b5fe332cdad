package output_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/output"
	"github.com/codescan-dev/scanner/provider"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// hostile is a text that tries to leave where it is put, in every format.
const hostile = "<script>alert(1)</script>]]>\"'&amp;{{.}}\n::error::x ##[error] [link](javascript:alert(1)) `x` </style></title>\x1b[31m\u202e\x00"

// results are the runs that every format is written for.
func results() map[string]func() (*scanner.RunReport, []scanner.Policy) {
	ago := func(findings ...scanner.Finding) *scanner.SkillReport {
		r := &scanner.SkillReport{
			Skill: "code-review", Findings: findings, Duration: 1500 * time.Millisecond,
			Usage: &scanner.Usage{InputTokens: 12_000, OutputTokens: 800, CostUSD: new(0.042)},
			Files: []scanner.FileReport{
				{Path: "cmd/main.go", Chunks: scanner.ChunkCounts{Total: 2, Analyzed: 1, Cached: 1}},
				{Path: "docs/näme with space?.md", Chunks: scanner.ChunkCounts{Total: 1, Analyzed: 1}},
			},
			Chunks:   scanner.ChunkCounts{Total: 3, Analyzed: 2, Cached: 1},
			Provider: provider.Identity{Name: "openai", Host: "api.example.com"}, Model: "m-1",
		}
		for i := range findings {
			if l := findings[i].Location; l != nil {
				r.Files[0].Findings++
			}
		}
		return r
	}
	run := func(skills ...*scanner.SkillReport) *scanner.RunReport {
		return &scanner.RunReport{
			Skills: skills, Files: 2, Chunks: 3, Duration: 2 * time.Second,
			Skipped: []scanner.SkippedFile{{Filename: "go.sum", Reason: string(diff.ReasonBuiltin), Pattern: "**/go.sum"}},
		}
	}
	nilMap := scanner.Finding{
		ID: "0123456789ab", Severity: scanner.SeverityHigh, Confidence: scanner.ConfidenceHigh,
		Title: "Write to a nil map", Description: "The map is never made, so the first write panics.",
		Verification:        "Call Add once.",
		Location:            &scanner.Location{Path: "cmd/main.go", StartLine: 3, EndLine: 4},
		AdditionalLocations: []scanner.Location{{Path: "docs/näme with space?.md", StartLine: 1}},
		SuggestedFix: &scanner.SuggestedFix{
			Description: "Make the map.", Diff: "--- a/cmd/main.go\n+++ b/cmd/main.go\n@@ -3,1 +3,1 @@\n-var m map[string]int\n+var m = map[string]int{}\n",
			Edits: []scanner.Edit{{Line: 3, Old: []string{"var m map[string]int // 🙂"}, New: []string{"var m = map[string]int{}"}}},
		},
	}
	general := scanner.Finding{ID: "1123456789ab", Severity: scanner.SeverityLow, Title: "No tests", Description: "Nothing tests this change."}
	rule := scanner.Finding{
		ID: "2123456789ab", Severity: scanner.SeverityMedium, Confidence: scanner.ConfidenceMedium, Rule: "security-review/weak-hash",
		Title: "MD5", Description: "MD5 is broken.", Location: &scanner.Location{Path: "cmd/main.go", StartLine: 5},
	}
	merged := func() *scanner.SkillReport {
		r := ago(nilMap, rule, general)
		r.MergeGroups = []scanner.MergeGroup{{Primary: rule.ID, Merged: []scanner.MergedFinding{
			{ID: "3123456789ab", Location: &scanner.Location{Path: "docs/näme with space?.md", StartLine: 9}},
		}}}
		return r
	}
	fail := []scanner.Policy{{FailOn: scanner.ThresholdHigh}}
	return map[string]func() (*scanner.RunReport, []scanner.Policy){
		"none":     func() (*scanner.RunReport, []scanner.Policy) { return run(ago()), fail },
		"nothing":  func() (*scanner.RunReport, []scanner.Policy) { return &scanner.RunReport{}, nil },
		"findings": func() (*scanner.RunReport, []scanner.Policy) { return run(merged()), fail },
		"hostile": func() (*scanner.RunReport, []scanner.Policy) {
			f := nilMap
			f.Title, f.Description, f.Verification = hostile, hostile, hostile
			f.Location = &scanner.Location{Path: "a/" + hostile, StartLine: 1}
			f.AdditionalLocations = []scanner.Location{{Path: hostile, StartLine: 2}}
			f.SuggestedFix = &scanner.SuggestedFix{Description: hostile, Diff: hostile, Edits: []scanner.Edit{{Line: 1, Old: []string{hostile}, New: []string{hostile}}}}
			r := ago(f)
			r.Files = append(r.Files, scanner.FileReport{Path: hostile, Chunks: scanner.ChunkCounts{Total: 1, Failed: 1}})
			r.Failures = []scanner.ChunkFailure{{Path: hostile, StartLine: 1, EndLine: 2, Reason: hostile, Message: hostile}}
			r.FailedHunks, r.Model = 1, hostile
			r.Suppressed = []scanner.Suppressed{{Finding: f, Suppression: scanner.Suppression{Reason: scanner.SuppressInline, Note: hostile}}}
			return run(r), fail
		},
		"incomplete": func() (*scanner.RunReport, []scanner.Policy) {
			r := ago(general)
			r.FailedHunks, r.FailedExtractions = 1, 1
			r.Failures = []scanner.ChunkFailure{
				{Path: "cmd/main.go", StartLine: 1, EndLine: 9, Reason: "RateLimitError", Message: "429 Too Many Requests"},
				{Path: "cmd/main.go", StartLine: 20, EndLine: 29, Reason: "ExtractionError", Message: "ExtractionError: the answer has no list of findings"},
			}
			r.Chunks = scanner.ChunkCounts{Total: 9, Analyzed: 2, Failed: 2, NotAnalyzed: 5}
			r.Files[0].Chunks = scanner.ChunkCounts{Total: 8, Analyzed: 1, Failed: 2, NotAnalyzed: 5}
			all := run(r)
			all.Stopped = errors.New("the budget of $0.05 is used up")
			return all, fail
		},
		"suppressed": func() (*scanner.RunReport, []scanner.Policy) {
			r := ago(rule)
			r.Suppressed = []scanner.Suppressed{
				{Finding: nilMap, Suppression: scanner.Suppression{Reason: scanner.SuppressIgnored, Note: "Add is never called"}},
				{Finding: general, Suppression: scanner.Suppression{Reason: scanner.SuppressBaseline}},
			}
			return run(r), fail
		},
		"many": func() (*scanner.RunReport, []scanner.Policy) {
			var list []scanner.Finding
			for i := range 500 {
				f := nilMap
				f.ID = fmt.Sprintf("%012x", i)
				f.Title += fmt.Sprint(" ", i)
				f.Severity = []scanner.Severity{scanner.SeverityHigh, scanner.SeverityMedium, scanner.SeverityLow}[i%3]
				f.Location = &scanner.Location{Path: fmt.Sprintf("pkg%02d/file.go", i%40), StartLine: i + 1}
				list = append(list, f)
			}
			other := ago(list[400:]...)
			other.Skill = "security-review"
			return run(ago(list[:400]...), other), append(fail, fail...)
		},
	}
}

// write writes a result in a format.
func write(t testing.TB, name, result string) []byte {
	t.Helper()
	run, policies := results()[result]()
	opts := output.Options{
		Version: "1.2.3", Start: time.Date(2026, 2, 18, 14, 32, 15, 0, time.UTC), Commit: strings.Repeat("a", 40),
		Skills: []scanner.Skill{
			{Name: "code-review", Description: "Finds bugs."},
			{Name: "security-review", Patterns: []scanner.Pattern{{ID: "weak-hash", Severity: scanner.SeverityMedium, Title: "A weak hash", Description: "MD5 and SHA-1 are broken.", CWE: 328}}},
		},
		Code: fstest.MapFS{"cmd/main.go": {Data: []byte("package main\n\nvar m map[string]int // 🙂\n\n<script>alert(2)</script>\n")}},
	}
	var b bytes.Buffer
	s, err := output.New(name, &b, opts)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range run.Skills {
		sel, err := scanner.Select(r, policies[i])
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Skill(r, sel); err != nil {
			t.Fatal(err)
		}
	}
	if b.Len() > 0 {
		t.Errorf("%s: %d bytes were written before the end", name, b.Len())
	}
	if err := s.Finish(run); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestGoldenFormats(t *testing.T) {
	for _, name := range output.Formats() {
		for result := range results() {
			t.Run(name+"/"+result, func(t *testing.T) {
				got := write(t, name, result)
				check(t, name, got)
				if dir := os.Getenv("FORMATS_DIR"); dir != "" { // for programs that judge them
					if err := os.WriteFile(filepath.Join(dir, result+"."+name), got, 0o644); err != nil {
						t.Fatal(err)
					}
				}
				if result == "many" {
					return
				}
				file := filepath.Join("testdata", result+"."+name)
				if *update {
					if err := os.WriteFile(file, got, 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got, want) {
					t.Errorf("%s differs, got:\n%s", file, got)
				}
			})
		}
	}
}

// TestAbout: every format for programs has the id, the rule and the confidence of findings.
func TestAbout(t *testing.T) {
	for _, name := range []string{"sarif", "gitlab", "junit", "rdjson", "github"} {
		got := string(write(t, name, "findings"))
		for _, want := range []string{"2123456789ab", "security-review/weak-hash", "medium"} {
			if name != "sarif" && want == "medium" {
				want += " confidence"
			}
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %q in\n%s", name, want, got)
			}
		}
	}
}

// check reports what no reader of a format accepts.
func check(t *testing.T, name string, data []byte) {
	t.Helper()
	if bytes.ContainsAny(data, "\x1b\x00") {
		t.Error("there are control characters")
	}
	// Programs need the names of files and the texts of fixes as they are.
	if (name == "html" || name == "text") && bytes.Contains(data, []byte("\u202e")) {
		t.Error("there are hidden characters")
	}
	switch name {
	case "sarif", "gitlab", "rdjson":
		var v any
		if err := json.Unmarshal(data, &v); err != nil {
			t.Error(err)
		}
	case "junit":
		var v struct{}
		if err := xml.Unmarshal(data, &v); err != nil {
			t.Error(err)
		}
	case "html":
		if bytes.Contains(data, []byte("<script")) || bytes.Contains(data, []byte("http:")) || bytes.Contains(data, []byte("https:")) {
			t.Error("the page has a script, or an address")
		}
	}
}

// TestSecretsInCode: what is quoted of the code has no secrets in any format, and no
// program gets a fix that would write a placeholder into the code.
func TestSecretsInCode(t *testing.T) {
	const secret = "hush-hush"
	const code = "package main\n\nvar pass = \"" + secret + "\"\n"
	finding := scanner.Finding{
		ID: "0123456789ab", Severity: scanner.SeverityHigh, Title: "A password", Description: "It is in the code.",
		Location: &scanner.Location{Path: "a.go", StartLine: 3},
		SuggestedFix: &scanner.SuggestedFix{
			Description: "Change the line to: const pass = \"" + secret + "\"", Diff: "--- a/a.go\n+++ b/a.go\n@@ -3 +3 @@\n-var pass = \"" + secret + "\"\n+const pass = \"" + secret + "\"\n",
			Edits: []scanner.Edit{{Line: 3, Old: []string{`var pass = "` + secret + `"`}, New: []string{`const pass = "` + secret + `"`}}},
		},
	}
	for _, name := range output.Formats() {
		var b bytes.Buffer
		s, err := output.New(name, &b, output.Options{
			Code: fstest.MapFS{"a.go": {Data: []byte(code)}},
			Redact: func(s string) (string, int) {
				return strings.ReplaceAll(s, secret, "[redacted]"), strings.Count(s, secret)
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		report := &scanner.SkillReport{
			Skill: "s", Findings: []scanner.Finding{finding},
			Suppressed: []scanner.Suppressed{{Finding: finding, Suppression: scanner.Suppression{Reason: scanner.SuppressIgnored}}},
		}
		sel := scanner.Selection{Shown: report.Findings}
		if err := errors.Join(s.Skill(report, sel), s.Finish(&scanner.RunReport{Skills: []*scanner.SkillReport{report}})); err != nil {
			t.Fatal(err)
		}
		got := b.String()
		if strings.Contains(got, secret) || strings.Contains(got, "replacements") || strings.Contains(got, `"suggestions"`) {
			t.Errorf("%s: a secret, or a fix to apply, is in\n%s", name, got)
		}
		if quotes := name != "sarif" && name != "rdjson" && name != "gitlab" && name != "github"; quotes != strings.Contains(got, "[redacted]") {
			t.Errorf("%s: the code is not shown, or unexpectedly:\n%s", name, got)
		}
		if report.Findings[0].SuggestedFix != finding.SuggestedFix || sel.Shown[0].SuggestedFix != finding.SuggestedFix {
			t.Errorf("%s: the report was changed", name)
		}
	}
}

// TestLongTitle: a title of any length fills no page.
func TestLongTitle(t *testing.T) {
	for _, name := range output.Formats() {
		var b bytes.Buffer
		s, err := output.New(name, &b, output.Options{})
		if err != nil {
			t.Fatal(err)
		}
		report := &scanner.SkillReport{Skill: "s", Findings: []scanner.Finding{{
			ID: "0123456789ab", Severity: scanner.SeverityHigh, Title: strings.Repeat("long ", 200_000), Description: "d",
		}}}
		if err := errors.Join(s.Skill(report, scanner.Selection{Shown: report.Findings}), s.Finish(&scanner.RunReport{Skills: []*scanner.SkillReport{report}})); err != nil {
			t.Fatal(err)
		}
		if b.Len() > 20_000 && name != "text" { // a terminal has its own page
			t.Errorf("%s: %d bytes", name, b.Len())
		}
	}
}

// TestFixOfOtherEncoding: no program gets a fix that JSON cannot hold byte for byte.
func TestFixOfOtherEncoding(t *testing.T) {
	for _, name := range []string{"sarif", "rdjson"} {
		var b bytes.Buffer
		s, err := output.New(name, &b, output.Options{})
		if err != nil {
			t.Fatal(err)
		}
		report := &scanner.SkillReport{Skill: "s", Findings: []scanner.Finding{{
			ID: "0123456789ab", Severity: scanner.SeverityHigh, Title: "t", Description: "d", Location: &scanner.Location{Path: "a.go", StartLine: 1},
			SuggestedFix: &scanner.SuggestedFix{
				Description: "d", Diff: "--- a/a.go\n+++ b/a.go\n@@ -1 +1 @@\n-a // gr\xfcn\n+b // gr\xfcn\n",
				Edits: []scanner.Edit{{Line: 1, Old: []string{"a // gr\xfcn"}, New: []string{"b // gr\xfcn"}}},
			},
		}}}
		if err := errors.Join(s.Skill(report, scanner.Selection{Shown: report.Findings}), s.Finish(&scanner.RunReport{Skills: []*scanner.SkillReport{report}})); err != nil {
			t.Fatal(err)
		}
		if got := b.String(); strings.Contains(got, "replacements") || strings.Contains(got, `"suggestions"`) {
			t.Errorf("%s: a fix to apply is in\n%s", name, got)
		}
	}
}
