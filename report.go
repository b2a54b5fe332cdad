package scanner

import (
	"time"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/provider"
)

// Usage counts tokens and cost; see [provider.Usage].
type Usage = provider.Usage

// SkillReport is the result of one skill.
type SkillReport struct {
	Skill string
	// Summary says the result in a sentence, and says so when it is incomplete
	// or when the model was not asked.
	Summary string
	// Findings are all findings, merged and sorted, before any filter; see
	// [Select].
	Findings []Finding
	// Metadata holds what has no field of its own, by name: chunks (Chunks),
	// mergeGroups, discarded (a count by reason), failures (Failures), redacted
	// and tools (counts), verification, alsoReportedBy (skill names by finding
	// id). The values marshal to JSON.
	Metadata map[string]any
	// Duration is the wall time from the first chunk to the last.
	Duration time.Duration
	// Usage sums the analysis requests. Nil when no provider was asked.
	Usage *Usage
	// AuxiliaryUsage sums the helper requests by name, for instance "extraction".
	AuxiliaryUsage map[string]Usage
	// Files lists the analyzed files in the order they were given.
	Files []FileReport
	// SkippedFiles lists the files that were not analyzed, each with its reason.
	SkippedFiles []SkippedFile
	// FailedHunks counts the chunks that could not be analyzed.
	FailedHunks int
	// FailedExtractions counts the chunks whose answer held no findings that
	// could be read, and no statement that there are none. They are not among
	// FailedHunks.
	FailedExtractions int
	// Chunks is the ledger of the chunks.
	Chunks ChunkCounts
	// Failures says for every chunk that failed why it did.
	Failures []ChunkFailure
	// Model is the model that was asked; empty if none was.
	Model string
	// PatternsOnly is set when the model was not asked because Options said so.
	PatternsOnly bool
}

// ChunkCounts is the ledger of a report: every chunk stands in exactly one of
// the four counts, and Total is their sum.
type ChunkCounts struct {
	Total    int `json:"total"`
	Analyzed int `json:"analyzed"`
	Cached   int `json:"cached"`
	// Failed is FailedHunks + FailedExtractions.
	Failed int `json:"failed"`
	// NotAnalyzed counts what a budget or an interrupt left.
	NotAnalyzed int `json:"notAnalyzed"`
}

// Add returns the sum of two ledgers.
func (c ChunkCounts) Add(d ChunkCounts) ChunkCounts {
	return ChunkCounts{
		Total:       c.Total + d.Total,
		Analyzed:    c.Analyzed + d.Analyzed,
		Cached:      c.Cached + d.Cached,
		Failed:      c.Failed + d.Failed,
		NotAnalyzed: c.NotAnalyzed + d.NotAnalyzed,
	}
}

// ChunkFailure says why a chunk could not be analyzed.
type ChunkFailure struct {
	Path      string `json:"path"`
	StartLine int    `json:"startLine"`
	EndLine   int    `json:"endLine"`
	// Reason is an error name such as "RateLimitError", or "ExtractionError".
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// FileReport is what a skill found in one file.
type FileReport struct {
	Path   string
	Status diff.Status
	// Chunks is the ledger of this file's chunks.
	Chunks ChunkCounts
	// Findings counts the findings whose location is in this file, merged ones
	// counting where their primary stands.
	Findings int
	// Duration sums the time spent on the file's chunks.
	Duration time.Duration
	Usage    Usage
}

// SkippedFile is a changed file that was not analyzed.
type SkippedFile struct {
	Filename string `json:"filename"`
	// Reason is one of diff's reasons.
	Reason string `json:"reason"`
	// Pattern is the glob that matched, where there is one.
	Pattern string `json:"pattern,omitempty"`
}

// RunReport is the result of a run of several skills.
type RunReport struct {
	// Skills holds the reports in the order of the skills that had something to
	// look at.
	Skills []*SkillReport
	// Files and Chunks count the distinct files with at least one chunk, and
	// the distinct chunks, whatever the number of skills.
	Files, Chunks int
	// Skipped lists the files that no skill looked at, each once.
	Skipped []SkippedFile
	// Duration is the wall time of the run.
	Duration time.Duration
	// Stopped says what was first to end the run early: [ErrBudget],
	// [ErrBreaker], or credentials that were refused. Nil if nothing was; the
	// end of the caller's context is only in the error of [Run].
	Stopped error
}

// MergeGroup tells which findings were merged into one; it is written to reports
// as metadata.mergeGroups.
type MergeGroup struct {
	// Primary is the id of the finding that stands for the group.
	Primary string          `json:"primary"`
	Merged  []MergedFinding `json:"merged"`
}

// MergedFinding is a finding that was merged into another.
type MergedFinding struct {
	ID           string        `json:"id"`
	Location     *Location     `json:"location,omitempty"`
	SuggestedFix *SuggestedFix `json:"suggestedFix,omitempty"`
}
