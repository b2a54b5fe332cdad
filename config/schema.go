package config

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/codescan-dev/scanner/internal/nearest"
)

// scope says which of the two files is read.
type scope string

const (
	inProject scope = "project" // scanner.toml
	inUser    scope = "user"    // the user's file
)

// schema is what is known about a key: it is made from the types of [File], so
// that there is one list of keys.
type schema struct {
	name string // the key; empty for the root and for elements
	path string // with "[]" for each array, "<name>" for a key of a map
	want string // what is allowed, in words
	in   scope  // the only file that may hold the key; empty for both
	typ  reflect.Type

	fields []*schema // of a table, in the order of the type
	elem   *schema   // of an array or a map
}

var fileSchema = sync.OnceValue(func() *schema {
	return newSchema(reflect.TypeFor[File](), schema{want: "a table"})
})

func newSchema(t reflect.Type, s schema) *schema {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	s.typ = t
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			name := f.Tag.Get("toml")
			if name == "" {
				continue
			}
			field := schema{
				name: name,
				path: strings.TrimPrefix(s.path+"."+name, "."),
				want: f.Tag.Get("want"),
				in:   scope(f.Tag.Get("in")),
			}
			n := newSchema(f.Type, field)
			if n.elem != nil {
				n.elem.want = cmp.Or(f.Tag.Get("item"), "a table")
			}
			s.fields = append(s.fields, n)
		}
	case reflect.Slice:
		s.elem = newSchema(t.Elem(), schema{path: s.path + "[]"})
	case reflect.Map:
		s.elem = newSchema(t.Elem(), schema{path: s.path + ".<name>"})
	}
	return &s
}

func (s *schema) field(name string) *schema {
	for _, f := range s.fields {
		if f.name == name {
			return f
		}
	}
	return nil
}

// belongs reports whether a file may hold the key.
func (s *schema) belongs(in scope) bool { return s.in == "" || s.in == in }

// anything reports whether a file may hold the key or something below it.
func (s *schema) anything(in scope) bool {
	return s.belongs(in) && (len(s.fields) == 0 ||
		slices.ContainsFunc(s.fields, func(f *schema) bool { return f.anything(in) }))
}

// arrayOfTables reports whether s is written with [[ ]].
func (s *schema) arrayOfTables() bool {
	return s.typ.Kind() == reflect.Slice && s.elem.typ.Kind() == reflect.Struct
}

// visit calls f for s and everything below it.
func (s *schema) visit(f func(*schema)) {
	f(s)
	for _, c := range s.fields {
		c.visit(f)
	}
	if s.elem != nil {
		s.elem.visit(f)
	}
}

// wanted returns what is allowed at a path without indexes, as "skills[].name".
func (s *schema) wanted(path string) string {
	var want string
	s.visit(func(c *schema) {
		if c.path == path {
			want = c.want
		}
	})
	return want
}

// similar returns the key of table s that an unknown name most likely means, or
// nil if none is close.
func (s *schema) similar(name string, in scope) *schema {
	var words []string
	for _, f := range s.fields {
		if f.belongs(in) {
			words = append(words, f.name)
		}
	}
	for _, f := range s.fields { // of two that are as close, the allowed one wins
		if !f.belongs(in) {
			words = append(words, f.name)
		}
	}
	return s.field(nearest.Word(name, words))
}

// elsewhere returns the paths of the keys that are called name, wherever they
// stand in the file.
func elsewhere(name string, in scope) []string {
	var paths []string
	fileSchema().visit(func(c *schema) {
		if c.name == name && c.belongs(in) {
			paths = append(paths, c.path)
		}
	})
	return paths
}
