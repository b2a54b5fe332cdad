// Command judge compares the rules of the built-in skills with what others decided
// about code: it scans a checkout of labelled files, and prints how many of the problems
// were found (recall), and at how many of the good places there was an alarm, by class of
// weakness and language.
//
//	go run ./internal/judge [-format text|toml] [-rules] checkout...
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"

	"github.com/pelletier/go-toml/v2"
)

func main() {
	format := flag.String("format", "text", "text or toml")
	perRule := flag.Bool("rules", false, "print the figures of each rule, too")
	cweFile := flag.String("cwe", "", "a file with lines \"id number\": the weaknesses of rules that have no cwe")
	flag.Parse()
	loadScratch(*cweFile)
	if err := run(context.Background(), os.Stdout, flag.Args(), *format, *perRule); err != nil {
		fmt.Fprintln(os.Stderr, "judge:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer, dirs []string, format string, perRule bool) error {
	var all []*figures
	for _, dir := range dirs {
		figures, rules, err := judge(ctx, dir)
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		all = append(all, figures...)
		if format == "text" {
			printFigures(w, figures)
		}
		if perRule {
			printRules(w, rules)
		}
	}
	if format == "toml" {
		return toml.NewEncoder(w).SetTablesInline(true).SetArraysMultiline(true).Encode(map[string]any{"figures": all})
	}
	return nil
}

// judge returns the figures of a checkout.
func judge(ctx context.Context, dir string) ([]*figures, []*precision, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, nil, err
	}
	set, err := read(os.DirFS(dir))
	if err != nil {
		return nil, nil, err
	}
	rules, hits, err := scan(ctx, set.files)
	if err != nil {
		return nil, nil, err
	}
	f, p := score(filepath.Base(dir), set, rules, hits)
	return f, p, nil
}

// printFigures prints the classes that rules claim, and sums.
func printFigures(w io.Writer, all []*figures) {
	claimed := make(map[string]bool)
	for _, f := range all {
		claimed[f.Class] = claimed[f.Class] || f.Claimed
	}
	sum := figures{Class: "claimed"}
	elsewhere := figures{Class: "claimed for other languages only"}
	unclaimed := figures{Class: "not claimed"}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "class\tlanguage\tfound\trecall\tevident\trecall\talarms\trate")
	for _, f := range all {
		switch {
		case f.Claimed:
			sum.add(f)
			f.print(tw)
		case claimed[f.Class]:
			elsewhere.add(f)
		default:
			unclaimed.add(f)
		}
	}
	fmt.Fprintln(tw)
	for _, f := range []*figures{&sum, &elsewhere, &unclaimed} {
		f.print(tw)
	}
	tw.Flush()
}

func (f *figures) print(w io.Writer) {
	fmt.Fprintf(w, "%s\t%s\t%d/%d\t%s\t%d/%d\t%s\t%d/%d\t%s\n", f.Class, f.Language, f.Found, f.Bad, percent(f.Found, f.Bad),
		f.EvidentFound, f.Evident, percent(f.EvidentFound, f.Evident), f.Alarms, f.Good, percent(f.Alarms, f.Good))
}

func percent(n, of int) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f%%", 100*float64(n)/float64(of))
}

func printRules(w io.Writer, rules []*precision) {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "\nrule\tfound\talarms\tprecision\tunlabeled")
	for _, p := range rules {
		fmt.Fprintf(tw, "%s\t%d\t%d\t%s\t%d\n", p.rule, p.found, p.alarms, percent(p.found, p.found+p.alarms), p.other)
	}
	tw.Flush()
}
