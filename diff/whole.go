package diff

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
)

// ErrChanged is the error of [Chunk.Text] when the file is not what it was when
// the chunks were planned.
var ErrChanged = errors.New("file changed during the scan")

// planLoaded makes the chunks of a file that is scanned whole. They keep no
// text: a scan of everything would otherwise hold everything in memory.
func (c *Chunking) planLoaded(f File, marks bool) ([]Chunk, Reason) {
	data, err := f.Load()
	if err != nil {
		return nil, ReasonUnreadable
	}
	if len(data) > maxFileSize {
		if bytes.IndexByte(data[:maxFileSize], 0) >= 0 {
			return nil, ReasonBinary
		}
		return nil, ReasonTooLarge
	}
	text := string(data)
	if reason := checkText(text); reason != "" {
		return nil, reason
	}
	sum := sha256.Sum256(data)
	file := indexText(text)
	lines := addedLines(file, 1, file.len()+1)
	if marks && c.marked(&f, firstLines(nil, file)) {
		return nil, ReasonGenerated
	}
	var chunks []Chunk
	for i, u := range appendUnits(nil, lines, 1, 1, "", c.maxSize()) {
		chunk := newChunk(&f, i, &u, &u, file)
		chunk.load = loader(f.Path, f.Load, sum, u.newBegin, u.newEnd, c.context())
		chunks = append(chunks, chunk)
	}
	return chunks, ""
}

// loader returns the function that reads the lines from begin to before end of
// a file whose contents have the given sum.
func loader(path string, load func() ([]byte, error), sum [sha256.Size]byte, begin, end, context int) func() (Text, error) {
	return func() (Text, error) {
		data, err := load()
		if err != nil {
			return Text{}, fmt.Errorf("reading %q again: %w", path, err)
		}
		if sha256.Sum256(data) != sum {
			return Text{}, fmt.Errorf("reading %q again: %w", path, ErrChanged)
		}
		file := indexText(string(data))
		return Text{
			Before: addedLines(file, begin-context, begin),
			Lines:  addedLines(file, begin, end),
			After:  addedLines(file, end, end+context),
		}, nil
	}
}

// addedLines returns lines of a file that is looked at as if all of it were new.
func addedLines(file *Index, begin, end int) []Line {
	return file.lines(begin, end, Add, oldShift{})
}

// checkText says why the text of a file that is not too large as a whole is not
// analyzed; empty if it is.
func checkText(text string) Reason {
	switch {
	case text == "":
		return ReasonNoContent
	case strings.IndexByte(text, 0) >= 0:
		return ReasonBinary
	case longLine(text, maxLineSize):
		return ReasonTooLarge
	}
	return ""
}
