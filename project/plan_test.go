package project_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/project"
)

const vulnerable = "--- a/app.py\n+++ b/app.py\n@@ -1 +1,2 @@\n import os\n+os.system(\"ls \" + name)\n"

// offline returns the options of a scan of a diff with the patterns of a skill.
func offline(t *testing.T, patch string) project.Options {
	t.Helper()
	files, err := diff.Parse([]byte(patch))
	if err != nil {
		t.Fatal(err)
	}
	opts := project.Options{Diff: files, Offline: true}
	opts.Flags.Skills = []string{"security-review"}
	return opts
}

func plan(t *testing.T, opts project.Options) *project.Plan {
	t.Helper()
	p, err := project.Open(t.Context(), project.Env{Dir: t.TempDir(), Environ: []string{"PATH=" + os.Getenv("PATH")}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	plan, err := p.Plan(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func TestPolicyHash(t *testing.T) {
	base := offline(t, vulnerable)
	want := plan(t, base).PolicyHash("1")
	if len(want) != 16 || plan(t, base).PolicyHash("1") != want {
		t.Errorf("the hash %q is not the same for the same plan", want)
	}
	skills, threshold, files := base, base, offline(t, "--- a/other.py\n+++ b/other.py\n@@ -1 +1,2 @@\n import os\n+x = 1\n")
	skills.Flags.Skills = []string{"code-review", "security-review"}
	threshold.Flags.FailOn = new("high")
	seen := map[string]string{want: "the plan", plan(t, base).PolicyHash("2"): "the version"}
	for name, opts := range map[string]project.Options{"skills": skills, "a threshold": threshold, "files": files} {
		h := plan(t, opts).PolicyHash("1")
		if other := seen[h]; other != "" {
			t.Errorf("%s: the hash is that of %s", name, other)
		}
		seen[h] = name
	}

	dir := t.TempDir()
	base.Flags.Skills = []string{dir}
	write := func(name, text string) string {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
		return plan(t, base).PolicyHash("1")
	}
	write("SKILL.md", "---\nname: s\ndescription: d\n---\nLook.")
	first := write("references/x.md", "one")
	if write("references/x.md", "two") == first {
		t.Error("an edit of a resource does not change the hash")
	}
	if write("references/x.md", "one") != first || write("tests/a/x.go", "package a") != first {
		t.Error("the hash depends on more than the skill")
	}
}

// failing is a sink that returns errors.
type failing struct{ skills, runs int }

var errFull = errors.New("no space left on device")

func (f *failing) Skill(*scanner.SkillReport, scanner.Selection) error { f.skills++; return errFull }
func (f *failing) Finish(*scanner.RunReport) error                     { f.runs++; return errFull }

// An error of a sink does not keep the others from their reports.
func TestRunWithFailingSink(t *testing.T) {
	first, last := new(failing), new(failing)
	result, err := plan(t, offline(t, vulnerable)).Run(t.Context(), first, last)
	if !errors.Is(err, errFull) || project.ExitCode(result, err) != 3 {
		t.Errorf("got error %v, exit code %d", err, project.ExitCode(result, err))
	}
	for _, f := range []*failing{first, last} {
		if f.skills != 1 || f.runs != 1 {
			t.Errorf("called %d times with a skill, %d times with the run, want once each", f.skills, f.runs)
		}
	}
	if _, err := os.Stat(result.Log); err != nil {
		t.Errorf("log: %v", err)
	}
}

// A log that cannot be written is a warning.
func TestRunWithoutLog(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/.scanner", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	var warnings []project.Warning
	p, err := project.Open(t.Context(), project.Env{
		Dir: dir, Environ: []string{"PATH=" + os.Getenv("PATH")},
		Warn: func(w project.Warning) { warnings = append(warnings, w) },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	plan, err := p.Plan(t.Context(), offline(t, vulnerable))
	if err != nil {
		t.Fatal(err)
	}
	result, err := plan.Run(t.Context())
	if err != nil || len(result.Selections) != 1 || len(result.Selections[0].Shown) != 1 || result.Log != "" {
		t.Errorf("got %+v, %v", result, err)
	}
	if n := len(warnings); n == 0 || warnings[n-1].Importance != project.Important {
		t.Errorf("got warnings %+v", warnings)
	}
}
