package skilltest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/text"
)

// near is how many lines away a finding may be that is shown with a missing one.
const near = 10

// difference is a failure, and where it is.
type difference struct {
	path string
	line int
	text string
}

func (d difference) compare(e difference) int {
	return cmp.Or(cmp.Compare(d.path, e.path), cmp.Compare(d.line, e.line))
}

// comparison compares a report with what a fixture expects.
type comparison struct {
	*Fixture
	report      *scanner.RunReport
	differences []difference
}

func (c *comparison) add(path string, line int, format string, args ...any) {
	c.differences = append(c.differences, difference{path, line, fmt.Sprintf(format, args...)})
}

// found is a finding as it was before similar ones were merged.
type found struct {
	*scanner.Finding
	// places are its own, and the additional ones. Without any, the only one is zero.
	places []scanner.Location
}

// findings returns what was found, in the order of the report.
func (c *comparison) findings() (all []found) {
	for _, r := range c.report.Skills {
		for i := range r.Findings {
			f := &r.Findings[i]
			own := found{f, slices.Clone(f.AdditionalLocations)}
			var merged []found
			for _, g := range r.MergeGroups {
				for _, m := range g.Merged {
					if g.Primary == f.ID && m.Location != nil {
						merged = append(merged, found{f, []scanner.Location{*m.Location}})
						own.places = slices.DeleteFunc(own.places, func(l scanner.Location) bool { return l == *m.Location })
					}
				}
			}
			if f.Location != nil {
				own.places = slices.Insert(own.places, 0, *f.Location)
			}
			if len(own.places) == 0 {
				own.places = make([]scanner.Location, 1)
			}
			all = append(append(all, own), merged...)
		}
	}
	return all
}

// fits reports whether a finding is what w expects, at a place.
func (w *want) fits(f *found, at scanner.Location) bool {
	return (w.file == "" || w.file == at.Path) &&
		(w.line == 0 || at.StartLine <= w.line && w.line <= at.LastLine()) &&
		(w.severity == "" || w.severity == f.Severity) &&
		strings.Contains(strings.ToLower(f.Title+"\n"+f.Description+"\n"+f.Rule), strings.ToLower(w.text))
}

// fitsAnywhere reports whether a finding is what w expects, at any of its places.
func (w *want) fitsAnywhere(f *found) bool {
	return slices.ContainsFunc(f.places, func(at scanner.Location) bool { return w.fits(f, at) })
}

// match matches expectations and findings one to one: first each finding, so that as many
// as possible are expected, then further expectations with further places of them. It
// reports which expectations are met, and which findings are expected.
func match(wants []want, all []found) (met, expected []bool) {
	met, expected = make([]bool, len(wants)), make([]bool, len(all))
	finding := slices.Repeat([]int{-1}, len(wants)) // that meets an expectation
	for i := range all {
		augment(i, finding, func(i, j int) bool { return wants[j].fitsAnywhere(&all[i]) })
	}
	type place struct {
		finding int
		at      scanner.Location
	}
	var places []place
	var holder []int // the expectation that a place meets
	for i := range all {
		w := slices.Index(finding, i)
		for _, at := range all[i].places {
			places, holder = append(places, place{i, at}), append(holder, -1)
			if w >= 0 && !met[w] && wants[w].fits(&all[i], at) {
				holder[len(holder)-1], met[w] = w, true
			}
		}
	}
	for w := range wants {
		met[w] = met[w] || augment(w, holder, func(i, j int) bool { return wants[i].fits(&all[places[j].finding], places[j].at) })
	}
	for j, w := range holder {
		expected[places[j].finding] = expected[places[j].finding] || w >= 0
	}
	return met, expected
}

// augment finds a partner for i, and reports whether there is one. Others may get another
// one for it, but none loses its own: the matching grows along an augmenting path.
func augment(i int, partners []int, fits func(i, j int) bool) bool {
	seen := make([]bool, len(partners))
	var try func(i int) bool
	try = func(i int) bool {
		for j := range partners {
			if seen[j] || !fits(i, j) {
				continue
			}
			seen[j] = true
			if partners[j] < 0 || try(partners[j]) {
				partners[j] = i
				return true
			}
		}
		return false
	}
	return try(i)
}

// compare counts the findings, and adds those that are missing, forbidden and unexpected.
func (c *comparison) compare(res *Result) {
	all := c.findings()
	var wants []want
	for _, w := range c.wants {
		if !w.never {
			wants = append(wants, w)
		}
	}
	met, expected := match(wants, all)
	var left []found
	for i := range all {
		if !expected[i] {
			left = append(left, all[i])
		}
	}
	res.Expected = len(wants)
	for i := range wants {
		if met[i] {
			res.Found++
		} else {
			c.addMissing(&wants[i], left)
		}
	}
	for i := range all {
		f := &all[i]
		never := slices.IndexFunc(c.wants, func(w want) bool { return w.never && w.fitsAnywhere(f) })
		if never < 0 && (expected[i] || c.allow) {
			continue
		}
		res.Unexpected++
		what := "unexpected"
		if never >= 0 {
			what = "forbidden by " + c.wants[never].source
		}
		at := f.places[0]
		c.add(at.Path, at.StartLine, "%s: %s: %s%s", where(at), what, describe(f), c.code(at.Path, at.StartLine))
	}
}

// addMissing adds an expectation that is not met; left are the findings that meet none.
func (c *comparison) addMissing(w *want, left []found) {
	var b strings.Builder
	place := w.source
	if w.line > 0 {
		place = where(scanner.Location{Path: w.file, StartLine: w.line})
	}
	fmt.Fprintf(&b, "%s: missing: %s%s", place, w, c.code(w.file, w.line))
	n := 0
	for _, s := range c.report.Skipped {
		if s.Filename == w.file {
			n++
			fmt.Fprintf(&b, "\n    the skill does not look at this file: %s", s.Reason)
		}
	}
	for i := range left {
		at := left[i].places[0]
		distance := max(at.StartLine-w.line, w.line-at.LastLine())
		if n < 3 && (w.file == "" || at.Path == w.file) && (w.line == 0 || distance <= near) {
			n++
			fmt.Fprintf(&b, "\n    found near: %s: %s", where(at), describe(&left[i]))
		}
	}
	if n == 0 {
		b.WriteString("\n    nothing unexpected was found near")
	}
	c.add(w.file, w.line, "%s", b.String())
}

// code returns a line of the code, on a line of its own.
func (c *comparison) code(path string, line int) string {
	code := strings.TrimSpace(c.lines[path][line])
	if code == "" {
		return ""
	}
	return "\n    " + text.Visible(code)
}

func where(at scanner.Location) string {
	if at.Path == "" {
		return "without a place"
	}
	at.Path = text.Visible(at.Path)
	return at.String()
}

func describe(f *found) string {
	by := "by the model"
	if f.Rule != "" {
		by = "rule " + f.Rule
	}
	return fmt.Sprintf("%s %q, %s", f.Severity, text.OneLine(f.Title), by)
}
