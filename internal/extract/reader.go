package extract

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// state says how the reading of a value ended.
type state int

const (
	whole  state = iota
	cut          // the text ends within it
	broken       // it goes on in a way that cannot be repaired
)

// value is a part of the text that reads as a JSON array or object. One that is
// cut or broken is closed behind its last whole element.
type value struct {
	start, end int
	state      state
	json       []byte // valid JSON; overwritten by the next read
	bare       bool   // it is an array
	named      bool   // it has a key "findings" somewhere,
	aliased    bool   // or one of its aliases,
	titled     bool   // or "title"
	sketch     bool   // its list has an ellipsis
	inList     bool   // it ends within its list of findings
	partial    bool   // and within an element of it that has begun
}

// maxDepth is the depth of nesting at which a value is taken for garbage. An
// answer has five levels.
const maxDepth = 64

// reader reads JSON as models write it and writes it as it should be. Commas may
// be missing or too many, brackets may be missing at the end, there may be
// comments, keys without quotes, other kinds of quotes, raw newlines and quotes
// in strings, unknown escapes, and the constants of other languages. It keeps its
// own stack and looks ahead only over white space.
type reader struct {
	src    string
	out    []byte
	stack  []frame
	arrays int
	v      value
}

type frame struct {
	array bool
	named bool // it stands under the name of a list
	list  bool // the list of findings, named or bare
	n     int  // whole elements or members
	good  int  // where the output ends that holds them
}

// read reads the array or object that starts at i.
func (r *reader) read(i int) value {
	r.out, r.stack, r.arrays = r.out[:0], r.stack[:0], 0
	r.v = value{start: i, bare: r.src[i] == '['}
	r.push(r.src[i], false)
	for pos := i + 1; ; {
		pos = r.skip(pos)
		if pos >= len(r.src) {
			return r.stop(pos, cut)
		}
		switch c := r.src[pos]; c {
		case ',':
			pos++
			continue
		case '}', ']':
			if !r.close(c) {
				return r.stop(pos, broken)
			}
			pos++
			if len(r.stack) == 0 {
				r.v.end, r.v.json = pos, r.out
				return r.v
			}
			continue
		}
		if n := ellipsis(r.src[pos:]); n > 0 {
			for _, f := range r.stack {
				r.v.sketch = r.v.sketch || f.named
			}
			pos += n
			continue
		}
		f := &r.stack[len(r.stack)-1]
		if f.n > 0 {
			r.out = append(r.out, ',')
		}
		role, named := element, false
		if !f.array {
			var st state
			if pos, named, st = r.key(pos); st != whole {
				return r.stop(pos, st)
			}
			role = memberValue
		}
		if c := r.src[pos]; c == '{' || c == '[' {
			if len(r.stack) == maxDepth {
				return r.stop(pos, broken)
			}
			r.push(c, named)
			pos++
			continue
		}
		end, st := r.scalar(pos, role)
		if st != whole {
			return r.stop(end, st)
		}
		pos = end
		r.done()
	}
}

func (r *reader) push(c byte, named bool) {
	f := frame{array: c == '[', named: named}
	f.list = f.array && r.arrays == 0 && (named || len(r.stack) == 0)
	if f.array {
		r.arrays++
	}
	r.out = append(r.out, c)
	f.good = len(r.out)
	r.stack = append(r.stack, f)
}

// done counts a value that is whole.
func (r *reader) done() {
	if len(r.stack) > 0 {
		f := &r.stack[len(r.stack)-1]
		f.n++
		f.good = len(r.out)
	}
}

// close closes the innermost frame that c fits, and those within it, whose own
// brackets are missing.
func (r *reader) close(c byte) bool {
	k := len(r.stack) - 1
	for k >= 0 && r.stack[k].array != (c == ']') {
		k--
	}
	if k < 0 {
		return false
	}
	for len(r.stack) > k {
		r.pop()
	}
	return true
}

func (r *reader) pop() {
	f := r.stack[len(r.stack)-1]
	r.stack = r.stack[:len(r.stack)-1]
	if f.array {
		r.arrays--
		r.out = append(r.out[:f.good], ']')
	} else {
		r.out = append(r.out[:f.good], '}')
	}
	r.done()
}

// unreadable stands in a list for the element that broke it.
const unreadable = `"this finding is not valid JSON"`

// stop ends a value that is not whole: it is closed behind the last whole element
// of its outermost array, so that no half of a finding passes for one, or, when
// no array is open, behind the last whole member.
func (r *reader) stop(pos int, st state) value {
	k := len(r.stack) - 1
	for i, f := range r.stack {
		if f.array {
			k = i
			break
		}
	}
	f := r.stack[k]
	r.v.inList = f.list
	r.v.partial = k+1 < len(r.stack) && (r.stack[k+1].n > 0 || k+2 < len(r.stack))
	r.out = r.out[:f.good]
	r.stack = r.stack[:k+1]
	if st == broken && r.v.inList && r.v.partial && f.n > 0 {
		r.out = append(r.out, ","+unreadable...)
		r.done()
	}
	for len(r.stack) > 0 {
		r.pop()
	}
	r.v.end, r.v.state, r.v.json = pos, st, r.out
	return r.v
}

// key reads a key and its colon, and reports whether it names a list.
func (r *reader) key(pos int) (end int, named bool, st state) {
	from := len(r.out)
	if _, n := quote(r.src[pos:]); n > 0 {
		if pos, st = r.str(pos, memberKey); st != whole {
			return pos, false, st
		}
	} else {
		end = pos
		for end < len(r.src) && (isWord(r.src[end]) || r.src[end] == '-') {
			end++
		}
		if end == pos {
			return pos, false, broken
		}
		r.out = append(r.out, '"')
		r.out = append(r.out, r.src[pos:end]...)
		r.out = append(r.out, '"')
		pos = end
	}
	named = r.note(r.out[from+1 : len(r.out)-1])
	if pos = r.skip(pos); pos >= len(r.src) {
		return pos, named, cut
	}
	if r.src[pos] != ':' {
		return pos, named, broken
	}
	r.out = append(r.out, ':')
	if pos = r.skip(pos + 1); pos >= len(r.src) {
		return pos, named, cut
	}
	return pos, named, whole
}

// note remembers the keys that tell what the value may be.
func (r *reader) note(key []byte) (list bool) {
	if len(key) > 2*len("vulnerabilities") {
		return false
	}
	switch name := fold(string(key)); name {
	case listKey:
		r.v.named = true
		return true
	case "title":
		r.v.titled = true
	default:
		for _, alias := range listAliases {
			if name == alias {
				r.v.aliased = true
				return true
			}
		}
	}
	return false
}

// skip goes over white space and comments.
func (r *reader) skip(pos int) int {
	for pos < len(r.src) {
		n := 0
		switch rest := r.src[pos:]; {
		case isSpace(rest[0]):
			n = 1
		case strings.HasPrefix(rest, "//"):
			n = comment(rest, "\n")
		case strings.HasPrefix(rest, "/*"):
			n = comment(rest, "*/")
		case strings.HasPrefix(rest, "\u00a0"), strings.HasPrefix(rest, "\ufeff"), strings.HasPrefix(rest, "\u200b"):
			_, n = utf8.DecodeRuneInString(rest)
		}
		if n == 0 {
			return pos
		}
		pos += n
	}
	return pos
}

// maxComment bounds a comment, so that one of prose hides no answer and none is
// searched for its end again and again.
const maxComment = 500

// comment returns the length of the comment that s starts with; 0 if there is an
// object in it, which is more than people comment on.
func comment(s, end string) int {
	n := len(s)
	if i := strings.Index(s[:min(n, maxComment)], end); i >= 0 {
		n = i + len(end)
	} else if n > maxComment {
		return 0
	}
	if strings.Contains(s[:n], `{"`) {
		return 0
	}
	return n
}

func ellipsis(s string) int {
	for _, e := range []string{"...", "…"} {
		if strings.HasPrefix(s, e) {
			return len(e)
		}
	}
	return 0
}

// scalar reads a string, a number or a constant.
func (r *reader) scalar(pos int, as role) (end int, st state) {
	if _, n := quote(r.src[pos:]); n > 0 {
		return r.str(pos, as)
	}
	end = pos
	for end < len(r.src) && (isWord(r.src[end]) || strings.IndexByte("+-.", r.src[end]) >= 0) {
		end++
	}
	word := r.src[pos:end]
	switch {
	case end == len(r.src):
		return end, cut // it may go on
	case word == "":
		return pos, broken
	case word == "true" || word == "false" || word == "null":
		r.out = append(r.out, word...)
		return end, whole
	case word == "True" || word == "False":
		r.out = append(r.out, strings.ToLower(word)...)
		return end, whole
	}
	switch strings.TrimLeft(word, "+-") {
	case "None", "nil", "undefined", "NaN", "Infinity", "inf":
		r.out = append(r.out, "null"...)
		return end, whole
	}
	switch c := word[0]; {
	case (c == '-' || '0' <= c && c <= '9') && json.Valid([]byte(word)):
		r.out = append(r.out, word...)
	case strings.IndexByte("+-.0123456789", c) >= 0 && strings.ContainsAny(word, "0123456789"):
		r.out = append(r.out, '"') // such as 12-15, which is for Decode to read
		r.out = append(r.out, word...)
		r.out = append(r.out, '"')
	default:
		return pos, broken
	}
	return end, whole
}
