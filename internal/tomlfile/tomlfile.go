// Package tomlfile decodes TOML files strictly, and reports everything that is
// wrong with a file at once: unknown keys with the nearest known one, values of a
// wrong type or out of their range, and missing keys, each with its key path,
// line and column.
//
// The text is decoded once for its values, and parsed once for their places. The
// strict mode of the decoder would stop at the first value of a wrong type.
package tomlfile

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"

	"github.com/codescan-dev/scanner/internal/text"
)

// Problem is one thing that is wrong with a file.
type Problem struct {
	// Line and Column count from 1; Column counts characters, not bytes. For a
	// missing value they are the place of the table that lacks it.
	Line, Column int
	// Path is the key path with array indexes, for instance
	// "skills[0].triggers[1].type". Empty when the text is not TOML.
	Path string
	// Message describes what is wrong and what is allowed, in one line. What
	// comes from the file is escaped, so that it is safe to print.
	Message string
	// Hint describes what to do about it; it may be empty.
	Hint string
}

// Document is a decoded file: it finds the places of values, and collects
// problems.
type Document struct {
	text     []byte
	lines    []int            // offsets of the beginnings of lines
	values   map[string]*node // those of known keys, by path; the root is ""
	problems []problem
	// known holds the paths of values with a problem, and of missing ones that
	// are probably misspelled: further problems would only follow from it.
	known map[string]bool
}

// problem is a Problem without its line and column.
type problem struct {
	offset int
	Problem
}

// maxKeys bounds the keys of a table: the time that the library takes grows with
// their square.
const maxKeys = 5000

// Decode decodes data into v, a pointer to the struct that schema was made from.
// If the document has problems, v holds what was right. Line endings may be LF or
// CRLF, and a byte order mark at the beginning is ignored.
func Decode(data []byte, schema *Key, rules Rules, v any) *Document {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	root := parseTree(data)
	d := &Document{text: data, lines: []int{0}, values: map[string]*node{"": root}, known: make(map[string]bool)}
	for i, c := range data {
		if c == '\n' {
			d.lines = append(d.lines, i+1)
		}
	}
	if !utf8.Valid(data) {
		d.report(bytes.IndexRune(data, utf8.RuneError), "", "not valid UTF-8", "save the file as UTF-8")
		return d
	}
	if n := root.crowded(); n != nil {
		d.report(n.key, "", fmt.Sprintf("more than %d keys in one table", maxKeys), "")
		return d
	}
	var values map[string]any
	if err := toml.Unmarshal(data, &values); err != nil {
		d.reportSyntax(root, err)
		return d
	}
	dec := &decoder{Document: d, rules: rules}
	dec.decode(root, values, schema, v)
	return d
}

// Value returns the decoded value at a path, the zero Value if the file does not
// have it.
func (d *Document) Value(path string) reflect.Value {
	if n := d.values[path]; n != nil {
		return n.decoded
	}
	return reflect.Value{}
}

// Line returns the line of the value at a path, from 1; of a missing one, that of
// the table that lacks it.
func (d *Document) Line(path string) int { return d.line(d.nearest(path).value) }

// Report adds a problem with the value at a path, unless it or a value around it
// has one already.
func (d *Document) Report(path, message, hint string) {
	for at := path; at != ""; at = around(at) {
		if d.known[at] {
			return
		}
	}
	d.report(d.nearest(path).value, path, message, hint)
}

// nearest returns the value at a path, or the innermost one around it.
func (d *Document) nearest(path string) *node {
	for d.values[path] == nil {
		path = around(path)
	}
	return d.values[path]
}

// around returns the path of the table or array that the value at a path is in.
func around(path string) string { return path[:max(0, strings.LastIndexAny(path, ".["))] }

func (d *Document) report(offset int, path, message, hint string) {
	d.known[path] = true
	d.problems = append(d.problems, problem{offset, Problem{Path: path, Message: message, Hint: hint}})
}

// line returns the line of an offset, from 1.
func (d *Document) line(offset int) int { return sort.SearchInts(d.lines, offset+1) }

// Problems returns the problems in the order of the text. Each line is counted
// once, however many problems it has.
func (d *Document) Problems() []Problem {
	slices.SortStableFunc(d.problems, func(a, b problem) int {
		return cmp.Or(cmp.Compare(a.offset, b.offset), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Message, b.Message))
	})
	ps := make([]Problem, len(d.problems))
	last, column := 0, 1 // of the problem before
	for i, p := range d.problems {
		offset := min(p.offset, len(d.text))
		for offset < len(d.text) && !utf8.RuneStart(d.text[offset]) && offset > last {
			offset-- // the decoder may point into a character
		}
		p.Line = d.line(offset)
		if start := d.lines[p.Line-1]; start > last {
			last, column = start, 1
		}
		column += utf8.RuneCount(d.text[last:offset])
		last = offset
		p.Column = column
		ps[i] = p.Problem
	}
	return ps
}

// firstByte matches the end of an error that shows the first byte of a character.
var firstByte = regexp.MustCompile(`U\+00[89A-F][0-9A-F]( '.')?$`)

// reportSyntax reports an error of the decoder, whose columns count bytes.
func (d *Document) reportSyntax(root *node, err error) {
	message := strings.TrimPrefix(err.Error(), "toml: ")
	e, ok := errors.AsType[*toml.DecodeError](err)
	if !ok {
		d.report(0, "", "not valid TOML: "+text.OneLine(message), "")
		return
	}
	line, column := e.Position()
	offset := d.lines[min(max(line, 1), len(d.lines))-1] + max(column-1, 0)
	if m := firstByte.FindString(message); m != "" && offset < len(d.text) {
		r, _ := utf8.DecodeRune(d.text[offset:])
		message = strings.TrimSuffix(message, m) + fmt.Sprintf("%#U", r)
	}
	path := ""
	if n := root.at(offset); n != nil {
		path = n.path()
	} else {
		for _, k := range e.Key() {
			path = strings.TrimPrefix(path+"."+QuoteKey(k), ".")
		}
	}
	d.report(offset, path, "not valid TOML: "+text.OneLine(message), "")
}
