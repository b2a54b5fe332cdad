package diff

// unit is what is not taken apart any more: a hunk, or a part of one that is too
// large. Its line numbers are half-open intervals; an empty one stands before
// the line of its number.
type unit struct {
	lines            []Line
	size             int
	oldBegin, oldEnd int
	newBegin, newEnd int
	section          string
}

// appendUnits makes units of lines whose first have the given numbers: one, or
// as many as maxSize asks for. The section's name is that of the first: further
// down it may be another function.
func appendUnits(list []unit, lines []Line, oldBegin, newBegin int, section string, maxSize int) []unit {
	for piece := range split(lines, maxSize) {
		u := unit{
			lines: piece, section: section,
			oldBegin: oldBegin, oldEnd: oldBegin, newBegin: newBegin, newEnd: newBegin,
		}
		for i := range piece {
			u.size += lineSize(piece[i].Text)
			if piece[i].Op != Add {
				u.oldEnd++
			}
			if piece[i].Op != Delete {
				u.newEnd++
			}
		}
		oldBegin, newBegin, section = u.oldEnd, u.newEnd, ""
		list = append(list, u)
	}
	return list
}

// coalesce joins neighbors whose distance is at most the largest gap, as long as
// the chunk does not grow too large. The result consists of parts of list.
func (c *Chunking) coalesce(list []unit, file *Index) [][]unit {
	var groups [][]unit
	from, size := 0, 0
	for i := range list {
		grown := size + list[i].size
		if i > from && file != nil {
			grown += file.size(list[i-1].newEnd, list[i].newBegin)
		}
		if i > from && (c.Coalesce.Disabled || !c.near(&list[i-1], &list[i]) || grown > c.maxSize()) {
			groups = append(groups, list[from:i])
			from, grown = i, list[i].size
		}
		size = grown
	}
	if from < len(list) {
		groups = append(groups, list[from:])
	}
	return groups
}

// near reports whether b follows a within the largest gap. The number of lines
// between them is negative only for hunks that are out of order.
func (c *Chunking) near(a, b *unit) bool {
	gap := b.newBegin - a.newEnd
	return gap >= 0 && gap <= c.maxGap()
}

// joinLines returns the lines of neighbors and, where the contents are known, of
// the gaps between them.
func joinLines(group []unit, file *Index) []Line {
	if len(group) == 1 {
		return group[0].lines
	}
	var lines []Line
	for i := range group {
		if i > 0 && file != nil {
			lines = append(lines, gapLines(&group[i-1], &group[i], file)...)
		}
		lines = append(lines, group[i].lines...)
	}
	return lines
}

// gapLines returns the lines between two units. Where hunks were taken out of a
// diff, the two sides do not agree on their number; then the old ones are not
// known.
func gapLines(a, b *unit, file *Index) []Line {
	var shift oldShift
	if by := a.newEnd - a.oldEnd; b.newBegin-b.oldBegin == by {
		shift = oldShift{by: by, begin: a.newEnd, end: b.newBegin}
	}
	return file.lines(a.newEnd, b.newBegin, Context, shift)
}
