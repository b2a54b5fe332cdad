package extract

import (
	"fmt"
	"strings"
)

// role says what a string is, which tells what may follow it.
type role int

const (
	memberKey role = iota
	memberValue
	element
)

// quoteKind is a family of quotation marks. Each closes what it opened.
type quoteKind int

const (
	doubleQuotes quoteKind = iota
	singleQuotes
	backQuotes
	smartQuotes
)

// quote returns the kind and length of the quotation mark that s starts with; a
// length of 0 if it does not start with one.
func quote(s string) (quoteKind, int) {
	switch s[0] {
	case '"':
		return doubleQuotes, 1
	case '\'':
		return singleQuotes, 1
	case '`':
		return backQuotes, 1
	case "“"[0]:
		for _, q := range []string{"“", "”", "„"} {
			if strings.HasPrefix(s, q) {
				return smartQuotes, len(q)
			}
		}
	}
	return 0, 0
}

// str reads the string at pos and writes it as JSON. A quotation mark that
// nothing follows that may follow a string of its role belongs to the string;
// in valid JSON there is none such.
func (r *reader) str(pos int, as role) (end int, st state) {
	src := r.src
	kind, n := quote(src[pos:])
	pos += n
	r.out = append(r.out, '"')
	for pos < len(src) {
		switch c := src[pos]; {
		case c == '\\':
			if pos++; pos == len(src) {
				return pos, cut
			}
			pos += r.escape(pos)
			continue
		case c < ' ':
			r.control(c)
			pos++
			continue
		case c == '"' || c == '\'' || c == '`' || c == "“"[0]:
			k, n := quote(src[pos:])
			if n == 0 {
				break
			}
			if k == kind && r.ends(pos+n, as, kind) {
				r.out = append(r.out, '"')
				return pos + n, whole
			}
			if c == '"' {
				r.out = append(r.out, '\\')
			}
			r.out = append(r.out, src[pos:pos+n]...)
			pos += n
			continue
		}
		r.out = append(r.out, src[pos])
		pos++
	}
	return pos, cut
}

// escape writes the escape sequence whose second byte is at pos, and returns the
// length of it less the backslash.
func (r *reader) escape(pos int) int {
	switch c := r.src[pos]; c {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		r.out = append(r.out, '\\', c)
		return 1
	case 'u':
		if pos+5 <= len(r.src) && isHex(r.src[pos+1:pos+5]) {
			r.out = append(r.out, '\\')
			r.out = append(r.out, r.src[pos:pos+5]...)
			return 5
		}
	case '\'', '`':
		r.out = append(r.out, c)
		return 1
	case '\n', '\r':
		return 0 // a continued line: the newline stays, the backslash goes
	}
	r.out = append(r.out, `\\`...)
	return 0
}

func (r *reader) control(c byte) {
	switch c {
	case '\n':
		r.out = append(r.out, `\n`...)
	case '\r':
		r.out = append(r.out, `\r`...)
	case '\t':
		r.out = append(r.out, `\t`...)
	default:
		r.out = fmt.Appendf(r.out, `\u%04x`, c)
	}
}

func isHex(s string) bool {
	for i := range len(s) {
		if !strings.Contains("0123456789abcdefABCDEF", s[i:i+1]) {
			return false
		}
	}
	return true
}

// ends reports whether a string of that role may end before pos.
func (r *reader) ends(pos int, as role, kind quoteKind) bool {
	src := r.src
	pos = space(src, pos)
	if pos == len(src) {
		return true
	}
	c := src[pos]
	if c == '/' && pos+1 < len(src) && (src[pos+1] == '/' || src[pos+1] == '*') {
		return true // a comment
	}
	switch as {
	case memberKey:
		return c == ':'
	case element:
		return c == ',' || c == ']'
	}
	switch c {
	case '}':
		return true
	case ',':
	default:
		return false
	}
	// A comma is followed by another member, or it is one of a sentence.
	pos = space(src, pos+1)
	if pos == len(src) || strings.IndexByte("}/", src[pos]) >= 0 {
		return true
	}
	if k, n := quote(src[pos:]); n > 0 {
		return k == kind || kind != doubleQuotes
	}
	const maxName = 40
	for i := 0; i < maxName && pos+i < len(src); i++ {
		if !isWord(src[pos+i]) {
			next := space(src[:min(len(src), pos+i+maxName)], pos+i)
			return i > 0 && next < len(src) && src[next] == ':'
		}
	}
	return false
}

func space(s string, pos int) int {
	for pos < len(s) && isSpace(s[pos]) {
		pos++
	}
	return pos
}
