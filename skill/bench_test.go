package skill

import (
	"os"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/prefilter"
)

// BenchmarkPatterns matches all rules of a built-in skill that look at a file
// against the lines of this package: by their expressions alone, and with the
// filter that goes before them.
func BenchmarkPatterns(b *testing.B) {
	lines := goSources(b, os.DirFS("."))
	size := int64(len(strings.Join(lines, "\n")))
	for _, skill := range builtinNames {
		for _, file := range []string{"a.go", "a.py", "a.ts"} {
			rules := rulesFor(builtinRules(b)[skill], file)
			filters := make([]prefilter.Filter, len(rules))
			for i := range rules {
				filters[i] = prefilter.New(rules[i].Regexp)
			}
			name := skill + "/" + strings.TrimPrefix(file, "a.")
			b.Run(name+"/regexp", func(b *testing.B) {
				b.SetBytes(size)
				for b.Loop() {
					for _, line := range lines {
						for i := range rules {
							rules[i].Regexp.MatchString(line)
						}
					}
				}
			})
			b.Run(name+"/filtered", func(b *testing.B) {
				b.SetBytes(size)
				for b.Loop() {
					for _, line := range lines {
						folded := prefilter.Fold(line)
						for i := range rules {
							if filters[i].MayMatch(folded) {
								rules[i].Regexp.MatchString(line)
							}
						}
					}
				}
			})
		}
	}
}

// BenchmarkRunSkill runs the patterns of a loaded skill over a change of one line.
// It compiles no expressions: they were compiled when the skill was loaded.
func BenchmarkRunSkill(b *testing.B) {
	s, _, err := Discover(Builtin()).Find(CodeReview)
	if err != nil {
		b.Fatal(err)
	}
	files := []diff.File{{
		Path: "a.go", Status: diff.Modified, OldMode: 0o100644, Mode: 0o100644,
		Hunks: []diff.Hunk{{OldStart: 1, NewStart: 1, NewLines: 1, Body: "+var x = 1\n"}},
	}}
	b.ReportAllocs()
	for b.Loop() {
		r, err := scanner.RunSkill(b.Context(), s, files, scanner.Options{PatternsOnly: true})
		if err != nil || r.Chunks.Analyzed != 1 {
			b.Fatalf("error %v, report %+v", err, r)
		}
	}
}

// BenchmarkFind loads a built-in skill, which compiles its expressions.
func BenchmarkFind(b *testing.B) {
	for b.Loop() {
		if _, _, err := Discover(Builtin()).Find(CodeReview); err != nil {
			b.Fatal(err)
		}
	}
}
