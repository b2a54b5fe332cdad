package skill

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner"
)

const (
	okPattern = `[[patterns]]
id = "todo"
regex = '\bTODO\b'
severity = "low"
confidence = "high"
title = "Open end"
description = "Something is missing."
`
	okInline = `{id = "x", regex = 'x', severity = "high", confidence = "low", title = "t", description = "d"}`
)

// ruleText is what of a rule can be compared.
type ruleText struct {
	ID, Regex          string
	Severity           scanner.Severity
	Confidence         scanner.Confidence
	Title, Description string
	Files              []string
	Replacement        string
	HasReplacement     bool
	Match, NoMatch     []string
	Scope              scanner.PatternScope
	Outside            string
	CWE                int
}

func textOf(rules []scanner.Pattern) []ruleText {
	var out []ruleText
	for _, r := range rules {
		t := ruleText{
			ID: r.ID, Regex: r.Regexp.String(), Severity: r.Severity, Confidence: r.Confidence,
			Title: r.Title, Description: r.Description, Files: r.Files, Match: r.Match, NoMatch: r.NoMatch,
			Scope: r.Scope, Outside: r.Outside, CWE: r.CWE,
		}
		if r.Replacement != nil {
			t.Replacement, t.HasReplacement = *r.Replacement, true
		}
		out = append(out, t)
	}
	return out
}

var todo = ruleText{
	ID: "todo", Regex: `\bTODO\b`, Severity: scanner.SeverityLow, Confidence: scanner.ConfidenceHigh,
	Title: "Open end", Description: "Something is missing.",
}

func with(r ruleText, change func(*ruleText)) ruleText {
	change(&r)
	return r
}

var patternsTests = []struct {
	name string
	in   string
	want []ruleText
}{
	{"nothing", "", nil},
	{"comment", "# none yet\n", nil},
	{"empty list", "patterns = []\n", nil},
	{"one", okPattern, []ruleText{todo}},
	{"BOM and carriage returns", "\ufeff" + strings.ReplaceAll(okPattern, "\n", "\r\n"), []ruleText{todo}},
	{"no final newline", strings.TrimSuffix(okPattern, "\n"), []ruleText{todo}},
	{
		"everything",
		okPattern + "files = ['**/*.{go,py}', 'Makefile']\nreplacement = '${0}: me'\nmatch = ['// TODO', \"x\\tTODO\"]\nnoMatch = ['TODOS']\n",
		[]ruleText{with(todo, func(r *ruleText) {
			r.Files = []string{"**/*.{go,py}", "Makefile"}
			r.Replacement, r.HasReplacement = "${0}: me", true
			r.Match, r.NoMatch = []string{"// TODO", "x\tTODO"}, []string{"TODOS"}
		})},
	},
	{
		"in code, from outside", swap(`'\bTODO\b'`, `'(?P<todo>TODO)'`) + "in = 'code'\noutside = 'todo'\ncwe = 89\nmatch = [\"a\\nTODO\"]\n",
		[]ruleText{with(todo, func(r *ruleText) {
			r.Regex, r.Outside, r.CWE, r.Match = "(?P<todo>TODO)", "todo", 89, []string{"a\nTODO"}
		})},
	},
	{"in a comment", okPattern + "in = 'comment'\n", []ruleText{with(todo, func(r *ruleText) { r.Scope = scanner.ScopeComment })}},
	{
		"empty replacement deletes", okPattern + "replacement = ''\n",
		[]ruleText{with(todo, func(r *ruleText) { r.HasReplacement = true })},
	},
	{
		"aliases of severity", strings.Replace(okPattern, `"low"`, `"Info"`, 1) + strings.NewReplacer("todo", "b", `"low"`, `"critical"`).Replace(okPattern),
		[]ruleText{todo, with(todo, func(r *ruleText) { r.ID, r.Severity = "b", scanner.SeverityHigh })},
	},
	{
		"inline", "patterns = [\n " + okInline + ",\n]\n",
		[]ruleText{{ID: "x", Regex: "x", Severity: scanner.SeverityHigh, Confidence: scanner.ConfidenceLow, Title: "t", Description: "d"}},
	},
	{
		"description of several lines", strings.Replace(okPattern, `"Something is missing."`, "'''\nOne.\nTwo.\n'''", 1),
		[]ruleText{with(todo, func(r *ruleText) { r.Description = "One.\nTwo." })},
	},
}

func TestParsePatterns(t *testing.T) {
	for _, tt := range patternsTests {
		t.Run(tt.name, func(t *testing.T) {
			rules, err := parsePatterns("f", []byte(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(textOf(rules), tt.want); d != "" {
				t.Errorf("got (-) differs from want (+):\n%s", d)
			}
		})
	}
}

func swap(old, new string) string { return strings.Replace(okPattern, old, new, 1) }

var patternsErrorTests = []struct{ name, in string }{
	{"not TOML", "[[patterns]]\nid = todo\n"},
	{"key twice", okPattern + "id = \"b\"\n"},
	{"broken UTF-8", "# \xff\n"},
	{"single brackets", strings.Replace(okPattern, "[[patterns]]", "[patterns]", 1)},
	{"another table", "[[pattern]]\nid = \"x\"\n[rules.x]\ny = 1\n"},
	{"table below a rule", okPattern + "[patterns.files]\na = 1\n"},
	{"key at the top", "version = 1\npatterns.id = 1\n" + okPattern},
	{"patterns of a wrong type", "patterns = 1\n"},
	{"patterns of wrong items", "patterns = [1, " + okInline + ", 'x']\n"},
	{"nothing in it", "[[patterns]]\n"},
	{"all empty", "[[patterns]]\nid = ''\nregex = ''\nseverity = ''\nconfidence = ''\ntitle = ' '\ndescription = ''\n"},
	{"unknown keys, all of them", okPattern + "regexp = 'x'\nSeverity = 'low'\nlanguages = ['go']\nno_match = ['x']\n'a b'.c = 1\n"},
	{"unknown part of the text", okPattern + "in = 'all'\n"},
	{"outside without such a group", okPattern + "outside = 'value'\n"},
	{"outside without a name", swap(`'\bTODO\b'`, `'(TODO)'`) + "outside = ''\n"},
	{"outside in a comment", swap(`'\bTODO\b'`, `'(?P<todo>TODO)'`) + "outside = 'todo'\nin = 'comment'\n"},
	{"weakness without a number", okPattern + "cwe = 0\n"},
	{"wrong types", "[[patterns]]\nid = 1\nregex = ['x']\nseverity = true\nconfidence = 1.5\ntitle = {}\ndescription = 2024-01-01\nfiles = '*.go'\nmatch = [1, 'x', ['y']]\n"},
	{"unknown severity and confidence", "[[patterns]]\nid = 'a'\nregex = 'x'\nseverity = 'severe'\nconfidence = 'certain'\ntitle = 't'\ndescription = 'd'\n"},
	{"off is not a severity", swap(`"low"`, `"off"`)},
	{"regex does not compile", swap(`'\bTODO\b'`, `'(TODO'`)},
	{"regex with lookahead", swap(`'\bTODO\b'`, `'TODO(?!:)'`)},
	{"regex with backreference", swap(`'\bTODO\b'`, `'(x)\1'`)},
	{"regex too large", swap(`'\bTODO\b'`, `'(?:(?:x{999}){999}){999}'`)},
	{"regex with a large program", swap(`'\bTODO\b'`, `'(?:TODO){600}'`)},
	{"regex too long", swap(`'\bTODO\b'`, `'`+strings.Repeat("x", maxRegex+1)+`'`)},
	{"regex matches everything", swap(`'\bTODO\b'`, `'(?:TODO)*'`)},
	{"regex of two lines", swap(`'\bTODO\b'`, "'''a\nb'''")},
	{"id twice", okPattern + okPattern},
	{"id with a blank", swap(`"todo"`, `"to do"`)},
	{"id of two lines", swap(`"todo"`, `"to\ndo"`)},
	{"title of two lines", swap(`"Open end"`, `"Open\nend"`)},
	{"replacement of two lines", okPattern + "replacement = \"a\\nb\"\n"},
	{"replacement without such a group", okPattern + "replacement = '$1x $2 ${name}'\n"},
	{"replacement with a letter behind", swap(`'\bTODO\b'`, `'(TODO)'`) + "replacement = '$1s'\n"},
	{"bad globs", okPattern + "files = ['[', '', '**/*.go', '{a']\n"},
	{"no globs", okPattern + "files = []\n"},
	{"several rules", okPattern + "\n[[patterns]]\nid = \"second\"\nregex = '['\nseverity = \"hi\"\ntitle = \"t\"\nbescription = \"d\"\n\n" + okPattern},
}

func TestParsePatternsErrors(t *testing.T) {
	var b strings.Builder
	for _, tt := range patternsErrorTests {
		rules, err := parsePatterns("patterns.toml", []byte(tt.in))
		if err == nil {
			t.Errorf("%s: no error", tt.name)
			continue
		}
		if rules != nil {
			t.Errorf("%s: rules in addition to an error", tt.name)
		}
		var e *fileError
		if !errors.As(err, &e) || len(e.problems) == 0 {
			t.Errorf("%s: %T is not an *fileError with problems", tt.name, err)
		}
		fmt.Fprintf(&b, "== %s\n%v\n", tt.name, err)
	}
	golden(t, "patterns_errors.txt", b.String())
}

func TestParsePatternsIsBounded(t *testing.T) {
	t.Run("rules", func(t *testing.T) {
		var b strings.Builder
		for i := range maxPatterns + 1 {
			b.WriteString(swap(`"todo"`, fmt.Sprintf("%q", fmt.Sprint("todo", i))))
		}
		_, err := parsePatterns("f", []byte(b.String()))
		if want := "f:7001:3: patterns[1000]: 1001 patterns; at most 1000 are read"; err == nil || err.Error() != want {
			t.Errorf("got error %v, want %v", err, want)
		}
	})
	t.Run("regular expressions", func(t *testing.T) {
		var b strings.Builder
		for i := range 13 {
			b.WriteString(strings.NewReplacer(`"todo"`, fmt.Sprintf("%q", fmt.Sprint("todo", i)),
				`\bTODO\b`, "["+strings.Repeat("ab", 2047)+"]").Replace(okPattern))
		}
		_, err := parsePatterns("f", []byte(b.String()))
		if want := "f:87:9: patterns[12].regex: the regular expressions have more than 49152 bytes together " +
			"(with (?i), a range beyond ASCII counts as 500); move patterns to another skill"; err == nil || err.Error() != want {
			t.Errorf("got error %v, want %v", err, want)
		}
	})
	t.Run("ranges that ignore case", func(t *testing.T) {
		// Each range takes some milliseconds to parse.
		for _, regex := range []string{"(?i)x[" + strings.Repeat("B-𞥂", 600) + "]", `x(?s-m:(?mi:` + strings.Repeat(`[ -\x{1e942}]`, 200) + "))"} {
			_, err := parsePatterns("f", []byte(swap(`\bTODO\b`, regex)))
			if err == nil || !strings.Contains(err.Error(), "f:3:9: patterns[0].regex: the regular expressions have more than") {
				t.Errorf("got error %v", err)
			}
		}
		if _, err := parsePatterns("f", []byte(swap(`\bTODO\b`, "x["+strings.Repeat("B-𞥂", 600)+"]"))); err != nil {
			t.Error(err)
		}
	})
	t.Run("problems", func(t *testing.T) {
		_, err := parsePatterns("f", []byte(strings.Repeat("[[patterns]]\n", maxPatterns)))
		var e *fileError
		if !errors.As(err, &e) {
			t.Fatalf("got error %v", err)
		}
		lines := strings.Split(e.Error(), "\n")
		if n := len(lines); n != maxProblems+1 {
			t.Errorf("%d lines, want %d", n, maxProblems+1)
		}
		if got, want := lines[maxProblems], "f: 5900 more problems"; got != want {
			t.Errorf("last line is %q, want %q", got, want)
		}
	})
	t.Run("nesting", func(t *testing.T) {
		if _, err := parsePatterns("f", []byte("patterns = "+strings.Repeat("[", maxFileSize/2))); err == nil {
			t.Error("no error")
		}
	})
}

func TestRuleCheck(t *testing.T) {
	tests := []struct{ name, add, want string }{
		{"no examples", "", ""},
		{"right", "match = ['TODO x']\nnoMatch = ['todo']", ""},
		{"both wrong", "match = ['todo', 'TODO']\nnoMatch = ['x', 'TODO']", "pattern \"todo\": does not match \"todo\"\npattern \"todo\": matches \"TODO\""},
		{"replacement", "match = ['a TODO b']\nreplacement = 'DONE'", ""},
		{"replacement that does nothing", "match = ['a TODO b']\nreplacement = '$0'", `pattern "todo": the replacement does not change "a TODO b"`},
		{"replacement that does not help", "match = ['a TODO b']\nreplacement = 'TODO: now'", `pattern "todo": the replacement makes "a TODO: now b", which the pattern still matches`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rules, err := parsePatterns("f", []byte(okPattern+tt.add))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, p := range checkExamples(t.Context(), &rules[0]) {
				got = append(got, p.Message)
			}
			if got := strings.Join(got, "\n"); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func FuzzParsePatterns(f *testing.F) {
	for _, tt := range patternsTests {
		f.Add([]byte(tt.in))
	}
	for _, tt := range patternsErrorTests {
		if len(tt.in) < 1000 { // long seeds make the fuzzer spend its time minimizing
			f.Add([]byte(tt.in))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		rules, err := parsePatterns("f", data)
		if err != nil {
			var e *fileError
			if !errors.As(err, &e) || len(e.problems) == 0 || e.Error() == "" {
				t.Fatalf("%T is not an *fileError with problems", err)
			}
			for _, p := range e.problems {
				if p.Message == "" || p.Line < 0 || p.Line > strings.Count(string(data), "\n")+1 {
					t.Errorf("problem %+v: no message, or no line of the file", p)
				}
			}
			return
		}
		for i := range rules {
			if err := rules[i].Validate(); err != nil {
				t.Errorf("invalid pattern: %v", err)
			}
			checkExamples(t.Context(), &rules[i])
		}
	})
}
