package skill

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/tomlfile"
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

// findExample returns what a rule finds in an example in a file; nothing if ctx is done.
func findExample(ctx context.Context, r *scanner.Pattern, file, example string) []scanner.Finding {
	if r.Scope == scanner.ScopeCredentials { // for files that are skipped
		if r.Regexp.MatchString(example) {
			return make([]scanner.Finding, 1)
		}
		return nil
	}
	s := scanner.Skill{Name: "s", Patterns: []scanner.Pattern{*r}}
	load := func() ([]byte, error) { return []byte(example), nil }
	report, err := scanner.RunSkill(ctx, s, []diff.File{{Path: file, Mode: 0o100644, Load: load}},
		scanner.Options{PatternsOnly: true, Chunking: diff.Chunking{FilePatterns: []diff.FilePattern{{Pattern: "**", Mode: diff.ModePerChunk}}}})
	if err != nil {
		return nil
	}
	return report.Findings
}

// checkExamples tests a rule on its examples, which are of one of the languages that it is
// for. It reports every example of Match in which it finds nothing in all of its files,
// every one of NoMatch in which it finds something in all of them, and, if it has a
// replacement, every one of Match that the replacement does not change, or in which the
// rule still finds something afterwards.
func checkExamples(ctx context.Context, r *scanner.Pattern) (problems []tomlfile.Problem) {
	fail := func(key string, i int, format, example string) {
		problems = append(problems, tomlfile.Problem{
			Path: fmt.Sprintf("%s[%d]", key, i), Message: fmt.Sprintf("pattern %q: "+format, r.ID, example)})
	}
	files := exampleFiles(r)
	for i, example := range r.Match {
		var found []scanner.Finding
		file := ""
		for _, file = range files {
			if found = findExample(ctx, r, file, example); len(found) > 0 {
				break
			}
		}
		switch {
		case len(found) == 0:
			fail("match", i, "does not match %q", example)
		case r.Replacement == nil || strings.Contains(example, "\n"):
		case found[0].SuggestedFix == nil:
			fail("match", i, "the replacement does not change %q", example)
		default:
			fixed := found[0].SuggestedFix.Edits[0].New[0]
			if len(findExample(ctx, r, file, fixed)) > 0 {
				fail("match", i, "the replacement makes %q, which the pattern still matches", fixed)
			}
		}
	}
	for i, example := range r.NoMatch {
		if example != "" && !slices.ContainsFunc(files, func(file string) bool { return len(findExample(ctx, r, file, example)) == 0 }) {
			fail("noMatch", i, "matches %q", example)
		}
	}
	return problems
}
