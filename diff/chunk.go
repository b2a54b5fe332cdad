package diff

import (
	"fmt"
	"io/fs"
	"iter"
)

// Chunking says which files are analyzed and how they are split. The zero value
// is the documented default.
type Chunking struct {
	// FilePatterns are checked in order; the first whose glob matches decides.
	// A match takes precedence over the built-in patterns, and over everything
	// that marks a file as generated. See [Match] for the globs.
	FilePatterns []FilePattern
	// IgnorePaths are globs of files that are left out, whatever FilePatterns
	// says.
	IgnorePaths []string
	// Coalesce bounds the merging of nearby hunks.
	Coalesce Coalesce
	// ContextLines is the number of lines shown on each side of a chunk. 0
	// means 20, -1 none.
	ContextLines int
	// Before holds the files as they were before the change. When it is set, a
	// mark of generated code in the first lines of a file counts only if the file
	// had one before as well, under its path or, if it was renamed, its old path,
	// so that a change cannot excuse itself from being analyzed. A file that is
	// not there, or cannot be read, had none. Nil means that the mark alone
	// counts.
	//
	// It is read only where a mark was found. Paths may have bytes that
	// [fs.ValidPath] would refuse.
	Before fs.FS
}

// FilePattern is an entry of chunking.filePatterns.
type FilePattern struct {
	Pattern string   // a glob; see [Match]
	Mode    FileMode // empty means ModeSkip
}

// FileMode says what happens to the files that a [FilePattern] matches.
type FileMode string

// The file modes.
const (
	ModeSkip FileMode = "skip"
	// ModePerChunk analyzes the file as usual.
	ModePerChunk FileMode = "per-chunk"
	// ModeWholeFile makes one chunk of a changed file, from its first line to
	// its last, however few of them changed; only a file larger than
	// MaxChunkSize is split, and then all its parts are analyzed. Without the
	// contents, or when they are not those that the diff is about, the file is
	// analyzed as usual.
	ModeWholeFile FileMode = "whole-file"
)

// Coalesce bounds the merging of nearby hunks into one chunk.
type Coalesce struct {
	// Disabled makes every hunk a chunk of its own. MaxChunkSize still holds.
	Disabled bool
	// MaxGapLines is the largest number of lines between the edges of two hunks
	// that are merged; the context lines of a hunk belong to it. 0 means
	// [DefaultMaxGapLines], [NoGap] merges only hunks without a gap.
	MaxGapLines int
	// MaxChunkSize is the largest size of a chunk in runes of text, closed gaps
	// included, the lines around the chunk not. Every line counts one for its
	// ending; the diff's markers do not count. A larger hunk is split between
	// lines, so only a single longer line makes a larger chunk. 0 means
	// [DefaultMaxChunkSize].
	MaxChunkSize int
}

// The defaults of [Coalesce].
const (
	DefaultMaxGapLines  = 30
	DefaultMaxChunkSize = 8000
)

// NoGap is the [Coalesce.MaxGapLines] that merges only hunks without a gap.
const NoGap = -1

const defaultContextLines = 20

// Validate reports the first setting that is out of its range or a glob that
// cannot be read.
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
	switch {
	case c.Coalesce.MaxGapLines < NoGap:
		return fmt.Errorf("chunking.coalesce.maxGapLines: %d is negative", c.Coalesce.MaxGapLines)
	case c.Coalesce.MaxChunkSize < 0:
		return fmt.Errorf("chunking.coalesce.maxChunkSize: %d is negative", c.Coalesce.MaxChunkSize)
	case c.ContextLines < -1:
		return fmt.Errorf("context lines: %d is negative", c.ContextLines)
	}
	return nil
}

// maxGap, maxSize and context return the settings with their defaults.

func (c *Chunking) maxGap() int {
	switch n := c.Coalesce.MaxGapLines; {
	case n == 0:
		return DefaultMaxGapLines
	default:
		return max(n, 0)
	}
}

func (c *Chunking) maxSize() int {
	if n := c.Coalesce.MaxChunkSize; n > 0 {
		return n
	}
	return DefaultMaxChunkSize
}

func (c *Chunking) context() int {
	switch n := c.ContextLines; {
	case n == 0:
		return defaultContextLines
	default:
		return max(n, 0)
	}
}

// Plan is what is to be done for one file: its chunks, or why there are none.
type Plan struct {
	File   File
	Chunks []Chunk // nil when Skip is set
	Skip   *Skip
}

// Plan splits one file. fsys holds the contents of the scanned tree: the lines
// around a chunk and those between its hunks are taken from it, and it is
// searched for marks of generated code. Contents that are not those of the
// diff's new side are not used, so that no wrong line is ever shown. A nil fsys
// means the diff alone.
//
// A file is skipped, in this order, because it is ignored, by the caller's
// patterns, by the built-in patterns (unless one of the caller's matched), as
// generated by its name or an attribute (likewise), as binary, as deleted, for
// what its source says, for having no content, as too large, and as generated by
// a mark in its first lines.
//
// Plan is safe for concurrent use when fsys and Before are. The settings must be valid; a
// glob that is not matches nothing.
func (c Chunking) Plan(f File, fsys fs.FS) Plan {
	mode, skip := c.checkPath(&f)
	if skip == nil && f.Load != nil {
		chunks, reason := c.planLoaded(f, mode == "")
		if reason == "" {
			return Plan{File: f, Chunks: chunks}
		}
		skip = &Skip{Path: f.Path, Reason: reason}
	}
	if skip == nil {
		chunks, reason := c.planChange(f, fsys, mode)
		if reason == "" {
			return Plan{File: f, Chunks: chunks}
		}
		skip = &Skip{Path: f.Path, Reason: reason}
	}
	return Plan{File: f, Skip: skip}
}

// NewSide yields all lines of the new side in order, those around the chunk
// included. Line numbers jump where a gap could not be closed.
func (t Text) NewSide() iter.Seq[Line] {
	return func(yield func(Line) bool) {
		for _, part := range [][]Line{t.Before, t.Lines, t.After} {
			for _, l := range part {
				if l.New > 0 && !yield(l) {
					return
				}
			}
		}
	}
}

// Added yields the lines that the change added, in order.
func (t Text) Added() iter.Seq[Line] {
	return func(yield func(Line) bool) {
		for _, l := range t.Lines {
			if l.Op == Add && !yield(l) {
				return
			}
		}
	}
}
