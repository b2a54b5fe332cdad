package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/format"
	"github.com/codescan-dev/scanner/provider"
)

// verbosity says how much is shown.
type verbosity int

const (
	quiet   verbosity = iota // the final summary line alone
	normal                   // the report
	verbose                  // and what became of every file and chunk
	debug                    // and diagnostics
)

// view turns what happens in a run into text. Its methods return whole lines,
// or nothing, and keep no state.
type view interface {
	// opening is shown first.
	opening(version string) string
	// plan tells what is going to be analyzed.
	plan(files []scanner.PlannedFile, chunks int) string
	// skill begins the lines about one of several skills.
	skill(name string) string
	// file shows what became of a file's chunks.
	file(f *orderedFile) string
	// finding shows one finding of a skill.
	finding(f *scanner.Finding, skill string) string
	// findings begins the findings of a skill.
	findings(skill string) string
	// summary comes last.
	summary(s *summary) string
	// note, warning and debug show a message.
	note(msg string) string
	warning(msg string) string
	debug(msg string) string
}

// summary holds the numbers at the end of a run.
type summary struct {
	counts   scanner.SeverityCounts
	hidden   scanner.Hidden
	usage    scanner.Usage
	duration time.Duration
	// notAsked is set when only the patterns of the skills ran.
	notAsked bool
	// fixes says what became of suggested fixes; nil if they are not asked for.
	fixes *fixReport
}

// notes returns the lines between the numbers of findings and those of usage.
func (s *summary) notes() []string {
	var lines []string
	if hidden := formatHidden(s.hidden); hidden != "" {
		lines = append(lines, hidden)
	}
	if s.notAsked {
		lines = append(lines, modelNotAsked)
	}
	if s.fixes != nil {
		lines = append(lines, s.fixes.lines()...)
	}
	return lines
}

// modelNotAsked is said of a run without a model: no findings mean less then.
const modelNotAsked = "The model was not asked: only the patterns of the skills ran"

// cost writes what was spent. Nothing costs nothing.
func (s *summary) cost() string {
	if s.usage.IsZero() {
		return format.Cost(new(0.0))
	}
	return format.Cost(s.usage.CostUSD)
}

// quiet is the summary at the lowest verbosity. What is hidden is told only
// when it would otherwise be a riddle why the run failed, and what became of fixes
// only when some were not applied.
func (s *summary) quiet(failsHidden bool) string {
	text := formatCounts(s.counts) + "\n"
	if hidden := formatHidden(s.hidden); failsHidden && hidden != "" {
		text += hidden + "\n"
	}
	if s.fixes != nil && s.fixes.refused() {
		text += s.fixes.lines()[0] + "\n"
	}
	return text
}

// totalUsage sums the usage of reports, helper requests included.
func totalUsage(reports []*scanner.SkillReport) scanner.Usage {
	var sum scanner.Usage
	for _, r := range reports {
		if r.Usage != nil {
			sum = sum.Add(*r.Usage)
		}
		for _, name := range slices.Sorted(maps.Keys(r.AuxiliaryUsage)) {
			sum = sum.Add(r.AuxiliaryUsage[name])
		}
	}
	return sum
}

// errorName returns the name that messages give to the failure of a chunk.
func errorName(err error) string {
	switch {
	case errors.Is(err, scanner.ErrBreaker):
		return "not asked"
	case errors.Is(err, scanner.ErrExtraction):
		return scanner.ErrExtraction.Error()
	default:
		return provider.KindOf(err).String()
	}
}

// errorDetail returns what is known about a failure besides its name.
func errorDetail(err error) string {
	if p, ok := errors.AsType[*provider.Error](err); ok {
		return p.Message
	}
	return err.Error()
}

// errorText returns the name of a failure and what is known about it.
func errorText(err error) string {
	return errorName(err) + ": " + errorDetail(err)
}

// countReasons writes "2 RateLimitError, 1 ServerError", the most frequent
// first.
func countReasons(counts map[string]int) string {
	names := slices.Sorted(maps.Keys(counts))
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(counts[b], counts[a]) })
	for i, name := range names {
		names[i] = fmt.Sprintf("%d %s", counts[name], name)
	}
	return strings.Join(names, ", ")
}

// skippedFile says in a line why a file was skipped.
func skippedFile(f scanner.SkippedFile) string {
	s := cleanPath(f.Filename) + ": " + f.Reason
	if f.Pattern != "" {
		s += " (" + cleanLine(f.Pattern) + ")"
	}
	return s
}

// skippedCount says how many files were skipped, by reason.
func skippedCount(files []scanner.SkippedFile) string {
	reasons := make(map[string]int)
	for _, f := range files {
		reasons[f.Reason]++
	}
	return fmt.Sprintf("Skipped %s (%s)", plural(len(files), "file"), countReasons(reasons))
}

// place writes the location of a finding, or nothing if it has none.
func place(f *scanner.Finding) string {
	if f.Location == nil {
		return ""
	}
	return fmt.Sprintf("%s:%d", cleanPath(f.Location.Path), f.Location.StartLine)
}

// span writes a location with its end, if it has one.
func span(l scanner.Location) string {
	l.Path = cleanPath(l.Path)
	return l.String()
}
