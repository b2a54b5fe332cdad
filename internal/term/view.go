package term

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

// view turns the parts of a run into text. Its methods return whole lines, or
// nothing, and keep no state.
type view interface {
	// opening comes first.
	opening(version string) string
	// plan lists the files that are going to be analyzed.
	plan(files []scanner.PlannedFile, chunks int) string
	// skill begins the lines about one of several skills.
	skill(name string) string
	// file shows the outcomes of a file's chunks.
	file(f *orderedFile) string
	// findings begins the findings of a skill, finding shows one of them, which was
	// found at the places.
	findings(skill string) string
	finding(f *scanner.Finding, places []scanner.Location, skill string) string
	// summary comes last.
	summary(s *summary) string
	// note and warning show a message.
	note(msg string) string
	warning(msg string) string
	// debug shows diagnostics: a heading, and lines of any text that belong to it.
	debug(msg string, lines []string) string
	// fatal shows the lines of an error that ends the process.
	fatal(lines []string) string
}

// summary holds the numbers at the end of a run.
type summary struct {
	counts scanner.SeverityCounts
	hidden scanner.Hidden
	// suppressed are the findings that are not reported.
	suppressed []scanner.Suppressed
	// discarded describes findings that were wrong; empty if there are none.
	discarded string
	usage     scanner.Usage
	duration  time.Duration
	// providers are those of the skills.
	providers []string
	// chunks are those of all skills.
	chunks scanner.ChunkCounts
	// offline is set when only the patterns of the skills ran.
	offline bool
	// fixes are lines about the suggested fixes; fixesMissing is set when some
	// were not applied.
	fixes        []string
	fixesMissing bool
}

// notes returns the lines between the numbers of findings and those of usage.
func (s *summary) notes() []string {
	var lines []string
	if hidden := formatHidden(s.hidden); hidden != "" {
		lines = append(lines, hidden)
	}
	if rules := s.hidden.Rules; len(rules) > 0 {
		lines = append(lines, hiddenRules(rules))
	}
	if n := len(s.suppressed); n > 0 {
		lines = append(lines, fmt.Sprintf("Suppressed: %d findings (%s)", n, scanner.SuppressedText(s.suppressed)))
	}
	if s.discarded != "" {
		lines = append(lines, s.discarded)
	}
	if line := providerLine(s.providers); line != "" {
		lines = append(lines, line)
	}
	if s.chunks.Cached > 0 {
		lines = append(lines, fmt.Sprintf("%d of %d chunks from the cache", s.chunks.Cached, s.chunks.Total))
	}
	if s.offline { // then no findings mean less
		lines = append(lines, "Offline: only pattern rules ran, no model was called")
	}
	return append(lines, s.fixes...)
}

// identity writes the id and the confidence of a finding.
func identity(f *scanner.Finding) string {
	if f.Confidence == "" {
		return "id " + f.ID
	}
	return "id " + f.ID + ", " + string(f.Confidence) + " confidence"
}

// maxHiddenRules is how many rules with hidden findings are named.
const maxHiddenRules = 5

// hiddenRules counts the hidden findings of rules, those of the rules with the most by
// name.
func hiddenRules(counts map[string]int) string {
	names := slices.Sorted(maps.Keys(counts))
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(counts[b], counts[a]) })
	var parts []string
	for _, name := range names[:min(len(names), maxHiddenRules)] {
		parts = append(parts, fmt.Sprintf("%d %s", counts[name], name))
	}
	if more := len(names) - maxHiddenRules; more > 0 {
		parts = append(parts, "and "+format.Count(more, "more rule", "more rules"))
	}
	return "Hidden by rule: " + cleanLine(strings.Join(parts, ", "))
}

// providerLine names what answers; it is empty if nothing does.
func providerLine(providers []string) string {
	if list := format.Distinct(providers); len(list) > 0 {
		return "Provider: " + cleanLine(strings.Join(list, "; "))
	}
	return ""
}

// quiet is the summary at the lowest verbosity. It has the hidden findings only
// when they are why the run fails, and the fixes only when some were not applied.
func (s *summary) quiet(failsHidden bool) string {
	text := Counts(s.counts) + "\n"
	if hidden := formatHidden(s.hidden); failsHidden && hidden != "" {
		text += hidden + "\n"
	}
	if s.fixesMissing {
		text += s.fixes[0] + "\n"
	}
	return text
}

// usageCost writes what was spent. No usage costs nothing.
func usageCost(u scanner.Usage) string {
	if u.IsZero() {
		return format.Cost(new(0.0))
	}
	return format.Cost(u.CostUSD)
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

func patternsOnly(run *scanner.RunReport) bool {
	return slices.ContainsFunc(run.Skills, func(r *scanner.SkillReport) bool { return r.PatternsOnly })
}

// withheld describes what a run kept back: secrets from the model, and from the report
// findings that a second opinion refuted.
func withheld(run *scanner.RunReport) []string {
	var lines []string
	redacted, rejected, refuted := 0, 0, 0
	for _, r := range run.Skills {
		redacted += r.Redacted
		if r.Verification != nil {
			rejected += len(r.Verification.Rejected)
			refuted += len(r.Verification.Refuted)
		}
	}
	if redacted > 0 {
		lines = append(lines, "Redacted before sending: "+format.Count(redacted, "secret", "secrets"))
	}
	if rejected > 0 {
		lines = append(lines, "Rejected by the second opinion: "+format.Count(rejected, "finding", "findings"))
	}
	if refuted > 0 {
		lines = append(lines, "One severity lower by the second opinion: "+format.Count(refuted, "finding of a rule", "findings of rules"))
	}
	return lines
}

// discarded describes the findings of models that were wrong, and why; empty if there
// are none.
func discarded(run *scanner.RunReport) string {
	counts, total := make(map[string]int), 0
	for _, r := range run.Skills {
		for reason, n := range r.Discarded {
			counts[reason] += n
			total += n
		}
	}
	if total == 0 {
		return ""
	}
	return "Discarded, in whole or in part: " + format.Count(total, "finding", "findings") + " (" + countReasons(counts, discardReasons) + ")"
}

// discardsText counts discards by reason.
func discardsText(list []scanner.Discard) string {
	counts := make(map[string]int)
	for _, d := range list {
		counts[d.Reason]++
	}
	return countReasons(counts, discardReasons)
}

// errorName returns the name of a chunk's failure.
func errorName(err error) string {
	switch {
	case errors.Is(err, scanner.ErrBreaker):
		return "not sent"
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

// countReasons writes "2 RateLimitError, 1 ServerError", the most frequent first,
// with the words that texts has for a reason instead of its name.
func countReasons(counts map[string]int, texts map[string]string) string {
	names := slices.Sorted(maps.Keys(counts))
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(counts[b], counts[a]) })
	for i, name := range names {
		names[i] = fmt.Sprintf("%d %s", counts[name], cmp.Or(texts[name], name))
	}
	return strings.Join(names, ", ")
}

// discardReasons describe the findings that are discarded for a reason.
var discardReasons = map[string]string{
	"invalid":   "malformed",
	"path":      "about another file",
	"quote":     "quoting code that is not in the change",
	"outside":   "outside the change",
	"duplicate": "with the id of another",
	"location":  "with a wrong additional location",
	"fix":       "with a fix that cannot be placed",
}

// skipReasons describe the files that are skipped for a reason.
var skipReasons = map[string]string{
	"pattern":    "filePatterns",
	"ignored":    "ignorePaths",
	"builtin":    "built-in rule",
	"no-content": "without content",
	"link":       "symbolic link",
	"too-large":  "too large",
	"paths":      "outside the skills' paths",
}

// skippedFile writes a skipped file with the reason.
func skippedFile(f scanner.SkippedFile) string {
	s := cleanPath(f.Filename) + ": " + cmp.Or(skipReasons[f.Reason], f.Reason)
	if f.Pattern != "" {
		s += " (" + f.Pattern + ")"
	}
	return s
}

// skippedCount writes how many files were skipped for each reason.
func skippedCount(files []scanner.SkippedFile) string {
	reasons := make(map[string]int)
	for _, f := range files {
		reasons[f.Reason]++
	}
	return fmt.Sprintf("Skipped %s (%s)", format.Count(len(files), "file", "files"), countReasons(reasons, skipReasons))
}

// startOf writes the start of a location.
func startOf(l scanner.Location) string {
	return fmt.Sprintf("%s:%d", cleanPath(l.Path), l.StartLine)
}

// rangeOf writes a location with its end, if it has one.
func rangeOf(l scanner.Location) string {
	l.Path = cleanPath(l.Path)
	return l.String()
}

func chunkName(r scanner.ChunkRef) string {
	return fmt.Sprintf("%s %s:%d-%d", r.Skill, cleanPath(r.Path), r.StartLine, r.EndLine)
}
