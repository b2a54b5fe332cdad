// Package diff holds what changed: files with their hunks, parsed from a unified
// diff or made by an adapter, and the chunks that are analyzed.
//
// There are two steps. [Parse] reads a diff into a [File] for each changed file;
// an adapter that knows more than the text of a diff (the git binary, a code
// host) makes the files itself and uses [ParseHunks] for the hunks. Then
// [Chunking.Plan] decides for each file whether it is analyzed, and makes its
// chunks:
//
//   - Files are skipped for a [Reason]: the caller's globs (see [Match]), built-in
//     lists of credential files, lock files, bundles, vendored directories, images
//     and the like, marks of generated code, and contents that are not text. What
//     a change adds to a file does not make it skipped. A file has either chunks or
//     a reason, never neither.
//   - A hunk that is larger than a chunk can be is split, preferably after a blank
//     line or before a line that is not indented. Hunks near each other are
//     joined while the chunk stays small enough, and the lines between them are
//     filled in. No line is lost, and none is in two chunks.
//   - Each chunk gets some lines of context on both sides. Those, like the lines
//     between hunks, come from the scanned tree; they are used only if that is
//     the tree that the diff was made from.
//
// A file with a loader instead of hunks is scanned whole, as if every line were
// new. Its text is read when it is needed and not kept.
//
// The package does not touch the disk, git or the network. Contents come through
// an [io/fs.FS] or a loader that the caller provides. A diff is untrusted: paths
// are checked, numbers are checked against the lines, and bad input of any size
// is an error that names the line.
package diff

// File is a changed file, or a whole file that is analyzed as if every line were
// new.
type File struct {
	// Path is relative to the repository root, with '/': the new name, or the
	// old one of a deleted file. It can hold any byte but NUL.
	Path string
	// OldPath is the name before a rename or copy, or that of the other file if the
	// diff is one of two files; otherwise empty.
	OldPath string
	Status  Status
	// OldMode and Mode are git's file modes (0o100644, 0o120000, ...). Zero
	// means absent or unknown.
	OldMode, Mode uint32
	// Binary is set when the file is not text, see [File.MarkBinary], or when the
	// diff marks it as binary.
	Binary bool
	// Generated is set when an attribute marks the file as generated.
	Generated bool
	// Untracked is set for a file that the repository does not record.
	Untracked bool
	// Kind is what the file is for. [Chunking.Plan] sets it in the file of a plan: by
	// [KindOf], or to KindTest if the first lines of the file, before the change, import
	// a framework for tests.
	Kind Kind
	// Skip is set by the source of the file when it cannot be analyzed
	// (submodule, link, unreadable, too-large); empty otherwise.
	Skip Reason
	// Hunks are the changes, in the order of the file.
	Hunks []Hunk
	// Load returns the contents of a file that is scanned whole; such a file
	// has no hunks. Nil for a change. It can be called several times, and from
	// several goroutines.
	Load func() ([]byte, error)
}

// Status is the kind of a change.
type Status byte

// The kinds of changes.
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

// Skip is a file that is not analyzed.
type Skip struct {
	Path   string
	Reason Reason
	// Pattern is the glob that matched, for the reasons that come from one.
	Pattern string
}

// Reason is why a file is not analyzed.
type Reason string

// The reasons for a skipped file. Each changed file is analyzed or listed with
// one of them.
const (
	ReasonPattern    Reason = "pattern"    // the user's chunking.filePatterns, mode skip
	ReasonBuiltin    Reason = "builtin"    // a built-in pattern: lock files, bundles, images, ...
	ReasonGenerated  Reason = "generated"  // generated code, by name, attribute or mark
	ReasonBinary     Reason = "binary"     // contents with NUL bytes that are not text, see [File.MarkBinary]
	ReasonDeleted    Reason = "deleted"    // the file was deleted
	ReasonNoContent  Reason = "no-content" // mode change, pure rename, empty file
	ReasonSubmodule  Reason = "submodule"
	ReasonLink       Reason = "link" // a symbolic link
	ReasonUnreadable Reason = "unreadable"
	ReasonTooLarge   Reason = "too-large" // see [MaxSize]
	ReasonIgnored    Reason = "ignored"   // ignorePaths
	ReasonSecret     Reason = "secret"    // a credential file, see [IsCredentialFile]
	ReasonPaths      Reason = "paths"     // no skill's paths match
)

// Hunk is one hunk of a unified diff.
type Hunk struct {
	OldStart, OldLines int
	NewStart, NewLines int
	// Section is the text after the second "@@": where git found it, the name
	// of the enclosing function.
	Section string
	// Body holds the lines with their first byte: ' ', '+', '-' or '\'. Every
	// line ends with a newline. Carriage returns are kept. Blank lines that have
	// lost their leading space have it again.
	Body string
}

// The edges of a hunk, as half-open intervals of line numbers. The header of a
// side without lines has the number of the line before it.

func (h *Hunk) oldBegin() int { return begin(h.OldStart, h.OldLines) }
func (h *Hunk) oldEnd() int   { return h.oldBegin() + h.OldLines }
func (h *Hunk) newBegin() int { return begin(h.NewStart, h.NewLines) }
func (h *Hunk) newEnd() int   { return h.newBegin() + h.NewLines }

func begin(start, lines int) int {
	if lines == 0 {
		return start + 1
	}
	return start
}
