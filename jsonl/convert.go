package jsonl

import (
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"time"
	"unicode/utf8"

	scanner "github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/provider"
)

// The names in metadata that this package knows. The pipeline sets others.
const (
	metaChunks      = "chunks"
	metaHidden      = "hidden"
	metaMergeGroups = "mergeGroups"
	metaFailures    = "failures"
)

// FromReport makes the record of a report. It holds the findings that sel shows,
// and its counts and its summary speak of these; only where sel has no summary
// does the report's stand. Metadata is that of the report and the ledger of its
// chunks, with sel's hidden findings if there are any. Paths that are not valid
// UTF-8 are quoted.
//
// The record shares no slice or map with the report that either side may
// change, so it stays what it is when the report's metadata grows.
func FromReport(run Run, report *scanner.SkillReport, sel scanner.Selection) *SkillRecord {
	r := &SkillRecord{
		Run:               run,
		Skill:             report.Skill,
		Summary:           cmp.Or(sel.Summary, report.Summary),
		Findings:          quoteFindings(sel.Shown),
		Metadata:          make(map[string]any, len(report.Metadata)+2),
		Model:             report.Model,
		DurationMs:        milliseconds(report.Duration),
		AuxiliaryUsage:    maps.Clone(report.AuxiliaryUsage),
		SkippedFiles:      quoteSkipped(report.SkippedFiles),
		FailedHunks:       report.FailedHunks,
		FailedExtractions: report.FailedExtractions,
	}
	maps.Copy(r.Metadata, report.Metadata)
	if groups, ok := report.Metadata[metaMergeGroups].([]scanner.MergeGroup); ok {
		r.Metadata[metaMergeGroups] = quoteGroups(groups)
	}
	if failures, ok := report.Metadata[metaFailures].([]scanner.ChunkFailure); ok {
		r.Metadata[metaFailures] = quoteFailures(failures)
	}
	r.Metadata[metaChunks] = report.Chunks
	if sel.Hidden != (scanner.Hidden{}) {
		r.Metadata[metaHidden] = sel.Hidden
	}
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

// Report returns the record as a report, as rule 4 of the reading rules has it.
// Its findings are those that were shown. The ledger of the chunks and the
// reasons of failures are taken from metadata. What a record does not hold (the
// ledgers and states of files, whether a model was to be asked) is zero.
func (r *SkillRecord) Report() *scanner.SkillReport {
	report := &scanner.SkillReport{
		Skill:             r.Skill,
		Summary:           r.Summary,
		Findings:          slices.Clone(r.Findings),
		Metadata:          maps.Clone(r.Metadata),
		Duration:          duration(r.DurationMs),
		AuxiliaryUsage:    maps.Clone(r.AuxiliaryUsage),
		SkippedFiles:      slices.Clone(r.SkippedFiles),
		FailedHunks:       r.FailedHunks,
		FailedExtractions: r.FailedExtractions,
		Chunks:            fromMetadata[scanner.ChunkCounts](r.Metadata, metaChunks),
		Failures:          fromMetadata[[]scanner.ChunkFailure](r.Metadata, metaFailures),
		Model:             r.Model,
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

// Hidden returns what the record's metadata says about findings that were held
// back. It is zero when there is nothing, or nothing of the form this package
// writes.
func (r *SkillRecord) Hidden() scanner.Hidden {
	return fromMetadata[scanner.Hidden](r.Metadata, metaHidden)
}

// fromMetadata returns a value of metadata, which is a T in a record that was
// made here and generic in one that was read. A record may hold anything under
// the name: of what is not a T the zero value is returned.
func fromMetadata[T any](metadata map[string]any, name string) T {
	var v, none T
	switch value := metadata[name].(type) {
	case nil:
		return none
	case T:
		return value
	default:
		data, err := json.Marshal(value)
		if err != nil || json.Unmarshal(data, &v) != nil {
			return none
		}
		return v
	}
}

// NewSummary makes the last record of a run: the totals over its skill records.
// skipped are the files that no skill looked at (those of [scanner.RunReport]);
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

// quoteFindings returns a copy, never nil.
func quoteFindings(findings []scanner.Finding) []scanner.Finding {
	quoted := append([]scanner.Finding{}, findings...)
	for i := range quoted {
		f := &quoted[i]
		f.Location = quoteLocation(f.Location)
		if slices.ContainsFunc(f.AdditionalLocations, func(l scanner.Location) bool { return !utf8.ValidString(l.Path) }) {
			f.AdditionalLocations = slices.Clone(f.AdditionalLocations)
			for j := range f.AdditionalLocations {
				f.AdditionalLocations[j].Path = quotePath(f.AdditionalLocations[j].Path)
			}
		}
	}
	return quoted
}

func quoteLocation(l *scanner.Location) *scanner.Location {
	if l == nil || utf8.ValidString(l.Path) {
		return l
	}
	quoted := *l
	quoted.Path = quotePath(l.Path)
	return &quoted
}

func quoteGroups(groups []scanner.MergeGroup) []scanner.MergeGroup {
	quoted := slices.Clone(groups)
	for i := range quoted {
		quoted[i].Merged = slices.Clone(quoted[i].Merged)
		for j := range quoted[i].Merged {
			m := &quoted[i].Merged[j]
			m.Location = quoteLocation(m.Location)
		}
	}
	return quoted
}

func quoteFailures(failures []scanner.ChunkFailure) []scanner.ChunkFailure {
	quoted := slices.Clone(failures)
	for i := range quoted {
		quoted[i].Path = quotePath(quoted[i].Path)
	}
	return quoted
}

func quoteSkipped(files []scanner.SkippedFile) []scanner.SkippedFile {
	quoted := slices.Clone(files)
	for i := range quoted {
		quoted[i].Filename = quotePath(quoted[i].Filename)
	}
	return quoted
}

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

// duration rounds to a nanosecond. What is beyond the range of a Duration, 292
// years, is cut to it.
func duration(ms float64) time.Duration {
	ns := math.Round(ms * float64(time.Millisecond))
	if ns >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(ns)
}
