package diff

import (
	"iter"

	"github.com/codescan-dev/scanner/internal/syntax"
)

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
	// last. It includes the context lines of the diff and the lines that were
	// filled in between hunks, but not the extra context around the chunk.
	StartLine, EndLine int
	// Section is the enclosing function's name where git gives it.
	Section string

	// A chunk of a change holds its text, but for the lines if they are those of a
	// hunk, which take less memory there. One of a whole file reads it. A chunk of a
	// hunk alone has none.
	text  *Text
	hunk  *Hunk
	whole *whole
}

// Text returns the chunk's lines. For a chunk of a whole file it reads the file
// again, and fails when the file can no longer be read or has changed since the
// chunks were planned. It is safe for concurrent use, and keeps nothing.
func (c *Chunk) Text() (Text, error) { return c.textOf(c.whole.read) }

func (c *Chunk) textOf(read func() (*Index, error)) (Text, error) {
	if c.whole != nil {
		file, err := read()
		if err != nil {
			return Text{}, err
		}
		return c.whole.text(file, c), nil
	}
	var text Text
	if c.text != nil {
		text = *c.text
	}
	if c.hunk != nil {
		text.Lines = c.hunk.lines()
	}
	return text, nil
}

// Text is what a chunk consists of.
type Text struct {
	// Lines are the chunk's own lines in the order of the diff. Line numbers
	// jump where the lines between hunks are not known.
	Lines []Line
	// Before and After are the context lines around the chunk (new side).
	Before, After []Line
	// Syntax is what the first line of the new side begins in, such as a comment. It
	// is zero, which is code, if the contents of the file are not known.
	Syntax syntax.State
	// Decoded is set when the file is not UTF-8, so that the lines are not as they
	// are in the file.
	Decoded bool
}

// NewSide yields all lines of the new side in order, including those around the
// chunk. Line numbers jump where the lines between hunks are not known.
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

// Line is one line of a chunk, without its line ending (a carriage return
// before the newline is part of the ending).
type Line struct {
	Op Op
	// NoEOL is set on the last line of a file that has no final newline.
	NoEOL bool
	// Old and New are the line numbers on the two sides, from 1; zero where
	// the line is not on that side, or, for Old, where it is not known.
	Old, New int
	Text     string
}

// Op is the kind of a [Line].
type Op byte

// The kinds of lines.
const (
	Context Op = ' '
	Add     Op = '+'
	Delete  Op = '-'
)
