package ignore_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/codescan-dev/scanner/internal/ignore"
)

func TestMarks(t *testing.T) {
	at := func(line int, target, reason string) ignore.Mark {
		return ignore.Mark{Target: target, Reason: reason, Line: line, Last: line + 1}
	}
	whole := func(line int, target, reason string) ignore.Mark {
		return ignore.Mark{Target: target, Reason: reason, Line: line, Last: math.MaxInt}
	}
	for _, tt := range []struct {
		name, file, text string
		want             []ignore.Mark
	}{
		{"Go", "a.go", "package a\n// scanner:ignore[s] because\nx()\n", []ignore.Mark{at(2, "s", "because")}},
		{"after code", "a.go", "package a\nx() // scanner:ignore[s/r] it is (fine)\r\n", []ignore.Mark{at(2, "s/r", "it is (fine)")}},
		{"a block", "a.go", "package a\n/* scanner:ignore[s] because */ x()\n/*\n * scanner:ignore[t] why not\n */\n",
			[]ignore.Mark{at(2, "s", "because"), at(4, "t", "why not")}},
		{"Python", "a.py", "import os\nx()  # scanner:ignore[s] because\n", []ignore.Mark{at(2, "s", "because")}},
		{"HTML", "a.html", "<p>\n<!-- scanner:ignore[s] because -->\n", []ignore.Mark{at(2, "s", "because")}},
		{"SQL", "a.sql", "select 1;\n-- scanner:ignore[s] because\n", []ignore.Mark{at(2, "s", "because")}},
		{"YAML", "a.yml", "a: 1\nb: 2 # scanner:ignore[s] because\n", []ignore.Mark{at(2, "s", "because")}},
		{"shell", "a.sh", "#!/bin/sh\n# scanner:ignore[s] because\n\nx\n", []ignore.Mark{whole(2, "s", "because")}},
		{"first lines", "a.go", "// Copyright\n\n// scanner:ignore[s] because\n\npackage a\n// scanner:ignore[t] why\n",
			[]ignore.Mark{whole(3, "s", "because"), at(6, "t", "why")}},
		{"PHP", "a.php", "<?php\n// scanner:ignore[s] because\nx();\n", []ignore.Mark{whole(2, "s", "because")}},
		{"code on the first line", "a.py", "x() # scanner:ignore[s] because\ny()", []ignore.Mark{at(1, "s", "because")}},
		{"without a reason", "a.py", "x() # scanner:ignore[s]\n", []ignore.Mark{at(1, "s", "")}},
		{"two in a row", "a.py", "x()\n# scanner:ignore[s] one\n# scanner:ignore[t] two\ny()\n", []ignore.Mark{
			{Target: "s", Reason: "one", Line: 2, Last: 4}, at(3, "t", "two")}},
		{"in a row, one after code", "a.py", "x()\nz() # scanner:ignore[s] one\n# scanner:ignore[t] two\ny()\n", []ignore.Mark{at(2, "s", "one"), at(3, "t", "two")}},
		{"in a string", "a.py", "x('# scanner:ignore[s] because')\n", nil},
		{"in code", "a.py", "scanner:ignore[s] because\n", nil},
		{"in a sentence", "a.py", "x()\n# write scanner:ignore[s] because\n", nil},
		{"unknown language", "a.unknown", "# scanner:ignore[s] because\n", nil},
	} {
		if d := cmp.Diff(ignore.Marks(tt.file, []byte(tt.text)), tt.want, cmpopts.IgnoreFields(ignore.Mark{}, "Code")); d != "" {
			t.Errorf("%s (-got +want):\n%s", tt.name, d)
		}
	}
}

// TestMarkCode: the hash is that of the lines that a mark is for, wherever they are.
func TestMarkCode(t *testing.T) {
	code := func(text string) string { return ignore.Marks("a.py", []byte(text))[0].Code }
	want := code("import os\n# scanner:ignore[s] because\nx(1)\n")
	for text, same := range map[string]bool{
		"import sys\n\n#  scanner:ignore[t] why\n  x(1) # other\ny()\n": true,
		"import os\n# scanner:ignore[s] because\nx(2)\n":                false,
		"import os\nz() # scanner:ignore[s] because\nx(1)\n":            false,
	} {
		if got := code(text); (got == want) != same {
			t.Errorf("%q: got %q, and %q before; want the same: %v", text, got, want, same)
		}
	}
}

func TestCovers(t *testing.T) {
	skill := ignore.Mark{Target: "s", Reason: "r", Line: 4, Last: 5}
	rule := ignore.Mark{Target: "s/a", Reason: "r", Line: 4, Last: 5}
	for _, tt := range []struct {
		name        string
		mark        ignore.Mark
		skill, rule string
		first, last int
		want        bool
	}{
		{"its line", skill, "s", "", 4, 4, true},
		{"the next", skill, "s", "", 5, 5, true},
		{"the one after", skill, "s", "", 6, 6, false},
		{"the one before", skill, "s", "", 3, 3, false},
		{"a range that touches it", skill, "s", "", 1, 4, true},
		{"another skill", skill, "t", "", 4, 4, false},
		{"a rule of the skill", skill, "s", "s/a", 4, 4, true},
		{"its rule, found by another skill", skill, "t", "s/a", 4, 4, true},
		{"a rule of another skill", skill, "t", "sx/a", 4, 4, false},
		{"the rule", rule, "s", "s/a", 4, 4, true},
		{"another rule", rule, "s", "s/ab", 4, 4, false},
		{"not a rule", rule, "s", "", 4, 4, false},
		{"the whole file", ignore.Mark{Target: "s", Reason: "r", Line: 1, Last: math.MaxInt}, "s", "", 99, 99, true},
		{"no target", ignore.Mark{Reason: "r", Line: 4, Last: 5}, "s", "", 4, 4, false},
		{"no reason", ignore.Mark{Target: "s", Line: 4, Last: 5}, "s", "", 4, 4, false},
	} {
		if got := tt.mark.Covers(tt.skill, tt.rule, tt.first, tt.last); got != tt.want {
			t.Errorf("%s: got %v", tt.name, got)
		}
	}
}

func FuzzMarks(f *testing.F) {
	f.Add("a.go", "package a\n/* scanner:ignore[s] because */ x()\n")
	f.Add("a.php", "<?php\n# scanner:ignore[s/r] because ?>\n")
	f.Fuzz(func(t *testing.T, path, text string) {
		for _, m := range ignore.Marks(path, []byte(text)) {
			if m.Line < 1 || m.Last <= m.Line {
				t.Errorf("%+v in %q", m, text)
			}
		}
	})
}
