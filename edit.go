package scanner

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/extract"
	"github.com/codescan-dev/scanner/internal/text"
)

// Edit replaces whole lines of a file by others. The lines are those of the file
// as it was scanned; a fix is a list of edits of one file in the order of their
// lines, which neither overlap nor touch.
type Edit struct {
	// Line is the number of the first line that is replaced, from 1. For an
	// insertion it is the line that the new ones come before, which is one past
	// the last line at the end of the file.
	Line int
	// Old are the lines that are replaced, without line ends. None means that
	// the edit is an insertion.
	Old []string
	// New are the lines that replace them, without line ends. None means that
	// the edit is a deletion.
	New []string
}

// end returns the number of the line after those that are replaced.
func (e *Edit) end() int { return e.Line + len(e.Old) }

// Why a suggested fix is dropped. The text becomes the detail of the [Discard].
var (
	errFixNotFound  = errors.New("the text that the fix replaces is not in what was shown")
	errFixAmbiguous = errors.New("the text that the fix replaces occurs several times in what was shown")
	errFixNoPlace   = errors.New("the fix has no place: it replaces no text, or its finding has no location")
	errFixOverlap   = errors.New("two replacements of the fix change the same lines")
	errFixNoChange  = errors.New("the fix changes nothing")
	errFixEncoding  = errors.New("the file is not UTF-8")
	errFixSecret    = errors.New("the fix contains a secret, or changes a line with one")
	errFixHidden    = errors.New("the fix adds characters that cannot be seen")
)

// suggestedFix returns the fix of a finding, placed exactly in the text of its
// chunk: sent is the text that the model saw, original the same before secrets
// were replaced. Secrets in what the model wrote are replaced in the description;
// one in the fix itself makes it useless.
func (r *run) suggestedFix(f *Finding, fix *extract.Fix, sent, original diff.Text) (*SuggestedFix, error) {
	if f.Location == nil {
		return nil, errFixNoPlace
	}
	if original.Decoded {
		return nil, errFixEncoding
	}
	for _, p := range fix.Pairs {
		if r.opts.Redact == nil {
			break
		}
		if _, n := r.opts.Redact(p.New); n > 0 {
			return nil, errFixSecret
		}
	}
	shown := slices.Collect(sent.NewSide())
	edits, err := placeFix(fix.Pairs, shown, slices.Collect(original.NewSide()))
	if err != nil {
		return nil, err
	}
	s := &SuggestedFix{Description: fix.Description, Diff: UnifiedDiff(f.Location.Path, shown, edits), Edits: edits}
	r.redactAll(&s.Description)
	return s, nil
}

// placeFix returns the edits that the pairs of a fix amount to. Each pair must
// occur exactly once in shown, the new side of a chunk as the model saw it. lines
// is the same text before secrets were replaced: a line that differs must not be
// changed, and what replaced its secret must not end up in the file.
func placeFix(pairs []extract.Pair, shown, lines []diff.Line) ([]Edit, error) {
	index := diff.NewIndex(func(yield func(string) bool) {
		for _, l := range shown {
			if !yield(l.Text + "\n") {
				return
			}
		}
	})
	var edits []Edit
	for _, p := range pairs {
		if p.Old == "" {
			return nil, errFixNoPlace
		}
		before, after := splitLines(p.Old), splitLines(p.New)
		first := -1
		for from, to := range index.Locate(strings.Join(before, "\n") + "\n") {
			if lines[to-1].New-lines[from].New != to-1-from {
				continue // there is a gap in between
			}
			if first >= 0 {
				return nil, errFixAmbiguous
			}
			first = from
		}
		if first < 0 {
			return nil, errFixNotFound
		}
		edits = append(edits, Edit{Line: lines[first].New, Old: before, New: after})
	}
	edits, err := joinEdits(edits)
	if err != nil {
		return nil, err
	}
	switch {
	case changesSecret(edits, shown, lines):
		return nil, errFixSecret
	case addsHidden(edits):
		return nil, errFixHidden
	}
	return edits, nil
}

// addsHidden reports whether edits insert a line with characters that nobody who
// looks at the fix could see. Where a patch is printed or lines are suggested, they
// could also steer the terminal. A line that is moved keeps them.
func addsHidden(edits []Edit) bool {
	return slices.ContainsFunc(edits, func(e Edit) bool {
		return slices.ContainsFunc(e.New, func(s string) bool {
			return text.Visible(s) != s && !slices.Contains(e.Old, s)
		})
	})
}

// splitLines returns the lines of a text without line ends. An empty text has
// none.
func splitLines(s string) []string {
	if s == "" {
		return nil
	}
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "\r")
	}
	return lines
}

// joinEdits sorts edits by line, leaves out the lines that they do not change, and
// joins those that touch. It is an error if nothing is left, or if they overlap.
func joinEdits(edits []Edit) ([]Edit, error) {
	var changes []Edit
	for _, e := range edits {
		for len(e.Old) > 0 && len(e.New) > 0 && e.Old[0] == e.New[0] {
			e.Old, e.New, e.Line = e.Old[1:], e.New[1:], e.Line+1
		}
		for len(e.Old) > 0 && len(e.New) > 0 && e.Old[len(e.Old)-1] == e.New[len(e.New)-1] {
			e.Old, e.New = e.Old[:len(e.Old)-1], e.New[:len(e.New)-1]
		}
		if len(e.Old)+len(e.New) > 0 {
			// None is nil, so that edits can be compared.
			changes = append(changes, Edit{Line: e.Line, Old: append([]string(nil), e.Old...), New: append([]string(nil), e.New...)})
		}
	}
	if len(changes) == 0 {
		return nil, errFixNoChange
	}
	edits = changes
	slices.SortStableFunc(edits, func(a, b Edit) int { return a.Line - b.Line })
	joined := edits[:1:1]
	for _, e := range edits[1:] {
		last := &joined[len(joined)-1]
		switch {
		case e.Line < last.end() || e.Line == last.Line:
			return nil, errFixOverlap
		case e.Line == last.end():
			last.Old = slices.Concat(last.Old, e.Old)
			last.New = slices.Concat(last.New, e.New)
		default:
			joined = append(joined, e)
		}
	}
	return joined, nil
}

// changesSecret reports whether edits replace a line in which a secret was
// replaced, or insert its placeholder.
func changesSecret(edits []Edit, shown, lines []diff.Line) bool {
	for i := range shown {
		if shown[i].Text == lines[i].Text {
			continue
		}
		placeholder := differing(shown[i].Text, lines[i].Text)
		for _, e := range edits {
			if n := shown[i].New; e.Line <= n && n < e.end() {
				return true
			}
			if placeholder != "" && slices.ContainsFunc(e.New, func(s string) bool { return strings.Contains(s, placeholder) }) {
				return true
			}
		}
	}
	return false
}

// differing returns s without the prefix and the suffix that it shares with t.
func differing(s, t string) string {
	for len(s) > 0 && len(t) > 0 && s[0] == t[0] {
		s, t = s[1:], t[1:]
	}
	for len(s) > 0 && len(t) > 0 && s[len(s)-1] == t[len(t)-1] {
		s, t = s[:len(s)-1], t[:len(t)-1]
	}
	return s
}

// diffContext is the number of unchanged lines around a change in a diff.
const diffContext = 3

// UnifiedDiff returns edits of a file as a unified diff with up to three lines of
// context. lines are consecutive lines of the file, with jumps in their numbers
// where some are left out; the replaced lines must be among them.
func UnifiedDiff(path string, lines []diff.Line, edits []Edit) string {
	var b strings.Builder
	name := func(prefix string) string {
		quoted := diff.QuotePath(prefix + path)
		if strings.Contains(quoted, " ") {
			quoted += "\t" // as git does: else it would be unclear where the name ends
		}
		return quoted
	}
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", name("a/"), name("b/"))
	shift := 0
	for len(edits) > 0 {
		n := 1
		for n < len(edits) && edits[n].Line-edits[n-1].end() <= 2*diffContext &&
			contiguous(lines, edits[n-1].end(), edits[n].Line) {
			n++
		}
		shift += writeHunk(&b, lines, edits[:n], shift)
		edits = edits[n:]
	}
	return b.String()
}

// find returns the index of the line with that number; where there is none, of
// the first one after it.
func find(lines []diff.Line, number int) (int, bool) {
	return slices.BinarySearchFunc(lines, number, func(l diff.Line, n int) int { return l.New - n })
}

// contiguous reports whether all lines from one number up to another are there.
func contiguous(lines []diff.Line, from, to int) bool {
	i, _ := find(lines, from)
	j, _ := find(lines, to)
	return j-i == to-from
}

// writeHunk writes edits as one hunk. shift is by how many lines the hunks before
// it make the file longer; the result is the same for this one.
func writeHunk(b *strings.Builder, lines []diff.Line, edits []Edit, shift int) int {
	start, end := edits[0].Line, edits[len(edits)-1].end()
	for k := 0; k < diffContext && start > 1; k++ {
		if _, ok := find(lines, start-1); !ok {
			break
		}
		start--
	}
	for k := 0; k < diffContext; k++ {
		if _, ok := find(lines, end); !ok {
			break
		}
		end++
	}

	var body strings.Builder
	oldLines, newLines := 0, 0
	write := func(op byte, text string, noEOL bool) {
		if op != '+' {
			oldLines++
		}
		if op != '-' {
			newLines++
		}
		body.WriteByte(op)
		body.WriteString(text)
		body.WriteByte('\n')
		if noEOL {
			body.WriteString("\\ No newline at end of file\n")
		}
	}
	at := start
	context := func(to int) {
		for ; at < to; at++ {
			i, _ := find(lines, at)
			write(' ', lines[i].Text, lines[i].NoEOL)
		}
	}
	for _, e := range edits {
		// A file without a final newline stays one: lines that are inserted at
		// its end replace its last line.
		noEOL := false
		if i, ok := find(lines, e.end()-1); ok && lines[i].NoEOL {
			noEOL = true
			if len(e.Old) == 0 {
				e = Edit{Line: e.Line - 1, Old: []string{lines[i].Text}, New: append([]string{lines[i].Text}, e.New...)}
			}
		}
		context(e.Line)
		for k, text := range e.Old {
			write('-', text, noEOL && k == len(e.Old)-1)
		}
		for k, text := range e.New {
			write('+', text, noEOL && k == len(e.New)-1)
		}
		at = e.end()
	}
	context(end)
	fmt.Fprintf(b, "@@ -%s +%s @@\n", hunkRange(start, oldLines), hunkRange(start+shift, newLines))
	b.WriteString(body.String())
	return newLines - oldLines
}

// hunkRange formats a range of lines. One of no lines names the line before it.
func hunkRange(start, lines int) string {
	switch lines {
	case 0:
		return fmt.Sprintf("%d,0", start-1)
	case 1:
		return fmt.Sprint(start)
	}
	return fmt.Sprintf("%d,%d", start, lines)
}

// ParseEdits returns the edits of a diff that [UnifiedDiff] made: one of the file
// at path. The diff of a record is read so.
func ParseEdits(path, unified string) ([]Edit, error) {
	files, err := diff.Parse([]byte(unified))
	switch {
	case err != nil:
		return nil, err
	case len(files) != 1:
		return nil, fmt.Errorf("the diff of a fix changes %d files", len(files))
	case files[0].Path != path:
		return nil, fmt.Errorf("the diff of a fix for %q changes %q", path, files[0].Path)
	}
	var edits []Edit
	for _, h := range files[0].Hunks {
		line := h.OldStart
		if h.OldLines == 0 {
			line++ // the range names the line before
		}
		var e Edit
		flush := func() {
			if len(e.Old)+len(e.New) > 0 {
				edits = append(edits, e)
			}
			e = Edit{}
		}
		for l := range strings.SplitSeq(strings.TrimSuffix(h.Body, "\n"), "\n") {
			if e.Line == 0 {
				e.Line = line
			}
			switch {
			case strings.HasPrefix(l, "-"):
				e.Old = append(e.Old, l[1:])
				line++
			case strings.HasPrefix(l, "+"):
				e.New = append(e.New, l[1:])
			case strings.HasPrefix(l, `\`):
			default:
				flush()
				line++
			}
		}
		flush()
	}
	return joinEdits(edits)
}
