package project_test

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/match"
	"github.com/codescan-dev/scanner/jsonl"
	"github.com/codescan-dev/scanner/project"
)

// TestUnchanged has a log that names files of all kinds, with the right hashes of their
// first lines: code is shown only of those that were scanned and are as they were.
func TestUnchanged(t *testing.T) {
	dir := t.TempDir()
	git := exec.Command("git", "init", "-q", dir)
	if out, err := git.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	files := map[string]string{"same.go": "package a\n\nvar x = 1\n", "edited.go": "package b\n", ".env": "PASSWORD=1\n", "short.go": "x\n"}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(".git/config", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	places := map[string]string{
		"same.go": "package a", "edited.go": "package a", ".env": "PASSWORD=1", ".git/config": "[core]", "link": "[core]", "none.go": "", "../x": "", "short.go": "x",
	}
	rec := &jsonl.SkillRecord{Run: jsonl.NewRun(time.Now(), dir), Skill: "s", Metadata: jsonl.Metadata{Places: map[string]scanner.PlaceHash{}}}
	add := func(path string, line int, text string) {
		id := fmt.Sprint(path, line)
		rec.Findings = append(rec.Findings, scanner.Finding{ID: id, Severity: scanner.SeverityHigh, Title: "t", Description: "d", Location: &scanner.Location{Path: path, StartLine: line}})
		rec.Metadata.Places[id] = scanner.PlaceHash{Line: match.Line(text)}
	}
	for path, text := range places {
		add(path, 1, text)
	}
	add("same.go", 3, "var x = 1")
	add("short.go", 9, "x")

	p, err := project.Open(t.Context(), project.Env{Dir: dir, Environ: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	plan, err := project.PlanReport(&jsonl.Log{Run: rec.Run, Skills: []*jsonl.SkillRecord{rec}}, "log", project.Options{}.Flags)
	if err != nil {
		t.Fatal(err)
	}
	code := plan.Unchanged(p)
	for path := range places {
		if _, err := fs.ReadFile(code, path); (err == nil) != (path == "same.go") {
			t.Errorf("%s: error %v", path, err)
		}
	}
}
