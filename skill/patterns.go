package skill

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// MaxPatterns is the most rules that a skill may have.
const MaxPatterns = 1000

const (
	// maxProblems bounds what is reported of one file.
	maxProblems = 100
	// maxRegex is the most bytes of a regular expression.
	maxRegex = 4096
)

// The keys of a rule, in the order in which they are best written.
var (
	requiredKeys = []string{"id", "regex", "severity", "confidence", "title", "description"}
	textKeys     = append(slices.Clone(requiredKeys), "replacement")
	listKeys     = []string{"files", "match", "noMatch"}
	ruleKeys     = slices.Concat(textKeys, listKeys)
)

var idSyntax = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// ParsePatterns reads a patterns.toml. The file's name is used in messages only.
// Nothing unknown is accepted, keys are case-sensitive, and all problems are
// reported at once, as an [*Error]; only a file that is not valid TOML is
// reported by its first problem.
//
// Severities may be written as in findings, "critical" and "info" included.
func ParsePatterns(file string, data []byte) ([]Rule, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	// The parser below yields expressions one by one; that they make a document
	// (no key twice, no table reopened) is for the decoder to say.
	var document map[string]any
	if err := toml.Unmarshal(data, &document); err != nil {
		p := Problem{Message: "not valid TOML: " + strings.TrimPrefix(err.Error(), "toml: ")}
		var de *toml.DecodeError
		if errors.As(err, &de) {
			p.Line, p.Column = de.Position()
			p.Key = strings.Join(de.Key(), ".")
		}
		return nil, &Error{File: file, Problems: []Problem{p}}
	}
	var r patternReader
	r.read(data)
	rules := r.rules()
	if err := r.err(file, data); err != nil {
		return nil, err
	}
	return rules, nil
}

// A patternReader walks over the expressions of a document, takes the rules, and
// collects what is wrong.
type patternReader struct {
	drafts   []*draft
	problems []problemAt
}

// A draft is what is written of a rule.
type draft struct {
	offset int
	texts  map[string]textAt
	lists  map[string][]textAt
	bad    map[string]bool // keys whose value has the wrong type
}

type textAt struct {
	text   string
	offset int
}

type problemAt struct {
	offset int
	Problem
}

func (r *patternReader) problem(offset int, key, format string, args ...any) {
	r.problems = append(r.problems, problemAt{offset, Problem{Key: key, Message: fmt.Sprintf(format, args...)}})
}

func (r *patternReader) read(data []byte) {
	var p unstable.Parser
	p.Reset(data)
	var open *draft  // the rule that key-values belong to
	topLevel := true // before the first table
	for p.NextExpression() {
		e := p.Expression()
		switch key, offset := keyOf(e); {
		case e.Kind == unstable.ArrayTable && key == "patterns":
			open, topLevel = r.open(offset), false
		case e.Kind == unstable.Table && key == "patterns":
			r.problem(offset, key, "write [[patterns]], with two brackets: it is a list")
			open, topLevel = nil, false
		case e.Kind == unstable.ArrayTable || e.Kind == unstable.Table:
			r.problem(offset, shorten(key), "%s; a rule begins with [[patterns]]", unknown("table", key, nil))
			open, topLevel = nil, false
		case e.Kind == unstable.KeyValue && open != nil:
			r.set(open, e)
		case e.Kind == unstable.KeyValue && topLevel && key == "patterns":
			r.inline(e.Value(), offset)
		case e.Kind == unstable.KeyValue && topLevel:
			r.problem(offset, shorten(key), "%s; the file holds [[patterns]] and nothing else", unknown("key", key, nil))
		}
	}
}

// inline reads patterns = [{id = "x", ...}].
func (r *patternReader) inline(v *unstable.Node, offset int) {
	if v.Kind != unstable.Array {
		r.problem(offset, "patterns", "want a list of tables, found %s", tomlKind(v))
		return
	}
	for it := v.Children(); it.Next(); {
		if it.Node().Kind != unstable.InlineTable {
			r.problem(offset, "patterns", "want a list of tables, found %s in it", tomlKind(it.Node()))
			continue
		}
		d := r.open(int(it.Node().Raw.Offset))
		for kv := it.Node().Children(); kv.Next(); {
			r.set(d, kv.Node())
		}
	}
}

func (r *patternReader) open(offset int) *draft {
	d := &draft{offset: offset, texts: map[string]textAt{}, lists: map[string][]textAt{}, bad: map[string]bool{}}
	r.drafts = append(r.drafts, d)
	return d
}

// set takes a key and its value for the rule d, which is the last.
func (r *patternReader) set(d *draft, kv *unstable.Node) {
	key, offset := keyOf(kv)
	v := kv.Value()
	path := rulePath(len(r.drafts)-1, key)
	switch {
	case slices.Contains(textKeys, key):
		if v.Kind != unstable.String {
			d.bad[key] = true
			r.problem(offset, path, "want text, found %s", tomlKind(v))
			return
		}
		d.texts[key] = textAt{string(v.Data), offset}
	case slices.Contains(listKeys, key):
		if v.Kind != unstable.Array {
			r.problem(offset, path, "want a list of texts, found %s", tomlKind(v))
			return
		}
		if key == "files" && v.Child() == nil {
			r.problem(offset, path, "empty; leave it out for a rule that is for all files")
		}
		for it := v.Children(); it.Next(); {
			if it.Node().Kind != unstable.String {
				r.problem(offset, path, "want a list of texts, found %s in it", tomlKind(it.Node()))
				continue
			}
			d.lists[key] = append(d.lists[key], textAt{string(it.Node().Data), int(it.Node().Raw.Offset)})
		}
	default:
		r.problem(offset, path, "%s", unknown("key", key, ruleKeys))
	}
}

// rules makes rules of what was read. What it returns is valid only if there are
// no problems.
func (r *patternReader) rules() []Rule {
	if len(r.drafts) > MaxPatterns {
		r.problem(r.drafts[MaxPatterns].offset, "patterns", "%d patterns; at most %d are read", len(r.drafts), MaxPatterns)
		r.drafts = r.drafts[:MaxPatterns]
	}
	rules := make([]Rule, 0, len(r.drafts))
	first := make(map[string]int)
	for i, d := range r.drafts {
		rules = append(rules, r.rule(i, d))
		id := d.texts["id"].text
		if n, ok := first[id]; ok && id != "" {
			r.problem(d.texts["id"].offset, rulePath(i, "id"), "%q is also the id of patterns[%d]", id, n)
		} else {
			first[id] = i
		}
	}
	return rules
}

func (r *patternReader) rule(i int, d *draft) Rule {
	var rule Rule
	// Every problem names the pattern by its id, where it has one.
	of := ""
	if id := d.texts["id"].text; id != "" {
		of = fmt.Sprintf("pattern %q: ", shorten(id))
	}
	problem := func(key string, at textAt, format string, args ...any) {
		r.problem(at.offset, rulePath(i, key), "%s%s", of, fmt.Sprintf(format, args...))
	}
	// text returns a text that is there and is one line.
	text := func(key string) (textAt, bool) {
		t, ok := d.texts[key]
		if ok && key != "description" && strings.ContainsAny(t.text, "\n\r") {
			problem(key, t, "must be a single line")
			return t, false
		}
		return t, ok && strings.TrimSpace(t.text) != ""
	}
	for _, key := range requiredKeys {
		t, ok := d.texts[key]
		switch {
		case !ok && !d.bad[key]:
			problem(key, textAt{offset: d.offset}, "missing")
		case ok && strings.TrimSpace(t.text) == "":
			problem(key, t, "empty")
		}
	}

	if t, ok := text("id"); ok {
		if rule.ID = t.text; !idSyntax.MatchString(t.text) {
			r.problem(t.offset, rulePath(i, "id"), "%q is no valid id: want letters, digits, and - _ . between them, at most 64", shorten(t.text))
		}
	}
	if t, ok := text("severity"); ok {
		if err := rule.Severity.UnmarshalText([]byte(t.text)); err != nil {
			problem("severity", t, "%v", err)
		}
	}
	if t, ok := text("confidence"); ok {
		if err := rule.Confidence.UnmarshalText([]byte(t.text)); err != nil {
			problem("confidence", t, "%v", err)
		}
	}
	if t, ok := text("title"); ok {
		rule.Title = strings.TrimSpace(t.text)
	}
	rule.Description = strings.TrimSpace(d.texts["description"].text)
	if t, ok := text("regex"); ok {
		re, err := compile(t.text)
		if err != nil {
			problem("regex", t, "%v", err)
		}
		rule.Regexp = re
	}
	if t, ok := d.texts["replacement"]; ok {
		rule.Replacement = &t.text
		if strings.ContainsAny(t.text, "\n\r") {
			problem("replacement", t, "must be a single line")
		} else if rule.Regexp != nil {
			if err := checkReplacement(rule.Regexp, t.text); err != nil {
				problem("replacement", t, "%v", err)
			}
		}
	}
	for _, g := range d.lists["files"] {
		if g.text == "" || !doublestar.ValidatePattern(g.text) {
			problem("files", g, "invalid glob %q", shorten(g.text))
		}
		rule.Files = append(rule.Files, g.text)
	}
	rule.Match = r.examples(i, "match", d)
	rule.NoMatch = r.examples(i, "noMatch", d)
	return rule
}

func (r *patternReader) examples(i int, key string, d *draft) []string {
	var lines []string
	for _, t := range d.lists[key] {
		if strings.ContainsAny(t.text, "\n\r") {
			r.problem(t.offset, rulePath(i, key), "an example must be a single line")
		}
		lines = append(lines, t.text)
	}
	return lines
}

// notRE2 finds what other dialects have and RE2 has not.
var notRE2 = regexp.MustCompile(`\(\?<?[=!]|\\[1-9]`)

func compile(text string) (*regexp.Regexp, error) {
	if len(text) > maxRegex {
		return nil, fmt.Errorf("longer than %d bytes", maxRegex)
	}
	re, err := regexp.Compile(text)
	if err != nil {
		err = fmt.Errorf("invalid regular expression: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
		if notRE2.MatchString(text) {
			err = fmt.Errorf("%w (RE2 has neither lookaround nor backreferences)", err)
		}
		return nil, err
	}
	if re.MatchString("") {
		return nil, errors.New("matches the empty line, and so nearly everything")
	}
	return re, nil
}

// err returns the problems in the order of their places, with these worked out.
func (r *patternReader) err(file string, data []byte) error {
	if len(r.problems) == 0 {
		return nil
	}
	slices.SortStableFunc(r.problems, func(a, b problemAt) int { return cmp.Compare(a.offset, b.offset) })
	e := &Error{File: file}
	for i, p := range r.problems {
		if i == maxProblems {
			e.Problems = append(e.Problems, Problem{Message: fmt.Sprintf("%d more problems", len(r.problems)-i)})
			break
		}
		before := data[:p.offset]
		p.Line = 1 + bytes.Count(before, []byte("\n"))
		p.Column = p.offset - bytes.LastIndexByte(before, '\n')
		e.Problems = append(e.Problems, p.Problem)
	}
	return e
}

func rulePath(i int, key string) string {
	return fmt.Sprintf("patterns[%d].%s", i, shorten(key))
}

// keyOf returns the key of an expression, its parts joined by dots, and where it
// begins.
func keyOf(e *unstable.Node) (key string, offset int) {
	var parts []string
	for it := e.Key(); it.Next(); {
		if len(parts) == 0 {
			offset = int(it.Node().Raw.Offset)
		}
		parts = append(parts, string(it.Node().Data))
	}
	return strings.Join(parts, "."), offset
}

// tomlKind names the kind of a value, for messages.
func tomlKind(v *unstable.Node) string {
	switch v.Kind {
	case unstable.String:
		return "text"
	case unstable.Bool:
		return "a boolean"
	case unstable.Integer, unstable.Float:
		return "a number"
	case unstable.Array:
		return "a list"
	case unstable.InlineTable:
		return "a table"
	}
	return "a date or time"
}
