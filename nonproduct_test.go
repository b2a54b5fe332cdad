package scanner_test

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
)

func TestNonProductCode(t *testing.T) {
	const rules = "tls:295 low:326 old:326 cipher:327 debugging:489 permissions:732 secret:798 sql:89 none:0"
	s := scanner.Skill{Name: "s"}
	var starts []int
	for i, rule := range strings.Fields(rules) {
		id, cwe, _ := strings.Cut(rule, ":")
		severity := scanner.SeverityHigh
		if id == "low" {
			severity = scanner.SeverityLow
		}
		starts = append(starts, 10*(i+1))
		s.Patterns = append(s.Patterns, scanner.Pattern{
			ID: id, CWE: cweOf(cwe), Regexp: regexp.MustCompile("first.*:" + strconv.Itoa(starts[i])), Severity: severity, Confidence: scanner.ConfidenceHigh,
			Title: strings.Repeat(id+" ", i+1), Description: id,
		})
	}
	for _, tt := range []struct {
		path string
		code scanner.NonProductCode
		want string // the rules that are less severe
	}{
		{path: "main.go"},
		{path: "main_test.go", want: "debugging old permissions secret tls"},
		{path: "testdata/main.go", want: "debugging old permissions secret tls"},
		{path: "examples/main.go", code: scanner.NonProductLower, want: "debugging old permissions tls"},
		{path: "docs/main.go", want: "debugging old permissions tls"},
		{path: "main_test.go", code: scanner.NonProductSame},
	} {
		report, err := scanner.RunSkill(t.Context(), s, []diff.File{added(tt.path, starts...)},
			scanner.Options{PatternsOnly: true, NonProductCode: tt.code})
		if err != nil {
			t.Fatal(err)
		}
		if len(report.Findings) != len(s.Patterns) {
			t.Errorf("%s: got %d findings, want that of each rule", tt.path, len(report.Findings))
		}
		var got []string
		for _, f := range report.Findings {
			if f.Severity == scanner.SeverityMedium {
				got = append(got, strings.TrimPrefix(f.Rule, "s/"))
			}
			if weaker := f.Confidence == scanner.ConfidenceMedium; weaker != (f.Severity == scanner.SeverityMedium || tt.want != "" && f.Rule == "s/low") {
				t.Errorf("%s: %s has severity %s and confidence %s", tt.path, f.Rule, f.Severity, f.Confidence)
			}
			if changed := strings.Contains(f.Description, "The severity is medium instead of high"); changed != (f.Severity == scanner.SeverityMedium) {
				t.Errorf("%s: %s has severity %s and description %q", tt.path, f.Rule, f.Severity, f.Description)
			}
		}
		slices.Sort(got)
		if got := strings.Join(got, " "); got != tt.want {
			t.Errorf("%s, %q: less severe are %q, want %q", tt.path, tt.code, got, tt.want)
		}
		if kind := report.Files[0].Kind; kind != diff.KindOf(tt.path) {
			t.Errorf("%s: the report has kind %q", tt.path, kind)
		}
	}
	if _, err := scanner.RunSkill(t.Context(), s, nil, scanner.Options{PatternsOnly: true, NonProductCode: "none"}); err == nil {
		t.Error("no error for an unknown NonProductCode")
	}
}

// TestRulesOfVendoredCode has rules about values that its users may choose, and about
// passwords in tests: they are less severe, and none is silent.
func TestRulesOfVendoredCode(t *testing.T) {
	rule := func(id, regex string, cwe int) scanner.Pattern {
		return scanner.Pattern{ID: id, Regexp: regexp.MustCompile(regex), CWE: cwe, Severity: scanner.SeverityHigh, Title: id, Description: id}
	}
	s := scanner.Skill{Name: "s", Patterns: []scanner.Pattern{
		rule("password", "first", 1391), rule("value", "(?P<value>second)", 0),
	}}
	for path, want := range map[string]string{
		"a.js": "s/password high, s/value high", "jquery/a.js": "s/password high, s/value medium",
		"test/a.js": "s/password medium, s/value high", "testdata/a.js": "s/password medium, s/value high", "docs/a.js": "s/password high, s/value high",
	} {
		for code, want := range map[scanner.NonProductCode]string{"": want, scanner.NonProductSame: "s/password high, s/value high"} {
			report, err := scanner.RunSkill(t.Context(), s, []diff.File{added(path, 1)}, scanner.Options{PatternsOnly: true, NonProductCode: code})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range report.Findings {
				got = append(got, f.Rule+" "+string(f.Severity))
			}
			slices.Sort(got)
			if got := strings.Join(got, ", "); got != want {
				t.Errorf("%s, %q: got %q, want %q", path, code, got, want)
			}
		}
	}
}

func cweOf(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}
