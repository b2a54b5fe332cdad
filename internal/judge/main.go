// Command judge measures the rules of the built-in skills with code that others
// labeled.
//
//	go run ./internal/judge [-rules] checkout...
//
// A checkout has labels in comments above the lines that they are about, "ruleid: <ids>"
// where a problem must be found and "ok: <ids>" where none must be reported, as the
// rules of semgrep have; or it is one of bandit, gosec or brakeman, and the labels are
// what their tests expect. An id is that of a rule in a YAML file next to the labeled
// one, whose metadata names a weakness and so a class of package weakness, or the
// name of a class itself.
//
// The labeled files are scanned as "scanner scan --all --offline" would, and all
// findings count, before any threshold. A label is about a line and the rest of its
// statement, at most five lines. A problem was found if a rule of its class reports
// something there; the same at a good place is an alarm. Where only a number of problems
// in a file is known, that many findings of the class at different lines are right.
//
// The output is a table with a line for each source, class and language for which there
// is a rule of the class: the number of problems, of those that were found, and the
// recall; the same for evident problems, which the labeled lines alone prove; the number
// of good places, of alarms, and their rate. A problem is evident if the foreign rule
// searches, instead of following values, and has no "..." between statements in its
// patterns; one of brakeman, if the line names the parameters, the cookies or the
// request. Where no line is labeled, none is evident. Lines that begin with # are sums:
// also of classes that have rules for other languages only, and of those without rules.
//
// figures.txt has the table of the checkouts that CONTRIBUTING.md lists. The
// documentation of the rules takes its figures from there.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
)

func main() {
	perRule := flag.Bool("rules", false, "print the figures of each rule instead")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, *perRule, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "judge:", err)
		os.Exit(1)
	}
}

// run judges the rules by the labels in some directories and prints a table.
func run(ctx context.Context, w io.Writer, perRule bool, dirs []string) error {
	all := make(map[kind]figures)
	for _, dir := range dirs {
		s, err := read(os.DirFS(dir))
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		rules, hits, err := scan(ctx, s.files)
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		maps.Copy(all, score(filepath.Base(dir), s, rules, hits))
		if perRule {
			printRules(w, rules)
		}
	}
	if !perRule {
		printFigures(w, all)
	}
	return nil
}
