package diff

import (
	"io"
	"io/fs"
	"iter"
	"slices"
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

// lines returns the lines of a hunk.
func (h *Hunk) lines() []Line {
	lines := make([]Line, 0, strings.Count(h.Body, "\n"))
	oldLine, newLine := h.oldBegin(), h.newBegin()
	for body := h.Body; body != ""; {
		raw, rest, _ := strings.Cut(body, "\n")
		body = rest
		l := Line{Op: Context, Text: raw}
		if raw != "" {
			l.Op, l.Text = Op(raw[0]), raw[1:]
		}
		if l.Op == '\\' {
			if len(lines) > 0 {
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

// Index is a sequence of lines in which whole lines can be located.
type Index struct {
	text   string
	starts []int // where the lines begin, and where the last one ends
}

// NewIndex returns an index of lines. Lines are compared byte for byte, so the
// caller decides what matters: lines may be given with their newlines, or for
// instance without white space.
func NewIndex(lines iter.Seq[string]) *Index {
	var b strings.Builder
	starts := []int{0}
	for l := range lines {
		b.WriteString(l)
		starts = append(starts, b.Len())
	}
	return &Index{b.String(), starts}
}

// indexText returns an index of the lines of a text, which it does not copy.
func indexText(text string) *Index {
	starts := make([]int, 1, strings.Count(text, "\n")+2)
	for i := 0; i < len(text); i++ {
		n := strings.IndexByte(text[i:], '\n')
		if n < 0 {
			break
		}
		i += n
		starts = append(starts, i+1)
	}
	if starts[len(starts)-1] < len(text) {
		starts = append(starts, len(text))
	}
	return &Index{text, starts}
}

// Locate yields the places where whole consecutive lines together are text: the
// index of the first line, from 0, and that of the line after the last. The
// places are in ascending order and may overlap. Empty lines are neither the
// first nor the last of a place, and an empty text has none.
func (x *Index) Locate(text string) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for at := 0; text != ""; at++ {
			i := strings.Index(x.text[at:], text)
			if i < 0 {
				return
			}
			at += i
			next, _ := slices.BinarySearch(x.starts, at+1)
			end, whole := slices.BinarySearch(x.starts, at+len(text))
			if whole && x.starts[next-1] == at && !yield(next-1, end) {
				return
			}
		}
	}
}

// len returns the number of lines.
func (x *Index) len() int { return len(x.starts) - 1 }

// line returns line n, from 1, without its ending, and whether it lacks a
// newline.
func (x *Index) line(n int) (text string, noEOL bool) {
	line, ended, _ := cutLine(x.text[x.starts[n-1]:x.starts[n]])
	return line, !ended
}

// lines returns the lines from begin to before end, as far as they exist, with
// op and the given old numbers. They share one copy of their text, so that they
// do not keep the whole file in memory.
func (x *Index) lines(begin, end int, op Op, old oldNumbers) []Line {
	begin, end = max(begin, 1), min(end, x.len()+1)
	if begin >= end {
		return nil
	}
	rest := strings.Clone(x.text[x.starts[begin-1]:x.starts[end-1]])
	lines := make([]Line, 0, end-begin)
	for n := begin; n < end; n++ {
		l := Line{Op: op, New: n, Old: old.of(n)}
		var ended bool
		l.Text, ended, rest = cutLine(rest)
		l.NoEOL = !ended
		lines = append(lines, l)
	}
	return lines
}

// size returns what the lines from begin to before end add to a chunk's size.
func (x *Index) size(begin, end int) int {
	sum := 0
	for n := max(begin, 1); n < min(end, x.len()+1); n++ {
		text, _ := x.line(n)
		sum += lineSize(text)
	}
	return sum
}

// oldNumbers gives the old numbers of lines outside of hunks, which are less by
// shift than the new ones for the lines from begin to before end. Others are not
// known.
type oldNumbers struct{ shift, begin, end int }

func (o oldNumbers) of(n int) int {
	if n < o.begin || n >= o.end {
		return 0
	}
	return max(n-o.shift, 0)
}

// Agrees reports whether contents can be those of f after the change: every line
// of the new side of its hunks has its text at its number, and the last line of
// the file lacks a newline if the diff marks it so. A carriage return before a
// newline is ignored. A file without hunks agrees with all contents.
func (f *File) Agrees(contents []byte) bool { return indexText(string(contents)).agrees(f.lines()) }

// lines returns the lines of each hunk.
func (f *File) lines() [][]Line {
	hunks := make([][]Line, len(f.Hunks))
	for i := range f.Hunks {
		hunks[i] = f.Hunks[i].lines()
	}
	return hunks
}

// agrees reports whether x has the lines of the new side of hunks.
func (x *Index) agrees(hunks [][]Line) bool {
	for _, lines := range hunks {
		for i := range lines {
			l := &lines[i]
			if l.Op == Delete {
				continue
			}
			if l.New < 1 || l.New > x.len() {
				return false
			}
			if text, noEOL := x.line(l.New); text != l.Text || noEOL != l.NoEOL {
				return false
			}
		}
	}
	return true
}

// readContents returns the file's text, or nil if it cannot be read.
func readContents(fsys fs.FS, path string) (x *Index, tooLarge bool) {
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
	return indexText(b.String()), false
}
