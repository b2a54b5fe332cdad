package skill

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/text"
)

var parseTests = []struct {
	name string
	in   string
	want scanner.Skill
}{
	{
		name: "plain",
		in:   "---\nname: a-b\ndescription: Finds it.\n---\nLook.\n",
		want: scanner.Skill{Name: "a-b", Description: "Finds it.", Instructions: "Look."},
	},
	{
		name: "carriage returns, BOM, no final newline",
		in:   "\ufeff---\r\nname: a\r\ndescription: d\r\n---\r\n# Title\r\n\r\nLook.",
		want: scanner.Skill{Name: "a", Description: "d", Instructions: "# Title\n\nLook."},
	},
	{
		name: "carriage returns alone",
		in:   "---\rname: a\rdescription: d\r---\rOne\rTwo",
		want: scanner.Skill{Name: "a", Description: "d", Instructions: "One\nTwo"},
	},
	{
		name: "folded and literal text",
		in:   "---\nname: a\ndescription: >-\n  Finds\n  it.\n\n  Always.\n---\nx\n",
		want: scanner.Skill{Name: "a", Description: "Finds it. Always.", Instructions: "x"},
	},
	{
		name: "dashes in the body",
		in:   "---\nname: a\ndescription: d\n---\nOne\n---\nname: b\n---\nTwo\n",
		want: scanner.Skill{Name: "a", Description: "d", Instructions: "One\n---\nname: b\n---\nTwo"},
	},
	{
		name: "dashes inside a value",
		in:   "---\nname: a\ndescription: |\n  one\n  ---\n  two\n---\nx",
		want: scanner.Skill{Name: "a", Description: "one --- two", Instructions: "x"},
	},
	{
		name: "white space after the dashes",
		in:   "--- \nname: a\ndescription: d\n---\t\nx",
		want: scanner.Skill{Name: "a", Description: "d", Instructions: "x"},
	},
	{
		name: "front matter only",
		in:   "---\nname: a\ndescription: d\n---",
		want: scanner.Skill{Name: "a", Description: "d"},
	},
	{
		name: "further keys of any shape",
		in:   "---\nname: a\nlicense: MIT\nmetadata: {version: 1, tags: [x, y]}\ndescription: d\n---\nx",
		want: scanner.Skill{Name: "a", Description: "d", Instructions: "x"},
	},
	{
		name: "tools with commas",
		in:   "---\nname: a\ndescription: d\nallowed-tools: Read, Grep,Glob\n---\nx",
		want: scanner.Skill{Name: "a", Description: "d", Instructions: "x", AllowedTools: []string{"Read", "Grep", "Glob"}},
	},
	{
		name: "tools with spaces, in another case, twice",
		in:   "---\nname: a\ndescription: d\nallowed-tools: grep  read GREP\n---\nx",
		want: scanner.Skill{Name: "a", Description: "d", Instructions: "x", AllowedTools: []string{"Grep", "Read"}},
	},
	{
		name: "tools as a block list",
		in:   "---\nname: a\ndescription: d\nallowed-tools:\n  - Read\n  - \"Glob\"\n---\nx",
		want: scanner.Skill{Name: "a", Description: "d", Instructions: "x", AllowedTools: []string{"Read", "Glob"}},
	},
	{
		name: "tools as a flow list",
		in:   "---\nname: a\ndescription: d\nallowed-tools: [Read, Glob]\n---\nx",
		want: scanner.Skill{Name: "a", Description: "d", Instructions: "x", AllowedTools: []string{"Read", "Glob"}},
	},
	{
		name: "no tools",
		in:   "---\nname: a\ndescription: d\nallowed-tools:\n---\nx",
		want: scanner.Skill{Name: "a", Description: "d", Instructions: "x"},
	},
	{
		name: "tools that are never granted",
		in:   "---\nname: a\ndescription: d\nallowed-tools:\n  - Read\n  - Bash(git diff:*), Write\n  - Read(src/**)\n  - Write\n---\nx",
		want: scanner.Skill{Name: "a", Description: "d", Instructions: "x", AllowedTools: []string{"Read"}},
	},
	{
		name: "aliases",
		in:   "---\nname: a\nx: &d text\ny: &t [Read]\ndescription: *d\nallowed-tools: *t\n---\nx",
		want: scanner.Skill{Name: "a", Description: "text", Instructions: "x", AllowedTools: []string{"Read"}},
	},
	{
		name: "longest name",
		in:   "---\nname: " + strings.Repeat("a", 64) + "\ndescription: d\n---\nx",
		want: scanner.Skill{Name: strings.Repeat("a", 64), Description: "d", Instructions: "x"},
	},
	{
		name: "paths as a list, of which the items are whole",
		in:   "---\nname: a\ndescription: d\npaths:\n  - \"**/*.{ts,tsx}\"\n  - my docs/*.md\n---\nx",
		want: scanner.Skill{Name: "a", Description: "d", Instructions: "x", Paths: []string{"**/*.{ts,tsx}", "my docs/*.md"}},
	},
	{
		name: "paths as text",
		in:   "---\nname: a\ndescription: d\npaths: src/**/*.{c,h}, [ab].go  Makefile\n---\nx",
		want: scanner.Skill{Name: "a", Description: "d", Instructions: "x", Paths: []string{"src/**/*.{c,h}", "[ab].go", "Makefile"}},
	},
	{
		name: "no paths",
		in:   "---\nname: a\ndescription: d\npaths: []\n---\nx",
		want: scanner.Skill{Name: "a", Description: "d", Instructions: "x"},
	},
	{
		name: "model",
		in:   "---\nname: a\ndescription: d\nmodel: sonnet\n---\nx",
		want: scanner.Skill{Name: "a", Description: "d", Instructions: "x", PreferredModel: "sonnet"},
	},
	{
		name: "inherited model",
		in:   "---\nname: a\ndescription: d\nmodel: inherit\n---\nx",
		want: scanner.Skill{Name: "a", Description: "d", Instructions: "x"},
	},
	{
		name: "values of other types",
		in:   "---\nname: 42\ndescription: 2024-01-02\n---\nx",
		want: scanner.Skill{Name: "42", Description: "2024-01-02", Instructions: "x"},
	},
	{
		name: "blank lines first",
		in:   "\n \n---\nname: a\ndescription: d\n---\nx",
		want: scanner.Skill{Name: "a", Description: "d", Instructions: "x"},
	},
	{
		name: "quoted number as name",
		in:   "---\nname: \"42\"\ndescription: d\n---\nx",
		want: scanner.Skill{Name: "42", Description: "d", Instructions: "x"},
	},
}

func TestParse(t *testing.T) {
	for _, tt := range parseTests {
		t.Run(tt.name, func(t *testing.T) {
			got, warnings, err := parse("f", ".", []byte(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(got, tt.want, cmpopts.IgnoreUnexported(scanner.Skill{}), cmpopts.EquateEmpty()); d != "" {
				t.Errorf("got (-) differs from want (+):\n%s", d)
			}
			if len(warnings) > 0 {
				t.Errorf("warnings: %v", warnings)
			}
		})
	}
}

// dialects are forms of SKILL.md that are in use, or mistakes that occur, and not valid.
var dialects = []struct{ name, in string }{
	{"empty", ""},
	{"no front matter", "# My skill\n\n<!-- for editors -->\nLook at locks\nand queues.\n\nThen report."},
	{"no front matter, rule first", "---\nLook at locks.\n\n---\nThen report."},
	{"not closed", "---\nname: b\ndescription: d\n\nLook at locks.\n\nThen report."},
	{"only the first dashes", "---"},
	{"empty front matter", "---\n---\nLook."},
	{"comments only", "---\n# name: b\n---\nLook."},
	{"not a table", "---\n- name\n---\nLook."},
	{"no spaces after colons", "---\nname:b\ndescription:Finds locks.\n---\nLook."},
	{"no name", "---\ndescription: d\n---\nLook."},
	{"no description", "---\nname: a\n---\n# Title\n\n" + strings.Repeat("Look. ", 50) + "\n\nReport."},
	{"nothing to describe it", "---\nname: a\n---\n# Title"},
	{"empty values", "---\nname:\ndescription: \"  \"\n---\nLook."},
	{"wrong types", "---\nallowed-tools: {a: b}\nname: [b]\ndescription: {a: b}\npaths: {a: b}\nmodel: [b]\n---\nLook."},
	{"lists of wrong types", "---\nname: a\ndescription: d\nallowed-tools: [Read, [Grep]]\npaths: [a, {b: c}]\n---\nLook."},
	{"own type", "---\nname: !thing b\ndescription: d\n---\nLook."},
	{"repeated", "---\nname: a\ndescription: d\nname: b\nname: c\n---\nLook."},
	{"name is a title", "---\nname: \"Lock Review!\"\nslug: a\ndescription: d\n---\nLook."},
	{"name with underscores", "---\nname: lock_review\ndescription: d\n---\nLook."},
	{"name with a slash", "---\nname: ../x\ndescription: d\n---\nLook."},
	{"name of a plugin", "---\nname: tools:locks\ndescription: d\n---\nLook."},
	{"name too long", "---\nname: " + strings.Repeat("a", 65) + "\ndescription: d\n---\nLook."},
	{"name in another script", "---\nname: 锁\ndescription: d\n---\nLook."},
	{"colon in a text", "---\nname: a\ndescription: Use when: a lock is held, or: waited for.\nallowed-tools: Read, Bash\npaths:\n  - \"*.go\"\n---\nLook."},
	{"colon in a text of several lines", "---\nname: a\ndescription: Use when: a lock is held\n  and waited for.\nmetadata:\n  name: b\n---\nLook."},
	{"text after a quoted text", "---\nname: a\ndescription: \"Locks\" and queues\n---\nLook."},
	{"quote that does not end", "---\nname: a\ndescription: \"Finds locks.\nmodel: opus\n---\nLook."},
	{"text that begins with a special character", "---\nname: a\ndescription: @locks and `queues`\n---\nLook."},
	{"globs without quotes", "---\nname: a\ndescription: d\npaths: **/*.go, *.{c,h}\n---\nLook."},
	{"list of globs without quotes", "---\nname: a\ndescription: d\npaths:\n  - **/*.go\n  - '*.c'\n---\nLook."},
	{"globs without quotes in brackets", "---\nname: a\ndescription: d\npaths: [**/*.go, \"*.c\"]\n---\nLook."},
	{"invalid glob", "---\nname: a\ndescription: d\npaths: [\"*.go\", \"[a\"]\n---\nLook."},
	{"negated glob", "---\nname: a\ndescription: d\npaths: [\"*.go\", \"!*_test.go\"]\n---\nLook."},
	{"tabs", "---\nname: a\n\tversion: 1\ndescription: d\n---\nLook."},
	{"tabs in a literal text", "---\nname: a\ndescription: |\n\tFinds\n\tlocks.\n---\nLook."},
	{"bracket that does not end", "---\nname: [b\ndescription: d\n---\nLook."},
	{"alias of nothing", "---\nname: *b\ndescription: d\n---\nLook."},
	{"list in itself", "---\nname: a\ndescription: d\nallowed-tools: &t [*t]\n---\nLook."},
	{"Latin-1", "---\nname: a\ndescription: d\n---\n\nCaf\xe9"},
	{"control character", "---\nname: a\x01b\ndescription: d\n---\nLook."},
	{"hidden text", "---\nname: a\ndescription: d\u202e e\n---\nLook\U000E0052\U000E0065 \x1b[8mat\u200b \u2764\ufe0f."},
	{"front matter too long", "---\nname: b\n\nx: " + strings.Repeat("y", maxFrontMatter) + "\n---\nLook."},
	{"everything", "\n---\nname: My Skill\ndescription:\nnotes: a: b\nallowed-tools: [Read, 3]\n---\nLook."},
}

func TestDialects(t *testing.T) {
	var b strings.Builder
	for _, tt := range dialects {
		s, warnings, err := parse("a/SKILL.md", "a", []byte(tt.in))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		fmt.Fprintf(&b, "== %s\nname %q, description %q, instructions %q", tt.name, s.Name, s.Description, text.Truncate(s.Instructions, 80))
		if len(s.AllowedTools)+len(s.Paths) > 0 || s.PreferredModel != "" {
			fmt.Fprintf(&b, ", tools %q, paths %q, model %q", s.AllowedTools, s.Paths, s.PreferredModel)
		}
		b.WriteByte('\n')
		if len(warnings) > 1 {
			t.Errorf("%s: %d warnings, want one", tt.name, len(warnings))
		}
		for _, w := range warnings {
			fmt.Fprintln(&b, w)
		}
	}
	golden(t, "dialects.txt", b.String())
}

// Without a usable name, a skill has that of its directory, made valid.
func TestNameOfDirectory(t *testing.T) {
	for _, tt := range []struct{ base, name, want string }{
		{"locks", "Lock Review", "locks"},
		{"My Locks", "Lock Review", "my-locks"},
		{"锁", "Lock Review", "lock-review"},
		{".", "Lock Review", "lock-review"},
		{".", "锁", "my-skill"},
	} {
		s, _, err := parse("f", tt.base, []byte("---\nname: "+tt.name+"\ndescription: d\n---\nx"))
		if err != nil || s.Name != tt.want {
			t.Errorf("name %q in %q: got %q, %v; want %q", tt.name, tt.base, s.Name, err, tt.want)
		}
	}
}

func TestParseBinary(t *testing.T) {
	for in, want := range map[string]string{
		"\xff\xfe-\x00-\x00-\x00\n\x00": "SKILL.md:1: not text; save the file as UTF-8",
		"---\nname: a\n---\nx\x00y":     "SKILL.md:4: not text; save the file as UTF-8",
	} {
		if _, _, err := parse("SKILL.md", "a", []byte(in)); err == nil || err.Error() != want {
			t.Errorf("parse(%q): %v, want %q", in, err, want)
		}
	}
}

// What expands, nests or repeats without end must cost no more than its size.
func TestParseIsBounded(t *testing.T) {
	var laughs strings.Builder
	laughs.WriteString("---\nname: a\ndescription: d\na0: &a0 [x,x,x,x,x,x,x,x,x]\n")
	for i := 1; i < 40; i++ {
		fmt.Fprintf(&laughs, "a%d: &a%d [", i, i)
		laughs.WriteString(strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i-1), 9), ",") + "]\n")
	}
	laughs.WriteString("allowed-tools: *a39\n---\nx")
	wide := maxFrontMatter - 200
	for name, in := range map[string]string{
		"billion laughs":   laughs.String(),
		"deep lists":       "---\nname: a\ndescription: d\nx: " + strings.Repeat("[", wide) + "\n---\nx",
		"deep tables":      "---\nname: a\ndescription: d\nx: " + strings.Repeat("{a: ", wide/4) + "\n---\nx",
		"deep block list":  "---\nname: a\ndescription: d\nx:\n " + strings.Repeat("- ", wide/2) + "\n---\nx",
		"deep keys":        "---\nname: a\ndescription: d\n" + strings.Repeat("? ", wide/2) + "\n---\nx",
		"same key":         "---\nname: a\ndescription: d\n" + strings.Repeat("name: a\n", wide/8) + "---\nx",
		"many tools":       "---\nname: a\ndescription: d\nallowed-tools: " + strings.Repeat("a b,", wide/4) + "\n---\nx",
		"many anchors":     "---\nname: a\ndescription: d\nx: [" + strings.Repeat("&a b,", wide/5) + "]\n---\nx",
		"many broken keys": "---\nname: a\ndescription: d: d\n" + strings.Repeat("paths: [\n", wide/9) + "---\nx",
		"broken and wide":  "---\nname: a: a\npaths: " + strings.Repeat("- a, ", wide/5) + "\n---\nx",
		"many comments":    "---\nname: a\ndescription: d\n" + strings.Repeat("#\n", wide/2) + "---\nx",
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			_, warnings, err := parse("f", "a", []byte(in))
			if d := time.Since(start); d > 10*time.Second {
				t.Errorf("took %v", d)
			}
			if err != nil || len(warnings) > 1 || len(fmt.Sprint(warnings)) > 10_000 {
				t.Errorf("%.200v, %d warnings of %d bytes", err, len(warnings), len(fmt.Sprint(warnings)))
			}
		})
	}
}

func FuzzParseSkill(f *testing.F) {
	for _, tt := range parseTests {
		f.Add([]byte(tt.in))
	}
	for _, tt := range dialects {
		if len(tt.in) < 1000 { // long seeds make the fuzzer spend its time minimizing
			f.Add([]byte(tt.in))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, warnings, err := parse("f", "my-skill", data)
		if (err != nil) != bytes.ContainsRune(data, 0) {
			t.Fatalf("error %v", err)
		}
		if err != nil {
			return
		}
		lines := 1
		for _, r := range string(data) {
			if strings.ContainsRune("\n\r\u0085\u2028\u2029", r) { // what ends a line in YAML
				lines++
			}
		}
		if !validName(s.Name) || s.Description == "" || strings.ContainsAny(s.Description, "\n\r") {
			t.Errorf("invalid skill %+v", s)
		}
		for _, glob := range s.Paths {
			if err := diff.ValidatePattern(glob); err != nil {
				t.Error(err)
			}
		}
		if len(warnings) > 1 {
			t.Errorf("%d warnings, want at most one", len(warnings))
		}
		for _, tool := range s.AllowedTools {
			if tool != "Read" && tool != "Grep" && tool != "Glob" {
				t.Errorf("tool %q was granted", tool)
			}
		}
		for _, w := range warnings {
			if w.Line < 0 || w.Line > lines || w.Message == "" || strings.Contains(w.Message, "\n") {
				t.Errorf("warning %+v", w)
			}
		}
	})
}
