package skilltest_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/provider"
	"github.com/codescan-dev/scanner/provider/providertest"
	"github.com/codescan-dev/scanner/skill/skilltest"
)

// TestLoadErrors: what is wrong with a fixture is an error with the file and the line.
func TestLoadErrors(t *testing.T) {
	tests := []struct{ file, text, want string }{
		{"a.go", "x // want hihg \"a\"\n", `shop/tests/f/a.go:1: the expectation "// want hihg \"a\"" cannot be read: want, for instance, // want high "text" or // want nothing, at the end of the line`},
		{"a.go", "\nx // want\n", `shop/tests/f/a.go:2: the expectation "// want" cannot be read: want, for instance, // want high "text" or // want nothing, at the end of the line`},
		{"a.go", "x // want high\n", `shop/tests/f/a.go:1: the expectation "// want high" cannot be read: want, for instance, // want high "text" or // want nothing, at the end of the line`},
		{"a.go", "x // want 'a'\n", `shop/tests/f/a.go:1: the expectation "// want 'a'" cannot be read: want, for instance, // want high "text" or // want nothing, at the end of the line`},
		{"a.go", "x // want \"a\n", `shop/tests/f/a.go:1: the expectation "// want \"a" cannot be read: want, for instance, // want high "text" or // want nothing, at the end of the line`},
		{"a.go", "x // want \"a\" low \"b\"\n", `shop/tests/f/a.go:1: the expectation "// want \"a\" low \"b\"" cannot be read: want, for instance, // want high "text" or // want nothing, at the end of the line`},
		{"a.go", "x /* want \"a\" */ y()\n", `shop/tests/f/a.go:1: the expectation "/* want \"a\" */ y()" cannot be read: want, for instance, // want high "text" or // want nothing, at the end of the line`},
		{"a.go", "x // want nothing \"a\"\n", `shop/tests/f/a.go:1: the expectation "// want nothing \"a\"" cannot be read: want, for instance, // want high "text" or // want nothing, at the end of the line`},
		{"a.go", "x // WANT: hi \"a\"\n", `shop/tests/f/a.go:1: the expectation "// WANT: hi \"a\"" cannot be read: want, for instance, // want high "text" or // want nothing, at the end of the line`},
		{"a.go", "x // want \"\\q\"\n", `shop/tests/f/a.go:1: "\q" is not a string as in Go: double a backslash, or use backquotes`},
		{"a.go", "x\n// want \"a\"\n# want low \"b\"\n", "shop/tests/f/a.go:2: no line follows that the expectation could be about\nshop/tests/f/a.go:3: no line follows that the expectation could be about"},
		{"want.toml", "needs = \"modle\"\n", "shop/tests/f: the fixture has no code: add a file, or change.diff"},
		{"change.diff", "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n", "shop/tests/f/change.diff: line 5: \"a\": the hunk is cut off: the header announces 1 more added line"},
	}
	for _, tt := range tests {
		_, err := tree{"SKILL.md": shopSkill, "tests/f/" + tt.file: tt.text}.test(t, scanner.Options{})
		if err == nil || err.Error() != tt.want && tt.file != "change.diff" || !strings.HasPrefix(err.Error(), tt.want[:30]) {
			t.Errorf("%q: got\n%v\nwant\n%s", tt.text, err, tt.want)
		}
	}
	_, err := tree{"SKILL.md": shopSkill, "tests/f/a.go": "x\n", "tests/f/want.toml": "unexpected = \"all\"\nneed = 1\n[[want]]\nline = 1\nseverity = \"hi\"\n[[never]]\n"}.test(t, scanner.Options{})
	golden(t, "testdata/want_errors.txt", fmt.Sprintln(err))
}

// TestTree: where the tree is not what the diff makes of it, or expects something else,
// the fixture is an error.
func TestTree(t *testing.T) {
	const fresh = "func pay() { exec(\"a\") }"
	for _, tt := range []struct{ name, old, new, want string }{
		{"a copied expectation", "\n\n\n", "\n\n// want \"runs\"\n", ""},
		{"code that the diff does not show", "third", "fourth", ""},
		{"lines of Windows", "\n", "\r\n", ""},
		{"an expectation of the tree alone", fresh, fresh + " // want high \"a\"", `shop/tests/f/pay.go:4: the expectation is not on this line of change.diff: expectations belong there, and here only as a copy`},
		{"another expectation", "\n\n\n", "\n\n// want low \"runs\"\n", `shop/tests/f/pay.go:3: the expectation is not on this line of change.diff: expectations belong there, and here only as a copy`},
		{"an expectation outside of the hunks", "func third", "// want \"a\"\nfunc third", `shop/tests/f/pay.go:8: the expectation is not on this line of change.diff: expectations belong there, and here only as a copy`},
		{"other code", "pay()", "paid()", `shop/tests/f/pay.go:4: the line differs from "func pay() { exec(\"a\") }", which it is in change.diff`},
		{"other context", "package shop", "package shops", `shop/tests/f/pay.go:1: the line differs from "package shop", which it is in change.diff`},
		{"a file that is too short", "func other() { exec(\"b\") }\n\nfunc third() { exec(\"c\") }\n", "", `shop/tests/f/pay.go:6: the file ends before this line, which is in change.diff`},
	} {
		d := maps.Clone(ofDiff)
		d["tests/f/pay.go"] = strings.ReplaceAll(d["tests/f/pay.go"], tt.old, tt.new)
		got := ""
		if _, err := d.test(t, scanner.Options{}); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}

// TestComments: what is an expectation in which language, and what remains of its line.
func TestComments(t *testing.T) {
	tests := []struct{ line, sent, want string }{
		{`x = 1 // want high "a"`, `x = 1`, `high "a"`},
		{"x = 1\t//want \"a\" `b\"c`  ", `x = 1`, `"a", "b\"c"`},
		{`    # want "a"`, ``, `next: "a"`},
		{`x /* want low "x" */`, `x`, `low "x"`},
		{`<p> <!-- want medium "y" -->`, `<p>`, `medium "y"`},
		{`SELECT 1 -- want high "z"`, `SELECT 1`, `high "z"`},
		{`(f) ;; want "z"`, `(f)`, `"z"`},
		{`\x % want "z"`, `\x`, `"z"`},
		{`  {/* want "z" */}`, ``, `next: "z"`},
		{`{# want "z" #}`, ``, `next: "z"`},
		{`x // why // want "z"`, `x // why`, `"z"`},
		{`x // want ""`, `x`, `any finding`},
		{`x // want low ""`, `x`, `any low finding`},
		{`x # want: high "z"`, `x`, `high "z"`},
		{`x //Want:"z"`, `x`, `"z"`},
		{`{want: "z"}, // why`, `{want: "z"}, // why`, ``},
		{`x = { want: "z" }`, `x = { want: "z" }`, ``},
		{`日本 // want "語"`, `日本`, `"語"`},
		{`if got != want {`, `if got != want {`, ``},
		{`if want == got {`, `if want == got {`, ``},
		{`return got == want`, `return got == want`, ``},
		{`t.Errorf("got %v, want %v")`, `t.Errorf("got %v, want %v")`, ``},
		{`x // we want "a"`, `x // we want "a"`, ``},
		{`x // wants "a"`, `x // wants "a"`, ``},
		{`x ////// want "a"`, `x ////// want "a"`, ``},
		{`Dim x ' want high "z"`, `Dim x`, `high "z"`},
		{`' Want: "z"`, ``, `next: "z"`},
		{"let x = 1 \" want \"z\" `y`", `let x = 1`, `"z", "y"`},
		{`print(got, ' want "z"')`, `print(got, ' want "z"')`, ``},
		{`print(got, " want " + str(z))`, `print(got, " want " + str(z))`, ``},
		{`"want " + z + "."`, `"want " + z + "."`, ``},
		{`'want nothing',`, `'want nothing',`, ``},
		{`REM want "z"`, `REM want "z"`, ``},
	}
	for _, tt := range tests {
		sent := ""
		model := providertest.Func(func(_ int, req provider.Request) providertest.Answer {
			sent = req.Messages[0].Text
			return providertest.Text(`{"findings": []}`)
		})
		res, err := tree{"SKILL.md": shopSkill, "tests/f/a.txt": "first\n" + tt.line + "\nlast\n"}.test(t, scanner.Options{Provider: model})
		if err != nil {
			t.Fatalf("%q: %v", tt.line, err)
		}
		var wants []string
		for _, d := range res.Differences {
			at, rest, _ := strings.Cut(d, ": missing: ")
			w, _, _ := strings.Cut(rest, "\n")
			if at == "a.txt:3" {
				w = "next: " + w
			}
			wants = append(wants, w)
		}
		if got := strings.Join(wants, ", "); got != tt.want {
			t.Errorf("%q expects %s, want %s", tt.line, got, tt.want)
		}
		if !strings.Contains(sent, "1+|first\n2+|"+tt.sent+"\n3+|last\n") || tt.want != "" && strings.Contains(sent, "want") {
			t.Errorf("%q: the model gets\n%s", tt.line, sent)
		}
	}
}

// TestDiffIsClean: a model sees expectations neither in the change nor in the tree, also
// not those of lines that are gone.
func TestDiffIsClean(t *testing.T) {
	var sent []string
	model := providertest.Func(func(n int, req provider.Request) providertest.Answer {
		for _, m := range req.Messages {
			sent = append(sent, m.Text)
		}
		if n == 1 {
			return providertest.Answer{Response: provider.Response{ToolCalls: []provider.ToolCall{
				{ID: "1", Name: "Read", Arguments: `{"path": "pay.go"}`}, {ID: "2", Name: "Glob", Arguments: `{"pattern": "**"}`},
			}}}
		}
		return providertest.Text(`{"findings": []}`)
	})
	d := maps.Clone(ofDiff)
	delete(d, "patterns.toml")
	d["SKILL.md"] = strings.Replace(d["SKILL.md"], "description", "allowed-tools: Read Glob\ndescription", 1)
	d["tests/f/pay.go"] = strings.Replace(d["tests/f/pay.go"], "\n\n\nfunc", "\n\n// want \"runs\"\nfunc", 1)
	d["tests/f/want.toml"] = "# secret"
	if _, err := d.test(t, scanner.Options{Provider: model}); err != nil {
		t.Fatal(err)
	}
	all := strings.Join(sent, "\n")
	for _, hidden := range []string{"want", "change.diff", "secret"} {
		if strings.Contains(all, hidden) {
			t.Errorf("the model gets %q:\n%s", hidden, all)
		}
	}
	if !strings.Contains(all, `exec("c")`) || !strings.Contains(all, "-|func pay() { exec(\"old\") }\n") {
		t.Errorf("the model gets not the tree, or not what is gone:\n%s", all)
	}
}

// TestPlaces: a finding meets expectations at all of its places, and each finding at most
// as many as it has places; as many as possible are met.
func TestPlaces(t *testing.T) {
	const (
		at1   = `{"title": "Fault", "severity": "low", "description": "One.", "location": {"startLine": 1}}`
		at1a3 = `{"title": "Fault of others", "severity": "low", "description": "Other text, which is long.", "location": {"startLine": 1}, "additionalLocations": [{"path": "a.txt", "startLine": 3}]}`
		to3   = `{"title": "Wide", "severity": "low", "description": "Many lines of it.", "location": {"startLine": 1, "endLine": 3}}`
		none  = `{"title": "General", "severity": "low", "description": "No place for that."}`
	)
	tests := []struct {
		name, first, third, answer string
		found, unexpected          int
	}{
		{"two at a line", `"fault" "fault"`, ``, at1 + "," + at1a3, 2, 0},
		{"the other place is for the other expectation", `"fault" "fault"`, `"fault"`, at1 + "," + at1a3, 3, 0},
		{"only the other place", ``, `"fault"`, at1a3, 1, 0},
		{"the narrow one first", `"fault"`, `""`, at1 + "," + to3, 2, 0},
		{"the wide one first", `""`, `"wide"`, to3 + "," + at1, 2, 0},
		{"one finding, two expectations", `"wide" "wide"`, ``, to3, 1, 0},
		{"two findings, one expectation", `"fault"`, ``, at1 + "," + to3, 1, 1},
		{"without a place", `"general"`, ``, none, 0, 1},
	}
	for _, tt := range tests {
		comment := func(text string) string {
			if text == "" {
				return "\n"
			}
			return " // want " + text + "\n"
		}
		res, err := tree{"SKILL.md": shopSkill, "tests/f/a.txt": "one" + comment(tt.first) + "two\nthree" + comment(tt.third)}.
			test(t, scanner.Options{Provider: providertest.Answers(providertest.Text(`{"findings": [` + tt.answer + `]}`))})
		if err != nil {
			t.Fatal(err)
		}
		if res.Found != tt.found || res.Unexpected != tt.unexpected || len(res.Differences) != res.Expected-res.Found+res.Unexpected {
			t.Errorf("%s: %d of %d found, %d unexpected, want %d, %d:\n%s", tt.name, res.Found, res.Expected, res.Unexpected,
				tt.found, tt.unexpected, strings.Join(res.Differences, "\n"))
		}
	}
}

// TestOutcomes are those of runs that are not like others.
func TestOutcomes(t *testing.T) {
	finding := providertest.Text(`{"findings": [{"title": "Fault", "severity": "low", "description": "d", "location": {"startLine": 1}}]}`)
	base := tree{"SKILL.md": shopSkill, "tests/f/a.txt": "one\n"}
	allow := tree{"SKILL.md": shopSkill, "tests/f/a.txt": "one\n", "tests/f/want.toml": "unexpected = \"allow\"\n"}
	rules := tree{"SKILL.md": shopSkill, "patterns.toml": shopRules, "tests/f/a.txt": "one\n"}
	needs := maps.Clone(rules)
	needs["tests/f/want.toml"] = `needs = "model"`
	const hint = "it needs a model, and has no recorded answers: scanner skills test --record shop"
	tests := []struct {
		name string
		tree tree
		opts scanner.Options
		want string
	}{
		{"a skill without rules", base, scanner.Options{}, hint},
		{"rules without a model", rules, scanner.Options{}, ""},
		{"rules need no model", rules, scanner.Options{Provider: providertest.Answers()}, ""},
		{"a model is needed", needs, scanner.Options{}, hint},
		{"unexpected", base, scanner.Options{Provider: providertest.Answers(finding)}, "a.txt:1: unexpected: low \"Fault\", by the model\n    one"},
		{"allowed in place of another", tree{"SKILL.md": shopSkill, "tests/f/a.txt": "one // want \"other\"\n", "tests/f/want.toml": "unexpected = \"allow\"\n"},
			scanner.Options{Provider: providertest.Answers(finding)}, "a.txt:1: missing: \"other\"\n    one\n    found: a.txt:1: low \"Fault\", by the model"},
		{"forbidden at a line", tree{"SKILL.md": shopSkill, "tests/f/a.txt": "one\n", "tests/f/want.toml": "unexpected = \"allow\"\n[[never]]\nfile = \"a.txt\"\nline = 1\n"},
			scanner.Options{Provider: providertest.Answers(finding)}, "a.txt:1: forbidden by want.toml:2: low \"Fault\", by the model\n    one"},
		{"allowed", allow, scanner.Options{Provider: providertest.Answers(finding)}, ""},
		{"the budget", base, scanner.Options{Provider: providertest.Answers(finding), MaxTokens: 1}, scanner.ErrBudget.Error() + ": 0 of at most 1 tokens were used, and the next request may need 2863"},
		{"a failure", base, scanner.Options{Provider: providertest.Answers(providertest.Fail(provider.KindRefusal, "no"))}, "a.txt:1: not analyzed: RefusalError: no"},
		{"no credentials", base, scanner.Options{Provider: providertest.Answers(providertest.Fail(provider.KindAuth, "who?"))}, "AuthenticationError: who?"},
	}
	for _, tt := range tests {
		res, err := tt.tree.test(t, tt.opts)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = cmp.Or(res.NotRun, strings.Join(res.Differences, "\n"))
		}
		if strings.TrimSpace(got) != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	fixtures, err := skilltest.Load(base.fs(), "shop")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fixtures[0].Test(ctx, scanner.Skill{Name: "s", Instructions: "i"}, scanner.Options{Provider: providertest.Answers(finding)}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v for a run that was canceled", err)
	}
}

// fakeT is a test that writes what happens to it.
type fakeT struct {
	ctx context.Context
	out *strings.Builder
}

func (t *fakeT) log(what string, args []any) {
	fmt.Fprintf(t.out, "%s: %s", what, fmt.Sprintln(args...))
}

func (t *fakeT) Helper()                  {}
func (t *fakeT) Context() context.Context { return t.ctx }
func (t *fakeT) Log(args ...any)          { t.log("log", args) }
func (t *fakeT) Error(args ...any)        { t.log("error", args) }
func (t *fakeT) Fatal(args ...any)        { t.log("fatal", args); runtime.Goexit() }
func (t *fakeT) Skip(args ...any)         { t.log("skip", args); runtime.Goexit() }
func (t *fakeT) Run(name string, f func(*fakeT)) bool {
	t.log("run", []any{name})
	done := make(chan struct{})
	go func() { defer close(done); f(t) }()
	<-done
	return true
}

// TestRun: every fixture is a subtest, and nothing passes that was not tested.
func TestRun(t *testing.T) {
	failing := maps.Clone(withRules)
	failing["tests/f/pay.py"] = "run('c')\n"
	failing["tests/g/a.go"] = "fine()\n"
	failing["tests/g/answers/a.txt"] = ""
	failing["tests/h/want.toml"] = "needs = \"model\"\n"
	failing["tests/h/a.go"] = "fine()\n"
	failing["tests/README.md"] = "About the fixtures."
	edited := withAnswers(t)
	edited["SKILL.md"] += "\nAll of them.\n"
	var got strings.Builder
	for _, tt := range []struct {
		name string
		tree tree
	}{
		{"failing", failing},
		{"edited", edited},
		{"broken", tree{"SKILL.md": shopSkill, "tests/f/a.go": "x // want\n"}},
		{"none", tree{"SKILL.md": "---\nname: Wrong Name\ndescription: d\n---\nFind faults.\n"}},
		{"missing", nil},
	} {
		dir := t.TempDir()
		if err := os.CopyFS(dir, tt.tree.fs()); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&got, "== %s\n", tt.name)
		fake := &fakeT{t.Context(), new(strings.Builder)}
		fake.Run(tt.name, func(ft *fakeT) { skilltest.Run(ft, filepath.Join(dir, "shop")) })
		got.WriteString(strings.ReplaceAll(fake.out.String(), dir, "DIR"))
	}
	golden(t, "testdata/run.txt", got.String())
}
