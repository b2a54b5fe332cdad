package skilltest

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/nearest"
	"github.com/codescan-dev/scanner/internal/tomlfile"
)

// want is an expectation of a fixture.
type want struct {
	file     string           // empty for any
	line     int              // 0 for any
	severity scanner.Severity // empty for any
	text     string
	never    bool   // no finding must be so
	source   string // file and line of what demands it
}

// String returns the expectation as it is written in a comment.
func (w *want) String() string {
	severity := string(w.severity)
	if severity != "" {
		severity += " "
	}
	return severity + strconv.Quote(w.text)
}

// comment matches the beginning of a comment with an expectation.
var comment = regexp.MustCompile(`(?:^|\s)([^\s\pL\pN"'` + "`" + `=]{1,4})[ \t]*want(?:[ \t]|$)`)

// cutWant returns a line without the comment with expectations at its end, and these; ok
// is false if it has none. An error is about a comment that only begins like that.
func cutWant(line string) (code string, wants []want, ok bool, err error) {
	m := comment.FindStringSubmatchIndex(line)
	if m == nil {
		return line, nil, false, nil
	}
	wants, err = parseWants(strings.TrimLeft(line[m[1]:], " \t"))
	return strings.TrimRight(line[:m[2]], " \t"), wants, true, err
}

// parseWants reads what follows the word "want".
func parseWants(rest string) (wants []want, err error) {
	end := strings.IndexFunc(rest, func(r rune) bool { return !isWord(r) })
	if end < 0 {
		end = len(rest)
	}
	word := rest[:end]
	severity := scanner.Severity(word)
	switch {
	case word == "nothing":
		wants = []want{{never: true}}
	case word != "" && !severity.Valid():
		return nil, fmt.Errorf("got %q after want, which is neither high, medium, low, nothing nor a Go string", word)
	}
	rest = strings.TrimLeft(rest[end:], " \t")
	for word != "nothing" && strings.IndexAny(rest, "\"`") == 0 {
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			return nil, fmt.Errorf("the string %s is not one of Go", rest)
		}
		text, _ := strconv.Unquote(quoted) // QuotedPrefix has checked it
		wants = append(wants, want{severity: severity, text: text})
		rest = strings.TrimLeft(rest[len(quoted):], " \t")
	}
	switch {
	case len(wants) == 0:
		return nil, errors.New(`a string is missing after want, as in: want high "sql injection"`)
	case strings.ContainsFunc(rest, func(r rune) bool { return isWord(r) || strings.ContainsRune("\"'`", r) }):
		return nil, fmt.Errorf("got %q after the expectation, which must end the line", rest)
	}
	return wants, nil
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// reader reads the expectations of the lines of a file.
type reader struct {
	f       *Fixture
	path    string
	pending []want // of the lines before, about the next one
	errs    []error
}

// line reads a line of the new side of the change, and returns it without comments that
// are expectations.
func (r *reader) line(n int, text string) string {
	code, wants, ok, err := cutWant(text)
	if err != nil {
		r.errs = append(r.errs, fmt.Errorf("%s:%d: %w", path.Join(r.f.dir, r.path), n, err))
	}
	for i := range wants {
		wants[i].source = fmt.Sprintf("%s:%d", r.path, n)
	}
	if r.f.lines[r.path] == nil {
		r.f.lines[r.path] = make(map[int]string)
	}
	r.f.lines[r.path][n] = code
	r.pending = append(r.pending, wants...)
	if ok && code == "" {
		return code
	}
	for _, w := range r.pending {
		w.file, w.line = r.path, n
		r.f.wants = append(r.f.wants, w)
	}
	r.pending = nil
	return code
}

// end returns what was wrong since the last call.
func (r *reader) end() error {
	for _, w := range r.pending {
		r.errs = append(r.errs, fmt.Errorf("%s: no line follows that the expectation could be about", path.Join(r.f.dir, w.source)))
	}
	err := errors.Join(r.errs...)
	r.pending, r.errs = nil, nil
	return err
}

// file reads a file, and returns it without expectations. They count if there is no diff;
// otherwise the diff must have them, too.
func (r *reader) file(data []byte, isDiff bool) ([]byte, error) {
	var b bytes.Buffer
	n := 0
	for line := range bytes.Lines(data) {
		n++
		text, ending := cutEnding(string(line))
		if _, inDiff := r.f.lines[r.path][n]; !isDiff {
			text = r.line(n, text)
		} else if code, _, ok, _ := cutWant(text); ok {
			text = code
			if !inDiff {
				r.errs = append(r.errs, fmt.Errorf("%s:%d: the expectation is not on a line of %s", path.Join(r.f.dir, r.path), n, changeFile))
			}
		}
		b.WriteString(text + ending)
	}
	return b.Bytes(), r.end()
}

// hunk reads the new side of a hunk, and takes all expectations out of it.
func (r *reader) hunk(h *diff.Hunk) error {
	var b strings.Builder
	n := h.NewStart
	for line := range strings.Lines(h.Body) {
		text, ending := cutEnding(line[1:])
		switch line[0] {
		case byte(diff.Delete):
			text, _, _, _ = cutWant(text)
		case byte(diff.Add), byte(diff.Context):
			text = r.line(n, text)
			n++
		}
		b.WriteString(line[:1] + text + ending)
	}
	h.Body = b.String()
	return r.end()
}

// cutEnding returns a line without its ending, and that.
func cutEnding(line string) (text, ending string) {
	text = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
	return text, line[len(text):]
}

// wantContents are the keys of a want.toml.
type wantContents struct {
	Needs      string      `toml:"needs"`
	Unexpected string      `toml:"unexpected"`
	Want       []wantTable `toml:"want"`
	Never      []wantTable `toml:"never"`
}

type wantTable struct {
	File     string `toml:"file"`
	Line     int    `toml:"line"`
	Severity string `toml:"severity"`
	Text     string `toml:"text" validate:"required"`
}

var wantSchema = tomlfile.NewSchema[wantContents](nil)

// readWants reads want.toml.
func (f *Fixture) readWants(data []byte) error {
	var c wantContents
	doc := tomlfile.Decode(data, wantSchema, tomlfile.Rules{}, &c)
	oneOf := func(key, got string, allowed ...string) {
		for _, a := range allowed {
			if got == a || got == "" {
				return
			}
		}
		doc.Report(key, fmt.Sprintf("got %s, want %s", tomlfile.Quote(got), strings.Join(allowed, ", ")), nearest.Hint(got, allowed, ""))
	}
	oneOf("needs", c.Needs, "model")
	oneOf("unexpected", c.Unexpected, "fail", "allow")
	f.needsModel, f.allow = c.Needs != "", c.Unexpected == "allow"
	var files []string
	for i := range f.files {
		files = append(files, f.files[i].Path)
	}
	for never, tables := range [][]wantTable{c.Want, c.Never} {
		for i, t := range tables {
			key := fmt.Sprintf("%s[%d]", [...]string{"want", "never"}[never], i)
			oneOf(key+".severity", t.Severity, "high", "medium", "low")
			oneOf(key+".file", t.File, files...)
			if _, ok := f.lines[t.File][t.Line]; t.Line != 0 && !ok {
				doc.Report(key+".line", fmt.Sprintf("the change has no line %d of file %q", t.Line, t.File), "")
			}
			f.wants = append(f.wants, want{
				file: t.File, line: t.Line, severity: scanner.Severity(t.Severity), text: t.Text, never: never == 1,
				source: fmt.Sprintf("%s:%d", wantFile, doc.Line(key)),
			})
		}
	}
	if problems := doc.Problems(); len(problems) > 0 {
		return &tomlfile.Error{File: path.Join(f.dir, wantFile), Problems: problems}
	}
	return nil
}
