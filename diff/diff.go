// Package diff holds what changed: files with their hunks, parsed from a unified
// diff or handed over by an adapter, and the chunks that are analyzed.
//
// The way from one to the other has two steps. [Parse] reads a diff into a
// [File] for each changed file; an adapter that knows more than the text of a
// diff (the git binary, a code host) makes the files itself and uses
// [ParseHunks] for the hunks. Then [Chunking.Plan] decides for each file whether
// it is worth a look, and makes its chunks:
//
//   - Files are skipped for a [Reason]: the caller's globs (all of them mean what
//     [Match] says), built-in tables of lock files, bundles, vendored folders,
//     images and the like, marks of generated code, and contents that are not
//     text. A file has either chunks or a reason, never neither.
//   - A hunk that is larger than a chunk may be is split, preferably behind a
//     blank line or before a line that is not indented. Hunks near each other
//     are joined while the chunk stays small enough, and the lines between them
//     are filled in. No line is lost, and none stands in two chunks.
//   - Each chunk gets some lines of context on both sides. Those, like the lines
//     of gaps, come from the scanned tree; they are used only if that is the
//     tree that the diff is about.
//
// A file with a loader instead of hunks is scanned whole, as if every line were
// new. Its text is read when it is asked for and not kept.
//
// The package does not touch the disk, git or the network. Contents come through
// an [io/fs.FS] or a loader that the caller provides. What a diff says is
// untrusted: paths are checked, numbers are checked against the lines, and bad
// input of any size is an error that names the line.
package diff

import "fmt"

// Status says how a file changed.
type Status byte

// The states of a changed file.
const (
	Modified Status = iota // contents or mode changed
	Added
	Deleted
	Renamed // with or without a change of contents
	Copied
)

// Marker returns the one character that listings show for s: '~' modified,
// '+' added, '-' deleted, '>' renamed or copied.
func (s Status) Marker() byte {
	switch s {
	case Added:
		return '+'
	case Deleted:
		return '-'
	case Renamed, Copied:
		return '>'
	default:
		return '~'
	}
}

// Reason says why a file is not analyzed.
type Reason string

// The reasons for a skipped file. Each changed file is analyzed or listed with
// one of them.
const (
	ReasonPattern    Reason = "pattern"    // the user's chunking.filePatterns, mode skip
	ReasonBuiltin    Reason = "builtin"    // a built-in pattern: lock files, bundles, images, ...
	ReasonGenerated  Reason = "generated"  // generated code, by name, attribute or marker
	ReasonBinary     Reason = "binary"     // contents with a NUL byte
	ReasonDeleted    Reason = "deleted"    // the file is gone
	ReasonNoContent  Reason = "no-content" // mode change, pure rename, empty file
	ReasonSubmodule  Reason = "submodule"
	ReasonLink       Reason = "link" // a symbolic link
	ReasonUnreadable Reason = "unreadable"
	ReasonTooLarge   Reason = "too-large" // over 1 MiB, or a line over 64 KiB
	ReasonIgnored    Reason = "ignored"   // ignorePaths
	ReasonPaths      Reason = "paths"     // no skill's paths match
)

// Skip is a file that is not analyzed.
type Skip struct {
	Path   string
	Reason Reason
	// Pattern is the glob that matched, for the reasons that come from one.
	Pattern string
}

// File is a changed file, or a whole file to be looked at as if every line were
// new.
type File struct {
	// Path is relative to the repository root, with '/': the new name, or the
	// old one of a deleted file. It may hold any byte but NUL.
	Path string
	// OldPath is the name before a rename or copy; otherwise empty.
	OldPath string
	Status  Status
	// OldMode and Mode are git's file modes (0o100644, 0o120000, ...). Zero
	// means absent or unknown.
	OldMode, Mode uint32
	// Binary is set when a side of the change holds a NUL byte, or when the
	// diff says that it is binary.
	Binary bool
	// Generated is set when an attribute marks the file as generated.
	Generated bool
	// Skip is set by the source of the file when it cannot be analyzed
	// (submodule, link, unreadable, too-large); empty otherwise.
	Skip Reason
	// Hunks are the changes, in the order of the file.
	Hunks []Hunk
	// Load returns the contents of a file that is scanned whole; such a file
	// has no hunks. Nil for a change. It may be called several times, and from
	// several goroutines.
	Load func() ([]byte, error)
}

// Hunk is one hunk of a unified diff.
type Hunk struct {
	OldStart, OldLines int
	NewStart, NewLines int
	// Section is the text after the second "@@": where git found it, the name
	// of the enclosing function.
	Section string
	// Body holds the lines with their first byte: ' ', '+', '-' or '\'. Every
	// line ends with a newline. Carriage returns are kept. Blank lines whose
	// leading space got lost on the way have it again.
	Body string
}

// Op is the kind of a [Line].
type Op byte

// The kinds of lines.
const (
	Context Op = ' '
	Add     Op = '+'
	Delete  Op = '-'
)

// Line is one line of a chunk, without its line ending (a carriage return
// before the newline counts as part of the ending).
type Line struct {
	Op Op
	// Old and New are the line numbers on the two sides, from 1; zero where
	// the line is not on that side, or, for Old, where it is not known.
	Old, New int
	Text     string
	// NoEOL is set on the last line of a file that has no final newline.
	NoEOL bool
}

// Chunk is the unit that is analyzed: one or more neighboring hunks of a file,
// or a part of a whole file.
type Chunk struct {
	Path    string
	OldPath string
	Status  Status
	// Index counts the chunks of the file from 0.
	Index int
	// StartLine and EndLine are the range on the new side that a finding must
	// start in: from the first line of the first hunk to the last line of the
	// last, the diff's own context lines and closed gaps included, the extra
	// context around the chunk not.
	StartLine, EndLine int
	// Section is the enclosing function's name where git gives it.
	Section string

	// How the text is kept is private: a chunk of a change holds its lines, one
	// of a whole file loads them when they are asked for.
	text text
	load func() (text, error)
}

type text = Text

// Text is what a chunk consists of.
type Text struct {
	// Lines are the chunk's own lines in the order of the diff. Line numbers
	// jump where a gap between hunks could not be closed.
	Lines []Line
	// Before and After are the context lines around the chunk (new side).
	Before, After []Line
}

// Text returns the chunk's lines. For a chunk of a whole file it reads the file
// again, and fails when the file can no longer be read or has changed since the
// chunks were planned. It is safe for concurrent use, and keeps nothing.
func (c *Chunk) Text() (Text, error) {
	if c.load != nil {
		return c.load()
	}
	return c.text, nil
}

// Location returns the chunk's place as "path:start-end".
func (c *Chunk) Location() string {
	return fmt.Sprintf("%s:%d-%d", c.Path, c.StartLine, c.EndLine)
}
