package skilltest

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

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

// String returns the expectation as in a comment; one without a text, in words.
func (w *want) String() string {
	severity := strings.TrimLeft(string(w.severity)+" ", " ")
	if w.text == "" {
		return "any " + severity + "finding"
	}
	return severity + strconv.Quote(w.text)
}

var (
	// comment matches the beginning of a comment with an expectation, and no key after a bracket.
	comment = regexp.MustCompile("(?:^|\\s)([^\\s\\pL\\pN\"'`=]{0,3}[^\\s\\pL\\pN\"'`=({\\[])[ \\t]*(?i:want)(?::[ \\t]*|[ \\t]+|$)(.*)$")
	// quoteComment matches one that begins with a quote. It has to be readable: else it is a string.
	quoteComment = regexp.MustCompile("(?:^|\\s)([\"'])[ \\t]*(?i:want)(?::[ \\t]*|[ \\t]+)(" + strings.Trim(expectation.String(), "^$") + ")$")
	// expectation matches what follows, to the end of the line.
	expectation = regexp.MustCompile("^(?:nothing|(high|medium|low)?[ \\t]*((?:" + goString.String() + "[ \\t]*)+))[^\\pL\\pN\"'`]*$")
	goString    = regexp.MustCompile("(?:\"(?:[^\"\\\\]|\\\\.)*\"|`[^`]*`)")
)

// cutWant returns a line without the comment with expectations at its end, and these; ok
// is false if it has none. An error is about a comment that only begins like that.
func cutWant(line string) (code string, wants []want, ok bool, err error) {
	start := comment.FindStringSubmatchIndex(line)
	if start == nil {
		start = quoteComment.FindStringSubmatchIndex(line)
	}
	if start == nil {
		return line, nil, false, nil
	}
	code = strings.TrimRight(line[:start[2]], " \t")
	m := expectation.FindStringSubmatch(line[start[4]:])
	if m == nil || quoteComment.MatchString(code) {
		return code, nil, true, fmt.Errorf("the expectation %q cannot be read: want, for instance, // want high \"text\" or // want nothing, at the end of the line", line[start[2]:])
	}
	if m[2] == "" {
		return code, []want{{never: true}}, true, nil
	}
	for _, quoted := range goString.FindAllString(m[2], -1) {
		text, err := strconv.Unquote(quoted)
		if err != nil {
			return code, nil, true, fmt.Errorf("%s is not a string as in Go: double a backslash, or use backquotes", quoted)
		}
		wants = append(wants, want{severity: scanner.Severity(m[1]), text: text})
	}
	return code, wants, true, nil
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
	Text     string `toml:"text"`
}

var wantSchema = tomlfile.NewSchema[wantContents](nil)

// readWants reads want.toml.
func (f *Fixture) readWants(data []byte) error {
	var c wantContents
	doc := tomlfile.Decode(data, wantSchema, tomlfile.Rules{}, &c)
	oneOf := func(key, got string, allowed ...string) {
		if got != "" && !slices.Contains(allowed, got) {
			doc.Report(key, fmt.Sprintf("got %s, want %s", tomlfile.Quote(got), strings.Join(allowed, ", ")), nearest.Hint(got, allowed, ""))
		}
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
				doc.Report(key+".line", fmt.Sprintf("line %d of file %q is not in the change", t.Line, t.File), "")
			}
			f.wants = append(f.wants, want{
				at: at, severity: scanner.Severity(t.Severity), text: t.Text, never: never == 1,
				source: fmt.Sprintf("%s:%d", wantFile, doc.Line(key)),
			})
		}
	}
	var errs []error
	for _, p := range doc.Problems() {
		errs = append(errs, fmt.Errorf("%s:%d: %v", path.Join(f.dir, wantFile), p.Line, p))
	}
	return errors.Join(errs...)
}
