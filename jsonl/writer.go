package jsonl

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/codescan-dev/scanner/internal/text"
)

// Writer writes records as lines. It is safe for concurrent use; each line is
// written whole in a single call of the underlying Write, in the order of the
// calls.
type Writer struct {
	mu  sync.Mutex
	w   io.Writer
	buf bytes.Buffer
	enc *json.Encoder
	// lines counts the lines written whole, size their bytes.
	lines int
	size  int64
	// done is set by the summary record, which is the last.
	done bool
	err  error
}

// NewWriter returns a Writer to w. It does not buffer: there is nothing to
// flush or close.
func NewWriter(w io.Writer) *Writer {
	wr := &Writer{w: w}
	wr.enc = json.NewEncoder(&wr.buf)
	// The lines are not for HTML, and diffs are full of '<' and '>'.
	wr.enc.SetEscapeHTML(false)
	return wr
}

// Write writes a record.
//
// A record that is not valid, that JSON cannot hold, or that comes after the
// summary record is an error and leaves the output as it was; others may follow.
// When the output itself fails, part of the line may be there: every later Write
// returns that error and writes nothing, so that a cut line is always the last one.
func (w *Writer) Write(rec Record) error {
	if err := rec.Validate(); err != nil {
		return fmt.Errorf("invalid record: %w", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return w.err
	}
	if w.done {
		return errors.New("the summary record was already written")
	}
	w.buf.Reset()
	if err := w.enc.Encode(rec); err != nil { // ends with a newline
		return fmt.Errorf("encoding record: %w", err)
	}
	line := escape(w.buf.Bytes())
	n, err := w.w.Write(line)
	if err == nil && n < len(line) {
		err = io.ErrShortWrite
	}
	if err != nil {
		w.err = fmt.Errorf("writing line %d: %w", w.lines+1, err)
		return w.err
	}
	w.lines++
	w.size += int64(len(line))
	_, w.done = rec.(*SummaryRecord)
	return nil
}

// escape returns a line of JSON in which no character steers a terminal, hides or
// reorders text, and nothing is a command to the runner of a workflow, such as
// "##[group]" or "##vso[task.setvariable]". What is decoded from it is the same.
func escape(line []byte) []byte {
	line = bytes.ReplaceAll(line, []byte("##"), []byte(`#\u0023`)) // only texts have it
	var escaped []byte
	done := 0
	for i := 0; i < len(line); {
		if line[i] <= '~' { // package json escapes what is below the space
			i++
			continue
		}
		r, n := utf8.DecodeRune(line[i:])
		if text.Hidden(r) {
			escaped = append(escaped, line[done:i]...)
			for _, unit := range utf16.Encode([]rune{r}) {
				escaped = fmt.Appendf(escaped, `\u%04x`, unit)
			}
			done = i + n
		}
		i += n
	}
	if done == 0 {
		return line
	}
	return append(escaped, line[done:]...)
}
