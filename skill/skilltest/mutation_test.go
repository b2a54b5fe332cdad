package skilltest_test

import (
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/provider"
	"github.com/codescan-dev/scanner/provider/providertest"
	"github.com/codescan-dev/scanner/provider/replay"
	"github.com/codescan-dev/scanner/skill"
	"github.com/codescan-dev/scanner/skill/skilltest"
)

var update = flag.Bool("update", false, "write the golden files")

// tree is a directory with the skill "shop", by path.
type tree map[string]string

func (t tree) fs() fs.FS {
	fsys := make(fstest.MapFS)
	for name, text := range t {
		fsys[path.Join("shop", name)] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

// test runs the only fixture of the skill.
func (t tree) test(tb testing.TB, opts scanner.Options) (*skilltest.Result, error) {
	tb.Helper()
	s, _, err := skill.Load(t.fs(), "shop")
	if err != nil {
		return nil, err
	}
	fixtures, err := skilltest.Load(t.fs(), "shop")
	if err != nil {
		return nil, err
	}
	if len(fixtures) != 1 {
		tb.Fatalf("%d fixtures", len(fixtures))
	}
	return fixtures[0].Test(tb.Context(), s, opts)
}

// record adds the answers of a model.
func (t tree) record(tb testing.TB, answers string, models ...string) tree {
	tb.Helper()
	dir := tb.TempDir()
	day := 0
	model := providertest.Func(func(int, provider.Request) providertest.Answer {
		day++
		a := providertest.Text(answers)
		a.Response.Model = models[(day-1)%len(models)]
		return a
	})
	recorder, err := replay.Record(dir, model, nil, func() time.Time { return time.Date(2026, 11, day, 9, 0, 0, 0, time.UTC) })
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := t.test(tb, scanner.Options{Provider: recorder}); err != nil {
		tb.Fatal(err)
	}
	recorded := maps.Clone(t)
	names, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil || len(names) == 0 {
		tb.Fatal(names, err)
	}
	for i, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			tb.Fatal(err)
		}
		recorded[fmt.Sprintf("tests/f/answers/%d.txt", i)] = string(data)
	}
	return recorded
}

const (
	shopSkill = "---\nname: shop\ndescription: Finds faults.\n---\nFind faults.\n"
	shopRules = `[[patterns]]
id = "no-exec"
regex = '\bexec\('
severity = "medium"
confidence = "high"
title = "Runs a program"
description = "The shop must not."
`
)

// withRules is a fixture about rules, of files.
var withRules = tree{
	"SKILL.md": shopSkill, "patterns.toml": shopRules,
	"tests/f/pay.go": `package shop

func pay() {
	exec("a") // want medium "runs a program"

	// want "no-exec"
	exec("b")
	call("c") // want nothing
}
`,
	"tests/f/web/index.html": "<p>exec</p>\n",
	"tests/f/want.toml":      "[[want]]\nfile = \"pay.py\"\nline = 1\ntext = \"RUNS\"\n\n[[never]]\ntext = \"style\"\n",
	"tests/f/pay.py":         "exec('c')\n",
}

// ofDiff is one that is a diff.
var ofDiff = tree{
	"SKILL.md": shopSkill, "patterns.toml": shopRules,
	"tests/f/change.diff": `--- a/pay.go
+++ b/pay.go
@@ -1,5 +1,6 @@
 package shop
 
-func pay() { exec("old") } // want high "gone"
+// want "runs"
+func pay() { exec("a") }
 
 func other() { exec("b") } // want nothing
`,
	"tests/f/pay.go": "package shop\n\n\nfunc pay() { exec(\"a\") }\n\nfunc other() { exec(\"b\") }\n\nfunc third() { exec(\"c\") }\n",
}

// withAnswers is one with answers of a model. What the rule would find is not in them.
func withAnswers(t *testing.T) tree {
	return tree{
		"SKILL.md": shopSkill, "patterns.toml": shopRules,
		"tests/f/pay.go": `package shop

func pay(cents int) error {
	card := open("card.txt") // want high "not closed"
	exec(card) // want nothing
	// want low "constant" "unit"
	limit := cents * 117
	return nil // want nothing
}
`,
		"tests/f/want.toml": `needs = "model"

[[want]]
text = "tests"

[[never]]
file = "pay.go"
text = "style"
`,
	}.record(t, `{"findings": [
{"title": "File is not closed", "severity": "high", "description": "It stays open.", "location": {"startLine": 4}},
{"title": "A constant without a name", "severity": "low", "description": "Nobody knows it.", "location": {"startLine": 7}},
{"title": "Wrong factor", "severity": "low", "description": "The unit is unclear.", "location": {"startLine": 7}},
{"title": "No tests", "severity": "low", "description": "There are none."}
]}`, "model-1")
}

// TestMutations changes one thing of a fixture that passes: the test of it fails, and
// shows why.
func TestMutations(t *testing.T) {
	answers := withAnswers(t)
	tests := []struct {
		name           string
		base           tree
		file, old, new string
	}{
		{"severity of an expectation", withRules, "tests/f/pay.go", `want medium`, `want low`},
		{"text of an expectation", withRules, "tests/f/pay.go", `"runs a program"`, `"runs two programs"`},
		{"line of an expectation", withRules, "tests/f/pay.go", "// want \"no-exec\"\n", "// want \"no-exec\"\n\n"},
		{"an expectation is removed", withRules, "tests/f/pay.go", ` // want medium "runs a program"`, ``},
		{"an expectation is added", withRules, "tests/f/pay.go", `"no-exec"`, `"no-exec" "no-exec"`},
		{"an expectation of nothing is moved", withRules, "tests/f/pay.go", `medium "runs a program"`, `nothing`},
		{"an expectation of nothing is added", withRules, "tests/f/pay.go", `// want "no-exec"`, "// want \"no-exec\"\n\t// want nothing"},
		{"the line of a want.toml", withRules, "tests/f/want.toml", `line = 1`, `line = 2`},
		{"the file of a want.toml", withRules, "tests/f/want.toml", `pay.py`, `pay.js`},
		{"the severity of a want.toml", withRules, "tests/f/want.toml", `line = 1`, "line = 1\nseverity = \"high\""},
		{"an expectation is removed from a want.toml", withRules, "tests/f/want.toml", `[[want]]`, "[[never]]"},
		{"the severity of a rule", withRules, "patterns.toml", `"medium"`, `"high"`},
		{"the title of a rule", withRules, "patterns.toml", `Runs a program`, `Starts a program`},
		{"the id of a rule", withRules, "patterns.toml", `no-exec`, `no-program`},
		{"the files of a rule", withRules, "patterns.toml", "severity", "files = [\"*.py\"]\nseverity"},
		{"a rule finds more", withRules, "patterns.toml", `exec\(`, `(?:exec|call)\(`},
		{"a fault is repaired", withRules, "tests/f/pay.go", `exec("b")`, `call("b")`},
		{"a fault is moved", withRules, "tests/f/pay.go", `exec("a")`, "exec(\"a\")\n\t"},
		{"a fault is added", withRules, "tests/f/pay.go", `call("c")`, `exec("c")`},
		{"the skill ignores the file", withRules, "SKILL.md", "description", "paths: \"*.go\"\ndescription"},

		{"an expectation of a diff", ofDiff, "tests/f/change.diff", `want "runs"`, `want "walks"`},
		{"an expectation of a diff is removed", ofDiff, "tests/f/change.diff", `// want "runs"`, `// none`},
		{"a line of a diff", ofDiff, "tests/f/change.diff", `+func pay() { exec("a") }`, `+func pay() { }`},
		{"a fault is old", ofDiff, "tests/f/change.diff", "+func pay", " func pay"},
		{"an expectation is not in the diff", ofDiff, "tests/f/pay.go", `exec("c") }`, `exec("c") } // want "runs"`},

		{"severity of an expectation of an answer", answers, "tests/f/pay.go", `want high`, `want medium`},
		{"text of an expectation of an answer", answers, "tests/f/pay.go", `"unit"`, `"units"`},
		{"a line is added to what a model saw", answers, "tests/f/pay.go", "\t// want low", "\n\t// want low"},
		{"a finding of a rule is expected of a model", answers, "tests/f/pay.go", "nothing", `"program"`},
		{"line of an expectation of an answer", answers, "tests/f/pay.go", "nothing", "`constant`"},
		{"an expectation of an answer is removed", answers, "tests/f/pay.go", ` "unit"`, ``},
		{"a finding without a place is removed from want.toml", answers, "tests/f/want.toml", "[[want]]\ntext = \"tests\"\n", ""},
		{"a finding is forbidden", answers, "tests/f/want.toml", `"style"`, `"unclear"`},
		{"severity of an answer", answers, "tests/f/answers/0.txt", `"severity": "high"`, `"severity": "low"`},
		{"title of an answer", answers, "tests/f/answers/0.txt", `File is not closed`, `File is open`},
		{"line of an answer", answers, "tests/f/answers/0.txt", `"startLine": 4`, `"startLine": 6`},
		{"a finding of an answer is removed", answers, "tests/f/answers/0.txt", `| {"title": "A constant without a name", "severity": "low", "description": "Nobody knows it.", "location": {"startLine": 7}},` + "\n", ""},
		{"a finding of an answer is added", answers, "tests/f/answers/0.txt", `"findings": [`, `"findings": [{"title": "Name\u001b[2K", "severity": "low", "description": "Style.", "location": {"startLine": 3}},`},
		{"a finding of an answer is malformed", answers, "tests/f/answers/0.txt", `"severity": "high"`, `"severity": "bad"`},
		{"an answer is not read", answers, "tests/f/answers/0.txt", `"findings": [`, `"finds": [`},
		{"a record is removed", answers, "tests/f/answers/0.txt", "role: analyze", "role: other"},
		{"a record is damaged", answers, "tests/f/answers/0.txt", "lines: 1", "lines: one"},
		{"code that a model saw", answers, "tests/f/pay.go", `* 117`, `* 118`},
	}
	var got strings.Builder
	for _, tt := range tests {
		if res, err := tt.base.test(t, scanner.Options{}); err != nil || len(res.Differences)+len(res.Warnings) > 0 || res.NotRun != "" {
			t.Fatalf("%s: before the change: %+v, %v", tt.name, res, err)
		}
		mutated := maps.Clone(tt.base)
		if tt.file == "tests/f/change.diff" { // without the tree, which has to agree with it
			delete(mutated, "tests/f/pay.go")
		}
		mutated[tt.file] = strings.Replace(mutated[tt.file], tt.old, tt.new, 1)
		if mutated[tt.file] == tt.base[tt.file] {
			t.Fatalf("%s: %q is not in\n%s", tt.name, tt.old, mutated[tt.file])
		}
		res, err := mutated.test(t, scanner.Options{})
		fmt.Fprintf(&got, "== %s\n", tt.name)
		switch {
		case err != nil:
			fmt.Fprintln(&got, err)
		case len(res.Differences) == 0:
			t.Errorf("%s: the fixture still passes", tt.name)
		default:
			fmt.Fprintln(&got, strings.Join(res.Differences, "\n"))
		}
	}
	golden(t, "testdata/mutations.txt", got.String())
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", name, d)
	}
}

// TestHarmless: what is not a part of the test does not change its outcome.
func TestHarmless(t *testing.T) {
	answers := withAnswers(t)
	for _, tt := range []struct{ name, file, old, new string }{
		{"an edit of the skill", "SKILL.md", "Find faults.\n", "Find all faults.\n"},
		{"the order of expectations", "tests/f/pay.go", `"constant" "unit"`, `"unit" "constant"`},
		{"a comment of another language", "tests/f/pay.go", `// want high "not closed"`, `<!-- want high "not closed" -->`},
		{"lines of Windows", "tests/f/want.toml", "\n", "\r\n"},
	} {
		mutated := maps.Clone(answers)
		mutated[tt.file] = strings.ReplaceAll(mutated[tt.file], tt.old, tt.new)
		res, err := mutated.test(t, scanner.Options{})
		if err != nil || len(res.Differences) > 0 || res.Expected != 4 || res.Found != 4 {
			t.Errorf("%s: %+v, %v", tt.name, res, err)
		}
		if edited := tt.file == "SKILL.md"; edited != (len(res.Warnings) == 1) {
			t.Errorf("%s: warnings %q", tt.name, res.Warnings)
		}
	}
	if !slices.Equal(slices.Sorted(maps.Keys(answers)), []string{"SKILL.md", "patterns.toml", "tests/f/answers/0.txt", "tests/f/pay.go", "tests/f/want.toml"}) {
		t.Error("the fixture has other files")
	}
}
