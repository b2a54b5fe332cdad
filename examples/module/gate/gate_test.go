// Package gate lets the tests of a program fail as long as the rules of a built-in skill
// find something of high severity in it.
package gate

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/skill"
)

func TestGate(t *testing.T) {
	problems, err := gate(t.Context(), os.DirFS(".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range problems {
		t.Error(problem)
	}
}

// TestGateFails shows that the gate is not open.
func TestGateFails(t *testing.T) {
	problems, err := gate(t.Context(), fstest.MapFS{
		"backup.py": {Data: []byte("import os\nos.system(\"tar cf /backup.tar \" + name)\n")},
	})
	if err != nil || len(problems) != 1 || !strings.HasPrefix(problems[0], "backup.py:2: Shell command") {
		t.Errorf("problems %q, error %v", problems, err)
	}
}

// gate returns the findings in a tree that must be fixed.
func gate(ctx context.Context, tree fs.FS) (problems []string, err error) {
	security, _, err := skill.Discover(skill.Builtin()).Find("security-review")
	if err != nil {
		return nil, err
	}
	var files []diff.File
	err = fs.WalkDir(tree, ".", func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			files = append(files, diff.File{Path: path, Load: func() ([]byte, error) { return fs.ReadFile(tree, path) }})
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	report, err := scanner.RunSkill(ctx, security, files, scanner.Options{FS: tree, PatternsOnly: true})
	if err != nil {
		return nil, err
	}
	if !report.Complete() {
		problems = append(problems, report.Summary)
	}
	for _, f := range scanner.FilterSeverity(report.Findings, scanner.ThresholdHigh) {
		problems = append(problems, fmt.Sprintf("%s: %s", f.Location, f.Title))
	}
	return problems, nil
}
