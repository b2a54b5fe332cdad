package main

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"
)

// figures are what the labels of a class in a language come to.
type figures struct {
	Source   string `toml:"source"`
	Class    string `toml:"class"`
	Language string `toml:"language"`
	// Claimed is set if a rule looks for the class in such files.
	Claimed bool `toml:"claimed"`
	// Bad counts the problems that should be found, Found those that were.
	Bad   int `toml:"bad"`
	Found int `toml:"found"`
	// Evident and EvidentFound count those of them that their lines alone prove.
	Evident      int `toml:"evident"`
	EvidentFound int `toml:"evidentFound"`
	// Good counts the places that must stay silent, Alarms those that did not.
	Good   int `toml:"good"`
	Alarms int `toml:"alarms"`
}

func (f *figures) add(g *figures) {
	f.Bad += g.Bad
	f.Found += g.Found
	f.Evident += g.Evident
	f.EvidentFound += g.EvidentFound
	f.Good += g.Good
	f.Alarms += g.Alarms
}

// precision are the figures of a rule.
type precision struct {
	rule string
	// found and alarms count the labels that it decides, other the findings at no
	// label of its class.
	found, alarms, other int
}

// score compares the findings with the labels.
func score(source string, set *labeled, rules []*rule, hits map[string][]hit) ([]*figures, []*precision) {
	byKey := make(map[[2]string]*figures)
	byRule := make(map[*rule]*precision)
	atLabel := make(map[hitAt]bool)
	for _, l := range set.labels {
		key := [2]string{l.class, language(l.path)}
		f := byKey[key]
		if f == nil {
			f = &figures{Source: source, Class: key[0], Language: key[1]}
			byKey[key] = f
		}
		f.Claimed = f.Claimed || slices.ContainsFunc(rules, func(r *rule) bool { return r.claims(l.class, l.path) })

		lines := make(map[int]bool)
		seen := make(map[*rule]bool)
		for _, h := range hits[l.path] {
			if h.rule.class != l.class || l.first > 0 && (h.last < l.first || h.first > l.last) {
				continue
			}
			lines[h.first] = true
			atLabel[hitAt{l.path, h}] = true
			if !seen[h.rule] {
				seen[h.rule] = true
				p := rulePrecision(byRule, h.rule)
				if l.want > 0 {
					p.found++
				} else {
					p.alarms++
				}
			}
		}
		n := len(lines)
		if l.want == 0 {
			f.Good++
			f.Alarms += min(n, 1)
			continue
		}
		f.Bad += l.want
		f.Found += min(n, l.want)
		if l.evident {
			f.Evident += l.want
			f.EvidentFound += min(n, l.want)
		}
	}
	for file, found := range hits {
		for _, h := range found {
			if !atLabel[hitAt{file, h}] {
				rulePrecision(byRule, h.rule).other++
			}
		}
	}
	all := slices.SortedFunc(maps.Values(byKey), func(a, b *figures) int {
		return cmp.Or(cmp.Compare(a.Class, b.Class), cmp.Compare(a.Language, b.Language))
	})
	return all, slices.SortedFunc(maps.Values(byRule), func(a, b *precision) int { return cmp.Compare(a.rule, b.rule) })
}

type hitAt struct {
	path string
	hit
}

func rulePrecision(byRule map[*rule]*precision, r *rule) *precision {
	if byRule[r] == nil {
		byRule[r] = &precision{rule: r.id}
	}
	return byRule[r]
}

// language returns the language of a file, by its name.
func language(name string) string {
	if strings.Contains(name, ".github/workflows/") {
		return "workflow"
	}
	ext := strings.TrimPrefix(path.Ext(name), ".")
	if ext == "" {
		return strings.ToLower(path.Base(name))
	}
	return cmp.Or(languages[ext], ext)
}

// languages are those with an extension that is not their name.
var languages = map[string]string{
	"py": "python", "js": "javascript", "jsx": "javascript", "mjs": "javascript", "cjs": "javascript", "ts": "typescript",
	"tsx": "typescript", "rb": "ruby", "erb": "ruby", "haml": "ruby", "kt": "kotlin", "cs": "csharp", "rs": "rust", "cc": "cpp", "h": "c",
	"yml": "yaml", "tf": "terraform", "sh": "shell", "bash": "shell", "cls": "apex", "ex": "elixir", "ml": "ocaml", "sol": "solidity",
}
