package jsonl

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"
)

// Log is the content of a file of records.
type Log struct {
	// Run is that of the summary record. A run that was killed left none: then
	// it is that of the last skill record.
	Run Run
	// Skills holds the skill records in the order of the file.
	Skills []*SkillRecord
	// Summary is the summary record; nil when the file has none. If there are
	// several, as in files that were concatenated, it is the last.
	Summary *SummaryRecord
	// TotalDuration is the duration of the run, zero without a summary record.
	TotalDuration time.Duration
}

// ReadAll reads all records of r. When a line is not valid the error is a
// [*LineError], and the Log returned with it, never nil, holds the records before
// that line.
func ReadAll(r io.Reader) (*Log, error) {
	l := new(Log)
	for rec, err := range Read(r) {
		if err != nil {
			return l, err
		}
		switch rec := rec.(type) {
		case *SummaryRecord:
			l.Summary = rec
			l.Run = rec.Run
			l.TotalDuration = duration(rec.Run.DurationMs)
		case *SkillRecord:
			l.Skills = append(l.Skills, rec)
			if l.Summary == nil {
				l.Run = rec.Run
			}
		}
	}
	return l, nil
}

// Read returns the records of r one by one, by the reading rules: blank lines
// are ignored; a line whose type is "summary" is a [*SummaryRecord]; any other
// is a [*SkillRecord]; a line that is not a valid record is an error. An error
// comes last, is a [*LineError], and comes with a nil Record.
//
// Lines end with "\n" or "\r\n", the last one also with the file, and may be of
// any length. One line is kept in memory. Of fields with the same name the last is
// used. The sequence reads r as it goes and can be used once.
func Read(r io.Reader) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		lines := lineReader{r: bufio.NewReaderSize(r, 64<<10)}
		for {
			line, err := lines.next()
			if err == io.EOF {
				return
			}
			if err != nil {
				yield(nil, &LineError{Line: lines.n, Err: err})
				return
			}
			if len(bytes.TrimLeft(line, space)) == 0 {
				continue
			}
			rec, err := decode(line)
			if err != nil {
				if lines.open && errors.Is(err, io.ErrUnexpectedEOF) {
					err = fmt.Errorf("the line is cut off: %w", io.ErrUnexpectedEOF)
				}
				yield(nil, &LineError{Line: lines.n, Err: err})
				return
			}
			if !yield(rec, nil) {
				return
			}
		}
	}
}

// lineReader splits its input into lines of any length.
type lineReader struct {
	r *bufio.Reader
	// n is the number of the line that next returned.
	n int
	// open is set when that line did not end with a newline.
	open bool
	buf  []byte
}

const space = " \t\r\n"

var byteOrderMark = []byte("\ufeff")

// next returns the next line without the white space after it; it is valid
// until the next call. At the end the error is io.EOF.
func (l *lineReader) next() ([]byte, error) {
	if l.open {
		return nil, io.EOF
	}
	l.n++
	l.buf = l.buf[:0]
	for {
		part, err := l.r.ReadSlice('\n')
		switch {
		case err == nil && len(l.buf) == 0:
			return l.trim(part), nil // the common case, without a copy
		case err == nil:
			l.buf = append(l.buf, part...)
			return l.trim(l.buf), nil
		case err == bufio.ErrBufferFull:
			l.buf = append(l.buf, part...)
		case err == io.EOF:
			l.buf = append(l.buf, part...)
			if len(l.buf) == 0 {
				return nil, io.EOF
			}
			l.open = true
			return l.trim(l.buf), nil
		default:
			return nil, err
		}
	}
}

func (l *lineReader) trim(line []byte) []byte {
	if l.n == 1 {
		// Some editors begin a file with a mark, which is not part of the JSON.
		line = bytes.TrimPrefix(line, byteOrderMark)
	}
	return bytes.TrimRight(line, space)
}
