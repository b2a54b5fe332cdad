package fix

import (
	"slices"
	"strings"
)

const (
	bom = "\ufeff"
	// shownBOM is what models see where a file has a byte order mark, since
	// prompts show characters without a shape by their number.
	shownBOM = `\u{FEFF}`
)

// content is the text of a file as lines, indexed for search.
type content struct {
	data  string
	lines []string // with their endings; the last may have none
	bom   bool
	ids   []int // equal lines, but for their endings, have equal numbers
	byID  map[string]int
}

func newContent(data string) *content {
	c := &content{data: data, bom: strings.HasPrefix(data, bom), byID: make(map[string]int)}
	for l := range strings.Lines(data) {
		c.lines = append(c.lines, l)
	}
	c.ids = make([]int, len(c.lines))
	for i := range c.lines {
		text := c.text(i)
		id, ok := c.byID[text]
		if !ok {
			id = len(c.byID)
			c.byID[text] = id
		}
		c.ids[i] = id
	}
	return c
}

// text returns a line without its ending or what would be a part of one, and the
// first without the byte order mark.
func (c *content) text(i int) string {
	l := strings.TrimSuffix(strings.TrimSuffix(c.lines[i], "\n"), "\r")
	if i == 0 && c.bom {
		l = l[len(bom):]
	}
	return l
}

// ending returns how a line ends: "\n", "\r\n", or "" at the end of the file.
func (c *content) ending(i int) string {
	switch l := c.lines[i]; {
	case strings.HasSuffix(l, "\r\n"):
		return "\r\n"
	case strings.HasSuffix(l, "\n"):
		return "\n"
	}
	return ""
}

// id returns the number of the lines with a text; -1 if there are none.
func (c *content) id(text string) int {
	if c.bom && len(c.lines) > 0 {
		if t := trimBOM(text); t != text && t == c.text(0) {
			return c.ids[0]
		}
	}
	if id, ok := c.byID[text]; ok {
		return id
	}
	return -1
}

func trimBOM(text string) string {
	if t, ok := strings.CutPrefix(text, bom); ok {
		return t
	}
	return strings.TrimPrefix(text, shownBOM)
}

// known returns the numbers of lines with the given texts, in their order; nil if
// one of them is not in the file.
func (c *content) known(texts []string) []int {
	ids := make([]int, len(texts))
	for i, t := range texts {
		if ids[i] = c.id(t); ids[i] < 0 {
			return nil
		}
	}
	return ids
}

// has reports whether lines stand at a place.
func (c *content) has(want []int, place int) bool {
	return place >= 0 && place+len(want) <= len(c.ids) && slices.Equal(c.ids[place:place+len(want)], want)
}

// find returns the first two places where lines stand. It takes time in
// proportion to the number of lines, whatever they are: neither file nor diff
// are to be trusted.
func (c *content) find(want []int) []int {
	// Knuth, Morris and Pratt: border[i] is the length of the longest proper
	// prefix of want that want[:i+1] ends with.
	border := make([]int, len(want))
	for i, k := 1, 0; i < len(want); i++ {
		for k > 0 && want[i] != want[k] {
			k = border[k-1]
		}
		if want[i] == want[k] {
			k++
		}
		border[i] = k
	}
	var places []int
	for i, k := 0, 0; i < len(c.ids); i++ {
		for k > 0 && c.ids[i] != want[k] {
			k = border[k-1]
		}
		if c.ids[i] == want[k] {
			k++
		}
		if k == len(want) {
			if places = append(places, i-k+1); len(places) == 2 {
				break
			}
			k = border[k-1]
		}
	}
	return places
}

// replace returns the text with edits made. They are sorted and apart.
func (c *content) replace(edits []edit) string {
	var b strings.Builder
	next := 0
	for _, e := range edits {
		for _, l := range c.lines[next:e.start] {
			b.WriteString(l)
		}
		b.WriteString(e.text)
		next = e.end
	}
	for _, l := range c.lines[next:] {
		b.WriteString(l)
	}
	return b.String()
}

// edit replaces the lines from start to before end, counted from 0. Its text
// consists of whole lines, unless it ends the file.
type edit struct {
	path       string
	start, end int
	text       string
}

// touches reports whether two edits of a file cannot both be made: their lines
// intersect, or one inserts where the other changes something.
func (e *edit) touches(o *edit) bool {
	if e.start == e.end || o.start == o.end {
		return e.start <= o.end && o.start <= e.end
	}
	return e.start < o.end && o.start < e.end
}

// trim returns e without the lines at its beginning and end that stay as they
// are.
func (e edit) trim(c *content) edit {
	for e.start < e.end && e.text != "" {
		l := firstLine(e.text)
		if l != c.lines[e.start] {
			break
		}
		e.start++
		e.text = e.text[len(l):]
	}
	for e.start < e.end && e.text != "" {
		i := strings.LastIndexByte(e.text[:len(e.text)-1], '\n') + 1
		if e.text[i:] != c.lines[e.end-1] {
			break
		}
		e.end--
		e.text = e.text[:i]
	}
	return e
}

// firstLine returns the first line of s with its ending.
func firstLine(s string) string {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return s[:i+1]
	}
	return s
}
