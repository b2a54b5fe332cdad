package fix_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/fix"
)

// report is what a skill found in greet.go.
var report = &scanner.SkillReport{
	Skill: "code-review",
	Findings: []scanner.Finding{
		{
			ID: "3f2a9c01d7e4", Severity: scanner.SeverityHigh, Title: "The error is dropped",
			Location: &scanner.Location{Path: "greet.go", StartLine: 4},
			SuggestedFix: &scanner.SuggestedFix{
				Description: "Return it.",
				Edits: []scanner.Edit{{
					Line: 4,
					Old:  []string{"\tfmt.Fprintln(w, \"hello\")", "\treturn nil"},
					New:  []string{"\t_, err := fmt.Fprintln(w, \"hello\")", "\treturn err"},
				}},
			},
		},
		{
			ID: "77de01b2c3d4", Severity: scanner.SeverityLow, Title: "The greeting lacks its mark",
			Location: &scanner.Location{Path: "greet.go", StartLine: 4},
			SuggestedFix: &scanner.SuggestedFix{
				Description: "Add it.",
				Edits: []scanner.Edit{{
					Line: 4,
					Old:  []string{"\tfmt.Fprintln(w, \"hello\")"},
					New:  []string{"\tfmt.Fprintln(w, \"hello!\")"},
				}},
			},
		},
	},
}

const greet = "package greet\n// greet says hello.\nfunc greet(w io.Writer) error {\n\tfmt.Fprintln(w, \"hello\")\n\treturn nil\n}\n"

func because(r fix.Reason) string {
	if r == "" {
		return ""
	}
	return " (" + string(r) + ")"
}

func ExampleNewPlan() {
	plan := fix.NewPlan(fix.Input{
		Suggestions: fix.Collect(fix.SetOf(report, report.Findings)),
		Files:       []string{"greet.go"},
		Read:        func(string) ([]byte, error) { return []byte(greet), nil },
	})
	for _, o := range plan.Outcomes {
		fmt.Printf("%s: %s%s\n", o.Suggestion.Title, o.Status, because(o.Reason))
	}
	fmt.Print(string(plan.Patch()))
	// Output:
	// The error is dropped: planned
	// The greeting lacks its mark: refused (overlap)
	// diff --git a/greet.go b/greet.go
	// --- a/greet.go
	// +++ b/greet.go
	// @@ -1,6 +1,6 @@
	//  package greet
	//  // greet says hello.
	//  func greet(w io.Writer) error {
	// -	fmt.Fprintln(w, "hello")
	// -	return nil
	// +	_, err := fmt.Fprintln(w, "hello")
	// +	return err
	//  }
}

func ExampleApply() {
	dir, err := os.MkdirTemp("", "repository")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "greet.go"), []byte(greet), 0o644); err != nil {
		log.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		log.Fatal(err)
	}
	defer root.Close()

	set := fix.SetOf(report, report.Findings)
	plan := fix.NewPlan(fix.Input{
		Suggestions: fix.Collect(set),
		Files:       []string{"greet.go"},
		Read:        root.ReadFile,
	})
	result, err := fix.Apply(root, plan, fix.Options{ID: "0f8fad5b"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("changed:", result.Files)
	fmt.Println("to undo: git apply -R", result.Patch)
	for _, f := range fix.Unfixed(set, result.Outcomes) {
		fmt.Println("left:", f.Title)
	}
	// Output:
	// changed: [greet.go]
	// to undo: git apply -R .scanner/fixes/0f8fad5b.patch
	// left: The greeting lacks its mark
}
