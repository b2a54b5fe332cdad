// Minimal prints what a rule finds in a diff.
//
//	git diff | go run .
//
// It sends nothing. With a model, set Instructions in the skill and, instead of
// PatternsOnly, Provider and Model in the options.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"regexp"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
)

var noPrints = scanner.Skill{
	Name: "no-prints",
	Patterns: []scanner.Pattern{{
		ID:          "println",
		Regexp:      regexp.MustCompile(`\b(fmt\.Println|console\.log)\(`),
		Severity:    scanner.SeverityLow,
		Confidence:  scanner.ConfidenceHigh,
		Title:       "Prints to standard output",
		Description: "Use the logger, which adds the request.",
	}},
}

func main() {
	if err := review(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "minimal:", err)
		os.Exit(1)
	}
}

func review(patch io.Reader, w io.Writer) error {
	text, err := io.ReadAll(patch)
	if err != nil {
		return err
	}
	files, err := diff.Parse(text)
	if err != nil {
		return err
	}
	report, err := scanner.RunSkill(context.Background(), noPrints, files, scanner.Options{PatternsOnly: true})
	if err != nil {
		return err
	}
	for _, f := range report.Findings {
		fmt.Fprintf(w, "%s: %s: %s\n", f.Location, f.Severity, f.Title)
	}
	fmt.Fprintln(w, report.Summary)
	return nil
}
