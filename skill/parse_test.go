package skill

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/codescan-dev/scanner"
)

var parseTests = []struct {
	name     string
	in       string
	want     scanner.Skill
	warnings []string
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
		warnings: []string{
			`f:6: allowed-tools: "Bash(git diff:*)" is ignored; only Read, Grep, Glob can be granted`,
			`f:6: allowed-tools: "Write" is ignored; only Read, Grep, Glob can be granted`,
			`f:7: allowed-tools: "Read(src/**)" is ignored; only Read, Grep, Glob can be granted`,
		},
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
		name: "quoted number as name",
		in:   "---\nname: \"42\"\ndescription: d\n---\nx",
		want: scanner.Skill{Name: "42", Description: "d", Instructions: "x"},
	},
}

func TestParse(t *testing.T) {
	for _, tt := range parseTests {
		t.Run(tt.name, func(t *testing.T) {
			got, warnings, err := parse("f", []byte(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(got, tt.want, cmpopts.IgnoreUnexported(scanner.Skill{})); d != "" {
				t.Errorf("got (-) differs from want (+):\n%s", d)
			}
			var lines []string
			for _, w := range warnings {
				lines = append(lines, w.String())
			}
			if d := cmp.Diff(lines, tt.warnings); d != "" {
				t.Errorf("warnings (-) differ from want (+):\n%s", d)
			}
		})
	}
}

var parseErrorTests = []struct{ name, in string }{
	{"empty", ""},
	{"no front matter", "# My skill\n\nLook.\n"},
	{"blank line first", "\n---\nname: a\n---\n"},
	{"not closed", "---\nname: a\ndescription: d\n"},
	{"only the first dashes", "---"},
	{"empty front matter", "---\n---\nx"},
	{"comments only", "---\n# name: a\n---\nx"},
	{"not a table", "---\n- name\n---\nx"},
	{"just text", "---\nname\n---\nx"},
	{"no name", "---\ndescription: d\n---\nx"},
	{"no description", "---\nname: a\n---\nx"},
	{"empty values", "---\nname:\ndescription: \"  \"\n---\nx"},
	{"all wrong", "---\nallowed-tools: {a: b}\nname: [a]\ndescription: 3\n---\nx"},
	{"number as name", "---\nname: 42\ndescription: yes\n---\nx"},
	{"date as description", "---\nname: a\ndescription: 2024-01-02\n---\nx"},
	{"own type", "---\nname: !thing a\ndescription: d\n---\nx"},
	{"tools of a wrong type", "---\nname: a\ndescription: d\nallowed-tools: 3\n---\nx"},
	{"tools in a list of wrong types", "---\nname: a\ndescription: d\nallowed-tools: [Read, 3, [Grep]]\n---\nx"},
	{"twice", "---\nname: a\ndescription: d\nname: b\nname: c\n---\nx"},
	{"name with spaces", "---\nname: My Skill!\ndescription: d\n---\nx"},
	{"name with a slash", "---\nname: ../x\ndescription: d\n---\nx"},
	{"name too long", "---\nname: " + strings.Repeat("a", 65) + "\ndescription: d\n---\nx"},
	{"name of no letters", "---\nname: ü\ndescription: d\n---\nx"},
	{"colon in a text", "---\nname: a\ndescription: Use it: always\n---\nx"},
	{"tab", "---\nname: a\n\tdescription: d\n---\nx"},
	{"bracket", "---\nname: [a\ndescription: d\n---\nx"},
	{"unknown anchor", "---\nname: *a\ndescription: d\n---\nx"},
	{"alias to a list", "---\nx: &a [b]\nname: *a\ndescription: d\n---\nx"},
	{"list in itself", "---\nname: a\ndescription: d\nallowed-tools: &t [*t]\n---\nx"},
	{"broken UTF-8", "---\nname: a\ndescription: d\n---\n\nx\xffy"},
	{"UTF-16", "\xff\xfe-\x00-\x00-\x00\n\x00"},
	{"control character", "---\nname: a\x01b\ndescription: d\n---\nx"},
	{"front matter too long", "---\nname: a\nx: " + strings.Repeat("y", maxFrontMatter) + "\n---\nx"},
}

func TestParseErrors(t *testing.T) {
	var b strings.Builder
	for _, tt := range parseErrorTests {
		_, _, err := parse("SKILL.md", []byte(tt.in))
		if err == nil {
			t.Errorf("%s: no error", tt.name)
			continue
		}
		var e *fileError
		if !errors.As(err, &e) || len(e.problems) == 0 {
			t.Errorf("%s: %T is not an *fileError with problems", tt.name, err)
		}
		fmt.Fprintf(&b, "== %s\n%v\n", tt.name, err)
	}
	golden(t, "parse_errors.txt", b.String())
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
		"billion laughs":  laughs.String(),
		"deep lists":      "---\nname: a\ndescription: d\nx: " + strings.Repeat("[", wide) + "\n---\nx",
		"deep tables":     "---\nname: a\ndescription: d\nx: " + strings.Repeat("{a: ", wide/4) + "\n---\nx",
		"deep block list": "---\nname: a\ndescription: d\nx:\n " + strings.Repeat("- ", wide/2) + "\n---\nx",
		"deep keys":       "---\nname: a\ndescription: d\n" + strings.Repeat("? ", wide/2) + "\n---\nx",
		"same key":        "---\nname: a\ndescription: d\n" + strings.Repeat("name: a\n", wide/8) + "---\nx",
		"many tools":      "---\nname: a\ndescription: d\nallowed-tools: " + strings.Repeat("a b,", wide/4) + "\n---\nx",
		"many anchors":    "---\nname: a\ndescription: d\nx: [" + strings.Repeat("&a b,", wide/5) + "]\n---\nx",
		"many comments":   "---\nname: a\ndescription: d\n" + strings.Repeat("#\n", wide/2) + "---\nx",
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			_, _, err := parse("f", []byte(in))
			if d := time.Since(start); d > 10*time.Second {
				t.Errorf("took %v", d)
			}
			if err != nil && len(err.Error()) > 1<<20 {
				t.Errorf("error has %d bytes", len(err.Error()))
			}
		})
	}
}

func FuzzParseSkill(f *testing.F) {
	for _, tt := range parseTests {
		f.Add([]byte(tt.in))
	}
	for _, tt := range parseErrorTests {
		if len(tt.in) < 1000 { // long seeds make the fuzzer spend its time minimizing
			f.Add([]byte(tt.in))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, warnings, err := parse("f", data)
		lines := 1
		for _, r := range string(data) {
			if strings.ContainsRune("\n\r\u0085\u2028\u2029", r) { // what ends a line in YAML
				lines++
			}
		}
		if err != nil {
			var e *fileError
			if !errors.As(err, &e) || len(e.problems) == 0 || e.Error() == "" {
				t.Fatalf("%T is not an *fileError with problems", err)
			}
			for _, p := range e.problems {
				if p.Message == "" || p.Line < 0 || p.Line > lines {
					t.Errorf("problem %+v: no message, or no line of the file", p)
				}
			}
			return
		}
		if !validName(s.Name) || s.Description == "" || strings.ContainsAny(s.Description, "\n\r") {
			t.Errorf("invalid skill %+v", s)
		}
		for _, tool := range s.AllowedTools {
			if tool != "Read" && tool != "Grep" && tool != "Glob" {
				t.Errorf("tool %q was granted", tool)
			}
		}
		for _, w := range warnings {
			if w.Line < 1 || w.Message == "" {
				t.Errorf("warning %+v", w)
			}
		}
	})
}
