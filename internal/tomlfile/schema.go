package tomlfile

import (
	"reflect"
	"strings"
)

// Key is a key that a file may have, the root, or the element of an array or a
// map. The keys of a file are made from the type that it is decoded into, so
// that there is one list of them.
type Key struct {
	// Name is empty for the root and for elements.
	Name string
	// Path has "[]" for each array and "<name>" for each key of a map, for
	// instance "skills[].name".
	Path string
	Type reflect.Type
	Tag  reflect.StructTag
	// Rule is the part of the validate tag that is about the value itself. What
	// follows "dive" in the tag of an array is the rule of its elements.
	Rule     string
	Required bool
	// Want describes what is allowed.
	Want string

	Keys []*Key // of a table, in the order of the type
	Elem *Key   // of an array or a map

	index []int // of the field, in the struct that has it
}

// NewSchema returns the root of the keys of T, a struct. A field is a key if it
// has the tag toml; the fields of embedded structs belong to the struct around
// them. The function want, given a key whose other fields are set, describes what
// is allowed; for an empty text, and without it, the type does.
func NewSchema[T any](want func(*Key) string) *Key {
	root := &Key{Type: reflect.TypeFor[T]()}
	root.build(want)
	return root
}

func (k *Key) build(want func(*Key) string) {
	t := k.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	k.Type = t
	switch t.Kind() {
	case reflect.Struct:
		for _, f := range reflect.VisibleFields(t) {
			name := f.Tag.Get("toml")
			if name == "" {
				continue
			}
			c := &Key{
				Name: name, Path: strings.TrimPrefix(k.Path+"."+name, "."), Type: f.Type,
				Tag: f.Tag, Rule: f.Tag.Get("validate"), index: f.Index,
			}
			rule, required := strings.CutPrefix(c.Rule, "required")
			if required {
				c.Rule, c.Required = strings.TrimPrefix(rule, ","), true
			}
			c.build(want)
			k.Keys = append(k.Keys, c)
		}
	case reflect.Slice:
		k.Elem = &Key{Path: k.Path + "[]", Type: t.Elem()}
		own, elem, _ := strings.Cut(k.Rule, "dive")
		k.Rule, k.Elem.Rule = strings.TrimSuffix(own, ","), strings.TrimPrefix(elem, ",")
		k.Elem.build(want)
	case reflect.Map:
		k.Elem = &Key{Path: k.Path + ".<name>", Type: t.Elem()}
		k.Elem.build(want)
	}
	if want != nil {
		k.Want = want(k)
	}
	if k.Want == "" {
		k.Want = k.wantType()
	}
}

func (k *Key) wantType() string {
	switch k.Type.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Float64:
		return "a number"
	case reflect.Slice:
		// Elements are described as "a glob", the array as "an array of globs".
		if _, noun, _ := strings.Cut(k.Elem.Want, " "); !strings.Contains(noun, " ") {
			return "an array of " + noun + "s"
		}
		return "an array, each element " + k.Elem.Want
	case reflect.Struct, reflect.Map:
		return "a table"
	default:
		return "a whole number"
	}
}

// All returns k and every key below it.
func (k *Key) All() []*Key {
	all := []*Key{k}
	for _, c := range k.Keys {
		all = append(all, c.All()...)
	}
	if k.Elem != nil {
		all = append(all, k.Elem.All()...)
	}
	return all
}

// Find returns the key at a path, or nil.
func (k *Key) Find(path string) *Key {
	for _, c := range k.All() {
		if c.Path == path {
			return c
		}
	}
	return nil
}

// Field returns the value of k in a struct of the type that has it.
func (k *Key) Field(table reflect.Value) reflect.Value { return table.FieldByIndex(k.index) }

// child returns the key of table k with a name, or nil.
func (k *Key) child(name string) *Key {
	for _, c := range k.Keys {
		if c.Name == name {
			return c
		}
	}
	return nil
}
