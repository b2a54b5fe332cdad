package jsonl

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	scanner "github.com/codescan-dev/scanner"
)

// SkillRecord is the line of one skill: its report, with the findings that were
// shown.
type SkillRecord struct {
	// Run is the metadata of the run. Required.
	Run Run `json:"run"`
	// Skill is the skill's name. Required.
	Skill string `json:"skill"`
	// Summary says the result in a sentence. Required; it may be empty.
	Summary string `json:"summary"`
	// Findings are those that were shown, in order. Required: none are an empty
	// slice, not nil.
	Findings []scanner.Finding `json:"findings"`
	// Metadata holds what the fields of the specification have no room for.
	Metadata Metadata `json:"metadata"`
	// Model is the model that was asked; empty if none was.
	Model string `json:"model,omitempty"`
	// DurationMs is the wall time of the skill in milliseconds.
	DurationMs float64 `json:"durationMs,omitempty"`
	// Usage sums the analysis requests. Nil when no provider was asked.
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
	if r == nil {
		return errors.New("no skill record")
	}
	var p problems
	r.Run.check(&p)
	r.check(&p)
	return p.err()
}

// check is Validate without the run.
func (r *SkillRecord) check(p *problems) {
	p.notEmpty("skill", r.Skill)
	if r.Findings == nil {
		p.missing("findings")
	}
	for i := range r.Findings {
		if err := r.Findings[i].Validate(); err != nil {
			p.nest(fmt.Sprintf("findings[%d].", i), strings.Split(err.Error(), "\n"))
		}
	}
	p.notNegative("durationMs", r.DurationMs)
	p.usage("usage", r.Usage)
	p.usages("auxiliaryUsage", r.AuxiliaryUsage)
	for i := range r.Files {
		p.nestAt("files", i, r.Files[i].problems())
	}
	for i, f := range r.SkippedFiles {
		p.nestAt("skippedFiles", i, skippedProblems(f))
	}
	p.notNegativeInt("failedHunks", int64(r.FailedHunks))
	p.notNegativeInt("failedExtractions", int64(r.FailedExtractions))
}

// FileRecord is what a skill did with one file.
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

// Validate reports a missing filename and negative numbers.
func (f *FileRecord) Validate() error { return f.problems().err() }

func (f *FileRecord) problems() problems {
	var p problems
	p.notEmpty("filename", f.Filename)
	p.notNegativeInt("findings", int64(f.Findings))
	p.notNegative("durationMs", f.DurationMs)
	p.usage("usage", &f.Usage)
	return p
}

func skippedProblems(f scanner.SkippedFile) problems {
	var p problems
	p.notEmpty("filename", f.Filename)
	p.notEmpty("reason", f.Reason)
	return p
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
	// Usage sums the analysis requests. Its cost is absent when that of any of
	// them is not known.
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
	if r == nil {
		return errors.New("no summary record")
	}
	var p problems
	r.Run.check(&p)
	r.check(&p)
	return p.err()
}

// check is Validate without the run.
func (r *SummaryRecord) check(p *problems) {
	if r.Type != TypeSummary {
		p.add("type %q is not %q", r.Type, TypeSummary)
	}
	p.notNegativeInt("totalFindings", int64(r.TotalFindings))
	p.notNegativeInt("bySeverity.high", int64(r.BySeverity.High))
	p.notNegativeInt("bySeverity.medium", int64(r.BySeverity.Medium))
	p.notNegativeInt("bySeverity.low", int64(r.BySeverity.Low))
	p.usage("usage", &r.Usage)
	p.notNegativeInt("totalSkippedFiles", int64(r.TotalSkippedFiles))
	p.usages("auxiliaryUsage", r.AuxiliaryUsage)
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
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		p.add("%s %v is not a number", field, v)
	case v < 0:
		p.add("%s %v is negative", field, v)
	}
}

func (p *problems) notNegativeInt(field string, v int64) {
	if v < 0 {
		p.add("%s %d is negative", field, v)
	}
}

func (p *problems) usage(field string, u *scanner.Usage) {
	if u == nil {
		return
	}
	var q problems
	q.notNegativeInt("inputTokens", u.InputTokens)
	q.notNegativeInt("outputTokens", u.OutputTokens)
	q.notNegativeInt("cacheReadInputTokens", u.CacheReadInputTokens)
	q.notNegativeInt("cacheCreationInputTokens", u.CacheCreationInputTokens)
	if u.CostUSD != nil {
		q.notNegative("costUSD", *u.CostUSD)
	}
	if q != nil {
		p.nest(field+".", q)
	}
}

func (p *problems) usages(field string, m map[string]scanner.Usage) {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		p.usage(fmt.Sprintf("%s[%q]", field, name), new(m[name]))
	}
}

// nest adds problems of a part, whose place is the prefix. Places are put
// together only when there is a problem: most records have none.
func (p *problems) nest(prefix string, part []string) {
	for _, s := range part {
		*p = append(*p, prefix+s)
	}
}

func (p *problems) nestAt(field string, i int, part problems) {
	if part != nil {
		p.nest(fmt.Sprintf("%s[%d].", field, i), part)
	}
}

func (p problems) err() error {
	if len(p) == 0 {
		return nil
	}
	return errors.New(strings.Join(p, "; "))
}
