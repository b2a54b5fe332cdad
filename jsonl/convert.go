package jsonl

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/provider"
)

// FromReport makes the record of a report. Its findings are those that sel shows,
// and its counts and its summary are about these; if sel has no summary, that of
// the report is used. Paths that are not valid UTF-8 are quoted.
//
// The texts of discarded findings, which can be large, are left out. A caller that
// wants them sets Metadata.Discards to those of the report.
//
// The record shares no slice or map with the report that either side may change.
func FromReport(run Run, report *scanner.SkillReport, sel scanner.Selection) *SkillRecord {
	r := &SkillRecord{
		Run:      run,
		Skill:    report.Skill,
		Summary:  cmp.Or(sel.Summary, report.Summary),
		Findings: append([]scanner.Finding{}, mapped(sel.Shown, quoteFinding)...),
		Metadata: Metadata{
			Chunks:       report.Chunks,
			Discarded:    maps.Clone(report.Discarded),
			Duplicates:   slices.Clone(report.Duplicates),
			Failures:     mapped(report.Failures, quoteFailure),
			Left:         mapped(report.Left, quoteFailure),
			Fixes:        mapped(report.Fixes, func(f *scanner.FixOutcome) { f.Files = mapped(f.Files, quotePathIn) }),
			Hidden:       sel.Hidden.Add(scanner.Hidden{}), // a copy
			MergeGroups:  mapped(report.MergeGroups, quoteGroup),
			Notable:      mapped(report.Notable, func(n *diff.Notable) { n.Path = quotePath(n.Path) }),
			Places:       maps.Clone(report.PlaceHashes),
			Policy:       sel.Policy,
			Provider:     provider.Identity{Name: report.Provider.Name, Host: report.Provider.Host},
			Redacted:     report.Redacted,
			Rule:         rulesOf(sel.Shown, report.Suppressed),
			Shard:        report.Shard,
			Suppressed:   suppressedOf(report.Suppressed),
			Tools:        report.Tools,
			Verification: quoteVerification(report.Verification),
		},
		Model:             report.Model,
		DurationMs:        milliseconds(report.Duration),
		AuxiliaryUsage:    maps.Clone(report.AuxiliaryUsage),
		SkippedFiles:      mapped(report.SkippedFiles, func(f *scanner.SkippedFile) { f.Filename = quotePath(f.Filename) }),
		FailedHunks:       report.FailedHunks,
		FailedExtractions: report.FailedExtractions,
	}
	r.Metadata.Shard.Missing = slices.Clone(report.Shard.Missing)
	r.Metadata.Shard.Fails = report.Shard.Count > 0 && sel.Fails
	if report.Usage != nil {
		r.Usage = new(*report.Usage)
	}
	counts := make(map[string]int, len(report.Files))
	for i := range sel.Shown {
		if l := sel.Shown[i].Location; l != nil {
			counts[l.Path]++
		}
	}
	for i := range report.Files {
		f := &report.Files[i]
		r.Files = append(r.Files, FileRecord{
			Filename:   quotePath(f.Path),
			Findings:   counts[f.Path],
			DurationMs: milliseconds(f.Duration),
			Usage:      f.Usage,
		})
	}
	return r
}

// rulesOf returns the rules of findings by id; nil if there are none.
func rulesOf(findings []scanner.Finding, suppressed []scanner.Suppressed) map[string]string {
	findings = slices.Clone(findings)
	for i := range suppressed {
		findings = append(findings, suppressed[i].Finding)
	}
	rules := make(map[string]string)
	for i := range findings {
		if f := &findings[i]; f.Rule != "" {
			rules[f.ID] = f.Rule
		}
	}
	if len(rules) == 0 {
		return nil
	}
	return rules
}

// suppressedOf returns suppressed findings without their fixes, which nobody applies.
func suppressedOf(list []scanner.Suppressed) Suppressed {
	return Suppressed{SuppressedCounts: scanner.CountSuppressed(list), Findings: mapped(list, func(s *scanner.Suppressed) {
		quoteFinding(&s.Finding)
		s.SuggestedFix = nil
	})}
}

// Report returns the record as a report (rule 4 of the reading rules). Its
// findings are those that were shown, with the edits of their suggested fixes.
// What a record does not hold (the ledgers, states and kinds of files and, outside of shards,
// whether a model was to be used) is zero.
func (r *SkillRecord) Report() *scanner.SkillReport {
	m := &r.Metadata
	report := &scanner.SkillReport{
		Skill:   r.Skill,
		Summary: r.Summary,
		Findings: mapped(r.Findings, func(f *scanner.Finding) {
			f.Rule, f.SuggestedFix = m.Rule[f.ID], withEdits(f.SuggestedFix, f.Location)
		}),
		MergeGroups:       mapped(m.MergeGroups, readGroup),
		Discarded:         maps.Clone(m.Discarded),
		Discards:          slices.Clone(m.Discards),
		Duplicates:        slices.Clone(m.Duplicates),
		Notable:           slices.Clone(m.Notable),
		PlaceHashes:       maps.Clone(m.Places),
		Hidden:            m.Hidden.Add(scanner.Hidden{}), // a copy
		Suppressed:        mapped(m.Suppressed.Findings, func(s *scanner.Suppressed) { s.Rule = m.Rule[s.ID] }),
		Redacted:          m.Redacted,
		Shard:             m.Shard,
		PatternsOnly:      m.Shard.PatternsOnly,
		Tools:             m.Tools,
		Verification:      m.Verification,
		Fixes:             slices.Clone(m.Fixes),
		Duration:          duration(r.DurationMs),
		AuxiliaryUsage:    maps.Clone(r.AuxiliaryUsage),
		SkippedFiles:      slices.Clone(r.SkippedFiles),
		FailedHunks:       r.FailedHunks,
		FailedExtractions: r.FailedExtractions,
		Chunks:            m.Chunks,
		Failures:          slices.Clone(m.Failures),
		Left:              slices.Clone(m.Left),
		Model:             r.Model,
		Provider:          provider.Identity{Name: m.Provider.Name, Host: m.Provider.Host, Model: r.Model},
	}
	if r.Usage != nil {
		report.Usage = new(*r.Usage)
	}
	for i := range r.Files {
		f := &r.Files[i]
		report.Files = append(report.Files, scanner.FileReport{
			Path:     f.Filename,
			Findings: f.Findings,
			Duration: duration(f.DurationMs),
			Usage:    f.Usage,
		})
	}
	return report
}

func readGroup(g *scanner.MergeGroup) {
	g.Merged = mapped(g.Merged, func(m *scanner.MergedFinding) { m.SuggestedFix = withEdits(m.SuggestedFix, m.Location) })
}

// withEdits returns a fix with the edits that its diff describes. A diff that no
// scan wrote may describe none.
func withEdits(fix *scanner.SuggestedFix, l *scanner.Location) *scanner.SuggestedFix {
	if fix == nil || l == nil {
		return fix
	}
	read := *fix
	read.Edits, _ = scanner.ParseEdits(l.Path, fix.Diff)
	return &read
}

// NewSummary makes the last record of a run: the totals over its skill records.
// skipped are the files that no skill analyzed (those of [scanner.RunReport]);
// they are counted together with the skipped files of the records, each name
// once. A file that one skill skipped and another analyzed does not count.
func NewSummary(run Run, skipped []scanner.SkippedFile, records ...*SkillRecord) *SummaryRecord {
	s := &SummaryRecord{Run: run, Type: TypeSummary}
	names := make(map[string]bool)
	for _, f := range skipped {
		names[quotePath(f.Filename)] = true
	}
	for _, r := range records {
		s.TotalFindings += len(r.Findings)
		s.BySeverity = s.BySeverity.Add(scanner.CountSeverities(r.Findings))
		if r.Usage != nil {
			s.Usage = s.Usage.Add(*r.Usage)
		}
		s.AuxiliaryUsage = addUsages(s.AuxiliaryUsage, r.AuxiliaryUsage)
		for _, f := range r.SkippedFiles {
			names[f.Filename] = true
		}
	}
	for _, r := range records {
		for i := range r.Files {
			delete(names, r.Files[i].Filename)
		}
	}
	s.TotalSkippedFiles = len(names)
	return s
}

func addUsages(sum, m map[string]provider.Usage) map[string]provider.Usage {
	for name, u := range m {
		if sum == nil {
			sum = make(map[string]provider.Usage, len(m))
		}
		sum[name] = sum[name].Add(u)
	}
	return sum
}

// mapped returns a copy of a list whose elements f was applied to.
func mapped[T any](list []T, f func(*T)) []T {
	list = slices.Clone(list)
	for i := range list {
		f(&list[i])
	}
	return list
}

func quoteFinding(f *scanner.Finding) {
	f.Location = quoteLocation(f.Location)
	f.AdditionalLocations = mapped(f.AdditionalLocations, func(l *scanner.Location) { l.Path = quotePath(l.Path) })
}

func quoteGroup(g *scanner.MergeGroup) {
	g.Merged = mapped(g.Merged, func(m *scanner.MergedFinding) { m.Location = quoteLocation(m.Location) })
}

func quoteVerification(v *scanner.Verification) *scanner.Verification {
	if v == nil {
		return nil
	}
	quoted := *v
	quote := func(r *scanner.Rejection) { r.Location = quoteLocation(r.Location) }
	quoted.Rejected, quoted.Refuted = mapped(v.Rejected, quote), mapped(v.Refuted, quote)
	return &quoted
}

func quoteLocation(l *scanner.Location) *scanner.Location {
	if l == nil || utf8.ValidString(l.Path) {
		return l
	}
	quoted := *l
	quoted.Path = quotePath(l.Path)
	return &quoted
}

func quotePathIn(path *string) { *path = quotePath(*path) }

// quotePath returns a path as records hold it.
func quotePath(path string) string {
	if utf8.ValidString(path) {
		return path
	}
	return diff.QuotePath(path)
}

func milliseconds(d time.Duration) float64 {
	return float64(d) / float64(time.Millisecond)
}

// duration rounds to a nanosecond, and is at most the longest Duration, 292 years.
func duration(ms float64) time.Duration {
	ns := math.Round(ms * float64(time.Millisecond))
	if ns >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(ns)
}

func quoteFailure(f *scanner.ChunkFailure) { f.Path = quotePath(f.Path) }
