package scanner_test

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

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
		{"literal that is logged", "", `f?["']SELECT [^"']*`, "a.py", []string{`log.info("SELECT a")`, `raise ValueError(f"SELECT {a}")`, `q("SELECT a")`, `log.info("a"); q("SELECT a")`}, []string{"3 high", "4 high"}},
		{"code in what is logged", "", call, "a.js", []string{"console.log(eval(x))"}, []string{"1 high"}},
		{"interpolated code", "", call, "a.js", []string{"`${eval(x)} eval(x)`"}, []string{"1 high"}},
		{"second match", "", call, "a.js", []string{`"eval(x)" + eval(x)`}, []string{"1 high"}},
		{"Python", "", call, "a.py", []string{`"""`, "eval(x)", `""" + eval(x)`, "# eval(x)"}, []string{"3 high"}},
		{"text of a page", "", call, "a.php", []string{"<p>eval(x)</p>", "<?php eval(x); ?>", "eval(x)"}, []string{"2 high"}},
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
		{"header and one word", `except:\s*continue`, "a.py", body("except:", "  continue"), []string{"10 high"}},
		{"header and a statement", `def f\([^#]*=\s*now\(`, "a.py", body("def f(self):", "  t = now()"), nil},
		{"header and a call", `[^\w.]\s*eval\(\s*x`, "a.js", body("if (x) {", "  eval(x)"), []string{"11 high"}},
		{"call in a call", `(?:^|[^\w.])\s*eval\(\s*x`, "a.js", body("f(", "  eval(x))"), []string{"11 high"}},
		{"call in a call over several lines", `[^\w.]\s*eval\(\s*x`, "a.js", body("f(", "  eval(", "x))"), []string{"11 high"}},
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

// Of the rules of a class that match the same line, one finding is left; not of those
// about every byte.
func TestOneFindingOfAClass(t *testing.T) {
	rule := func(id, regex string, cwe int, severity scanner.Severity, confidence scanner.Confidence, scope scanner.PatternScope) scanner.Pattern {
		return scanner.Pattern{ID: id, Regexp: regexp.MustCompile(regex), CWE: cwe, Severity: severity, Confidence: confidence, Scope: scope,
			Title: id, Description: id, Replacement: new(string)}
	}
	s := scanner.Skill{Name: "s", Patterns: []scanner.Pattern{
		rule("a", `b\(`, 89, scanner.SeverityMedium, scanner.ConfidenceHigh, ""),
		rule("b", `a\([^)]*b\(`, 564, scanner.SeverityHigh, scanner.ConfidenceMedium, ""),
		rule("c", `b\(`, 89, scanner.SeverityHigh, scanner.ConfidenceLow, ""),
		rule("other", `b\(`, 78, scanner.SeverityLow, scanner.ConfidenceLow, ""),
		rule("none", `b\(`, 0, scanner.SeverityLow, scanner.ConfidenceLow, ""),
		rule("any", `b\(`, 89, scanner.SeverityLow, scanner.ConfidenceLow, scanner.ScopeAny),
	}}
	for text, want := range map[string]string{
		"a(b())\n":        "s/any 1, s/b 1, s/none 1, s/other 1",
		"b()\n":           "s/any 1, s/c 1, s/none 1, s/other 1",
		"a(\nx,\nb())\n":  "s/any 3, s/b 1, s/none 3, s/other 3",
		"x(b(),\nb())\n":  "s/any 1, s/any 2, s/c 1, s/c 2, s/none 1, s/none 2, s/other 1, s/other 2",
		"a(b(),\nx, b())": "s/any 1, s/any 2, s/b 1, s/c 2, s/none 1, s/none 2, s/other 1, s/other 2",
	} {
		file := diff.File{Path: "a.js", Mode: 0o100644, Load: func() ([]byte, error) { return []byte(text), nil }}
		report, err := scanner.RunSkill(t.Context(), s, []diff.File{file}, scanner.Options{PatternsOnly: true, Shard: scanner.Shard{Index: 1, Count: 1}})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range report.Findings {
			got = append(got, fmt.Sprint(f.Rule, " ", f.Location.StartLine))
		}
		slices.Sort(got)
		if got := strings.Join(got, ", "); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
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

func TestOutside(t *testing.T) {
	call := scanner.Pattern{Regexp: regexp.MustCompile(`\beval\((?P<value>[^()]*)\)`), Outside: "value"}
	tests := []struct {
		name, path, body string
		want             []string
	}{
		{"source in the match", "a.js", body("eval(req.query.x)"), []string{"10 high"}},
		{"assigned above", "a.js", body("|const x = req.query.x;", "", "eval(x)"), []string{"12 medium"}},
		{"assigned over several lines", "a.js", body("const x = f(", "  req.query.x,", ")", "eval(x)"), []string{"13 medium"}},
		{"assigned in a comment", "a.js", body("// x = req.query.x;", "eval(x)"), nil},
		{"assigned a literal", "a.js", body("const x = '1'", "eval(x)"), nil},
		{"assigned in another function", "a.py", body("def f():", "  x = request.args['x']", "def g(x):", "  eval(x)"), nil},
		{"at most 30 lines above", "a.js", body("x = req.query.x") + strings.Repeat("+\n", 29) + body("eval(x)"), []string{"40 medium"}},
		{"minified", "a.js", body("const x = 1;" + strings.Repeat(" ", 4<<10) + "eval(req.query.x)"), nil},
		{"assigned in minified code", "a.js", body("const x = req.query.x;"+strings.Repeat(" ", 4<<10), "eval(x)"), nil},
		{"more than 30 lines above", "a.js", body("x = req.query.x") + strings.Repeat("+\n", 30) + body("eval(x)"), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if d := cmp.Diff(ruleFindings(t, call, tt.path, 10, tt.body), tt.want); d != "" {
				t.Errorf("got (-) differs from want (+):\n%s", d)
			}
		})
	}
}

// A value that consists of constants is no evidence. Of a Go file the constants are
// known, wherever they are.
func TestConstantValues(t *testing.T) {
	p := scanner.Pattern{
		ID: "p", Regexp: regexp.MustCompile(`exec\.Command\("sh", "-c", (?P<value>[^()]*)\)`), Title: "t", Description: "d",
		Severity: scanner.SeverityHigh, Confidence: scanner.ConfidenceHigh,
	}
	text := "package p\n\nfunc f(arg string) {\n\texec.Command(\"sh\", \"-c\", script)\n\texec.Command(\"sh\", \"-c\", arg)\n" +
		"\tlocal := \"a\"\n\texec.Command(\"sh\", \"-c\", local)\n" + strings.Repeat("\n", 60) + "}\n\nconst script = `x`\n"
	change := diff.File{Path: "a.go", Mode: 0o100644, OldMode: 0o100644, Hunks: []diff.Hunk{{
		OldStart: 3, OldLines: 1, NewStart: 3, NewLines: 3,
		Body: " func f(arg string) {\n+\texec.Command(\"sh\", \"-c\", script)\n+\texec.Command(\"sh\", \"-c\", arg)\n",
	}}}
	for name, tt := range map[string]struct {
		file diff.File
		fsys fs.FS
		want []int
	}{
		"whole file":       {diff.File{Path: "a.go", Mode: 0o100644, Load: func() ([]byte, error) { return []byte(text), nil }}, nil, []int{5}},
		"change":           {change, fstest.MapFS{"a.go": {Data: []byte(text)}}, []int{5}},
		"change alone":     {change, nil, []int{4, 5}},
		"another contents": {change, fstest.MapFS{"a.go": {Data: []byte("package p\n\nconst script = ``\n")}}, []int{4, 5}},
	} {
		t.Run(name, func(t *testing.T) {
			report, err := scanner.RunSkill(t.Context(), scanner.Skill{Name: "s", Patterns: []scanner.Pattern{p}}, []diff.File{tt.file},
				scanner.Options{PatternsOnly: true, FS: tt.fsys})
			if err != nil {
				t.Fatal(err)
			}
			var got []int
			for _, f := range report.Findings {
				got = append(got, f.Location.StartLine)
			}
			for _, g := range report.MergeGroups {
				for _, f := range g.Merged {
					got = append(got, f.Location.StartLine)
				}
			}
			if d := cmp.Diff(got, tt.want); d != "" {
				t.Errorf("got (-) differs from want (+):\n%s", d)
			}
		})
	}
}

// Only matches that count are replaced, and only in the line.
func TestReplacementOfMatchesThatCount(t *testing.T) {
	fixed := "md5sum"
	p := scanner.Pattern{
		ID: "p", Regexp: regexp.MustCompile(`\bmd5\(\s*x`), Title: "t", Description: "d", Replacement: &fixed,
		Severity: scanner.SeverityHigh, Confidence: scanner.ConfidenceHigh,
	}
	for line, want := range map[string]string{
		`f(md5(x), "md5(x)") // md5(x)`: `f(md5sum), "md5(x)") // md5(x)`,
		`md5(/* why */ x)`:              "", // the comment would be lost
		"md5(\n+  x)":                   "", // more than a line
	} {
		file := diff.File{Path: "a.js", Mode: 0o100644, OldMode: 0o100644, Hunks: []diff.Hunk{
			{NewStart: 1, NewLines: 1 + strings.Count(line, "\n"), Body: "+" + line + "\n"},
		}}
		report, err := scanner.RunSkill(t.Context(), scanner.Skill{Name: "s", Patterns: []scanner.Pattern{p}}, []diff.File{file}, scanner.Options{PatternsOnly: true})
		if err != nil || len(report.Findings) != 1 {
			t.Fatalf("%q: error %v, findings %+v", line, err, report.Findings)
		}
		got := ""
		if fix := report.Findings[0].SuggestedFix; fix != nil {
			got = strings.Join(fix.Edits[0].New, "\n")
		}
		if got != want {
			t.Errorf("%q: replaced by %q, want %q", line, got, want)
		}
	}
}
