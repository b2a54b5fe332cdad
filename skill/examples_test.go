package skill

import (
	"errors"
	"fmt"
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
func exampleFiles(r *scanner.Pattern) []string {
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

// findings returns what a rule finds in an example in a file.
func findings(t testing.TB, r *scanner.Pattern, file, example string) []scanner.Finding {
	t.Helper()
	if r.Scope == scanner.ScopeCredentials { // for files that are skipped
		if r.Regexp.MatchString(example) {
			return make([]scanner.Finding, 1)
		}
		return nil
	}
	s := scanner.Skill{Name: "s", Patterns: []scanner.Pattern{*r}}
	load := func() ([]byte, error) { return []byte(example), nil }
	report, err := scanner.RunSkill(t.Context(), s, []diff.File{{Path: file, Mode: 0o100644, Load: load}},
		scanner.Options{PatternsOnly: true, Chunking: diff.Chunking{FilePatterns: []diff.FilePattern{{Pattern: "**", Mode: diff.ModePerChunk}}}})
	if err != nil {
		t.Fatal(err)
	}
	return report.Findings
}

// checkExamples tests a rule on its examples, which are of one of the languages that it is
// for. It reports every example of Match in which it finds nothing in all of its files,
// every one of NoMatch in which it finds something in all of them, and, if it has a
// replacement, every one of Match that the replacement does not change, or in which the
// rule still finds something afterwards.
func checkExamples(t testing.TB, r *scanner.Pattern) error {
	t.Helper()
	var errs []error
	fail := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("pattern %q: "+format, append([]any{r.ID}, args...)...))
	}
	files := exampleFiles(r)
	for _, example := range r.Match {
		var found []scanner.Finding
		file := ""
		for _, file = range files {
			if found = findings(t, r, file, example); len(found) > 0 {
				break
			}
		}
		switch {
		case len(found) == 0:
			fail("does not match %q", example)
		case r.Replacement == nil || strings.Contains(example, "\n"):
		case found[0].SuggestedFix == nil:
			fail("the replacement does not change %q", example)
		default:
			fixed := found[0].SuggestedFix.Edits[0].New[0]
			if len(findings(t, r, file, fixed)) > 0 {
				fail("the replacement makes %q, which the pattern still matches", fixed)
			}
		}
	}
	for _, example := range r.NoMatch {
		if example != "" && !slices.ContainsFunc(files, func(file string) bool { return len(findings(t, r, file, example)) == 0 }) {
			fail("matches %q", example)
		}
	}
	return errors.Join(errs...)
}
