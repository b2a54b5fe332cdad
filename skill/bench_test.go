package skill

import (
	"os"
	"strings"
	"testing"
)

// BenchmarkPatterns matches all rules of a built-in skill that look at a Go file
// against the lines of this package.
func BenchmarkPatterns(b *testing.B) {
	lines := goSources(b, os.DirFS("."))
	size := len(strings.Join(lines, "\n"))
	for skill, rules := range builtinRules(b) {
		for _, file := range []string{"a.go", "a.py", "a.ts"} {
			fit := rulesFor(rules, file)
			b.Run(skill+"/"+strings.TrimPrefix(file, "a."), func(b *testing.B) {
				b.SetBytes(int64(size))
				for b.Loop() {
					for _, line := range lines {
						for i := range fit {
							fit[i].Regexp.MatchString(line)
						}
					}
				}
			})
		}
	}
}

// BenchmarkPattern shows what each rule costs.
func BenchmarkPattern(b *testing.B) {
	lines := goSources(b, os.DirFS("."))
	size := len(strings.Join(lines, "\n"))
	for _, rules := range builtinRules(b) {
		for _, r := range rules {
			b.Run(r.ID, func(b *testing.B) {
				b.SetBytes(int64(size))
				for b.Loop() {
					for _, line := range lines {
						r.Regexp.MatchString(line)
					}
				}
			})
		}
	}
}

func BenchmarkFindBuiltin(b *testing.B) {
	for b.Loop() {
		if _, _, err := Discover(Builtin()).Find(CodeReview); err != nil {
			b.Fatal(err)
		}
	}
}
