package skill

import (
	"go/build"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
)

// BenchmarkRules runs all rules of both built-in skills over the standard library's
// package net/http, and over the same text as if it were of other languages.
func BenchmarkRules(b *testing.B) {
	sources, err := filepath.Glob(filepath.Join(build.Default.GOROOT, "src", "net", "http", "*.go"))
	if err != nil || len(sources) == 0 {
		b.Skip("no sources of the standard library: ", err)
	}
	var skills []scanner.Skill
	for _, name := range builtinNames {
		s, _, err := Discover(Builtin()).Find(name)
		if err != nil {
			b.Fatal(err)
		}
		skills = append(skills, s)
	}
	for _, ext := range []string{"go", "py", "ts", "java", "rb", "php"} {
		var files []diff.File
		size := 0
		for _, name := range sources {
			data, err := os.ReadFile(name)
			if err != nil {
				b.Fatal(err)
			}
			size += len(data)
			base := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(name), ".go"), "_test")
			files = append(files, diff.File{Path: base + "." + ext, Mode: 0o100644, Load: func() ([]byte, error) { return data, nil }})
		}
		b.Run(ext, func(b *testing.B) {
			b.SetBytes(int64(size))
			for b.Loop() {
				report, err := scanner.Run(b.Context(), skills, files, scanner.Options{PatternsOnly: true})
				if err != nil || report.Skills[0].Chunks.Failed > 0 {
					b.Fatalf("error %v, report %+v", err, report)
				}
			}
		})
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
