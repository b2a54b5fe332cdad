package diff

import (
	"cmp"
	"fmt"
)

// Chunking are the settings for which files are analyzed and how they are split.
// The zero value is the default.
type Chunking struct {
	// FilePatterns are checked in order; the first whose glob matches applies. It
	// overrides the built-in patterns and everything that marks a file as
	// generated. See [Match] for the globs.
	FilePatterns []FilePattern
	// IgnorePaths are globs of files that are left out. They override
	// FilePatterns.
	IgnorePaths []string
	// SendFiles are globs of credential files that are analyzed like other files.
	// FilePatterns, which the author of a change may have written, cannot do that.
	SendFiles []string
	// Coalesce bounds the merging of nearby hunks.
	Coalesce Coalesce
	// ContextLines is the number of lines shown on each side of a chunk. 0
	// means 20, [NoContext] none.
	ContextLines int
}

// FilePattern is an entry of chunking.filePatterns.
type FilePattern struct {
	Pattern string   // a glob; see [Match]
	Mode    FileMode // empty means ModeSkip
}

// FileMode is how the files that a [FilePattern] matches are analyzed.
type FileMode string

// The file modes.
const (
	ModeSkip FileMode = "skip"
	// ModePerChunk analyzes the file as usual.
	ModePerChunk FileMode = "per-chunk"
	// ModeWholeFile makes one chunk of a changed file, from its first line to
	// its last, however few of them changed. Only a file larger than
	// MaxChunkSize is split, and then all its parts are analyzed. If the
	// contents are missing or do not agree with the diff, the file is analyzed
	// as usual.
	ModeWholeFile FileMode = "whole-file"
)

// Coalesce bounds the merging of nearby hunks into one chunk.
type Coalesce struct {
	// Disabled makes every hunk a separate chunk. MaxChunkSize still applies.
	Disabled bool
	// MaxGapLines is the largest number of lines between the edges of two hunks
	// that are merged; the context lines of a hunk belong to it. 0 means
	// [DefaultMaxGapLines], [NoGap] merges only hunks without a gap.
	MaxGapLines int
	// MaxChunkSize is the largest size of a chunk in runes of text, including
	// the lines that are filled in between hunks, but not the context around the
	// chunk. Every line ending counts as one; the diff's markers do not count. A
	// larger hunk is split between lines, so only a single longer line makes a
	// larger chunk. 0 means [DefaultMaxChunkSize].
	MaxChunkSize int
}

// The defaults of [Coalesce].
const (
	DefaultMaxGapLines  = 30
	DefaultMaxChunkSize = 8000
)

// The values of settings that mean none, because 0 means the default.
const (
	NoGap     = -1 // [Coalesce.MaxGapLines]: merge only hunks without a gap
	NoContext = -1 // [Chunking.ContextLines]
)

const defaultContextLines = 20

// Validate returns an error for the first setting that is out of its range and
// for the first glob that [ValidatePattern] rejects.
func (c Chunking) Validate() error {
	for i, p := range c.FilePatterns {
		if err := ValidatePattern(p.Pattern); err != nil {
			return fmt.Errorf("chunking.filePatterns[%d].pattern: %w", i, err)
		}
		switch p.Mode {
		case "", ModeSkip, ModePerChunk, ModeWholeFile:
		default:
			return fmt.Errorf("chunking.filePatterns[%d].mode: %q is not skip, per-chunk or whole-file", i, p.Mode)
		}
	}
	for i, p := range c.IgnorePaths {
		if err := ValidatePattern(p); err != nil {
			return fmt.Errorf("ignorePaths[%d]: %w", i, err)
		}
	}
	for i, p := range c.SendFiles {
		if err := ValidatePattern(p); err != nil {
			return fmt.Errorf("sendFiles[%d]: %w", i, err)
		}
	}
	switch {
	case c.Coalesce.MaxGapLines < NoGap:
		return fmt.Errorf("chunking.coalesce.maxGapLines: %d is negative", c.Coalesce.MaxGapLines)
	case c.Coalesce.MaxChunkSize < 0:
		return fmt.Errorf("chunking.coalesce.maxChunkSize: %d is negative", c.Coalesce.MaxChunkSize)
	case c.ContextLines < NoContext:
		return fmt.Errorf("context lines: %d is negative", c.ContextLines)
	}
	return nil
}

// maxGap, maxSize and context return the settings with their defaults.

func (c *Chunking) maxGap() int {
	return max(cmp.Or(c.Coalesce.MaxGapLines, DefaultMaxGapLines), 0)
}

func (c *Chunking) maxSize() int {
	return cmp.Or(c.Coalesce.MaxChunkSize, DefaultMaxChunkSize)
}

func (c *Chunking) context() int {
	return max(cmp.Or(c.ContextLines, defaultContextLines), 0)
}
