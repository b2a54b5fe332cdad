package scanner

import (
	"slices"
	"time"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/provider"
)

// Usage counts tokens and cost; see [provider.Usage].
type Usage = provider.Usage

// SkillReport is the result of one skill.
type SkillReport struct {
	Skill string
	// Summary is the result in a sentence. It mentions when the result is
	// incomplete, or without a model.
	Summary string
	// Findings are all findings, merged and sorted, before any filter; see
	// [Select].
	Findings []Finding
	// MergeGroups lists the findings that were merged into one of Findings.
	MergeGroups []MergeGroup
	// Hidden counts findings that are not at hand: in a report that was read from a
	// record, those that its policy hid.
	Hidden Hidden
	// Suppressed are the findings that Options.Suppress set apart, not merged.
	Suppressed []Suppressed
	// PlaceHashes recognize the places of findings in later runs, by the id of the
	// finding: those of Findings, of their MergeGroups, and of Suppressed.
	PlaceHashes map[string]PlaceHash
	// Discarded counts by reason the findings, or parts of findings, of models
	// that were not taken over; Discards holds the text of the first of them.
	Discarded map[string]int
	Discards  []Discard
	// Duplicates are the findings that this skill gave up because a skill before
	// it reports the same. They count for this skill's failOn; see [Select].
	Duplicates []Duplicate
	// Redacted counts the secrets that were replaced in what was sent.
	Redacted int
	// Tools counts the use of read-only tools. Zero if there was none.
	Tools ToolUse
	// Verification is the outcome of a second opinion; nil if there was none.
	Verification *Verification
	// Fixes are the outcomes of the suggested fixes; nil if none were applied.
	Fixes []FixOutcome
	// Duration is the wall time from the first chunk to the last.
	Duration time.Duration
	// Usage sums the analysis requests. Nil when no model was used.
	Usage *Usage
	// AuxiliaryUsage sums the helper requests by name, for instance "extraction".
	AuxiliaryUsage map[string]Usage
	// Files lists the analyzed files in the order they were given.
	Files []FileReport
	// SkippedFiles lists the files that were not analyzed, each with its reason.
	SkippedFiles []SkippedFile
	// Notable lists the changes of the run that a person should look at: those of
	// all files, also of files that the skill does not analyze, and the skipped files
	// that its rules did not read to the end.
	Notable []diff.Notable
	// FailedHunks counts the chunks that could not be analyzed.
	FailedHunks int
	// FailedExtractions counts the chunks whose answer held no findings that
	// could be read, and no statement that there are none. They are not among
	// FailedHunks.
	FailedExtractions int
	// Chunks is the ledger of the chunks.
	Chunks ChunkCounts
	// Failures lists the chunks that failed, with reasons. Left lists those that a budget
	// or an interrupt left, neighbors in a file as one.
	Failures, Left []ChunkFailure
	// Model is the model that was used; empty if none was.
	Model string
	// Provider is what answered, with Model; zero if no model was used.
	Provider provider.Identity
	// PatternsOnly is that of the Options: no model was used.
	PatternsOnly bool
	// Shard is set in the report of a shard, whose Findings are not merged yet, and in
	// one that [MergeShards] made.
	Shard ShardReport
}

// Complete reports whether the skill analyzed all that it was to analyze. If not,
// findings may be missing: chunks failed or were left, or a merged report lacks shards.
func (r *SkillReport) Complete() bool {
	return r.FailedHunks+r.FailedExtractions+r.Chunks.NotAnalyzed+len(r.Shard.Missing) == 0
}

// ChunkCounts is the ledger of a report: every chunk is in exactly one of the four
// counts, and Total is their sum.
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

// ChunkFailure is a chunk that was not analyzed.
type ChunkFailure struct {
	Path      string `json:"path"`
	StartLine int    `json:"startLine"`
	EndLine   int    `json:"endLine"`
	// Reason is an error name such as "RateLimitError", "ExtractionError", or
	// "NotAnalyzed" for a chunk that was left.
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// FileReport is what a skill found in one file.
type FileReport struct {
	Path   string
	Status diff.Status
	// Kind is what the file is for.
	Kind diff.Kind
	// Chunks is the ledger of this file's chunks.
	Chunks ChunkCounts
	// Findings counts the findings whose location is in this file. Merged ones
	// are counted where their primary is.
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

// Discard is a finding of a model, or a part of one, that was not taken over.
type Discard struct {
	// Reason is a word such as "quote" or "outside".
	Reason string `json:"reason"`
	// Detail describes in a sentence what was wrong with it.
	Detail string `json:"detail,omitempty"`
	// Raw is what the model wrote, at most 4 KiB of it. It is untrusted.
	Raw string `json:"raw,omitempty"`
}

// ToolUse counts what a model did with the read-only tools.
type ToolUse struct {
	Calls    int64 `json:"calls"`
	Problems int64 `json:"problems"`
	Bytes    int64 `json:"bytes"`
}

// Duplicate is a finding that a skill gave up because a skill that comes before
// it in the configuration reports the same at the same place.
type Duplicate struct {
	// ID is the id that the finding had.
	ID string `json:"id"`
	// Of is the name of the skill that reports it, Finding the id it has there.
	Of         string     `json:"of"`
	Finding    string     `json:"finding"`
	Severity   Severity   `json:"severity"`
	Confidence Confidence `json:"confidence,omitempty"`
}

// FixOutcome is the outcome of one suggested fix of a report.
type FixOutcome struct {
	// Finding is the id of the reported finding, Merged that of the finding
	// merged into it whose fix this is, if it is not its own.
	Finding string `json:"finding"`
	Merged  string `json:"merged,omitempty"`
	// Status is planned, applied, covered or refused.
	Status string `json:"status"`
	// Reason and Message are why the fix was refused: a word, and a sentence.
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
	// By is the id of the finding whose fix covers this one or overlaps with it.
	By string `json:"by,omitempty"`
	// Files are the files that the fix changes.
	Files []string `json:"files,omitempty"`
}

// RunReport is the result of a run of several skills.
type RunReport struct {
	// Skills holds the reports in the order of the skills that had something to
	// look at.
	Skills []*SkillReport
	// Files and Chunks count the distinct files with at least one chunk, and
	// the distinct chunks, however many skills analyze them.
	Files, Chunks int
	// Skipped lists the files that no skill looked at, each once.
	Skipped []SkippedFile
	// Duration is the wall time of the run.
	Duration time.Duration
	// Stopped is what ended the run early, the first of several: [ErrBudget],
	// [ErrBreaker], or credentials that were refused. Nil if nothing was. The
	// end of the caller's context is in the error of [Run]; the caller sets it here
	// for a [Sink].
	Stopped error
}

// Complete reports whether nothing ended the run early and the reports of all skills are
// complete.
func (r *RunReport) Complete() bool {
	return r.Stopped == nil && !slices.ContainsFunc(r.Skills, func(s *SkillReport) bool { return !s.Complete() })
}

// MergeGroup lists the findings that were merged into one.
type MergeGroup struct {
	// Primary is the id of the finding that represents the group.
	Primary string          `json:"primary"`
	Merged  []MergedFinding `json:"merged"`
}

// MergedFinding is a finding that was merged into another.
type MergedFinding struct {
	ID           string        `json:"id"`
	Location     *Location     `json:"location,omitempty"`
	SuggestedFix *SuggestedFix `json:"suggestedFix,omitempty"`
}
