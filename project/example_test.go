package project_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/project"
)

// printer is a sink that prints what is shown of each report.
type printer struct{}

func (printer) Skill(report *scanner.SkillReport, sel scanner.Selection) error {
	for _, f := range sel.Shown {
		fmt.Printf("%s: %s: %s (%s)\n", f.Location, f.Severity, f.Title, report.Skill)
	}
	return nil
}

func (printer) Finish(run *scanner.RunReport) error {
	fmt.Printf("%d files\n", run.Files)
	return nil
}

// A diff is scanned outside of any repository, with the patterns of a built-in
// skill alone.
func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	files, err := diff.Parse([]byte("--- a/app.py\n+++ b/app.py\n@@ -1 +1,2 @@\n import os\n+os.system(\"ls \" + name)\n"))
	if err != nil {
		log.Fatal(err)
	}

	ctx := context.Background()
	p, err := project.Open(ctx, project.Env{Dir: dir, Environ: []string{"PATH=" + os.Getenv("PATH")}})
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()
	opts := project.Options{Diff: files, Offline: true}
	opts.Flags.Skills = []string{"security-review"}
	plan, err := p.Plan(ctx, opts)
	if err != nil {
		log.Fatal(err)
	}
	result, err := plan.Run(ctx, printer{})
	fmt.Println("exit code", project.ExitCode(result, err))
	// Output:
	// app.py:2: high: Shell command is built from values (security-review)
	// 1 files
	// exit code 0
}
