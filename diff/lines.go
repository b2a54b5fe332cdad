package diff

import (
	"io"
	"io/fs"
	"strings"
)

// cutLine returns the first line of s without its ending, whether it had one,
// and the rest. A carriage return belongs to the ending when a newline follows.
func cutLine(s string) (line string, ended bool, rest string) {
	line, rest, ended = strings.Cut(s, "\n")
	if ended {
		line = strings.TrimSuffix(line, "\r")
	}
	return line, ended, rest
}

// appendHunk appends the lines of a hunk.
func appendHunk(lines []Line, h *Hunk) []Line {
	from, oldLine, newLine := len(lines), h.oldBegin(), h.newBegin()
	for body := h.Body; body != ""; {
		raw, rest, _ := strings.Cut(body, "\n")
		body = rest
		l := Line{Op: Context, Text: raw}
		if raw != "" {
			l.Op, l.Text = Op(raw[0]), raw[1:]
		}
		if l.Op == '\\' {
			if len(lines) > from {
				lines[len(lines)-1].NoEOL = true
			}
			continue
		}
		// In a patch with converted line endings the mark has one as well.
		if next := firstLine(body); !strings.HasPrefix(next, `\`) || strings.HasSuffix(next, "\r") {
			l.Text = strings.TrimSuffix(l.Text, "\r")
		}
		if l.Op != Add {
			l.Old = oldLine
			oldLine++
		}
		if l.Op != Delete {
			l.New = newLine
			newLine++
		}
		lines = append(lines, l)
	}
	return lines
}

// contents is the text of a file with an index of its lines.
type contents struct {
	text   string
	starts []int // where the lines begin
}

func newContents(text string) *contents {
	c := &contents{text: text, starts: make([]int, 0, strings.Count(text, "\n")+1)}
	for at := 0; at < len(text); {
		c.starts = append(c.starts, at)
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			break
		}
		at += i + 1
	}
	return c
}

// len returns the number of lines.
func (c *contents) len() int { return len(c.starts) }

// line returns line n, from 1, and whether it lacks a newline.
func (c *contents) line(n int) (text string, noEOL bool) {
	line, ended, _ := cutLine(c.text[c.starts[n-1]:])
	return line, !ended
}

// lines returns the lines from begin to before end, as far as they exist, with
// op and the old numbers that shift gives. They share one copy of their text, so
// that they do not keep the whole file in memory.
func (c *contents) lines(begin, end int, op Op, shift oldShift) []Line {
	begin, end = max(begin, 1), min(end, c.len()+1)
	if begin >= end {
		return nil
	}
	to := len(c.text)
	if end <= c.len() {
		to = c.starts[end-1]
	}
	rest := strings.Clone(c.text[c.starts[begin-1]:to])
	lines := make([]Line, 0, end-begin)
	for n := begin; n < end; n++ {
		l := Line{Op: op, New: n, Old: shift.old(n)}
		var ended bool
		l.Text, ended, rest = cutLine(rest)
		l.NoEOL = !ended
		lines = append(lines, l)
	}
	return lines
}

// size returns what the lines from begin to before end add to a chunk's size.
func (c *contents) size(begin, end int) int {
	sum := 0
	for n := max(begin, 1); n < min(end, c.len()+1); n++ {
		text, _ := c.line(n)
		sum += lineSize(text)
	}
	return sum
}

// agree reports whether lines, which are ascending, are those of the file.
func (c *contents) agree(lines []Line) bool {
	for i := range lines {
		l := &lines[i]
		if l.New == 0 {
			continue
		}
		if l.New < 1 || l.New > c.len() {
			return false
		}
		if text, noEOL := c.line(l.New); text != l.Text || noEOL != l.NoEOL {
			return false
		}
	}
	return true
}

// oldShift gives the old numbers of lines outside of hunks: by less than the new
// ones, for the lines from begin to before end. Others are not known.
type oldShift struct{ by, begin, end int }

func (s oldShift) old(n int) int {
	if n < s.begin || n >= s.end {
		return 0
	}
	return max(n-s.by, 0)
}

// readContents returns the file's text, or nil when there is none to be had.
func readContents(fsys fs.FS, path string) (c *contents, tooLarge bool) {
	if fsys == nil {
		return nil, false
	}
	f, err := fsys.Open(path)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, false
	}
	if info.Size() > maxFileSize {
		return nil, true
	}
	var b strings.Builder
	b.Grow(int(info.Size()) + 1)
	// The size of a file can change, or be unknown before it is read.
	n, err := io.Copy(&b, io.LimitReader(f, maxFileSize+1))
	if err != nil {
		return nil, false
	}
	if n > maxFileSize {
		return nil, true
	}
	return newContents(b.String()), false
}
