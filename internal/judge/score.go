package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"text/tabwriter"
)

// kind is what figures are about.
type kind struct{ source, class, language string }

// figures are sums over verdicts.
type figures struct {
	bad, found            int // problems, and those that were found
	evident, evidentFound int // those of them that their lines alone prove
	good, alarms          int // places that must stay silent, and those that did not
	claimed               bool
}

func (f figures) plus(g figures) figures {
	return figures{f.bad + g.bad, f.found + g.found, f.evident + g.evident, f.evidentFound + g.evidentFound, f.good + g.good, f.alarms + g.alarms, f.claimed}
}

// score compares the findings with the verdicts, and also counts them in the rules.
func score(source string, s *labeled, rules map[string]*rule, hits map[string][]*hit) map[kind]figures {
	all := make(map[kind]figures)
	for p, v := range s.verdicts {
		lines := make(map[int]bool)
		by := make(map[*rule]bool)
		for _, h := range hits[p.path] {
			if h.class == p.class && (p.first == 0 || h.first <= p.last && h.last >= p.first) {
				h.judged, lines[h.first], by[h.rule] = true, true, true
			}
		}
		k := kind{source, p.class, language(p.path)}
		f := all[k]
		if v.want > 0 {
			n := min(len(lines), v.want)
			f.bad, f.found = f.bad+v.want, f.found+n
			if v.evident {
				f.evident, f.evidentFound = f.evident+v.want, f.evidentFound+n
			}
		} else {
			f.good, f.alarms = f.good+1, f.alarms+min(len(lines), 1)
		}
		for r := range by {
			if v.want > 0 {
				r.found++
			} else {
				r.alarms++
			}
		}
		for _, r := range rules {
			f.claimed = f.claimed || r.claims(p.class, p.path)
		}
		all[k] = f
	}
	for _, found := range hits {
		for _, h := range found {
			if !h.judged {
				h.other++
			}
		}
	}
	return all
}

// printFigures prints the figures of what rules claim, and sums.
func printFigures(w io.Writer, all map[kind]figures) {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "source\tclass\tlanguage\tbad\tfound\trecall\tevident\tfound\trecall\tgood\talarms\trate")
	sums := make(map[kind]figures)
	claimed := make(map[string]bool)
	for k, f := range all {
		claimed[k.class] = claimed[k.class] || f.claimed
	}
	for _, k := range slices.SortedFunc(maps.Keys(all), compareKinds) {
		f := all[k]
		class := "not-claimed"
		switch {
		case f.claimed:
			class = "claimed"
			f.print(tw, k)
		case claimed[k.class]:
			class = "claimed-elsewhere"
		}
		for _, source := range []string{"# " + k.source, "# all"} {
			sum := kind{source, class, "-"}
			sums[sum] = sums[sum].plus(f)
		}
	}
	for _, k := range slices.SortedFunc(maps.Keys(sums), compareKinds) {
		sums[k].print(tw, k)
	}
	tw.Flush()
}

func compareKinds(a, b kind) int {
	return cmp.Or(cmp.Compare(a.source, b.source), cmp.Compare(a.class, b.class), cmp.Compare(a.language, b.language))
}

func (f figures) print(w io.Writer, k kind) {
	fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%d\t%s\t%d\t%d\t%s\t%d\t%d\t%s\n", k.source, k.class, k.language, f.bad, f.found, percent(f.found, f.bad),
		f.evident, f.evidentFound, percent(f.evidentFound, f.evident), f.good, f.alarms, percent(f.alarms, f.good))
}

func percent(n, of int) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f%%", 100*float64(n)/float64(of))
}

// printRules prints the figures of the rules that found something.
func printRules(w io.Writer, rules map[string]*rule) {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "rule\tfound\talarms\tprecision\tunlabeled")
	for _, id := range slices.Sorted(maps.Keys(rules)) {
		if r := rules[id]; r.found+r.alarms+r.other > 0 {
			fmt.Fprintf(tw, "%s\t%d\t%d\t%s\t%d\n", id, r.found, r.alarms, percent(r.found, r.found+r.alarms), r.other)
		}
	}
	tw.Flush()
}

// language returns the language of a file, by its name.
func language(name string) string {
	if strings.HasPrefix(name, ".github/workflows/") {
		return "workflow"
	}
	ext := strings.TrimPrefix(path.Ext(name), ".")
	return cmp.Or(languages[ext], ext, strings.ToLower(path.Base(name)))
}

// languages are those with an extension that is not their name.
var languages = map[string]string{
	"py": "python", "js": "javascript", "jsx": "javascript", "mjs": "javascript", "cjs": "javascript", "ts": "typescript",
	"tsx": "typescript", "rb": "ruby", "erb": "ruby", "haml": "ruby", "kt": "kotlin", "cs": "csharp", "rs": "rust", "cc": "cpp", "h": "c",
	"yml": "yaml", "tf": "terraform", "sh": "shell", "cls": "apex", "ex": "elixir", "ml": "ocaml", "txt": "text",
}
