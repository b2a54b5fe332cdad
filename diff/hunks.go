package diff

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	godiff "github.com/sourcegraph/go-diff/diff"
)

// ParseError says where a diff cannot be read, and why.
type ParseError struct {
	// Line counts the lines of the parsed text from 1.
	Line int
	// Path is the file that the text is about, if that is known.
	Path string
	// Msg says what is wrong.
	Msg string
}

func (e *ParseError) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("line %d: %s", e.Line, e.Msg)
	}
	return fmt.Sprintf("line %d: %.200q: %s", e.Line, e.Path, e.Msg)
}

// ParseHunks parses the hunks of one file's section of a unified diff. The
// section may begin with the file's headers: what comes before the first line
// that begins with "@@ " is passed over, so a section without hunks yields
// none. From there on every line must belong to a hunk, and every hunk must
// have exactly the lines that its header announces, ascending without overlap;
// anything else is a [*ParseError] whose Line counts from the start of section.
//
// The bodies share one copy of section. Line numbers are those of the diff,
// which are limited to 2^31-1.
func ParseHunks(section []byte) ([]Hunk, error) {
	c := cursor{s: string(section), line: 1}
	for c.more() && !strings.HasPrefix(c.s[c.pos:], hunkPrefix) {
		if l := c.peek(); strings.HasPrefix(l, combinedPrefix) {
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

const (
	hunkPrefix     = "@@ "
	combinedPrefix = "@@@ "
	msgCutOff      = "no hunk follows the lines --- and +++: the diff is cut off"
	msgCombined    = "a combined diff (of a merge) has more than two sides and cannot be read: make the diff against one parent, for instance with git diff or git show --first-parent"
)

// cursor walks over the lines of a diff.
type cursor struct {
	s    string
	pos  int // where the current line begins
	line int // its number, from 1
	path string
}

func (c *cursor) more() bool { return c.pos < len(c.s) }

// peek returns the current line without its newline.
func (c *cursor) peek() string { return firstLine(c.s[c.pos:]) }

// next returns the current line without its newline, and moves on.
func (c *cursor) next() string {
	l := c.peek()
	c.pos = min(c.pos+len(l)+1, len(c.s))
	c.line++
	return l
}

// atNames reports whether the current line and the next are the names of a
// file.
func (c *cursor) atNames() bool {
	rest, ok := strings.CutPrefix(c.s[c.pos:], "--- ")
	if !ok {
		return false
	}
	_, rest, _ = strings.Cut(rest, "\n")
	return strings.HasPrefix(rest, "+++ ")
}

// atFile reports whether names and a hunk follow.
func (c *cursor) atFile() bool {
	if !c.atNames() {
		return false
	}
	ahead := *c
	ahead.next()
	ahead.next()
	return strings.HasPrefix(ahead.s[ahead.pos:], hunkPrefix)
}

func (c *cursor) errorf(format string, args ...any) *ParseError {
	return &ParseError{Line: c.line, Path: c.path, Msg: fmt.Sprintf(format, args...)}
}

func firstLine(s string) string {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return s[:i]
	}
	return s
}

// hunks reads the hunks from the current line on, which must begin with "@@ ",
// and stops at the first line behind a complete hunk that is no hunk header.
//
// The library reads the headers and says where it thinks that a hunk ends. It
// keeps a line too many where text follows (the "-- " of a mail), and stops
// early at a removed "-- x" followed by an added "++ y". So the body is measured
// out by the numbers of the header, and the library begins anew where it went
// astray.
func (c *cursor) hunks() ([]Hunk, error) {
	var hunks []Hunk
	var r *godiff.HunksReader
	for c.more() && strings.HasPrefix(c.s[c.pos:], hunkPrefix) {
		if r == nil {
			r = godiff.NewHunksReaderOptions(strings.NewReader(c.s[c.pos:]), godiff.ParseOptions{KeepCR: true})
		}
		raw, err := r.ReadHunk()
		if raw == nil {
			return nil, c.headerError(err)
		}
		if err != nil {
			r = nil
		}
		h := Hunk{
			OldStart: int(raw.OrigStartLine), OldLines: int(raw.OrigLines),
			NewStart: int(raw.NewStartLine), NewLines: int(raw.NewLines),
			Section: strings.Clone(raw.Section),
		}
		if err := c.checkHeader(hunks, h); err != nil {
			return nil, err
		}
		c.next()
		if h.Body, err = c.body(h.OldLines, h.NewLines); err != nil {
			return nil, err
		}
		hunks = append(hunks, h)
	}
	return hunks, nil
}

func (c *cursor) headerError(err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return c.errorf("no hunk where one was expected")
	}
	return c.errorf("bad hunk header %s", excerpt(c.peek()))
}

// checkHeader refuses numbers that no diff program writes.
func (c *cursor) checkHeader(before []Hunk, h Hunk) error {
	switch {
	case h.OldStart < 0 || h.OldLines < 0 || h.NewStart < 0 || h.NewLines < 0,
		h.OldStart == 0 && h.OldLines > 0, h.NewStart == 0 && h.NewLines > 0,
		h.OldStart > math.MaxInt32-h.OldLines, h.NewStart > math.MaxInt32-h.NewLines:
		return c.errorf("impossible line numbers in hunk header %s", excerpt(c.peek()))
	case len(before) == 0:
		return nil
	}
	last := &before[len(before)-1]
	if h.oldBegin() < last.oldEnd() || h.newBegin() < last.newEnd() {
		return c.errorf("hunk %s begins before the end of the one before it", excerpt(c.peek()))
	}
	return nil
}

// body reads the lines of a hunk that has oldLines and newLines lines.
func (c *cursor) body(oldLines, newLines int) (string, error) {
	begin, bare := c.pos, false
	var last byte
	for oldLines > 0 || newLines > 0 {
		if !c.more() {
			return "", c.errorf("the diff ends inside a hunk: %d old and %d new lines are missing", oldLines, newLines)
		}
		last = ' '
		switch l := c.peek(); {
		case l == "" || l == "\r":
			bare = true // a blank line whose leading space was stripped
		default:
			last = l[0]
		}
		switch last {
		case ' ':
			oldLines--
			newLines--
		case '-':
			oldLines--
		case '+':
			newLines--
		case '\\':
		default:
			return "", c.errorf("the line %s is not part of a hunk, but %d old and %d new lines are missing", excerpt(c.peek()), oldLines, newLines)
		}
		if oldLines < 0 || newLines < 0 {
			return "", c.errorf("the line %s does not fit: the hunk header announces fewer lines of its kind", excerpt(c.peek()))
		}
		c.next()
	}
	if c.more() && c.s[c.pos] == '\\' {
		c.next()
	}
	if err := c.checkSurplus(); err != nil {
		return "", err
	}
	body := c.s[begin:c.pos]
	if body != "" && !strings.HasSuffix(body, "\n") {
		body += "\n"
	}
	if bare {
		body = restoreSpaces(body)
	}
	return body, nil
}

// checkSurplus refuses a line behind a complete hunk that looks as if it
// belonged to it. Only what mail and plain diffs put there is let through: the
// "-- " before a signature and the "---" of the next file.
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

// restoreSpaces gives every empty line the space back that it has lost.
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

// excerpt quotes the beginning of a line for a message.
func excerpt(l string) string {
	const limit = 60
	l = strings.TrimSuffix(l, "\r")
	if len(l) > limit {
		return fmt.Sprintf("%q...", l[:limit])
	}
	return fmt.Sprintf("%q", l)
}

// The edges of a hunk, as half-open intervals of line numbers. A side without
// lines is placed between the lines where it belongs: a header names the line
// before it.

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
