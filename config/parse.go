package config

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
)

// MaxSize is the largest configuration file that is read, in bytes. The decoder
// compares every key of a table with all others, so that without a bound a file
// could take minutes.
const MaxSize = 256 << 10

// Parse reads scanner.toml of a repository. The name stands in messages and
// origins; nothing is opened.
//
// Reading is strict. A text that is not TOML has one problem, its first error.
// Of any other text all problems are reported at once, by an *[Error]: unknown
// keys, keys that belong elsewhere, values of a wrong type or out of their range,
// and what is missing. Line endings may be LF or CRLF, and a byte order mark at
// the beginning is ignored.
func Parse(name string, data []byte) (*File, error) {
	return parse(name, data, inProject)
}

// ParseUser reads the user's own file, as strictly as [Parse]. It holds no
// skills, but keys that a repository must not decide.
func ParseUser(name string, data []byte) (*File, error) {
	return parse(name, data, inUser)
}

func parse(name string, data []byte, in scope) (*File, error) {
	if len(data) > MaxSize {
		return nil, &Error{File: name, Problems: []Problem{{File: name, Line: 1, Column: 1,
			Message: fmt.Sprintf("the file has %d bytes, at most %d are read", len(data), MaxSize)}}}
	}
	text := bytes.Clone(bytes.TrimPrefix(data, []byte("\ufeff")))
	x := buildIndex(name, text)
	fail := func(ds ...defect) (*File, error) {
		return nil, &Error{File: name, Problems: x.problems(ds)}
	}
	if i := invalidUTF8(text); i >= 0 {
		return fail(defect{offset: i, text: "not valid UTF-8", hint: "save the file as UTF-8"})
	}
	var values map[string]any
	if err := toml.Unmarshal(text, &values); err != nil {
		return fail(x.decodeDefect(err))
	}

	s := &shaper{x: x, in: in, removed: make(map[*node]bool), meant: make(map[string]bool)}
	s.table(x.root, values, fileSchema())
	defects := s.defects
	if len(defects) > 0 {
		// What does not fit is reported and taken out; the rest can be read.
		var err error
		if text, err = toml.Marshal(values); err != nil {
			return fail(defects...)
		}
	}
	f := &File{index: x}
	if err := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(f); err != nil {
		// The schema is made from the same types, so that this is not to be
		// expected; but whatever it is must not be lost.
		if len(defects) == 0 {
			defects = append(defects, x.decodeDefect(err))
		}
		return fail(defects...)
	}
	for _, d := range validate(f) {
		if !s.follows(d) {
			defects = append(defects, d)
		}
	}
	if len(defects) > 0 {
		return fail(defects...)
	}
	return f, nil
}

// decodeDefect describes an error of the decoder, whose columns count bytes.
func (x *index) decodeDefect(err error) defect {
	message := strings.TrimPrefix(err.Error(), "toml: ")
	e, ok := errors.AsType[*toml.DecodeError](err)
	if !ok {
		return defect{text: "not valid TOML: " + printable(message)}
	}
	line, column := e.Position()
	d := defect{offset: x.lines[min(max(line, 1), len(x.lines))-1] + max(column-1, 0)}
	if m := byteName.FindString(message); m != "" && d.offset < len(x.text) {
		// It names the first byte of a character.
		r, _ := utf8.DecodeRune(x.text[d.offset:])
		message = strings.TrimSuffix(message, m) + fmt.Sprintf("%#U", r)
	}
	d.text = "not valid TOML: " + printable(message)
	if d.node = x.at(d.offset); d.node != nil {
		d.path = d.node.path()
	} else if len(e.Key()) > 0 {
		d.path = keyText(e.Key()[0])
		for _, k := range e.Key()[1:] {
			d.path += "." + keyText(k)
		}
	}
	return d
}

var byteName = regexp.MustCompile(`U\+00[89A-F][0-9A-F]( '.')?$`)

// invalidUTF8 returns the offset of the first byte that is not UTF-8, or -1.
func invalidUTF8(text []byte) int {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}
