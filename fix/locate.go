package fix

import (
	"slices"
	"strings"
)

// reading is one way to understand the lines of a hunk.
type reading struct {
	lines []bodyLine
	// stated says that the line of the header may decide between several
	// places.
	stated bool
}

// readings returns the ways to read h, the best ones first: of several in one
// element, all that can be found must agree.
func (h *hunk) readings() [][]reading {
	marked := !slices.ContainsFunc(h.lines[:h.end], func(l bodyLine) bool { return l.unmarked })
	whole := h.end == len(h.lines)
	proper := reading{lines: h.lines[:h.end], stated: whole}

	var others []reading
	if slices.ContainsFunc(h.lines, func(l bodyLine) bool { return l.unmarked }) {
		// Some lines of context have their first byte, others lost it.
		others = append(others, reading{h.lines, true})
	}
	if slices.ContainsFunc(h.lines, func(l bodyLine) bool { return l.op == ' ' && l.text != l.raw }) {
		// All lines of context lost it; those that are indented do not show it.
		raw := slices.Clone(h.lines)
		for i := range raw {
			if raw[i].op == ' ' {
				raw[i].text = raw[i].raw
			}
		}
		others = append(others, reading{raw, true})
	}
	switch {
	case !marked:
		return [][]reading{others}
	case whole:
		return [][]reading{{proper}, others}
	default:
		return [][]reading{others, {proper}}
	}
}

// locate finds a hunk in a file and returns its edits. shift is the number of
// lines by which the hunks before it, of the same file, make the file longer.
// first is set unless the file had its turn before in the diff: then it is
// unclear what a line number counts.
func (h *hunk) locate(c *content, shift int, first bool) ([]edit, *refusal) {
	failed := refuse(ReasonNotFound, "the text that the diff shows is not in the file")
	for _, group := range h.readings() {
		var found []edit
		ok := false
		for _, r := range group {
			place, refused := r.place(c, h, shift, first)
			if refused != nil {
				if failed.reason == ReasonNotFound {
					failed = refused
				}
				continue
			}
			edits, refused := r.edits(c, h, place)
			if refused != nil {
				return nil, refused
			}
			if ok && !slices.Equal(found, edits) {
				return nil, refuse(ReasonAmbiguous, "the lines of the diff lack their first column, and fit in several ways")
			}
			found, ok = edits, true
		}
		if ok {
			return found, nil
		}
		if failed.reason == ReasonAmbiguous {
			break
		}
	}
	return nil, failed
}

// place returns the index of the line at which r stands.
func (r reading) place(c *content, h *hunk, shift int, first bool) (int, *refusal) {
	var old []string
	for _, l := range r.lines {
		if l.op != '+' {
			old = append(old, strings.TrimSuffix(l.text, "\r"))
		}
	}
	if len(old) == 0 {
		return h.insertion(c, shift, first)
	}
	notFound := refuse(ReasonNotFound, "the text that the diff shows is not in the file")
	want := c.known(old)
	if want == nil {
		return 0, notFound
	}
	if at := h.start - 1; r.stated && first && h.agrees(shift) && c.has(want, at) {
		// Without lines behind the change, a hunk may mean the end of the file.
		end := len(c.lines) - len(want)
		if r.lines[len(r.lines)-1].op != ' ' && at != end && c.has(want, end) {
			return 0, refuse(ReasonAmbiguous, "the text that the diff shows is at the stated line, and also at the end of the file")
		}
		return at, nil
	}
	switch places := c.find(want); len(places) {
	case 0:
		return 0, notFound
	case 1:
		return places[0], nil
	}
	return 0, refuse(ReasonAmbiguous, "the text that the diff shows is in the file several times, and not at the stated line")
}

// agrees reports whether the two line numbers of the header say the same. If
// they contradict each other, none is worth anything.
func (h *hunk) agrees(shift int) bool {
	return !h.exact || h.newLines == 0 || h.newStart == h.start+shift
}

// insertion returns the place of a hunk that shows nothing of the file. All it
// has is its numbers, and they must agree.
func (h *hunk) insertion(c *content, shift int, first bool) (int, *refusal) {
	switch {
	case !h.exact || !first || h.oldLines != 0 || h.newStart != h.start+1+shift:
		return 0, refuse(ReasonAmbiguous, "the diff shows no line of the file, so that it is unclear where to insert")
	case h.start == 0 && len(c.lines) > 0:
		return 0, refuse(ReasonAmbiguous, "the diff is that of an empty file, but the file is not empty")
	case h.start > len(c.lines):
		return 0, refuse(ReasonNotFound, "the diff inserts after line %d, but the file has only %d lines", h.start, len(c.lines))
	}
	return h.start, nil
}

// edits returns the edits of a hunk that stands at a place.
func (r reading) edits(c *content, h *hunk, place int) ([]edit, *refusal) {
	exact := !h.crlf && r.isExact(c, place)
	var edits []edit
	for i := 0; i < len(r.lines); {
		if r.lines[i].op == ' ' {
			i++
			place++
			continue
		}
		e := edit{start: place, end: place}
		var added []bodyLine
		for ; i < len(r.lines) && r.lines[i].op != ' '; i++ {
			if r.lines[i].op == '-' {
				e.end++
			} else {
				added = append(added, r.lines[i])
			}
		}
		place = e.end
		if exact && c.bom && e.end == 0 {
			return nil, refuse(ReasonAmbiguous, "the diff inserts before the byte order mark of the file")
		}
		if !exact || !e.setExact(c, added) {
			e.setText(c, added)
		}
		if e = e.trim(c); e.start < e.end || e.text != "" {
			edits = append(edits, e)
		}
	}
	return edits, nil
}

// isExact reports whether the lines of the file are those of the diff to the
// last byte, with line endings, byte order mark, and the end of the file. Then
// the added lines are taken by the byte, too.
func (r reading) isExact(c *content, place int) bool {
	any := false
	for _, l := range r.lines {
		if l.op == '+' {
			continue
		}
		if c.lines[place] != l.withNewline() {
			return false
		}
		any = true
		place++
	}
	return any
}

func (l *bodyLine) withNewline() string {
	if l.noEOL {
		return l.text
	}
	return l.text + "\n"
}

// setExact sets the text to the added lines as they stand in the diff. It
// reports whether they can stand in the file like that.
func (e *edit) setExact(c *content, added []bodyLine) bool {
	if e.start == len(c.lines) && e.start > 0 && c.ending(e.start-1) == "" {
		return false
	}
	var b strings.Builder
	for i, l := range added {
		if l.noEOL && (i < len(added)-1 || e.end < len(c.lines)) {
			return false
		}
		b.WriteString(l.withNewline())
	}
	e.text = b.String()
	return true
}

// setText sets the text to the added lines, with the line endings of the file
// at that place, its byte order mark, and its way to end.
func (e *edit) setText(c *content, added []bodyLine) {
	if len(added) == 0 {
		if e.start == 0 && e.end > 0 && c.bom {
			e.text = bom
			if e.end < len(c.lines) {
				e.text += c.lines[e.end]
				e.end++
			}
		}
		return
	}
	atEnd := e.end == len(c.lines)
	var b strings.Builder
	if e.start == 0 && c.bom {
		b.WriteString(bom)
		added = slices.Clone(added)
		added[0].text = trimBOM(added[0].text)
	}
	if n := len(c.lines); atEnd && e.start == n && n > 0 && c.ending(n-1) == "" {
		e.start--
		b.WriteString(c.lines[n-1])
		b.WriteString(c.newline(n - 1))
	}
	for i, l := range added {
		b.WriteString(strings.TrimSuffix(l.text, "\r"))
		switch last := i == len(added)-1; {
		case last && atEnd && len(c.lines) > 0:
			b.WriteString(c.ending(len(c.lines) - 1))
		case last && atEnd && l.noEOL:
		case e.end > e.start:
			b.WriteString(c.newline(min(e.start+i, e.end-1)))
		default:
			b.WriteString(c.newline(e.start - 1))
		}
	}
	if e.start == 0 && e.end == 0 && c.bom {
		b.WriteString(strings.TrimPrefix(c.lines[0], bom))
		e.end = 1
	}
	e.text = b.String()
}

// newline returns the ending of line i, or where that has none, of a line near
// it.
func (c *content) newline(i int) string {
	for _, k := range []int{i, i - 1, i + 1} {
		if k >= 0 && k < len(c.lines) && c.ending(k) != "" {
			return c.ending(k)
		}
	}
	return "\n"
}
