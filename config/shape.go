package config

import (
	"math"
	"reflect"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// shaper compares a decoded text with the schema and takes out what does not
// fit, so that the rest can still be read and validated: one report for
// everything that is wrong.
type shaper struct {
	x       *index
	in      scope
	defects []defect
	// removed holds the values that were taken out, and meant the paths of the
	// keys that misspelled ones probably mean: nothing more is to be said about
	// them.
	removed map[*node]bool
	meant   map[string]bool
}

func (s *shaper) report(n *node, offset int, message, hint string) {
	s.defects = append(s.defects, defect{node: n, offset: offset, path: n.path(), text: message, hint: hint})
}

// follows reports whether d is a mere consequence of what was reported before.
func (s *shaper) follows(d defect) bool {
	if d.missing && s.meant[d.path] {
		return true
	}
	for n := d.node; n != nil; n = n.parent {
		if s.removed[n] {
			return true
		}
	}
	return false
}

// value returns v, the decoded value of n, without what c does not allow. It
// reports whether anything is left.
func (s *shaper) value(n *node, v any, c *schema) (any, bool) {
	switch c.typ.Kind() {
	case reflect.Struct, reflect.Map:
		return s.table(n, v, c)
	case reflect.Slice:
		return s.array(n, v, c)
	case reflect.String:
		if text, ok := v.(string); ok {
			return text, true
		}
	case reflect.Bool:
		if b, ok := v.(bool); ok {
			return b, true
		}
	case reflect.Int, reflect.Int64:
		if i, ok := v.(int64); ok {
			if c.typ.Kind() == reflect.Int && (i > math.MaxInt || i < math.MinInt) {
				break
			}
			return i, true
		}
	case reflect.Float64:
		switch f := v.(type) {
		case float64:
			return f, true
		case int64:
			return float64(f), true
		}
	}
	return s.mismatch(n, c)
}

// mismatch takes out a value of a wrong type.
func (s *shaper) mismatch(n *node, c *schema) (any, bool) {
	s.removed[n] = true
	message := "got " + kindText(n.kind) + ", want " + c.want
	if c.path == "version" {
		message += ": `version = 1` is required"
	}
	s.report(n, n.value, message, "")
	return nil, false
}

func (s *shaper) table(n *node, v any, c *schema) (any, bool) {
	if n.kind == unstable.ArrayTable && c.elem == nil {
		// [[logs]] for [logs]: report it, and look at the contents as well.
		s.report(n, n.value, "got an array of tables, want a table", "write ["+sectionName(n)+"]")
		elems := v.([]any)
		for i, e := range n.nodes {
			kept, _ := s.table(e, elems[i], c)
			if i == 0 {
				v = kept
			}
		}
		return v, true
	}
	m, ok := v.(map[string]any)
	if !ok {
		return s.mismatch(n, c)
	}
	for _, child := range n.nodes {
		f := c.elem
		if c.typ.Kind() == reflect.Struct {
			f = s.key(child, c)
		}
		if f != nil {
			if kept, ok := s.value(child, m[child.name], f); ok {
				m[child.name] = kept
				continue
			}
		}
		delete(m, child.name)
	}
	return m, true
}

func (s *shaper) array(n *node, v any, c *schema) (any, bool) {
	if n.isTable() && c.arrayOfTables() {
		// [skills] for [[skills]].
		hint := ""
		if n.kind == unstable.Table {
			hint = "write [[" + sectionName(n) + "]]"
		}
		s.report(n, n.value, "got a table, want an array of tables", hint)
		kept, ok := s.value(n, v, c.elem)
		return []any{kept}, ok
	}
	elems, ok := v.([]any)
	if !ok || !n.isArray() {
		return s.mismatch(n, c)
	}
	kept := make([]any, len(elems))
	for i, e := range n.nodes {
		if kept[i], ok = s.value(e, elems[i], c.elem); !ok {
			// The others keep their indexes.
			kept[i] = reflect.Zero(c.elem.typ).Interface()
			if c.elem.typ.Kind() == reflect.Struct {
				kept[i] = map[string]any{}
			}
		}
	}
	return kept, true
}

// key returns the schema of a key of table c, or nil after reporting that it
// must not stand here.
func (s *shaper) key(n *node, c *schema) *schema {
	f := c.field(n.name)
	switch {
	case f != nil && f.belongs(s.in):
		return f
	case f != nil:
		s.report(n, n.key, misplaced(f.in), "")
	case isAPIKey(n.name):
		s.report(n, n.key, "an API key does not belong in a file", "set it in the environment only: SCANNER_PROVIDER_API_KEY")
	default:
		message, hint := "unknown key", ""
		if f = c.similar(n.name, s.in); f != nil {
			message += ", did you mean " + quote(f.name) + "?"
			if strings.EqualFold(f.name, n.name) {
				hint = "keys are case-sensitive"
			}
			if !f.belongs(s.in) {
				hint = quote(f.name) + " " + misplaced(f.in)
			}
			// A key that is required is not missing, but misspelled.
			s.meant[strings.TrimPrefix(n.parent.path()+"."+f.name, ".")] = true
		} else if paths := elsewhere(n.name, s.in); len(paths) > 0 {
			message += " in this table, did you mean " + strings.Join(paths, " or ") + "?"
		} else {
			hint = "known keys are " + s.known(c)
		}
		s.report(n, n.key, message, hint)
	}
	return nil
}

func (s *shaper) known(c *schema) string {
	var names []string
	for _, f := range c.fields {
		if f.anything(s.in) {
			names = append(names, f.name)
		}
	}
	return strings.Join(names, ", ")
}

// misplaced says where a key belongs that only the other file may hold.
func misplaced(in scope) string {
	if in == inUser {
		return "belongs in the user's file, $XDG_CONFIG_HOME/scanner/config.toml: a change of the repository must not set it"
	}
	return "belongs in scanner.toml of the repository"
}

func isAPIKey(name string) bool {
	name = strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
	return name == "apikey" || name == "scannerproviderapikey"
}

// sectionName returns the path of a header, which has no array indexes.
func sectionName(n *node) string {
	var keys []string
	for ; n.parent != nil; n = n.parent {
		if !n.parent.isArray() {
			keys = append([]string{keyText(n.name)}, keys...)
		}
	}
	return strings.Join(keys, ".")
}

func kindText(k unstable.Kind) string {
	switch k {
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
