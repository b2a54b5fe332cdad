package skilltest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/text"
)

// difference is a failure, and where it is.
type difference struct {
	at   scanner.Location
	text string
}

// comparison compares a report with what a fixture expects.
type comparison struct {
	*Fixture
	report      *scanner.RunReport
	differences []difference
}

func (c *comparison) add(at scanner.Location, format string, args ...any) {
	c.differences = append(c.differences, difference{at, fmt.Sprintf(format, args...)})
}

// place is one of a finding.
type place struct {
	*scanner.Finding
	at     scanner.Location // zero if the finding has no place
	number int              // of the finding, as it was before similar ones were merged
	extra  bool             // it is an additional one
}

// places returns those of what was found: one of each finding, then the additional ones.
func (c *comparison) places() []place {
	var own, extra []place
	for _, r := range c.report.Skills {
		for i := range r.Findings {
			f := &r.Findings[i]
			first := place{Finding: f, number: len(own)}
			if f.Location != nil {
				first.at = *f.Location
			}
			own = append(own, first)
			var merged []scanner.Location
			for _, g := range r.MergeGroups {
				for _, m := range g.Merged {
					if g.Primary == f.ID && m.Location != nil {
						merged = append(merged, *m.Location)
						own = append(own, place{Finding: f, at: *m.Location, number: len(own)})
					}
				}
			}
			for _, at := range f.AdditionalLocations {
				if !slices.Contains(merged, at) {
					extra = append(extra, place{f, at, first.number, true})
				}
			}
		}
	}
	return append(own, extra...)
}

// fits reports whether a finding is what w expects, at a place.
func (w *want) fits(p *place) bool {
	return (w.at.Path == "" || w.at.Path == p.at.Path) &&
		(w.at.StartLine == 0 || p.at.StartLine <= w.at.StartLine && w.at.StartLine <= p.at.LastLine()) &&
		(w.severity == "" || w.severity == p.Severity) &&
		strings.Contains(strings.ToLower(p.Title+"\n"+p.Description+"\n"+p.Rule), strings.ToLower(w.text))
}

// match returns the place that meets each expectation, or -1. No place meets two of them,
// as many as possible are met, and those of places that come first are.
func match(wants []want, places []place) []int {
	met := slices.Repeat([]int{-1}, len(wants))
	var seen []bool
	var assign func(i int) bool // along an augmenting path: no place loses its expectation
	assign = func(i int) bool {
		for w := range wants {
			if seen[w] || !wants[w].fits(&places[i]) {
				continue
			}
			seen[w] = true
			if met[w] < 0 || assign(met[w]) {
				met[w] = i
				return true
			}
		}
		return false
	}
	for i := range places {
		seen = make([]bool, len(wants))
		assign(i)
	}
	return met
}

// compare counts the findings, and adds those that are missing, forbidden and unexpected.
func (c *comparison) compare(res *Result) {
	places := c.places()
	wants := slices.DeleteFunc(slices.Clone(c.wants), func(w want) bool { return w.never })
	met := match(wants, places)
	left := slices.DeleteFunc(slices.Clone(places), func(p place) bool {
		return p.extra || slices.ContainsFunc(met, func(i int) bool { return i >= 0 && places[i].number == p.number })
	})
	for i := range wants {
		if met[i] >= 0 {
			res.Found++
		} else {
			c.addMissing(&wants[i], left)
		}
	}
	for i := range places {
		p, what := &places[i], "unexpected"
		never := slices.IndexFunc(c.wants, func(w want) bool { return w.never && w.fits(p) })
		switch {
		case never >= 0:
			what = "forbidden by " + c.wants[never].source
		case c.allow || !slices.Contains(left, *p):
			continue
		}
		res.Unexpected++
		c.add(p.at, "%s: %s: %s%s", where(p.at), what, describe(p), c.code(p.at))
	}
}

// addMissing adds an expectation that is not met; left are the findings that meet none.
func (c *comparison) addMissing(w *want, left []place) {
	at := w.source
	if w.at.StartLine > 0 {
		at = where(w.at)
	}
	lines := fmt.Sprintf("%s: missing: %s%s", at, w, c.code(w.at))
	for _, s := range c.report.Skipped {
		if s.Filename == w.at.Path {
			lines += fmt.Sprintf("\n    the skill does not look at this file: %s", s.Reason)
		}
	}
	for i := range left {
		if p := &left[i]; c.allow && p.at.Path == w.at.Path { // else it is unexpected, and shown
			lines += fmt.Sprintf("\n    found: %s: %s", where(p.at), describe(p))
		}
	}
	c.add(w.at, "%s", lines)
}

// code returns the line of the code at a place, on a line of its own.
func (c *comparison) code(at scanner.Location) string {
	at.EndLine = 0
	code, _, _, _ := cutWant(c.lines[at])
	if code = strings.TrimSpace(code); code == "" {
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

func describe(p *place) string {
	return fmt.Sprintf("%s %q, %s", p.Severity, text.OneLine(p.Title), cmp.Or(p.Rule, "by the model"))
}
