package tomlfile

import (
	"bytes"
	"reflect"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/codescan-dev/scanner/internal/text"
)

// node is a value and its place in the text: a table, an array, or a leaf. The
// decoder reports places only for unknown keys, and those without the indexes of
// arrays.
type node struct {
	parent *node
	name   string // the key in a table
	elem   int    // the position in an array
	kind   unstable.Kind
	key    int    // offset of the key; of an array's element, that of its value
	value  int    // offset of the value, or of the key if it is a section
	end    int    // offset of the end of the value, if it is a string
	raw    []byte // text of a leaf, without quotes
	// decoded is where the value went; not set for an unknown key.
	decoded reflect.Value

	// Children, in the order of the text. byName is nil for an array.
	nodes  []*node
	byName map[string]*node
}

// parseTree parses valid TOML. Of other text it returns what comes before the
// first error.
func parseTree(data []byte) *node {
	root := &node{kind: unstable.Table}
	var p unstable.Parser
	p.Reset(data)
	section := root
	for p.NextExpression() {
		switch e := p.Expression(); e.Kind {
		case unstable.Table, unstable.ArrayTable:
			section = root.section(e)
		case unstable.KeyValue:
			section.keyValue(data, e)
		}
	}
	return root
}

// section finds or adds the table of a header. A path leads through the last
// element of each array of tables.
func (root *node) section(e *unstable.Node) *node {
	n, at := root, 0
	keys := e.Key()
	for keys.Next() {
		k := keys.Node()
		at = int(k.Raw.Offset)
		n = n.last().child(string(k.Data), at)
	}
	// The place of a header is its last key. A table that was added for a
	// subtable gets its place from its own header.
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

func (n *node) keyValue(data []byte, e *unstable.Node) {
	end := 0
	keys := e.Key()
	for keys.Next() {
		k := keys.Node()
		n = n.last().child(string(k.Data), int(k.Raw.Offset))
		end = int(k.Raw.Offset + k.Raw.Length)
	}
	// The parser has no offset for some values, but a value follows "=".
	rest := bytes.TrimLeft(data[end:], " \t")
	rest = bytes.TrimLeft(bytes.TrimPrefix(rest, []byte("=")), " \t")
	n.fill(data, e.Value(), len(data)-len(rest))
}

func (n *node) fill(data []byte, v *unstable.Node, at int) {
	n.kind, n.value = v.Kind, at
	switch v.Kind {
	case unstable.Array:
		for c := v.Children(); c.Next(); {
			at := n.value // an array in an array has no offset
			if r := c.Node().Raw; r.Length > 0 {
				at = int(r.Offset)
			}
			n.add(&node{key: at}).fill(data, c.Node(), at)
		}
	case unstable.InlineTable:
		for c := v.Children(); c.Next(); {
			n.keyValue(data, c.Node())
		}
	default:
		n.raw, n.end = v.Data, at+int(v.Raw.Length)
	}
}

// crowded returns the first key that is too many in its table; nil if there is
// none.
func (n *node) crowded() *node {
	if n.byName != nil && len(n.nodes) > maxKeys {
		return n.nodes[maxKeys]
	}
	for _, c := range n.nodes {
		if k := c.crowded(); k != nil {
			return k
		}
	}
	return nil
}

// child returns the value of a key, added as a table if it is new.
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

// last returns the last element of an array of tables, to which the sections
// below it belong; of anything else, n.
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
			parts = append(parts, QuoteKey(n.name))
		default:
			parts = append(parts, "."+QuoteKey(n.name))
		}
	}
	var b strings.Builder
	for i := len(parts) - 1; i >= 0; i-- {
		b.WriteString(parts[i])
	}
	return b.String()
}

// header returns the path of n as a section header has it, without indexes.
func (n *node) header() string {
	var keys []string
	for ; n.parent != nil; n = n.parent {
		if !n.parent.isArray() {
			keys = append([]string{QuoteKey(n.name)}, keys...)
		}
	}
	return strings.Join(keys, ".")
}

// at returns the innermost value that begins at an offset, or nil.
func (n *node) at(offset int) *node {
	var found *node
	if n.parent != nil && (n.value == offset || n.key == offset) {
		found = n
	}
	for _, c := range n.nodes {
		if inner := c.at(offset); inner != nil {
			found = inner
		}
	}
	return found
}

// kindText names the kind of a value in a message.
func (n *node) kindText() string {
	switch n.kind {
	case unstable.String:
		return "a string"
	case unstable.Bool:
		return "a boolean"
	case unstable.Integer:
		return "a whole number"
	case unstable.Float:
		return "a number with a fraction"
	case unstable.Array:
		return "an array"
	case unstable.ArrayTable:
		return "an array of tables"
	case unstable.Table, unstable.InlineTable:
		return "a table"
	default:
		return "a date or time"
	}
}

// QuoteKey returns a key as TOML has it in a path: bare, or in quotes.
func QuoteKey(key string) string {
	bare := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '-'
	}
	if key != "" && strings.TrimFunc(key, bare) == "" {
		return key
	}
	return Quote(key)
}

// Quote returns s in quotes, cut if it is long.
func Quote(s string) string { return strconv.Quote(text.Truncate(s, 60)) }
