// Package match recognizes findings that were reported before, although their lines
// moved, their files were renamed, or a model gave them another title.
//
// It needs no code, only hashes of it. The same function recognizes what a person
// marked as fine, what an earlier report holds, and the threads of a code host.
package match

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode"

	"github.com/codescan-dev/scanner/internal/similar"
	"github.com/codescan-dev/scanner/internal/text"
)

// Step is how a finding was recognized. The steps are tried in this order, each with
// what those before it left.
type Step int

const (
	// None: the finding was not recognized.
	None Step = iota
	// SameTitle: on a line with the same text, with the same title.
	SameTitle
	// SimilarTitle: on a line with the same text, with a similar title.
	SimilarTitle
	// SamePlace: on a line with the same text, where one open finding and one new one
	// are left. The title may be any, so it can be another problem.
	SamePlace
	// Nearby: with the same title, on the nearest line of the same hunk, or, where
	// hunks are not known, between lines of which one is the same. The line was edited.
	Nearby
)

// Item is a finding.
type Item struct {
	// Group is what found it, the name of a skill or of a rule: findings of different
	// groups are different findings.
	Group string
	// Path is its file. OldPath is where the file of a new finding was, if it was
	// renamed.
	Path, OldPath string
	// Gone is set for an earlier finding if nothing is at its path any more. It is
	// recognized elsewhere by its line and both neighbors.
	Gone  bool
	Title string
	// Line is a hash of the text of its line, Before and After are those of the
	// nearest lines around it that are not blank. They may be empty if they are not
	// known; all hashes of a call must be made in the same way.
	Line, Before, After string
	// Number is the number of the line, and Hunk that of its hunk, from 1; 0 if they
	// are not known.
	Number, Hunk int
	// Closed is set for an earlier finding that was resolved: it is not open for
	// SamePlace, and others are preferred.
	Closed bool
}

// Match is how a new finding was recognized.
type Match struct {
	// Earlier is the index of the earlier finding; -1 if there is none.
	Earlier int
	Step    Step
}

// Pair returns how each of the new findings was recognized. No two are recognized as
// the same earlier one.
func Pair(earlier, found []Item) []Match {
	matches := make([]Match, len(found))
	for i := range matches {
		matches[i].Earlier = -1
	}
	used := make([]bool, len(earlier))
	for step := SameTitle; step <= Nearby; step++ {
		index := make(map[key][]int) // of new findings that are left
		for i := range found {
			if matches[i].Step == None {
				for _, k := range found[i].keys(step) {
					index[k] = append(index[k], i)
				}
			}
		}
		open := make(map[key]int)
		for i := range earlier {
			if !used[i] && !earlier[i].Closed {
				open[earlier[i].key(step, earlier[i].Path)]++
			}
		}
		var candidates []candidate
		for i := range earlier {
			e := &earlier[i]
			if used[i] {
				continue
			}
			k := e.key(step, e.Path)
			if step == SamePlace && (e.Closed || open[k] != 1 || len(index[k]) != 1) {
				continue
			}
			if e.Gone && len(index[k]) == 0 {
				k.path = ""
			}
			for _, j := range index[k] {
				if f := &found[j]; recognizes(step, e, f, k.path == "") {
					candidates = append(candidates, candidate{preference(e, f), i, j})
				}
			}
		}
		slices.SortFunc(candidates, func(a, b candidate) int {
			return cmp.Or(slices.Compare(a.preference[:], b.preference[:]), cmp.Compare(a.earlier, b.earlier), cmp.Compare(a.found, b.found))
		})
		for _, c := range candidates {
			if !used[c.earlier] && matches[c.found].Step == None {
				used[c.earlier] = true
				matches[c.found] = Match{c.earlier, step}
			}
		}
	}
	return matches
}

// key names the findings that a step compares.
type key struct{ group, path, what string }

func (i *Item) key(step Step, path string) key {
	what := i.Line
	if step == Nearby {
		what = Title(i.Title)
	}
	return key{i.Group, path, what}
}

// keys returns the keys under which a new finding is found: its path, the one before
// it was renamed, and none.
func (i *Item) keys(step Step) []key {
	paths := []string{i.Path, ""}
	if i.OldPath != "" && i.OldPath != i.Path {
		paths = append(paths, i.OldPath)
	}
	keys := make([]key, len(paths))
	for n, path := range paths {
		keys[n] = i.key(step, path)
	}
	return keys
}

// recognizes reports whether a step can recognize f, which has the key of e. anywhere
// is set if f is in any file.
func recognizes(step Step, e, f *Item, anywhere bool) bool {
	if anywhere && (step > SimilarTitle || e.Line == "" || e.Before != f.Before || e.After != f.After) {
		return false
	}
	switch step {
	case SameTitle:
		return Title(e.Title) == Title(f.Title)
	case SimilarTitle:
		return similar.Titles(e.Title, f.Title)
	case SamePlace:
		return e.Line != ""
	}
	if e.Hunk > 0 && f.Hunk > 0 {
		return e.Hunk == f.Hunk
	}
	// A line that was next to it before is not the one that was edited.
	return f.Line != "" && f.Line != e.Before && f.Line != e.After && e.neighbors(f) > 0
}

// neighbors counts the lines around two findings that are known and the same.
func (i *Item) neighbors(f *Item) (n int) {
	if i.Before != "" && i.Before == f.Before {
		n++
	}
	if i.After != "" && i.After == f.After {
		n++
	}
	return n
}

// candidate is a pair that a step can recognize.
type candidate struct {
	preference     [4]int
	earlier, found int
}

// preference orders pairs: those in the same file, then of open findings, then with the
// same lines around them, then on the nearest lines come first.
func preference(e, f *Item) (p [4]int) {
	if e.Path != f.Path {
		p[0] = 1
	}
	if e.Closed {
		p[1] = 1
	}
	p[2] = -e.neighbors(f)
	if e.Number > 0 && f.Number > 0 {
		p[3] = max(e.Number-f.Number, f.Number-e.Number)
	}
	return p
}

// Title normalizes a title: letter case and punctuation are dropped, and numbers
// masked, which tend to be line numbers. Names stay apart, those with digits and dots,
// too: there may be a problem with x.a and one with x.b in a line.
func Title(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) && r != '_'
	})
	for i, w := range words {
		if strings.TrimFunc(w, unicode.IsDigit) == "" {
			words[i] = "#"
		}
	}
	return strings.Join(words, " ")
}

// Line returns a hash of the text of a line without its white space, 16 hexadecimal
// digits; empty for a blank line.
func Line(line string) string {
	if line = text.Dense(line); line == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(line))
	return hex.EncodeToString(sum[:8])
}
