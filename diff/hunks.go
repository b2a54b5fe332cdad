package diff

import (
	"bufio"
	"bytes"
	"errors"
	"math"
	"strconv"
	"strings"

	godiff "github.com/sourcegraph/go-diff/diff"
)

// ParseHunks parses the hunks of one file's section of a unified diff. The
// section can begin with the file's headers: the lines before the first that
// begins with "@@ " are ignored, so a section without hunks yields none. From
// there on every line must belong to a hunk, and every hunk must have exactly
// the lines that its header announces, in ascending order without overlap.
// Anything else is an error, which counts the lines from the start of section.
//
// Line numbers of the diff are limited to 2^31-1.
func ParseHunks(section []byte) ([]Hunk, error) {
	c := cursor{s: string(section), line: 1}
	for c.more() && !c.at(hunkPrefix) {
		if c.at(combinedPrefix) {
			return nil, c.errorf(msgCombined)
		}
		c.next()
	}
	if !c.more() {
		return nil, nil
	}
	hunks, err := c.hunks()
	if err != nil {
		return nil, err
	}
	if c.more() {
		return nil, c.errorf("unexpected line %s after a hunk", excerpt(c.peek()))
	}
	return hunks, nil
}

// AddedHunks returns the hunks of a file that a change adds: none for an empty one.
func AddedHunks(data []byte) []Hunk {
	if len(data) == 0 {
		return nil
	}
	const noEOL = "\\ No newline at end of file\n"
	lines := bytes.Count(data, []byte{'\n'})
	whole := data[len(data)-1] == '\n'
	if !whole {
		lines++
	}
	var b strings.Builder
	b.Grow(len(data) + lines + 1 + len(noEOL))
	for line := range bytes.Lines(data) {
		b.WriteByte('+')
		b.Write(line)
	}
	if !whole {
		b.WriteString("\n" + noEOL)
	}
	return []Hunk{{NewStart: 1, NewLines: lines, Body: b.String()}}
}

// hunks reads the hunks from the current line on, which must begin with "@@ ",
// and stops at the first line after a complete hunk that is not a hunk header.
//
// The library gets exactly the hunks of one file: given more, it takes the "-- "
// before the signature of a mail for a line of the last hunk. It still loses
// some lines without an error: marks of a missing newline at the end of a file,
// a removed "-- x" before an added "++ y" at the end of a hunk, which it takes
// for the names of the next file, and what follows an empty line that ends with
// a carriage return. So the lines are those of the diff, of which they are a part.
func (c *cursor) hunks() ([]Hunk, error) {
	begin := c.pos
	var spans []span
	for c.at(hunkPrefix) {
		s, err := c.measure()
		if err != nil {
			return nil, err
		}
		spans = append(spans, s)
	}
	if c.buf == nil {
		c.buf = bufio.NewReader(nil) // the library would make one for every file
	}
	c.buf.Reset(strings.NewReader(c.s[begin:c.pos]))
	r := godiff.NewHunksReaderOptions(c.buf, godiff.ParseOptions{KeepCR: true})
	hunks := make([]Hunk, len(spans))
	for i, s := range spans {
		raw, err := r.ReadHunk()
		for isLostLine(err) {
			raw, err = r.ReadHunk()
		}
		if raw == nil {
			return nil, s.header.errorf("bad hunk header %s", excerpt(s.header.peek()))
		}
		section := raw.Section
		if header := s.header.peek(); strings.HasSuffix(header, section) {
			section = header[len(header)-len(section):] // a part of the diff, too
		}
		hunks[i] = Hunk{
			OldStart: int(raw.OrigStartLine), OldLines: int(raw.OrigLines),
			NewStart: int(raw.NewStartLine), NewLines: int(raw.NewLines),
			Section: section, Body: s.body,
		}
		if !strings.HasSuffix(s.body, "\n") {
			hunks[i].Body += "\n"
		}
		if s.bare {
			hunks[i].Body = restoreSpaces(hunks[i].Body)
		}
		if err := s.header.checkNumbers(hunks[:i+1]); err != nil {
			return nil, err
		}
	}
	return hunks, nil
}

// isLostLine reports whether the library found a line that belongs to the hunk
// before, which it ended too early.
func isLostLine(err error) bool {
	e, ok := errors.AsType[*godiff.ParseError](err)
	return ok && e.Err == godiff.ErrNoHunkHeader
}

// checkNumbers rejects numbers of the last hunk that no diff program writes. The
// current line is its header.
func (c *cursor) checkNumbers(hunks []Hunk) error {
	h := &hunks[len(hunks)-1]
	switch {
	case h.OldStart < 0 || h.OldLines < 0 || h.NewStart < 0 || h.NewLines < 0,
		h.OldStart == 0 && h.OldLines > 0, h.NewStart == 0 && h.NewLines > 0,
		h.OldStart > math.MaxInt32-h.OldLines, h.NewStart > math.MaxInt32-h.NewLines:
		return c.errorf("impossible line numbers in hunk header %s", excerpt(c.peek()))
	case len(hunks) == 1:
		return nil
	}
	last := &hunks[len(hunks)-2]
	if h.oldBegin() < last.oldEnd() || h.newBegin() < last.newEnd() {
		return c.errorf("hunk %s begins before the end of the one before it", excerpt(c.peek()))
	}
	return nil
}

// span is the extent of a hunk.
type span struct {
	header cursor // at its header
	body   string // as it is in the diff
	bare   bool   // blank lines have lost their leading space
}

// measure moves over a hunk, whose lines must be those that its header announces.
func (c *cursor) measure() (span, error) {
	s := span{header: *c}
	oldLines, newLines, ok := lineCounts(c.next())
	if !ok {
		return span{}, s.header.errorf("bad hunk header %s", excerpt(s.header.peek()))
	}
	begin := c.pos
	for oldLines > 0 || newLines > 0 {
		if !c.more() {
			return span{}, c.errorf("the diff ends inside a hunk: %d old and %d new lines are missing", oldLines, newLines)
		}
		l, op := c.peek(), byte(' ')
		if l == "" || l == "\r" {
			s.bare = true
		} else {
			op = l[0]
		}
		switch op {
		case ' ':
			oldLines--
			newLines--
		case '-':
			oldLines--
		case '+':
			newLines--
		case '\\':
		default:
			return span{}, c.errorf("the line %s is not part of a hunk, but %d old and %d new lines are missing", excerpt(l), oldLines, newLines)
		}
		if oldLines < 0 || newLines < 0 {
			return span{}, c.errorf("the line %s does not fit: the hunk header announces fewer lines of its kind", excerpt(l))
		}
		c.skip(l)
	}
	if c.more() && c.s[c.pos] == '\\' {
		c.next()
	}
	s.body = c.s[begin:c.pos]
	return s, c.checkSurplus()
}

// lineCounts returns the numbers of lines that a hunk header announces.
func lineCounts(header string) (oldLines, newLines int, ok bool) {
	fields := strings.SplitN(header, " ", 4)
	if len(fields) < 4 {
		return 0, 0, false
	}
	var count [2]uint64
	for i, side := range fields[1:3] {
		count[i] = 1
		if _, n, ok := strings.Cut(side, ","); ok {
			var err error
			if count[i], err = strconv.ParseUint(n, 10, 31); err != nil {
				return 0, 0, false
			}
		}
	}
	return int(count[0]), int(count[1]), true
}

// checkSurplus rejects a line after a complete hunk that looks as if it belonged
// to it. Only what mails and plain diffs have there is allowed: the "-- " before
// a signature and the "---" of the next file.
func (c *cursor) checkSurplus() error {
	if !c.more() {
		return nil
	}
	l := strings.TrimSuffix(c.peek(), "\r")
	if l == "" || l == "-- " || l == "--" || c.atFile() {
		return nil
	}
	switch l[0] {
	case ' ', '+', '-', '\\':
		return c.errorf("the line %s is one more than the hunk header announces", excerpt(l))
	}
	return nil
}

// restoreSpaces gives every blank line the leading space that it has lost.
func restoreSpaces(body string) string {
	var b strings.Builder
	b.Grow(len(body) + 16)
	for l := range strings.Lines(body) {
		if l[0] == '\n' || l[0] == '\r' {
			b.WriteByte(' ')
		}
		b.WriteString(l)
	}
	return b.String()
}
