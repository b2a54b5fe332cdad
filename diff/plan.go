package diff

import "io/fs"

// planChange makes the chunks of a change, or says why there are none.
func (c *Chunking) planChange(f File, fsys fs.FS, mode FileMode) ([]Chunk, Reason) {
	if reason := checkHunks(f.Hunks); reason != "" {
		return nil, reason
	}
	var lines []Line
	hunks := make([]int, len(f.Hunks)) // where the lines of each end
	for i := range f.Hunks {
		lines = appendHunk(lines, &f.Hunks[i])
		hunks[i] = len(lines)
	}
	file, tooLarge := readContents(fsys, f.Path)
	if tooLarge {
		return nil, ReasonTooLarge
	}
	if file != nil && !file.agree(lines) {
		file = nil
	}
	if file != nil {
		// A file that was emptied is a change all the same.
		if reason := checkText(file.text); reason != "" && reason != ReasonNoContent {
			return nil, reason
		}
	}
	if mode == "" && c.marked(&f, firstLines(lines, file)) {
		return nil, ReasonGenerated
	}

	if mode == ModeWholeFile && file != nil {
		if chunks := c.wholeFile(&f, lines, hunks, file); chunks != nil {
			return chunks, ""
		}
	}
	var list []unit
	from := 0
	for i, h := range f.Hunks {
		list = appendUnits(list, lines[from:hunks[i]], h.oldBegin(), h.newBegin(), h.Section, c.maxSize())
		from = hunks[i]
	}
	groups := c.coalesce(list, file)
	chunks := make([]Chunk, len(groups))
	at := 0
	for i, g := range groups {
		first, last := &g[0], &g[len(g)-1]
		chunk := newChunk(&f, i, first, last, file)
		chunk.text.Lines = joinLines(g, file)
		if file != nil {
			// Beyond the neighbors the old numbers are not known without a
			// search that nobody needs.
			before := oldShift{by: first.newBegin - first.oldBegin, end: first.newBegin}
			if at > 0 {
				before.begin = list[at-1].newEnd
			}
			at += len(g)
			after := oldShift{by: last.newEnd - last.oldEnd, begin: last.newEnd, end: file.len() + 1}
			if at < len(list) {
				after.end = list[at].newBegin
			}
			chunk.text.Before = file.lines(first.newBegin-c.context(), first.newBegin, Context, before)
			chunk.text.After = file.lines(last.newEnd, last.newEnd+c.context(), Context, after)
		}
		chunks[i] = chunk
	}
	return chunks, ""
}

// newChunk makes a chunk without its text. The range is that of the new side; a
// unit at the edge without lines there, a pure deletion, takes the line before
// or after it.
func newChunk(f *File, index int, first, last *unit, file *Index) Chunk {
	start, end := first.newBegin, last.newEnd-1
	if first.newBegin == first.newEnd {
		start--
	}
	if last.newBegin == last.newEnd {
		end++
	}
	if file != nil {
		end = min(end, file.len())
	}
	start = max(start, 1)
	return Chunk{
		Path: f.Path, OldPath: f.OldPath, Status: f.Status, Index: index,
		StartLine: start, EndLine: max(start, end), Section: first.section,
	}
}

// wholeFile makes chunks of the file from the first line to the last, or none
// when the hunks are out of order.
func (c *Chunking) wholeFile(f *File, lines []Line, hunks []int, file *Index) []Chunk {
	all := make([]Line, 0, max(file.len(), len(lines)))
	last := unit{oldBegin: 1, oldEnd: 1, newBegin: 1, newEnd: 1}
	from := 0
	for i, h := range f.Hunks {
		u := unit{oldBegin: h.oldBegin(), oldEnd: h.oldBegin(), newBegin: h.newBegin(), newEnd: h.newBegin()}
		if u.newBegin < last.newEnd {
			return nil
		}
		all = append(all, gapLines(&last, &u, file)...)
		for _, l := range lines[from:hunks[i]] {
			all = append(all, l)
			if l.Op != Add {
				u.oldEnd++
			}
			if l.Op != Delete {
				u.newEnd++
			}
		}
		from, last = hunks[i], u
	}
	rest := oldShift{by: last.newEnd - last.oldEnd, begin: last.newEnd, end: file.len() + 1}
	all = append(all, file.lines(last.newEnd, file.len()+1, Context, rest)...)

	var chunks []Chunk
	for i, u := range appendUnits(nil, all, 1, 1, "", c.maxSize()) {
		chunk := newChunk(f, i, &u, &u, file)
		chunk.text.Lines = u.lines
		chunk.text.Before = file.lines(u.newBegin-c.context(), u.newBegin, Context, oldShift{})
		chunk.text.After = file.lines(u.newEnd, u.newEnd+c.context(), Context, oldShift{})
		chunks = append(chunks, chunk)
	}
	return chunks
}
