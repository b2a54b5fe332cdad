package tomlfile

import (
	"reflect"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/codescan-dev/scanner/internal/nearest"
)

// Rules are what a package knows about its keys in addition to their types. The
// functions may be nil. An empty message means that there is no problem.
type Rules struct {
	// Key checks a key of the file. k is nil for an unknown one: for an empty
	// message, the problem names the nearest known key.
	Key func(name string, k *Key) (message, hint string)
	// Value checks a value whose type is right; text is how a leaf is written
	// in the file, without quotes. For a required key that is missing, value is
	// nil; for an empty message, the problem names the type that is wanted.
	Value func(k *Key, value any, text string) (message, hint string)
}

type decoder struct {
	*Document
	rules Rules
	all   []*Key // of the schema
}

func (d *decoder) decode(root *node, values map[string]any, schema *Key, v any) {
	d.all = schema.All()
	if d.rules.Key == nil {
		d.rules.Key = func(string, *Key) (string, string) { return "", "" }
	}
	if d.rules.Value == nil {
		d.rules.Value = func(*Key, any, string) (string, string) { return "", "" }
	}
	d.table(root, values, schema, reflect.ValueOf(v).Elem())
}

// value sets dst to v, the decoded value of n. What does not fit is reported.
func (d *decoder) value(n *node, v any, k *Key, dst reflect.Value) {
	path := n.path()
	n.decoded = dst
	d.values[path] = n
	if dst.Kind() == reflect.Pointer {
		dst.Set(reflect.New(dst.Type().Elem()))
		dst = dst.Elem()
	}
	var ok bool
	switch dst.Kind() {
	case reflect.Struct, reflect.Map:
		ok = d.table(n, v, k, dst)
	case reflect.Slice:
		ok = d.array(n, v, k, dst)
	default:
		ok = setLeaf(dst, v)
	}
	if !ok {
		d.report(n.value, path, "got "+n.kindText()+", want "+k.Want, "")
		return
	}
	if message, hint := d.rules.Value(k, dst.Interface(), string(n.raw)); message != "" {
		d.report(n.value, path, message, hint)
	}
}

// table decodes a table into a struct or a map. It returns false if v is not a
// table.
func (d *decoder) table(n *node, v any, k *Key, dst reflect.Value) bool {
	if elems, ok := v.([]any); ok && n.kind == unstable.ArrayTable {
		// [[logs]] for [logs]: report it, and check the contents as well.
		d.report(n.value, n.path(), "got an array of tables, want a table", "write ["+n.header()+"]")
		for i, e := range n.nodes {
			d.table(e, elems[i], k, reflect.New(dst.Type()).Elem())
		}
		return true
	}
	values, ok := v.(map[string]any)
	if !ok {
		return false
	}
	if dst.Kind() == reflect.Map {
		dst.Set(reflect.MakeMap(dst.Type()))
		for _, c := range n.nodes {
			elem := reflect.New(dst.Type().Elem()).Elem()
			d.value(c, values[c.name], k.Elem, elem)
			dst.SetMapIndex(reflect.ValueOf(c.name), elem)
		}
		return true
	}
	for _, c := range n.nodes {
		if key := d.key(c, k); key != nil {
			d.value(c, values[c.name], key, key.Field(dst))
		}
	}
	for _, key := range k.Keys {
		path := join(n.path(), key.Name)
		if !key.Required || n.byName[key.Name] != nil || d.known[path] {
			continue
		}
		message, hint := d.rules.Value(key, nil, "")
		if message == "" {
			message = "missing, want " + key.Want
		}
		d.report(n.value, path, message, hint)
	}
	return true
}

// array decodes an array. It returns false if v is not an array.
func (d *decoder) array(n *node, v any, k *Key, dst reflect.Value) bool {
	if n.isTable() && k.Elem.Type.Kind() == reflect.Struct {
		// [skills] for [[skills]]: report it, and check the contents as well.
		hint := ""
		if n.kind == unstable.Table {
			hint = "write [[" + n.header() + "]]"
		}
		d.report(n.value, n.path(), "got a table, want an array of tables", hint)
		return d.table(n, v, k.Elem, reflect.New(k.Elem.Type).Elem())
	}
	elems, ok := v.([]any)
	if !ok || !n.isArray() {
		return false
	}
	dst.Set(reflect.MakeSlice(dst.Type(), len(elems), len(elems)))
	for i, e := range n.nodes {
		d.value(e, elems[i], k.Elem, dst.Index(i))
	}
	return true
}

// setLeaf sets dst to v. It returns false if v has another type.
func setLeaf(dst reflect.Value, v any) bool {
	value := reflect.ValueOf(v)
	switch {
	case value.Kind() == dst.Kind():
	case value.CanInt() && dst.CanFloat():
	case value.CanInt() && dst.CanInt() && !dst.OverflowInt(value.Int()):
	default:
		return false
	}
	dst.Set(value.Convert(dst.Type()))
	return true
}

// key returns the key that n is in table k, or nil after reporting that it must
// not be there.
func (d *decoder) key(n *node, k *Key) *Key {
	c := k.child(n.name)
	message, hint := d.rules.Key(n.name, c)
	switch {
	case c != nil && message == "":
		return c
	case message == "":
		message, hint = d.unknown(n, k)
	}
	d.report(n.key, n.path(), message, hint)
	return nil
}

// unknown describes an unknown key of table k.
func (d *decoder) unknown(n *node, k *Key) (message, hint string) {
	var names, known, elsewhere []string
	for _, c := range k.Keys {
		names = append(names, c.Name)
		if d.allows(c) {
			known = append(known, c.Name)
		}
	}
	if c := k.child(nearest.Word(n.name, names)); c != nil {
		// If it is required, it is not missing, but misspelled.
		d.known[join(n.parent.path(), c.Name)] = true
		if misplaced, _ := d.rules.Key(c.Name, c); misplaced != "" {
			hint = Quote(c.Name) + " " + misplaced
		} else if strings.EqualFold(c.Name, n.name) {
			hint = "keys are case-sensitive"
		}
		return "unknown key, did you mean " + Quote(c.Name) + "?", hint
	}
	for _, c := range d.all {
		if c.Name == n.name && d.allows(c) {
			elsewhere = append(elsewhere, c.Path)
		}
	}
	if len(elsewhere) > 0 {
		return "unknown key in this table, did you mean " + strings.Join(elsewhere, " or ") + "?", ""
	}
	return "unknown key", "known keys are " + strings.Join(known, ", ")
}

// allows reports whether the file may have the key.
func (d *decoder) allows(k *Key) bool {
	message, _ := d.rules.Key(k.Name, k)
	return message == ""
}

func join(path, name string) string { return strings.TrimPrefix(path+"."+name, ".") }
