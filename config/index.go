package config

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2/unstable"
)

// An index knows where in a TOML text each key and value stands. The decoder
// knows it only for unknown keys, and there without the indexes of arrays.
type index struct {
	name  string
	text  []byte
	lines []int // offsets of the beginnings of lines
	root  *node
}

// node is a value: a table, an array, or a leaf.
type node struct {
	parent *node
	name   string // the key in a table
	elem   int    // the position in an array
	kind   unstable.Kind
	key    int    // offset of the key; of an array's element, that of its value
	value  int    // offset of the value, or of the key where it is a section
	raw    []byte // text of a leaf, without quotes

	// Children, in the order of the text. byName is nil for an array.
	nodes  []*node
	byName map[string]*node
}

// buildIndex reads text, which must be valid TOML; of an invalid text it knows
// what stands before the first error.
func buildIndex(name string, text []byte) *index {
	x := &index{name: name, text: text, lines: []int{0}, root: &node{kind: unstable.Table}}
	for i, c := range text {
		if c == '\n' {
			x.lines = append(x.lines, i+1)
		}
	}
	var p unstable.Parser
	p.Reset(text)
	section := x.root
	for p.NextExpression() {
		switch e := p.Expression(); e.Kind {
		case unstable.Table, unstable.ArrayTable:
			section = x.section(e)
		case unstable.KeyValue:
			x.keyValue(section, e)
		}
	}
	return x
}

// section finds or makes the table of a header. A path leads through the last
// element of each array of tables.
func (x *index) section(e *unstable.Node) *node {
	n, at := x.root, 0
	keys := e.Key()
	for keys.Next() {
		k := keys.Node()
		at = int(k.Raw.Offset)
		n = n.last().child(string(k.Data), at)
	}
	// The place of a header is its last key; a table that was made on the way
	// to a subtable is at home where its own header stands.
	if len(n.nodes) == 0 || n.kind == unstable.Table {
		n.key, n.value = at, at
	}
	if e.Kind == unstable.ArrayTable {
		n.kind = unstable.ArrayTable
		n.byName = nil
		return n.add(&node{kind: unstable.Table, key: at, value: at})
	}
	return n.last()
}

func (x *index) keyValue(table *node, e *unstable.Node) {
	n, end := table, 0
	keys := e.Key()
	for keys.Next() {
		k := keys.Node()
		n = n.last().child(string(k.Data), int(k.Raw.Offset))
		end = int(k.Raw.Offset + k.Raw.Length)
	}
	// Not every value knows its place, but it follows the key and "=".
	rest := bytes.TrimLeft(x.text[end:], " \t")
	rest = bytes.TrimLeft(bytes.TrimPrefix(rest, []byte("=")), " \t")
	x.fill(n, e.Value(), len(x.text)-len(rest))
}

func (x *index) fill(n *node, v *unstable.Node, at int) {
	n.kind, n.value = v.Kind, at
	switch v.Kind {
	case unstable.Array:
		for c := v.Children(); c.Next(); {
			at := n.value // arrays in arrays do not know their place
			if r := c.Node().Raw; r.Length > 0 {
				at = int(r.Offset)
			}
			x.fill(n.add(&node{key: at}), c.Node(), at)
		}
	case unstable.InlineTable:
		for c := v.Children(); c.Next(); {
			x.keyValue(n, c.Node())
		}
	default:
		n.raw = v.Data
	}
}

// child returns the value of a key, made as a table if it is new.
func (n *node) child(name string, at int) *node {
	if c := n.byName[name]; c != nil {
		return c
	}
	c := n.add(&node{name: name, kind: unstable.Table, key: at, value: at})
	if n.byName == nil {
		n.byName = make(map[string]*node)
	}
	n.byName[name] = c
	return c
}

func (n *node) add(c *node) *node {
	c.parent, c.elem = n, len(n.nodes)
	n.nodes = append(n.nodes, c)
	return c
}

// last returns the element that a section below an array of tables belongs to;
// of anything else, n.
func (n *node) last() *node {
	if n.kind == unstable.ArrayTable && len(n.nodes) > 0 {
		return n.nodes[len(n.nodes)-1]
	}
	return n
}

func (n *node) isArray() bool {
	return n.kind == unstable.Array || n.kind == unstable.ArrayTable
}

func (n *node) isTable() bool {
	return n.kind == unstable.Table || n.kind == unstable.InlineTable
}

// path returns the key path of n, with array indexes.
func (n *node) path() string {
	var parts []string
	for ; n.parent != nil; n = n.parent {
		switch {
		case n.parent.isArray():
			parts = append(parts, "["+strconv.Itoa(n.elem)+"]")
		case n.parent.parent == nil:
			parts = append(parts, keyText(n.name))
		default:
			parts = append(parts, "."+keyText(n.name))
		}
	}
	var b strings.Builder
	for i := len(parts) - 1; i >= 0; i-- {
		b.WriteString(parts[i])
	}
	return b.String()
}

// keyText writes a key as TOML does: bare, or in quotes.
func keyText(key string) string {
	bare := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '-'
	}
	if key != "" && strings.TrimFunc(key, bare) == "" {
		return key
	}
	return quote(key)
}

// find returns the node at a path as the validator writes it
// ("skills[0].triggers[1].type"), or, if it is missing, the nearest one above,
// and whether it is there.
func (x *index) find(path string) (*node, bool) {
	n := x.root
	for path != "" {
		var c *node
		if rest, ok := strings.CutPrefix(path, "["); ok {
			number, tail, _ := strings.Cut(rest, "]")
			path = strings.TrimPrefix(tail, ".")
			i, err := strconv.Atoi(number)
			switch {
			case err == nil && n.isArray() && i < len(n.nodes):
				c = n.nodes[i]
			case i == 0 && n.isTable(): // [skills] where [[skills]] is meant
				c = n
			}
		} else {
			end := strings.IndexAny(path, ".[")
			name, tail := path, ""
			if end >= 0 {
				name, tail = path[:end], strings.TrimPrefix(path[end:], ".")
			}
			path = tail
			if n.kind == unstable.ArrayTable { // [[logs]] where [logs] is meant
				n = n.nodes[0]
			}
			c = n.byName[name]
		}
		if c == nil {
			return n, false
		}
		n = c
	}
	return n, true
}

// at returns the innermost value that begins at an offset, or nil.
func (x *index) at(offset int) *node {
	var found *node
	var visit func(n *node)
	visit = func(n *node) {
		if n.parent != nil && (n.value == offset || n.key == offset) {
			found = n
		}
		for _, c := range n.nodes {
			visit(c)
		}
	}
	visit(x.root)
	return found
}

// line returns the line of an offset, from 1.
func (x *index) line(offset int) int {
	return sort.SearchInts(x.lines, offset+1)
}

// defect is a [Problem] that does not know its line and column yet.
type defect struct {
	node    *node // the value, or the nearest one above; nil if there is none
	missing bool  // the value is not in the text
	offset  int
	path    string
	text    string
	hint    string
}

// problems sorts defects by their place and computes lines and columns, counting
// each line once, however many defects it has.
func (x *index) problems(ds []defect) []Problem {
	slices.SortStableFunc(ds, func(a, b defect) int {
		return cmp.Or(cmp.Compare(a.offset, b.offset), cmp.Compare(a.path, b.path), cmp.Compare(a.text, b.text))
	})
	ps := make([]Problem, len(ds))
	last, column := 0, 1 // of the defect before
	for i, d := range ds {
		offset := min(d.offset, len(x.text))
		for offset < len(x.text) && !utf8.RuneStart(x.text[offset]) && offset > last {
			offset-- // the decoder may point into a character
		}
		line := x.line(offset)
		if start := x.lines[line-1]; start > last {
			last, column = start, 1
		}
		column += utf8.RuneCount(x.text[last:offset])
		last = offset
		ps[i] = Problem{File: x.name, Line: line, Column: column, Path: d.path, Message: d.text, Hint: d.hint}
	}
	return ps
}
