package skilltest

import (
	"context"
	"os"
	"path/filepath"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/skill"
)

// TB is *testing.T, for [Run]: its own type as T.
type TB[T any] interface {
	Helper()
	Context() context.Context
	Log(args ...any)
	Error(args ...any)
	Fatal(args ...any)
	Skip(args ...any)
	Run(name string, f func(T)) bool
}

// Run tests the skill in a directory with each of its fixtures, as a subtest. A skill
// without fixtures fails; a fixture that needs a model and has no answers is skipped.
//
//	func TestSkill(t *testing.T) { skilltest.Run(t, "path/of/the/skill") }
func Run[T TB[T]](t T, dir string) {
	t.Helper()
	abs, err := filepath.Abs(dir) // a skill may have the name of its directory
	if err != nil {
		t.Fatal(err)
	}
	fsys, name := os.DirFS(filepath.Dir(abs)), filepath.Base(abs)
	s, warnings, err := skill.Load(fsys, name)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range warnings {
		t.Log(w)
	}
	fixtures, err := Load(fsys, name)
	if err != nil {
		t.Fatal(err)
	}
	if len(fixtures) == 0 {
		t.Fatal("the skill has no fixtures: add a directory below " + filepath.Join(dir, "tests"))
	}
	for i := range fixtures {
		t.Run(fixtures[i].Name, func(t T) {
			t.Helper()
			res, err := fixtures[i].Test(t.Context(), s, scanner.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range res.Warnings {
				t.Log("warning: " + w)
			}
			for _, d := range res.Differences {
				t.Error(d)
			}
			if res.NotRun != "" {
				t.Skip(res.NotRun)
			}
		})
	}
}
