package fix

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
)

// TestPatternFixes applies what patterns with a replacement suggest, from the
// change to the file, for merged findings too.
func TestPatternFixes(t *testing.T) {
	replacement := "errors.Is(err, $1)"
	skill := scanner.Skill{Name: "s", Patterns: []scanner.Pattern{{
		ID: "compare", Regexp: regexp.MustCompile(`err == (\w+\.\w+)`), Severity: scanner.SeverityMedium,
		Title: "Error compared with ==", Description: "A wrapped error is not equal.", Replacement: &replacement,
	}}}
	old := "package p\n\nfunc f(err error) {\n}\n\nfunc g(err error) {\n}\n"
	now := "package p\n\nfunc f(err error) {\n\tif err == io.EOF {\n\t}\n\tif err == fs.ErrExist {\n\t}\n}\n\nfunc g(err error) {\n\treturn err == io.EOF\n}"
	want := "package p\n\nfunc f(err error) {\n\tif errors.Is(err, io.EOF) {\n\t}\n\tif errors.Is(err, fs.ErrExist) {\n\t}\n}\n\nfunc g(err error) {\n\treturn errors.Is(err, io.EOF)\n}"
	for name, form := range map[string]func(string) string{
		"LF":              func(s string) string { return s },
		"CRLF":            crlf,
		"byte order mark": func(s string) string { return bom + s },
	} {
		t.Run(name, func(t *testing.T) {
			var patch strings.Builder
			c := newContent(form(old))
			writePatch(&patch, "p.go", c, smaller(c, edit{end: len(c.lines), text: form(now)}))
			changes, err := diff.Parse([]byte(patch.String()))
			if err != nil {
				t.Fatal(err)
			}
			report, err := scanner.RunSkill(context.Background(), skill, changes, scanner.Options{PatternsOnly: true})
			if err != nil {
				t.Fatal(err)
			}
			if len(report.Findings) != 1 {
				t.Errorf("%d findings, want one that stands for three", len(report.Findings))
			}
			set := SetOf(report, report.Findings)
			dir := t.TempDir()
			tree{"p.go": form(now)}.write(t, dir)
			root := openRoot(t, dir)
			p := NewPlan(Input{Suggestions: Collect(set), Files: []string{"p.go"}, Read: func(path string) ([]byte, error) {
				data, err := root.ReadFile(path)
				if err == nil {
					err = Matches(&changes[0], data)
				}
				return data, err
			}})
			res, err := Apply(root, p, Options{ID: "x"})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff([]string{"applied", "applied", "applied"}, summary(res.Outcomes)); d != "" {
				t.Errorf("outcomes (-want +got):\n%s", d)
			}
			if d := cmp.Diff(form(want), readTree(t, dir)["p.go"]); d != "" {
				t.Errorf("contents (-want +got):\n%s", d)
			}
			if left := Unfixed(set, res.Outcomes); len(left) != 0 {
				t.Errorf("left: %+v", left)
			}
		})
	}
}
