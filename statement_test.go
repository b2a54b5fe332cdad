package scanner_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
)

// ruleFindings returns the findings of a pattern in a change, whose hunk begins at a
// line, as "line confidence". Those
// that were merged have that of the pattern.
func ruleFindings(t *testing.T, p scanner.Pattern, path string, line int, body string) []string {
	t.Helper()
	p.ID, p.Title, p.Description = "p", "t", "d"
	p.Severity, p.Confidence = scanner.SeverityHigh, scanner.ConfidenceHigh
	h := diff.Hunk{OldStart: line, NewStart: line, Body: body}
	for l := range strings.Lines(body) {
		if l[0] != '+' {
			h.OldLines++
		}
		if l[0] != '-' {
			h.NewLines++
		}
	}
	files := []diff.File{{Path: path, Mode: 0o100644, OldMode: 0o100644, Hunks: []diff.Hunk{h}}}
	report, err := scanner.RunSkill(t.Context(), scanner.Skill{Name: "s", Patterns: []scanner.Pattern{p}}, files, scanner.Options{PatternsOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range report.Findings {
		got = append(got, fmt.Sprint(f.Location.StartLine, " ", f.Confidence))
	}
	for _, g := range report.MergeGroups {
		for _, f := range g.Merged {
			got = append(got, fmt.Sprint(f.Location.StartLine, " high"))
		}
	}
	slices.Sort(got)
	return got
}

// body returns a hunk in which every line is added, unless it begins with | (context)
// or - (removed).
func body(lines ...string) string {
	var b strings.Builder
	for _, l := range lines {
		if context, ok := strings.CutPrefix(l, "|"); ok {
			l = " " + context
		} else if !strings.HasPrefix(l, "-") {
			l = "+" + l
		}
		b.WriteString(l + "\n")
	}
	return b.String()
}

func TestRuleScopes(t *testing.T) {
	call := `(?:^|[^\w.])eval\(x`
	tests := []struct {
		name  string
		scope scanner.PatternScope
		regex string
		path  string
		lines []string
		want  []string
	}{
		{"code", "", call, "a.js", []string{"eval(x)", "f(eval(x))", "// eval(x)", `"eval(x)"`, "`a", " eval(x)`", "a.eval(x)"}, []string{"1 high", "2 high"}},
		{"code after a comment", "", call, "a.js", []string{"/* a */ eval(x)", "/*", "*/ eval(x)"}, []string{"1 high", "3 high"}},
		{"comment in code", "", `eval\(\s*x`, "a.js", []string{"eval(/* a */ x)"}, []string{"1 high"}},
		{"from an opening quote", "", `["']SELECT [^"']*["']\s*\+`, "a.js", []string{`q("SELECT a" + b)`, `q("x 'SELECT a' + b")`, `// "SELECT a" + b`}, []string{"1 high"}},
		{"interpolated code", "", call, "a.js", []string{"`${eval(x)} eval(x)`"}, []string{"1 high"}},
		{"second match", "", call, "a.js", []string{`"eval(x)" + eval(x)`}, []string{"1 high"}},
		{"Python", "", call, "a.py", []string{`"""`, "eval(x)", `""" + eval(x)`, "# eval(x)"}, []string{"3 high"}},
		{"unknown language", "", call, "a.unknown", []string{"// eval(x)"}, []string{"1 high"}},
		{"comment", scanner.ScopeComment, `\bTODO\b`, "a.go", []string{"// TODO", `"// TODO"`, "TODO()", "/*", "TODO */"}, []string{"1 high", "5 high"}},
		{"comment of an unknown language", scanner.ScopeComment, `\bTODO\b`, "a.unknown", []string{"// TODO"}, nil},
		{"string", scanner.ScopeString, `http://\w+`, "a.go", []string{`"http://a"`, "// http://a", `"a" + http://a`, "`", "http://a`"}, []string{"1 high", "5 high"}},
		{"any", scanner.ScopeAny, `\bTODO\b`, "a.go", []string{"// TODO", `"TODO"`, "TODO"}, []string{"1 high", "2 high", "3 high"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := scanner.Pattern{Regexp: regexp.MustCompile(tt.regex), Scope: tt.scope}
			var b strings.Builder
			for _, l := range tt.lines {
				b.WriteString("+" + l + "\n")
			}
			if d := cmp.Diff(ruleFindings(t, p, tt.path, 1, b.String()), tt.want); d != "" {
				t.Errorf("got (-) differs from want (+):\n%s", d)
			}
		})
	}
}

func TestStatements(t *testing.T) {
	shell := `\bsubprocess\.run\([^)]*\bshell\s*=\s*True`
	tests := []struct {
		name, regex, path string
		body              string
		want              []string
	}{
		{"one line", shell, "a.py", body("subprocess.run(x, shell=True)"), []string{"10 high"}},
		{"several lines", shell, "a.py", body("subprocess.run(", "  x, # ) comment", "  shell=True,", ")"), []string{"10 high"}},
		{"the last is added", shell, "a.py", body("|subprocess.run(", "|  x,", "  y,", "  shell=True)"), []string{"12 high"}},
		{"none is added", shell, "a.py", body("x = 1", "|subprocess.run(", "|  x,", "|  shell=True)", "y = 1"), nil},
		{"only the end is added", shell, "a.py", body("|subprocess.run(", "|  x, shell=True,", "y)"), nil},
		{"a removed line is not part", shell, "a.py", body("subprocess.run(", "-  shell=True", "x)"), nil},
		{"two statements", shell, "a.py", body("subprocess.run(x)", "f(y, shell=True)"), nil},
		{"header of a block", `except:\s*pass`, "a.py", body("try:", "  f()", "except:", "  pass"), []string{"12 high"}},
		{"header and braces", `catch \(\w+\) \{\s*\}`, "a.js", body("try { f() } catch (e) {", "}"), []string{"10 high"}},
		{"brace on its own line", `catch \(\w+\)\s*\{\s*\}`, "a.cs", body("catch (e)", "{", "}"), []string{"10 high"}},
		{"the line after the block", `catch \(\w+\) \{[^}]*f\(\)`, "a.js", body("catch (e) {", "", "f()"), nil},
		{"operator", `"SELECT[^"]*"\s*\+\s*\w`, "a.java", body(`q = "SELECT a" +`, "  id;"), []string{"10 high"}},
		{"operator in the next line", `"SELECT[^"]*"\s*\+\s*\w`, "a.java", body(`q = "SELECT a"`, "  + id;"), []string{"10 high"}},
		{"literal of several lines", "`SELECT[^`]*\\$\\{", "a.js", body("q = `SELECT a", "  WHERE b = ${c}`"), []string{"10 high"}},
		{"function in a call", `\bexec\([^)]*\+`, "a.js", body("app.get('/', (req) => {", "  exec(", "    a + b)", "})"), []string{"11 high"}},
		{"two in a statement", `\bexec\(\s*\w+`, "a.js", body("f(exec(", "  a), exec(", "  b))"), []string{"10 high", "11 high"}},
		{"line and statement", `\beval\(\s*x`, "a.js", body("f(", "  eval(x), eval(", "  x))"), []string{"11 high"}},
		{"blanks around a line", `\s*\beval\(x\)\s*`, "a.js", body("|f(", "|  eval(x)", "  , y)"), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := ruleFindings(t, scanner.Pattern{Regexp: regexp.MustCompile(tt.regex)}, tt.path, 10, tt.body)
			if d := cmp.Diff(got, tt.want); d != "" {
				t.Errorf("got (-) differs from want (+):\n%s", d)
			}
		})
	}
}

// A statement is cut after 20 lines.
func TestStatementsAreBounded(t *testing.T) {
	p := scanner.Pattern{Regexp: regexp.MustCompile(`f\([^)]*end`)}
	for n, want := range map[int]int{18: 1, 19: 0} {
		got := ruleFindings(t, p, "a.js", 1, "+f(\n"+strings.Repeat("+x,\n", n)+"+end)\n")
		if len(got) != want {
			t.Errorf("%d lines: findings %v, want %d", n+2, got, want)
		}
	}
}

// A chunk in the middle of a literal or comment knows that from the file.
func TestRuleScopesInChunks(t *testing.T) {
	p := scanner.Pattern{
		ID: "p", Regexp: regexp.MustCompile(`eval\(x`), Title: "t", Description: "d",
		Severity: scanner.SeverityHigh, Confidence: scanner.ConfidenceHigh,
	}
	text := "a = '''\n" + strings.Repeat("eval(x)\n", 3000) + "'''\neval(x)\n"
	file := diff.File{Path: "a.py", Mode: 0o100644, Load: func() ([]byte, error) { return []byte(text), nil }}
	report, err := scanner.RunSkill(t.Context(), scanner.Skill{Name: "s", Patterns: []scanner.Pattern{p}}, []diff.File{file}, scanner.Options{PatternsOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	if report.Chunks.Total < 3 || len(report.Findings) != 1 || report.Findings[0].Location.StartLine != 3003 {
		t.Errorf("%d chunks, findings %+v; want one at line 3003", report.Chunks.Total, report.Findings)
	}
}
