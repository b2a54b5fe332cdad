package skill

import (
	"bufio"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/prefilter"
)

var builtinNames = []string{CodeReview, "security-review"}

func TestBuiltinSkills(t *testing.T) {
	c := Discover(Builtin())
	if w := c.Warnings(); len(w) > 0 {
		t.Errorf("Warnings() = %v, want none", w)
	}
	for i, e := range c.entries {
		if e.name != builtinNames[i] {
			t.Errorf("entry %d is %q, want %q", i, e.name, builtinNames[i])
		}
	}
	for _, name := range builtinNames {
		t.Run(name, func(t *testing.T) {
			s, warnings, err := c.Find(name)
			if err != nil {
				t.Fatal(err)
			}
			if len(warnings) > 0 {
				t.Errorf("warnings %v, want none", warnings)
			}
			if _, warnings, err := Load(os.DirFS("builtin"), name); err != nil || len(warnings) > 0 {
				t.Errorf("as the skill of a project: error %v, warnings %v", err, warnings)
			}
			if s.Source != "built-in" {
				t.Errorf("Source = %q, want %q", s.Source, "built-in")
			}
			if n := len(s.Description); n < 40 || n > 200 {
				t.Errorf("description has %d bytes, want 40 to 200", n)
			}
			// Every request carries the instructions, so their size is a price.
			if n := len(s.Instructions); n < 3000 || n > 4800 {
				t.Errorf("instructions have %d bytes, want 3000 to 4800", n)
			}
			if got := strings.Join(s.AllowedTools, " "); got != "Read Grep Glob" {
				t.Errorf("AllowedTools = %q", got)
			}
			if n := len(s.Patterns); n < 12 {
				t.Errorf("%d patterns, want at least 12", n)
			}
		})
	}
}

// A program carries what it runs, and no fixtures.
func TestBuiltinFiles(t *testing.T) {
	var got, want []string
	err := fs.WalkDir(builtin, ".", func(name string, d fs.DirEntry, err error) error {
		if !d.IsDir() {
			got = append(got, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range builtinNames {
		want = append(want, "builtin/"+name+"/SKILL.md", "builtin/"+name+"/patterns.toml")
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("embedded files: got (-), want (+):\n%s", diff)
	}
}

// The model must learn what the program means by severities and confidences.
func TestBuiltinDefinesConfidences(t *testing.T) {
	for _, name := range builtinNames {
		s, _, err := Discover(Builtin()).Find(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			"traced to", "- high: ", "- medium: ", "- low: ", "## What not to report", "No findings is a good answer",
			"unified diff", "Verification:", "may mitigate it", "specific conditions",
		} {
			if !strings.Contains(strings.ReplaceAll(s.Instructions, "the path from source to sink is traced", "traced to"), want) {
				t.Errorf("%s: instructions do not contain %q", name, want)
			}
		}
	}
}

func builtinRules(t testing.TB) map[string][]scanner.Pattern {
	t.Helper()
	rules := make(map[string][]scanner.Pattern)
	for _, name := range builtinNames {
		r, err := loadRules(builtin, path.Join("builtin", name), name)
		if err != nil {
			t.Fatal(err)
		}
		rules[name] = r
	}
	return rules
}

func TestBuiltinExamples(t *testing.T) {
	for skill, rules := range builtinRules(t) {
		for _, r := range rules {
			t.Run(skill+"/"+r.ID, func(t *testing.T) {
				for _, p := range checkExamples(t.Context(), &r) {
					t.Error(p.Message)
				}
				if len(r.Match) == 0 || len(r.NoMatch) == 0 {
					t.Errorf("%d match and %d noMatch lines, want at least one of each", len(r.Match), len(r.NoMatch))
				}
				if n := len(r.Title); n > 80 || strings.HasSuffix(r.Title, ".") {
					t.Errorf("title %q: want at most 80 bytes without a final period", r.Title)
				}
				if !strings.HasSuffix(r.Description, ".") || len(r.Description) < 60 {
					t.Errorf("description %q: want sentences", r.Description)
				}
				if r.Confidence == "" {
					t.Error("no confidence")
				}
			})
		}
	}
}

// Every glob must match a file that could exist; a mistake in a glob would
// silently turn a rule off.
func TestBuiltinGlobs(t *testing.T) {
	files := []string{
		"a.c", "a.cc", "a.cs", "a.go", "a.java", "a.js", "a.php", "a.py", "a.rb", "a.rs", "a.sh", "a.sql", "a.yaml", "a.tf", "a.cls",
		"a.html", "a.conf", "a.vue", "a.json", "src/a.jsx", "db/migrations/a.sql", "src/a.test.ts", "src/a.ts", "src/deep/a.kt", "src/__tests__/a.js",
		"Makefile", "Dockerfile", "docker/Dockerfile.dev", "Rakefile", ".gitlab-ci.yml", "docker-compose.yml",
		".github/workflows/ci.yml", "action.yml", "a.env", "web.config", "templates/a.html", "a.erb",
	}
	for skill, rules := range builtinRules(t) {
		for _, r := range rules {
			for _, g := range r.Files {
				matches := 0
				for _, f := range files {
					if ok, _ := doublestar.Match(g, f); ok {
						matches++
					}
				}
				if matches == 0 {
					t.Errorf("%s: pattern %q: glob %q matches none of the usual files", skill, r.ID, g)
				}
			}
		}
	}
}

// Rules should differ in several languages' files.
func TestBuiltinLanguages(t *testing.T) {
	for skill, rules := range builtinRules(t) {
		for _, file := range []string{"a.go", "a.py", "a.js", "a.ts", "A.java", "a.c", "a.cpp", "a.rb", "a.php", "a.rs", "a.cs", "a.sh", "a.sql", ".github/workflows/ci.yml"} {
			if n := len(rulesFor(rules, file)); n < 2 {
				t.Errorf("%s: %d rules look at %s, want at least 2", skill, n, file)
			}
		}
	}
}

func rulesFor(rules []scanner.Pattern, file string) []scanner.Pattern {
	var fit []scanner.Pattern
	for _, r := range rules {
		ok := len(r.Files) == 0
		for _, g := range r.Files {
			m, _ := doublestar.Match(g, file)
			ok = ok || m
		}
		if ok {
			fit = append(fit, r)
		}
	}
	return fit
}

// goSources returns the lines of this package: real code without the mistakes
// that the rules look for.
func goSources(tb testing.TB, fsys fs.FS) []string {
	tb.Helper()
	var lines []string
	files, err := fs.Glob(fsys, "*.go")
	if err != nil {
		tb.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := fsys.Open(name)
		if err != nil {
			tb.Fatal(err)
		}
		for sc := bufio.NewScanner(f); sc.Scan(); {
			lines = append(lines, sc.Text())
		}
		f.Close()
	}
	return lines
}

// A rule is cheap if the filter before it can rule out most lines.
func TestBuiltinRulesAreCheap(t *testing.T) {
	lines := goSources(t, os.DirFS("."))
	for skill, rules := range builtinRules(t) {
		var passed, total int
		for _, r := range rules {
			if r.Scope == scanner.ScopeCredentials {
				continue // for a few files, up to the first match
			}
			f := prefilter.New(r.Regexp)
			for _, line := range r.Match {
				if !f.MayMatch(prefilter.Fold(line)) {
					t.Errorf("%s: the filter of pattern %q excludes %q", skill, r.ID, line)
				}
			}
			for _, line := range lines {
				total++
				if f.MayMatch(prefilter.Fold(line)) {
					passed++
				}
			}
		}
		if limit := total / 20; passed > limit {
			t.Errorf("%s: %d of %d tries get past the filters, want at most %d", skill, passed, total, limit)
		}
	}
}

// The rules must find nothing in the code of this package.
func TestBuiltinRulesOnInnocentCode(t *testing.T) {
	text := strings.Join(goSources(t, os.DirFS(".")), "\n")
	for skill, rules := range builtinRules(t) {
		for _, r := range rulesFor(rules, "a.go") {
			if r.Scope == scanner.ScopeCredentials {
				continue
			}
			for _, f := range findExample(t.Context(), &r, "a.go", text) {
				t.Errorf("%s: pattern %q finds something in line %d", skill, r.ID, f.Location.StartLine)
			}
		}
	}
}
