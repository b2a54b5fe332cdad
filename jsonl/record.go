package jsonl

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner"
)

// SkillRecord is the line of one skill: its report, with the findings that were
// shown.
type SkillRecord struct {
	// Run is the metadata of the run. Required.
	Run Run `json:"run"`
	// Skill is the skill's name. Required.
	Skill string `json:"skill"`
	// Summary is the result in a sentence. Required; it may be empty.
	Summary string `json:"summary"`
	// Findings are those that were shown, in order. Required: an empty slice if
	// there are none.
	Findings []scanner.Finding `json:"findings"`
	// Metadata holds what the other fields have no room for.
	Metadata Metadata `json:"metadata"`
	// Model is the model that was used; empty if none was.
	Model string `json:"model,omitempty"`
	// DurationMs is the wall time of the skill in milliseconds.
	DurationMs float64 `json:"durationMs,omitempty"`
	// Usage sums the analysis requests. Nil when no model was used.
	Usage *scanner.Usage `json:"usage,omitempty"`
	// AuxiliaryUsage sums the helper requests by name.
	AuxiliaryUsage map[string]scanner.Usage `json:"auxiliaryUsage,omitempty"`
	// Files lists the analyzed files.
	Files []FileRecord `json:"files,omitempty"`
	// SkippedFiles lists the files that were not analyzed.
	SkippedFiles []scanner.SkippedFile `json:"skippedFiles,omitempty"`
	// FailedHunks counts the chunks that could not be analyzed.
	FailedHunks int `json:"failedHunks,omitempty"`
	// FailedExtractions counts the chunks whose answer could not be read.
	FailedExtractions int `json:"failedExtractions,omitempty"`
}

var _ Record = (*SkillRecord)(nil)

func (r *SkillRecord) record() {}

// Validate reports everything that makes r an invalid record: missing required
// fields, invalid findings, negative numbers.
func (r *SkillRecord) Validate() error {
	var p problems
	r.Run.check(&p)
	p.notEmpty("skill", r.Skill)
	if r.Findings == nil {
		p.missing("findings")
	}
	for i := range r.Findings {
		if err := r.Findings[i].Validate(); err != nil {
			for what := range strings.SplitSeq(err.Error(), "\n") {
				p.add("findings[%d].%s", i, what)
			}
		}
	}
	p.notNegative("durationMs", r.DurationMs)
	if r.Usage != nil {
		p.in("usage.", func(p *problems) { checkUsage(p, *r.Usage) })
	}
	checkAuxiliary(&p, r.AuxiliaryUsage)
	for i := range r.Files {
		p.in(fmt.Sprintf("files[%d].", i), r.Files[i].check)
	}
	for i, f := range r.SkippedFiles {
		p.in(fmt.Sprintf("skippedFiles[%d].", i), func(p *problems) {
			p.notEmpty("filename", f.Filename)
			p.notEmpty("reason", f.Reason)
		})
	}
	p.notNegative("failedHunks", float64(r.FailedHunks))
	p.notNegative("failedExtractions", float64(r.FailedExtractions))
	return p.err()
}

// FileRecord is the result of a skill for one file.
type FileRecord struct {
	// Filename is the file's path. Required.
	Filename string `json:"filename"`
	// Findings counts the record's findings whose location is in the file.
	Findings int `json:"findings"`
	// DurationMs sums the time spent on the file's chunks, in milliseconds.
	DurationMs float64 `json:"durationMs"`
	// Usage is what was spent on the file.
	Usage scanner.Usage `json:"usage"`
}

func (f *FileRecord) check(p *problems) {
	p.notEmpty("filename", f.Filename)
	p.notNegative("findings", float64(f.Findings))
	p.notNegative("durationMs", f.DurationMs)
	p.in("usage.", func(p *problems) { checkUsage(p, f.Usage) })
}

// TypeSummary is the type of a [SummaryRecord].
const TypeSummary = "summary"

// SummaryRecord is the last line of a run: the totals over its skills.
type SummaryRecord struct {
	// Run is the metadata of the run, with its whole duration. Required.
	Run Run `json:"run"`
	// Type is the literal [TypeSummary]. Required.
	Type string `json:"type"`
	// TotalFindings counts the findings of the run's records. Required.
	TotalFindings int `json:"totalFindings"`
	// BySeverity counts them by severity. Required.
	BySeverity scanner.SeverityCounts `json:"bySeverity"`
	// Usage sums the analysis requests. Its cost is absent if that of any of them
	// is unknown.
	Usage scanner.Usage `json:"usage"`
	// TotalSkippedFiles counts the distinct files that no skill analyzed.
	TotalSkippedFiles int `json:"totalSkippedFiles"`
	// AuxiliaryUsage sums the helper requests by name.
	AuxiliaryUsage map[string]scanner.Usage `json:"auxiliaryUsage,omitempty"`
}

var _ Record = (*SummaryRecord)(nil)

func (r *SummaryRecord) record() {}

// Validate reports everything that makes r an invalid record: missing required
// fields, another type, negative numbers.
func (r *SummaryRecord) Validate() error {
	var p problems
	r.Run.check(&p)
	if r.Type != TypeSummary {
		p.add("type %q is not %q", r.Type, TypeSummary)
	}
	p.notNegative("totalFindings", float64(r.TotalFindings))
	p.notNegative("bySeverity.high", float64(r.BySeverity.High))
	p.notNegative("bySeverity.medium", float64(r.BySeverity.Medium))
	p.notNegative("bySeverity.low", float64(r.BySeverity.Low))
	p.in("usage.", func(p *problems) { checkUsage(p, r.Usage) })
	p.notNegative("totalSkippedFiles", float64(r.TotalSkippedFiles))
	checkAuxiliary(&p, r.AuxiliaryUsage)
	return p.err()
}

// problems collects what is wrong with a record. Its error is a single line, as
// messages about a line of a file should be.
type problems []string

func (p *problems) add(format string, args ...any) {
	*p = append(*p, fmt.Sprintf(format, args...))
}

func (p *problems) missing(field string) { p.add("%s is missing", field) }

func (p *problems) notEmpty(field, value string) {
	if value == "" {
		p.missing(field)
	}
}

func (p *problems) notNegative(field string, v float64) {
	if v < 0 {
		p.add("%s %v is negative", field, v)
	}
}

// in adds what is wrong with the part of a record at a place.
func (p *problems) in(place string, check func(*problems)) {
	var q problems
	check(&q)
	for _, s := range q {
		*p = append(*p, place+s)
	}
}

func (p problems) err() error {
	if len(p) == 0 {
		return nil
	}
	return errors.New(strings.Join(p, "; "))
}

func checkUsage(p *problems, u scanner.Usage) {
	p.notNegative("inputTokens", float64(u.InputTokens))
	p.notNegative("outputTokens", float64(u.OutputTokens))
	p.notNegative("cacheReadInputTokens", float64(u.CacheReadInputTokens))
	p.notNegative("cacheCreationInputTokens", float64(u.CacheCreationInputTokens))
	if u.CostUSD != nil {
		p.notNegative("costUSD", *u.CostUSD)
	}
}

func checkAuxiliary(p *problems, usages map[string]scanner.Usage) {
	for _, name := range slices.Sorted(maps.Keys(usages)) {
		p.in(fmt.Sprintf("auxiliaryUsage[%q].", name), func(p *problems) { checkUsage(p, usages[name]) })
	}
}
