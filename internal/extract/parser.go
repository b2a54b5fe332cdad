package extract

import (
	"bytes"
	"encoding/json"
	"strings"
)

// state is how the reading of a JSON value ended.
type state int

const (
	whole  state = iota
	cut          // the text ends within it
	broken       // it is not JSON
)

// list is an object of the text, and the list of findings in it.
type list struct {
	start, end int
	state      state // of the object
	named      bool  // it has a key "findings"
	titled     bool  // it has a key "title"
	null       bool  // the value of the key is null
	closed     bool  // the list ended, whatever follows
	elems      []json.RawMessage
	repaired   bool // there were trailing commas
}

// unfinished reports whether the list may lack elements.
func (l *list) unfinished() bool { return l.named && !l.closed }

// listKey is the key of the list. Keys are compared by [fold].
const listKey = "findings"

// maxDepth is the depth of nesting at which a value is taken for garbage. An
// answer has six levels. Since an object begins with a key or ends at once, it
// also bounds how many of the objects that are tried read the same byte.
const maxDepth = 64

// parser reads JSON that may have trailing commas. It replaces these by spaces in
// src, so that what it has read is valid JSON.
type parser struct {
	src      []byte
	pos      int
	repaired bool
}

// read reads the object that starts at start.
func (p *parser) read(start int) list {
	p.pos, p.repaired = start, false
	l := list{start: start}
	l.state = p.object(1, func(key string) state {
		switch fold(key) {
		case "title":
			l.titled = true
		case listKey:
			l.named, l.null, l.closed, l.elems = true, false, false, nil
			switch p.peek() {
			case '[':
				st := p.array(2, func(from, to int) {
					l.elems = append(l.elems, json.RawMessage(bytes.Clone(p.src[from:to])))
				})
				l.closed = st == whole
				return st
			case 0:
				return cut
			}
			st := p.value(2)
			l.null = st == whole && bytes.HasSuffix(p.src[:p.pos], []byte("null"))
			l.named = st == cut
			return st
		}
		return p.value(2)
	})
	l.end, l.repaired = p.pos, p.repaired
	return l
}

// value reads the value at pos.
func (p *parser) value(depth int) state {
	if depth > maxDepth {
		return broken
	}
	switch p.peek() {
	case 0:
		return cut
	case '{':
		return p.object(depth, func(string) state { return p.value(depth + 1) })
	case '[':
		return p.array(depth, func(int, int) {})
	case '"':
		return p.str()
	}
	return p.word()
}

// object reads the object at pos. member is called behind each colon, and reads
// the value.
func (p *parser) object(depth int, member func(key string) state) state {
	p.pos++
	for comma := -1; ; {
		switch p.peek() {
		case 0:
			return cut
		case '}':
			p.close(comma)
			return whole
		case '"':
		default:
			return broken
		}
		from := p.pos
		if st := p.str(); st != whole {
			return st
		}
		key, ok := unquote(p.src[from:p.pos])
		if !ok {
			return broken
		}
		switch p.peek() {
		case 0:
			return cut
		case ':':
			p.pos++
		default:
			return broken
		}
		if st := member(key); st != whole {
			return st
		}
		if st := p.separator('}', &comma); st != whole {
			return st
		}
	}
}

// array reads the array at pos. elem is called with the range of each element.
func (p *parser) array(depth int, elem func(from, to int)) state {
	p.pos++
	for comma := -1; ; {
		switch p.peek() {
		case 0:
			return cut
		case ']':
			p.close(comma)
			return whole
		}
		from := p.pos
		if st := p.value(depth + 1); st != whole {
			return st
		}
		elem(from, p.pos)
		if st := p.separator(']', &comma); st != whole {
			return st
		}
	}
}

// separator reads a comma, whose position it sets, or looks at the closing bracket.
func (p *parser) separator(closing byte, comma *int) state {
	switch p.peek() {
	case 0:
		return cut
	case ',':
		*comma = p.pos
		p.pos++
	case closing:
		*comma = -1
	default:
		return broken
	}
	return whole
}

// close reads the closing bracket and removes the comma in front of it, if there
// is one.
func (p *parser) close(comma int) {
	p.pos++
	if comma >= 0 {
		p.src[comma] = ' '
		p.repaired = true
	}
}

// str reads the string at pos.
func (p *parser) str() state {
	from, escaped := p.pos, false
	for p.pos++; p.pos < len(p.src); p.pos++ {
		switch c := p.src[p.pos]; {
		case c == '\\':
			p.pos++
			escaped = true
		case c == '"':
			p.pos++
			if escaped && !json.Valid(p.src[from:p.pos]) {
				return broken
			}
			return whole
		case c < ' ':
			return broken
		}
	}
	p.pos = len(p.src)
	return cut
}

// word reads the number or the constant at pos.
func (p *parser) word() state {
	from := p.pos
	n := bytes.IndexAny(p.src[from:], " \t\n\r,:\"{}[]")
	switch {
	case n < 0:
		p.pos = len(p.src)
		return cut // it may go on
	case !json.Valid(p.src[from : from+n]):
		return broken
	}
	p.pos += n
	return whole
}

// peek skips white space and returns the next byte; 0 at the end of the text.
func (p *parser) peek() byte {
	for ; p.pos < len(p.src); p.pos++ {
		if c := p.src[p.pos]; strings.IndexByte(" \t\n\r", c) < 0 {
			return c
		}
	}
	return 0
}
