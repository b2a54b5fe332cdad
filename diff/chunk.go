package diff

import "io/fs"

// Chunking says which files are analyzed and how they are split. The zero value
// is the documented default.
type Chunking struct {
	// FilePatterns are checked in order; the first whose glob matches decides.
	// A match takes precedence over the built-in patterns.
	FilePatterns []FilePattern
	// IgnorePaths are globs of files that are left out.
	IgnorePaths []string
	Coalesce    Coalesce
	// ContextLines is the number of lines shown on each side of a chunk. 0
	// means 20, -1 none.
	ContextLines int
}

// FilePattern is an entry of chunking.filePatterns.
type FilePattern struct {
	Pattern string // a doublestar glob over the path
	Mode    FileMode
}

// FileMode says what happens to the files that a [FilePattern] matches.
type FileMode string

// The file modes.
const (
	ModeSkip      FileMode = "skip"
	ModePerChunk  FileMode = "per-chunk" // as usual
	ModeWholeFile FileMode = "whole-file"
)

// Coalesce bounds the merging of nearby hunks into one chunk.
type Coalesce struct {
	// Disabled makes every hunk a chunk of its own.
	Disabled bool
	// MaxGapLines is the largest number of lines between the edges of two hunks
	// that are merged. 0 means 30, -1 merges only hunks without a gap.
	MaxGapLines int
	// MaxChunkSize is the largest size of a chunk in runes of text, closed gaps
	// included. A larger hunk is split. 0 means 8000.
	MaxChunkSize int
}

// Validate reports the first setting that is out of its range or a glob that
// cannot be read.
func (c Chunking) Validate() error { return nil }

// Plan is what is to be done for one file: its chunks, or why there are none.
type Plan struct {
	File   File
	Chunks []Chunk // nil when Skip is set
	Skip   *Skip
}

// Plan splits one file. fsys holds the contents of the scanned tree, for
// context, gaps, and marker checks; nil means the diff alone.
func (c Chunking) Plan(f File, fsys fs.FS) Plan { return Plan{File: f} }
