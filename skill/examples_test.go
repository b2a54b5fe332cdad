package skill

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
)

var braces = regexp.MustCompile(`\{([^{}]*)\}`)

// exampleFiles returns names of files that a rule is for, one for each of its globs and
// extensions.
func exampleFiles(r *rule) []string {
	if len(r.Files) == 0 {
		return []string{"a.txt", "a.go"}
	}
	files := slices.Clone(r.Files)
	for i := 0; i < len(files); i++ {
		if m := braces.FindStringSubmatch(files[i]); m != nil {
			for _, alternative := range strings.Split(m[1], ",") {
				files = append(files, strings.Replace(files[i], m[0], alternative, 1))
			}
			files = slices.Delete(files, i, i+1)
			i--
		}
	}
	for i, f := range files {
		files[i] = strings.NewReplacer("**", "dir", "*", "a", "?", "a").Replace(f)
	}
	return files
}

// finds reports whether a rule finds something in an example in a file.
func (r *rule) finds(t testing.TB, file, example string) bool {
	t.Helper()
	if r.Scope == scanner.ScopeCredentials {
		return r.Regexp.MatchString(example)
	}
	s := scanner.Skill{Name: "s", Patterns: []scanner.Pattern{r.Pattern}}
	load := func() ([]byte, error) { return []byte(example), nil }
	report, err := scanner.RunSkill(t.Context(), s, []diff.File{{Path: file, Mode: 0o100644, Load: load}},
		scanner.Options{PatternsOnly: true, Chunking: diff.Chunking{FilePatterns: []diff.FilePattern{{Pattern: "**", Mode: diff.ModePerChunk}}}})
	if err != nil {
		t.Fatal(err)
	}
	return len(report.Findings) > 0
}

// Examples are of one of the languages that a rule is for: those that match do so in
// one of its files, and in one the others do not.
func TestBuiltinExamplesInFiles(t *testing.T) {
	for skill, rules := range builtinRules(t) {
		for _, r := range rules {
			t.Run(path.Join(skill, r.ID), func(t *testing.T) {
				files := exampleFiles(&r)
				count := func(example string) (n int) {
					for _, f := range files {
						if r.finds(t, f, example) {
							n++
						}
					}
					return n
				}
				for _, example := range r.Match {
					if count(example) == 0 {
						t.Errorf("nothing is found in %q", example)
					}
				}
				for _, example := range r.NoMatch {
					if example != "" && count(example) == len(files) {
						t.Errorf("something is found in %q", example)
					}
				}
			})
		}
	}
}
