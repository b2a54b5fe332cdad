package fix

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// hunk is a hunk as it stands in a diff, not yet found in the file.
type hunk struct {
	// start is the line of the old side that the header states; negative
	// without one. exact is set when the counts of the header are those of the
	// lines, so that its numbers are worth something.
	start, oldLines, newStart, newLines int
	exact                               bool
	// crlf is set when the diff itself has such line endings, so that those of
	// its lines say nothing about the file.
	crlf  bool
	lines []bodyLine
	// end is where the lines of the hunk end if every one of them has its first
	// byte. What follows then is text around the diff.
	end int
}

// bodyLine is a line of a hunk.
type bodyLine struct {
	op   byte   // ' ', '+', '-'
	text string // without the first byte that marks it
	raw  string // the whole line
	// unmarked is set when the line has no first byte that marks it.
	unmarked bool
	noEOL    bool // a marker says that no newline follows
}

// hunk reads a hunk whose header, if there is one, was read.
func (p *parser) hunk(header string) *refusal {
	h := hunk{start: -1}
	h.crlf = strings.HasSuffix(header, "\r")
	numbered := h.parseHeader(strings.TrimSuffix(header, "\r"))
	begin := p.pos
	if numbered && p.counted(&h) {
		h.exact = true
	} else {
		p.pos, h.lines = begin, nil
		if !p.uncounted(&h) && !p.closed {
			return refuse(ReasonMalformed, "the diff ends inside a hunk")
		}
	}
	if !h.endsOnce() {
		return refuse(ReasonMalformed, "the diff says in the middle of a hunk that the file ends there")
	}
	if header == "" {
		h.crlf = allCR(p.lines[begin:p.pos])
	}
	if h.crlf {
		for i := range h.lines {
			l := &h.lines[i]
			l.text, l.raw = strings.TrimSuffix(l.text, "\r"), strings.TrimSuffix(l.raw, "\r")
		}
	}
	p.current.hunks = append(p.current.hunks, h)
	return nil
}

func allCR(lines []string) bool {
	for _, l := range lines {
		if !strings.HasSuffix(l, "\r") {
			return false
		}
	}
	return true
}

// parseHeader reads the numbers of a header, and reports whether there are any
// that make sense.
func (h *hunk) parseHeader(l string) bool {
	rest, ok := strings.CutPrefix(l, "@@ -")
	if !ok {
		return false
	}
	var n [4]int
	if n[0], n[1], rest, ok = parseRange(rest); !ok {
		return false
	}
	if rest, ok = strings.CutPrefix(strings.TrimLeft(rest, " "), "+"); !ok {
		return false
	}
	if n[2], n[3], rest, ok = parseRange(rest); !ok || rest != "" && rest[0] != ' ' && rest[0] != '@' {
		return false
	}
	h.start, h.oldLines, h.newStart, h.newLines = n[0], n[1], n[2], n[3]
	return true
}

// parseRange reads "start" or "start,count".
func parseRange(s string) (start, count int, rest string, ok bool) {
	if start, rest, ok = parseNumber(s); !ok {
		return 0, 0, s, false
	}
	count = 1
	if strings.HasPrefix(rest, ",") {
		if count, rest, ok = parseNumber(rest[1:]); !ok {
			return 0, 0, s, false
		}
	}
	return start, count, rest, true
}

func parseNumber(s string) (n int, rest string, ok bool) {
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	v, err := strconv.ParseInt(s[:i], 10, 32)
	if err != nil || v > math.MaxInt32/2 {
		return 0, s, false
	}
	return int(v), s[i:], true
}

// counted reads as many lines as the header announces. It reports whether they
// are there, and what follows cannot be more of them.
func (p *parser) counted(h *hunk) bool {
	oldLines, newLines := h.oldLines, h.newLines
	for oldLines > 0 || newLines > 0 {
		if !p.more() {
			return false
		}
		l := newBodyLine(p.line())
		if l.unmarked {
			return false
		}
		if l.op == '\\' {
			h.noEOL()
			p.pos++
			continue
		}
		if l.op != '+' {
			oldLines--
		}
		if l.op != '-' {
			newLines--
		}
		if oldLines < 0 || newLines < 0 {
			return false
		}
		h.lines = append(h.lines, l)
		p.pos++
	}
	if strings.HasPrefix(p.at(p.pos), `\`) {
		h.noEOL()
		p.pos++
	}
	h.end = len(h.lines)
	return !p.surplus()
}

// surplus reports whether what follows a hunk seems to belong to it.
func (p *parser) surplus() bool {
	for i := p.pos; i < len(p.lines); i++ {
		l := p.at(i)
		if strings.TrimSpace(l) == "" {
			continue
		}
		return !p.endsHunk(i) && strings.IndexByte(" +-\\", l[0]) >= 0
	}
	return false
}

// endsHunk reports whether line i begins something behind a hunk whose length
// is not known.
func (p *parser) endsHunk(i int) bool {
	l := p.at(i)
	switch {
	case strings.HasPrefix(l, "@@"), strings.HasPrefix(l, gitPrefix):
		return true
	case l == "-- " || l == "--":
		// A signature, which is at the end; with anything behind it that can be
		// part of a hunk it is a removed line.
		return i > p.lastChange
	}
	return p.atNames(i) && strings.HasPrefix(p.at(i+2), "@@")
}

// uncounted reads the lines of a hunk up to where something else begins. It
// reports whether something does: at the end of a text, more may be missing.
func (p *parser) uncounted(h *hunk) bool {
	for p.more() && !p.endsHunk(p.pos) {
		l := newBodyLine(p.line())
		p.pos++
		if l.op == '\\' {
			h.noEOL()
			continue
		}
		h.lines = append(h.lines, l)
	}
	// Blank lines without their first byte at the end are rather such that
	// separate the diff from what follows.
	for n := len(h.lines); n > 0 && h.lines[n-1].blank(); n-- {
		h.lines = h.lines[:n-1]
	}
	change := 0
	for i, l := range h.lines {
		if l.op != ' ' {
			change = i
		}
	}
	for h.end = change; h.end < len(h.lines) && !h.lines[h.end].unmarked; {
		h.end++
	}
	if h.end < len(h.lines) {
		for h.end > 0 && h.lines[h.end-1].blank() {
			h.end--
		}
	}
	return p.more()
}

func newBodyLine(l string) bodyLine {
	if l == "" || l == "\r" {
		return bodyLine{op: ' ', text: l, raw: l}
	}
	switch l[0] {
	case ' ', '+', '-', '\\':
		return bodyLine{op: l[0], text: l[1:], raw: l}
	}
	return bodyLine{op: ' ', text: l, raw: l, unmarked: true}
}

// blank reports whether the line is an empty one whose first byte, a space, is
// missing.
func (l *bodyLine) blank() bool { return l.raw == "" || l.raw == "\r" }

func (h *hunk) noEOL() {
	if n := len(h.lines); n > 0 {
		h.lines[n-1].noEOL = true
	}
}

// endsOnce reports whether no line follows one that ends the file on its side.
func (h *hunk) endsOnce() bool {
	oldEnded, newEnded := false, false
	for _, l := range h.lines[:h.end] {
		if l.op != '+' && oldEnded || l.op != '-' && newEnded {
			return false
		}
		oldEnded = oldEnded || l.noEOL && l.op != '+'
		newEnded = newEnded || l.noEOL && l.op != '-'
	}
	return true
}

// excerpt quotes the beginning of a line for a message.
func excerpt(l string) string {
	const limit = 60
	if len(l) > limit {
		return fmt.Sprintf("%q...", l[:limit])
	}
	return fmt.Sprintf("%q", l)
}
