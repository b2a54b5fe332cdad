package fix

import (
	"fmt"
	"strings"

	"github.com/codescan-dev/scanner/diff"
)

// patchContext is the number of unchanged lines around a change in a patch.
const patchContext = 3

// Patch returns all changes of the plan as one unified diff that git apply
// accepts, forward and, with -R, backward. It is empty when nothing changes.
func (p *Plan) Patch() []byte { return p.patch(p.Changes) }

func (p *Plan) patch(changes []Change) []byte {
	var b strings.Builder
	for i := range changes {
		ch := &changes[i]
		writePatch(&b, ch.Path, p.contents[ch.Path], ch.edits)
	}
	return []byte(b.String())
}

// writePatch writes the section of one file.
func writePatch(b *strings.Builder, path string, c *content, edits []edit) {
	oldName, newName := diff.QuotePath("a/"+path), diff.QuotePath("b/"+path)
	fmt.Fprintf(b, "diff --git %s %s\n--- %s\n+++ %s\n", oldName, newName, nameEnd(oldName), nameEnd(newName))
	shift := 0
	for len(edits) > 0 {
		// Edits whose context would meet share a hunk.
		n := 1
		for n < len(edits) && edits[n].start-edits[n-1].end <= 2*patchContext {
			n++
		}
		shift += writeHunk(b, c, edits[:n], shift)
		edits = edits[n:]
	}
}

// nameEnd ends a name with a space in it by a tab, as git and diff do: else it
// would be unclear where it ends.
func nameEnd(name string) string {
	if strings.Contains(name, " ") {
		return name + "\t"
	}
	return name
}

// writeHunk writes edits as one hunk. shift is by how many lines the hunks
// before it make the file longer; the result is the same for this one.
func writeHunk(b *strings.Builder, c *content, edits []edit, shift int) int {
	first := max(edits[0].start-patchContext, 0)
	last := min(edits[len(edits)-1].end+patchContext, len(c.lines))
	var body strings.Builder
	oldLines, newLines := 0, 0
	write := func(op byte, line string) {
		if op != '+' {
			oldLines++
		}
		if op != '-' {
			newLines++
		}
		body.WriteByte(op)
		body.WriteString(line)
		if !strings.HasSuffix(line, "\n") {
			body.WriteString("\n\\ No newline at end of file\n")
		}
	}
	next := first
	for _, e := range edits {
		for _, l := range c.lines[next:e.start] {
			write(' ', l)
		}
		for _, l := range c.lines[e.start:e.end] {
			write('-', l)
		}
		for l := range strings.Lines(e.text) {
			write('+', l)
		}
		next = e.end
	}
	for _, l := range c.lines[next:last] {
		write(' ', l)
	}
	fmt.Fprintf(b, "@@ -%s +%s @@\n", hunkRange(first, oldLines), hunkRange(first+shift, newLines))
	b.WriteString(body.String())
	return newLines - oldLines
}

// hunkRange returns the lines behind the first n. A range of no lines names the
// line before it.
func hunkRange(n, lines int) string {
	if lines > 0 {
		n++
	}
	if lines == 1 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d,%d", n, lines)
}

// quoteEdit writes an edit such that different edits are written differently.
func quoteEdit(e *edit) string {
	return fmt.Sprintf("%q %d %d %q\n", e.path, e.start, e.end, e.text)
}
