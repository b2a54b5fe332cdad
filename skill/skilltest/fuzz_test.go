package skilltest

import (
	"strings"
	"testing"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
)

// FuzzCutWant: what is left of a line is the beginning of it, and has no expectation.
func FuzzCutWant(f *testing.F) {
	for _, line := range []string{
		`x = 1 // want high "a" "b"`, "# want `a`", `/* want low "x" */`, `{/* want nothing */}`, `x // want hihg`, `-- want "\xff"`,
		"if got != want {", "\t<!-- want \"\\u0000\" -->", "x // want \"a", "日本 ;; want \"語\"", "// want // want \"a\"", `# Want: "a"`, `{want: "a"}`,
		`' want "a"`, `" want nothing`, `' want "a" // want "b"`, `// want ' want "a"`, `' want "a" " want "b"`,
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		code, wants, ok, err := cutWant(line)
		if ok == (err == nil && len(wants) == 0) {
			t.Errorf("found %v with %d expectations and error %v", ok, len(wants), err)
		}
		if !strings.HasPrefix(line, code) {
			t.Errorf("the code %q is not the beginning", code)
		}
		if _, _, again, _ := cutWant(code); again && err == nil {
			t.Errorf("%q still has an expectation", code)
		}
	})
}

// FuzzReadWants: every want.toml is an error, or has expectations that name what demands
// them.
func FuzzReadWants(f *testing.F) {
	for _, text := range []string{
		"needs = \"model\"\nunexpected = \"allow\"\n[[want]]\nfile = \"a.go\"\nline = 1\nseverity = \"high\"\ntext = \"a\"\n[[never]]\ntext = \"\"\n",
		"[[want]]\ntext = 1\n", "want = []\n", "[want]\ntext = \"a\"\n", "needs = \"other\"", "\xff", "[[want]]\nline = -1\ntext = 'a'",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		x := Fixture{lines: map[scanner.Location]string{{Path: "a.go", StartLine: 1}: "x"}, files: []diff.File{{Path: "a.go"}}}
		if err := x.readWants(data); err != nil {
			return
		}
		for _, w := range x.wants {
			if !strings.HasPrefix(w.source, "want.toml:") || w.at.StartLine != 0 && w.at.String() != "a.go:1" {
				t.Errorf("read %+v", w)
			}
		}
	})
}
