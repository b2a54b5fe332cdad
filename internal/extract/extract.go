// Package extract reads findings from the text that a language model answered
// with.
//
// The answer is expected to be a JSON object with a list under "findings".
// [Findings] also accepts that object inside Markdown fences, after thoughts,
// between paragraphs or inside another object, trailing commas, and a list that
// the end of the text cuts off. Anything else is left to the model that is asked
// to extract the findings. [Decode] reads one finding of the list.
//
// # Which list is used
//
// Fences play no part: the text is searched for objects, and what is in a string
// of one of them is part of it. So code that is quoted in a finding cannot end
// the answer or start another one. If there are several lists:
//
//   - The last one with findings is used, since models show an example or a draft
//     first. Lists with nothing but white space between them are joined. When a
//     list follows that cannot be read, none is used.
//   - An empty list means that nothing was found, which is what an attacker would
//     like the answer to be. It is used only when there is no other finding in the
//     text, and when the answer begins or ends with it, on a line of its own. Code
//     that holds {"findings":[]} and is quoted in the middle of a sentence is
//     ignored.
//   - Thoughts at the start of the text (<think>…</think>) are not searched.
//   - Text without JSON is not an answer, nor is {}, nor null in place of the list
//     (see [ErrUnstated]).
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
	// MethodJSON: the findings are in valid JSON.
	MethodJSON = "json"
	// MethodSalvaged: the JSON was repaired, or parts of it are missing.
	MethodSalvaged = "salvaged"
)

// Result is the content of an answer.
type Result struct {
	// Findings are the elements of the list, each valid JSON, not necessarily an
	// object: see [Decode]. Empty with a nil Err means that the answer reports
	// that there are no findings.
	Findings []json.RawMessage
	// Method is MethodJSON or MethodSalvaged; empty when Err is set.
	Method string
	// Truncated is set when the answer breaks off, so that findings may be
	// missing.
	Truncated bool
	// Err is the reason why the answer is not readable; nil when it is.
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
	// for extraction offers for text that does not state whether there are
	// findings. Repeating the request is of little use.
	ErrUnstated = errors.New("the answer does not state whether there are findings")
	// ErrUnclear: there is an empty list, but not where an answer would have it,
	// or next to findings that cannot be read.
	ErrUnclear = errors.New("the answer has an empty list of findings among other text, or one that is not valid JSON")
)

// Findings reads the findings of an answer. It never panics.
func Findings(text string) Result {
	text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
	text, ok := withoutThoughts(text)
	switch {
	case !ok:
		return Result{Err: ErrTruncated, Truncated: true}
	case text == "":
		return Result{Err: ErrEmpty}
	}
	p := parser{src: []byte(text)}
	s := search{text: text}
	s.lead, s.tail = margins(text)
	for pos := 0; ; {
		i := strings.IndexByte(text[pos:], '{')
		if i < 0 {
			return s.result()
		}
		l := p.read(pos + i)
		if s.take(l) {
			pos = l.end
		} else {
			pos = l.start + 1
		}
	}
}

// search collects the lists of a text that may be the answer.
type search struct {
	text       string
	lead, tail int // where the text begins and ends inside fences and tags

	best     *list // the last one with findings
	empty    bool  // an empty list where an answer would have it
	stray    bool  // an empty list elsewhere, or findings that cannot be read
	unstated bool  // null in place of a list
	cut      bool  // a list after best is cut off before its first finding
}

// take records a list and reports whether the search continues behind it.
func (s *search) take(l list) bool {
	switch {
	case l.null:
		s.unstated = true
	case l.unfinished() && l.state == cut && len(l.elems) == 0:
		s.cut = true
	case l.unfinished() && l.state == broken:
		s.best, s.stray = nil, true
		return false
	case !l.named:
		s.stray = s.stray || l.titled
		return false
	case len(l.elems) > 0:
		s.cut = false
		if b := s.best; b != nil && strings.TrimSpace(s.text[b.end:l.start]) == "" {
			l.elems = append(b.elems, l.elems...)
			l.repaired = l.repaired || b.repaired
		}
		s.best = &l
	case l.state == whole && s.atMargin(l):
		s.empty = true
	default:
		s.stray = true
	}
	return true
}

// atMargin reports whether the text begins with the list, or ends with it on a
// line of its own.
func (s *search) atMargin(l list) bool {
	return l.start <= s.lead || l.end >= s.tail && startsLine(s.text, l.start)
}

func (s *search) result() Result {
	switch {
	case s.cut:
		return Result{Err: ErrTruncated, Truncated: true}
	case s.best != nil:
		r := Result{Findings: s.best.elems, Method: MethodJSON, Truncated: s.best.unfinished()}
		if s.best.repaired || s.best.state != whole {
			r.Method = MethodSalvaged
		}
		return r
	case s.stray:
		return Result{Err: ErrUnclear}
	case s.empty:
		return Result{Method: MethodJSON}
	case s.unstated:
		return Result{Err: ErrUnstated}
	}
	return Result{Err: ErrNoJSON}
}
