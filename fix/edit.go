package fix

import (
	"bytes"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
)

// splitLines returns the lines of a file. The carriage return of a line end is
// part of the text.
func splitLines(data []byte) []diff.Line {
	var lines []diff.Line
	for l := range strings.Lines(string(data)) {
		text, ended := strings.CutSuffix(l, "\n")
		lines = append(lines, diff.Line{Op: diff.Context, New: len(lines) + 1, Text: text, NoEOL: !ended})
	}
	return lines
}

// joinLines is the inverse of splitLines.
func joinLines(lines []diff.Line) []byte {
	var b bytes.Buffer
	for _, l := range lines {
		b.WriteString(l.Text)
		if !l.NoEOL {
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}

// fit returns edits with the line ends of the file, and reports whether they are
// edits of that file: in order, apart, and with the lines that they replace in
// their places.
func fit(edits []scanner.Edit, lines []diff.Line) ([]scanner.Edit, bool) {
	var fitted []scanner.Edit
	next := 0
	for _, e := range edits {
		first, end := e.Line-1, e.Line-1+len(e.Old)
		if first < next || end > len(lines) {
			return nil, false
		}
		for i, old := range e.Old {
			if trimCR(old) != trimCR(lines[first+i].Text) {
				return nil, false
			}
		}
		next = end
		fitted = append(fitted, fitEdit(first, end, e.New, lines))
	}
	return fitted, true
}

// fitEdit returns the edit that replaces lines[first:end]. The new lines take
// over the kind of line end from the first of these; inserted ones from the line
// before.
func fitEdit(first, end int, added []string, lines []diff.Line) scanner.Edit {
	unended := end == len(lines) && end > 0 && lines[end-1].NoEOL
	if unended && first == end {
		// Lines inserted at the end of the file: the one that was last gets a
		// line end.
		first--
		added = append([]string{lines[first].Text}, added...)
	}
	e := scanner.Edit{Line: first + 1}
	for _, l := range lines[first:end] {
		e.Old = append(e.Old, l.Text)
	}
	like := first
	if first > 0 && (first == end || lines[first].NoEOL) {
		like--
	}
	crlf := like < len(lines) && strings.HasSuffix(lines[like].Text, "\r")
	for i, text := range added {
		text = trimCR(text)
		if crlf && !(unended && i == len(added)-1) {
			text += "\r"
		}
		e.New = append(e.New, text)
	}
	return e
}

func trimCR(text string) string { return strings.TrimSuffix(text, "\r") }

// applyEdits returns the lines after edits, which are fitted and sorted. A file
// without a final newline stays one.
func applyEdits(lines []diff.Line, edits []scanner.Edit) []diff.Line {
	var after []diff.Line
	next := 0
	for _, e := range edits {
		after = append(after, lines[next:e.Line-1]...)
		next = e.Line - 1 + len(e.Old)
		for _, text := range e.New {
			after = append(after, diff.Line{Text: text})
		}
		if len(e.New) > 0 && next == len(lines) && next > 0 {
			after[len(after)-1].NoEOL = lines[next-1].NoEOL
		}
	}
	return append(after, lines[next:]...)
}

// touch reports whether two edits cannot both be made: they replace the same
// lines, or one inserts where the other changes something.
func touch(a, b scanner.Edit) bool {
	aEnd, bEnd := a.Line+len(a.Old), b.Line+len(b.Old)
	if len(a.Old) == 0 || len(b.Old) == 0 {
		return a.Line <= bEnd && b.Line <= aEnd
	}
	return a.Line < bEnd && b.Line < aEnd
}

func equal(a, b scanner.Edit) bool {
	return a.Line == b.Line && slices.Equal(a.Old, b.Old) && slices.Equal(a.New, b.New)
}
