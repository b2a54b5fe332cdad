package skilltest

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
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
	at       scanner.Location // a part of it that is zero is any
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
	for never, tables := range [][]wantTable{c.Want, c.Never} {
		for i, t := range tables {
			key := fmt.Sprintf("%s[%d]", [...]string{"want", "never"}[never], i)
			oneOf(key+".severity", t.Severity, "high", "medium", "low")
			at := scanner.Location{Path: t.File, StartLine: t.Line}
			if t.File != "" && !slices.ContainsFunc(f.files, func(d diff.File) bool { return d.Path == t.File }) {
				doc.Report(key+".file", fmt.Sprintf("the change has no file %q", t.File), "")
			} else if _, ok := f.lines[at]; t.Line != 0 && !ok {
				doc.Report(key+".line", fmt.Sprintf("the change has no line %d of file %q", t.Line, t.File), "")
			}
			f.wants = append(f.wants, want{
				at: at, severity: scanner.Severity(t.Severity), text: t.Text, never: never == 1,
				source: fmt.Sprintf("%s:%d", wantFile, doc.Line(key)),
			})
		}
	}
	if problems := doc.Problems(); len(problems) > 0 {
		return &tomlfile.Error{File: path.Join(f.dir, wantFile), Problems: problems}
	}
	return nil
}
