// Package extract reads findings from the text that a language model answered
// with.
//
// The answer is expected to be a JSON object with a list under "findings". Real
// answers are that, or that inside Markdown fences, after thoughts, between
// paragraphs, with comments and trailing commas, with raw newlines and unescaped
// quotes in its strings, in a wrapper, as a bare list, as one object a line, or
// cut off in the middle. [Findings] takes what is there, and says when nothing
// can be taken. [Decode] reads one finding of the list.
//
// # Which value counts
//
// Fences play no part: the text is searched from its start for arrays and
// objects, and whatever stands in a string of one of them is part of it. So code
// that is quoted in a finding cannot end the answer or start another one. What
// is found is weighed like this:
//
//   - An object with a list under "findings" comes before a list under another
//     name ("issues", "results") or a bare list, which comes before finding
//     objects that stand alone. Of several the last one counts, since models show
//     an example or a draft first. Those with nothing but white space between
//     them count together, and so do all finding objects that stand alone.
//   - A list that breaks off at the end of the text is the last one, and its whole
//     findings count. If there are none, the answer is not readable.
//   - An empty list says that all is well, which is what an attacker wants said.
//     It counts only when there is no other finding in the text, and when the
//     answer begins or ends with it, on a line of its own. Code that holds
//     {"findings":[]} and is quoted in the middle of a sentence says nothing.
//   - A list with an ellipsis outside of strings is a sketch and says nothing.
//   - Thoughts at the start of the text (<think>…</think>) are not searched.
//   - No JSON is not a statement, whatever the text says; nor is {}, nor null
//     in place of the list (see [ErrUnstated]).
//
// All of it takes time and memory linear in the length of the text.
package extract

import (
	"encoding/json"
	"errors"
	"strings"
)

// The methods of a [Result].
const (
	// MethodJSON: the findings stood in valid JSON.
	MethodJSON = "json"
	// MethodSalvaged: the JSON was repaired, or parts of it are missing.
	MethodSalvaged = "salvaged"
)

// Result is what an answer says.
type Result struct {
	// Findings are the elements of the list, each valid JSON, not necessarily an
	// object: see [Decode]. An element that could not be repaired is a string
	// that says so. Empty with a nil Err means that the answer says that there
	// are no findings.
	Findings []json.RawMessage
	// Method is MethodJSON or MethodSalvaged; empty when Err is set.
	Method string
	// Truncated is set when the answer breaks off, so that findings may be
	// missing.
	Truncated bool
	// Err says why the answer is not readable; nil when it is.
	Err error
}

// Why an answer is not readable. Other errors do not occur.
var (
	// ErrEmpty: there is no text, or nothing but thoughts.
	ErrEmpty = errors.New("the answer is empty")
	// ErrNoJSON: there is no list of findings in JSON.
	ErrNoJSON = errors.New("the answer has no list of findings")
	// ErrTruncated: the answer breaks off before its first finding is whole.
	ErrTruncated = errors.New("the answer breaks off before its first finding ends")
	// ErrUnstated: the answer has null in place of the list, which the request
	// for extraction offers to say that it cannot be told whether there are
	// findings. Asking again is of little use.
	ErrUnstated = errors.New("the answer does not say whether there are findings")
	// ErrUnclear: there is an empty list, but not where an answer would have
	// it, or findings that cannot be read beside it.
	ErrUnclear = errors.New("the answer has an empty list of findings among other text")
)

// Findings reads the findings of an answer. It never panics, whatever the text.
func Findings(text string) Result {
	return find(text, 0)
}

// maxEncoded bounds JSON in strings of JSON.
const maxEncoded = 2

func find(text string, encoded int) Result {
	text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
	text, ok := withoutThoughts(text)
	switch {
	case !ok:
		return Result{Err: ErrTruncated, Truncated: true}
	case text == "":
		return Result{Err: ErrEmpty}
	}
	if text[0] == '"' && encoded < maxEncoded {
		var inner string
		if json.Unmarshal([]byte(text), &inner) == nil {
			return salvaged(find(inner, encoded+1))
		}
	}
	s := search{text: text, encoded: encoded}
	s.lead, s.tail = margins(text)
	s.run()
	return s.result()
}

func salvaged(r Result) Result {
	if r.Err == nil {
		r.Method = MethodSalvaged
	}
	return r
}

// search goes through a text once and keeps what may be the answer.
type search struct {
	text       string
	encoded    int
	lead, tail int // where the text begins and ends, fences and tags aside

	lists    [saysList + 1]*candidate // the last of its kind that has findings
	loose    *candidate               // all finding objects that stand alone
	open     *candidate               // the one that the next value may join
	empty    *candidate               // the last empty list where an answer would have it
	stray    bool                     // an empty list elsewhere, or findings that are lost
	unstated bool
	cutAt    int  // where a list starts that the end of the text cuts, plus 1
	cutLoose bool // the end of the text cuts a finding that stands alone

	again int // bytes gone over in vain
}

type candidate struct {
	findings   []json.RawMessage
	start, end int
	clean      bool
	truncated  bool
	broken     bool
}

// budgetFactor bounds how often the text is gone over again from inside a value
// that turned out to be broken.
const budgetFactor = 8

func (s *search) run() {
	budget := budgetFactor * len(s.text)
	r := reader{src: s.text}
	for pos := 0; pos < len(s.text); {
		i := strings.IndexAny(s.text[pos:], "{[")
		if i < 0 {
			return
		}
		start := pos + i
		v := r.read(start)
		if s.take(v) || v.state == whole && (v.sketch || json.Valid([]byte(s.text[start:v.end]))) {
			pos = v.end
			continue
		}
		// The value may have begun with a brace of prose, so what follows that
		// brace is tried as well, as long as it does not get out of hand.
		s.again += v.end - start
		pos = start + 1
		if s.again >= budget {
			pos = max(pos, v.end)
		}
	}
}

// take weighs a value and reports whether it is done with.
func (s *search) take(v value) bool {
	said := interpret(s.text, v, s.encoded)
	c := &candidate{
		findings:  said.findings,
		start:     v.start,
		end:       v.end,
		clean:     said.clean,
		truncated: v.state == cut && v.inList,
		broken:    v.state == broken,
	}
	if v.state == cut && v.inList && v.named {
		s.cutAt = v.start + 1
	}
	switch {
	case said.kind == saysNothing:
		if v.state == cut && v.titled {
			s.cutLoose = true
		}
		if v.state == cut && v.named && !v.inList {
			s.cutAt = v.start + 1
		}
		if v.state == broken && v.inList && v.named && v.partial {
			s.stray = true
		}
		return false
	case said.kind == saysNull:
		s.unstated = true
	case len(c.findings) == 0:
		s.takeEmpty(v, c)
	case said.kind == saysOne:
		s.takeLoose(c)
	default:
		s.takeList(c, said.kind)
	}
	return true
}

func (s *search) takeEmpty(v value, c *candidate) {
	if v.bare && (c.start > s.lead || c.end < s.tail) {
		return // brackets of prose
	}
	switch {
	case v.state == cut && v.inList: // known from cutAt
	case v.state == broken,
		c.start > s.lead && (c.end < s.tail || !startsLine(s.text, c.start)):
		s.stray = true
	default:
		s.empty = c
	}
}

func (s *search) takeList(c *candidate, k kind) {
	if o := s.open; o != nil && o == s.lists[k] && !o.broken && onlySpace(s.text[o.end:c.start]) {
		o.join(c)
		return
	}
	s.lists[k] = c
	s.open = c
}

func (s *search) takeLoose(c *candidate) {
	// What stands behind a broken element of a list is the rest of the list.
	if o := s.open; o != nil && (o.broken || onlySpace(s.text[o.end:c.start])) {
		o.join(c)
		return
	}
	if s.loose == nil {
		s.loose = &candidate{clean: true, start: c.start}
	}
	s.loose.join(c)
}

func (c *candidate) join(d *candidate) {
	c.findings = append(c.findings, d.findings...)
	c.end = d.end
	c.clean = c.clean && d.clean
	c.truncated = c.truncated || d.truncated
}

func (s *search) result() Result {
	best := s.loose
	if best != nil {
		best.truncated = best.truncated || s.cutLoose
	}
	for _, k := range []kind{saysList, saysFindings} {
		if s.lists[k] != nil {
			best = s.lists[k]
		}
	}
	switch {
	case s.cutAt > 0 && (best == nil || best.end < s.cutAt):
		return Result{Err: ErrTruncated, Truncated: true}
	case best != nil:
		return best.result()
	case s.cutLoose:
		return Result{Err: ErrTruncated, Truncated: true}
	case s.stray:
		return Result{Err: ErrUnclear}
	case s.empty != nil:
		return s.empty.result()
	case s.unstated:
		return Result{Err: ErrUnstated}
	}
	return Result{Err: ErrNoJSON}
}

func (c *candidate) result() Result {
	r := Result{Findings: c.findings, Method: MethodSalvaged, Truncated: c.truncated}
	if c.clean {
		r.Method = MethodJSON
	}
	return r
}
