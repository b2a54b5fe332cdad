// Package syntax separates the code, the string literals and the comments of
// source files.
//
// It knows what begins and ends a literal or a comment in most languages, and
// nothing else of them, so it works on a part of a file and on code that does not
// compile. A file is read line by line: the [State] after a line is what the next
// one begins in. The time is proportional to the size of the text.
package syntax

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
)

// maxRegexp bounds the length of a regular expression, so that the time for a line
// with many slashes is bounded as well.
const maxRegexp = 512

// Kind is what a part of a line is.
type Kind byte

// The kinds. Quotes belong to their literal, and regular expressions are literals. Text
// is what is around the code of a page.
const (
	Code Kind = iota
	String
	Comment
	Text
)

// Span is a part of a line. It begins where the span before it ends.
type Span struct {
	End  int
	Kind Kind
	// Opens is set when a literal or a comment begins here, not on a line before.
	Opens bool
}

// maxDepth bounds the nesting of literals in the interpolated code of others.
const maxDepth = 6

// State is what a line begins in. The zero value is code. States can be compared.
type State struct {
	// lang is the language in force, as an index + 1; 0 is that of the file.
	lang  uint8
	depth uint8
	stack [maxDepth]frame
	// end is what ends the innermost literal if that varies.
	end string
	// heredoc is what ends the document that the line is part of.
	heredoc string
}

// frame is a literal or comment that is not closed.
type frame struct {
	lit uint8
	// open counts the brackets around the interpolated code of a literal, or the
	// comments in a comment. A literal is interrupted by code unless it is 0.
	open uint16
}

// active returns the language in force.
func (l *Language) active(s State) *Language {
	if s.lang == 0 {
		return l
	}
	return &table().languages[s.lang-1]
}

// Start returns the state at the beginning of a file.
func (l *Language) Start() State {
	if l.outer == "" {
		return State{}
	}
	return State{lang: table().byName[l.outer] + 1}
}

// scanner reads one line.
type scanner struct {
	State
	lang  *Language
	line  string
	at    int
	spans []Span
	start int // of the spans of this line
	next  string
}

// Scan appends the spans of a line, which has no newline, to spans, and returns
// them with the state after the line. The spans of an empty line are none.
func (l *Language) Scan(line string, s State, spans []Span) ([]Span, State) {
	r := scanner{State: s, lang: l.active(s), line: line, spans: spans, start: len(spans)}
	if s.heredoc != "" && !r.endsHeredoc() {
		r.add(String, len(line), false)
		return r.spans, s
	}
	continued := false
	for r.at < len(line) {
		switch {
		case r.depth == 0 || r.interrupted():
			r.code()
		default:
			continued = r.literal()
		}
	}
	if r.next != "" {
		r.heredoc = r.next
	}
	if !continued {
		for i := range r.depth {
			if !r.lang.literals[r.stack[i].lit].multi {
				r.depth = i
				break
			}
		}
	}
	for i := r.depth; i < maxDepth; i++ {
		r.stack[i] = frame{} // so that states are equal
	}
	if r.depth == 0 {
		r.end = ""
	}
	return r.spans, r.State
}

// endsHeredoc reports whether the line ends a document, and leaves it then.
func (r *scanner) endsHeredoc() bool {
	rest, ok := strings.CutPrefix(strings.TrimLeft(r.line, " \t"), r.heredoc)
	if !ok || rest != "" && isWord(rest[0]) {
		return false
	}
	r.heredoc = ""
	return true
}

func (r *scanner) top() *frame { return &r.stack[r.depth-1] }

// interrupted reports whether the text is interpolated code of a literal.
func (r *scanner) interrupted() bool {
	return r.top().open > 0 && r.lang.literals[r.top().lit].interp != ""
}

// add ends a span at end.
func (r *scanner) add(kind Kind, end int, opens bool) {
	r.at = end
	n, last := len(r.spans), 0
	if n > r.start {
		last = r.spans[n-1].End
	}
	switch {
	case end == last:
	case last > 0 && r.spans[n-1].Kind == kind && !opens:
		r.spans[n-1].End = end
	default:
		r.spans = append(r.spans, Span{end, kind, opens})
	}
}

// code reads code up to the end of the line, or of what begins or ends next.
func (r *scanner) code() {
	i, line := r.at, r.line
	for ; i < len(line); i++ {
		c := line[i]
		if !r.lang.special[c] {
			continue
		}
		if r.depth > 0 && r.bracket(c) {
			r.add(Code, i+1, false)
			return
		}
		rest := line[i:]
		for _, s := range r.lang.switches {
			if hasPrefixFold(rest, s.open) {
				r.add(r.lang.plain, i, false)
				r.add(Code, i+len(s.open), false)
				r.enter(s.to)
				return
			}
		}
		if c == '\\' && r.lang.escapes {
			i++
			continue
		}
		if h := r.lang.heredoc; h != "" && c == '<' && strings.HasPrefix(rest, h) && !r.shifts(i) {
			rest = rest[len(h):]
			if r.lang.heredocBlank {
				rest = strings.TrimLeft(rest, " \t")
			}
			r.next = heredocName(rest, r.next, r.lang.shift)
			i += len(h) - 1
			continue
		}
		if end := r.short(i); end > 0 {
			r.add(Code, i, false)
			r.add(String, end, true)
			return
		}
		if r.open(i) {
			return
		}
	}
	r.add(r.lang.plain, len(line), false)
}

// enter switches to another language.
func (r *scanner) enter(name string) {
	index := table().byName[name]
	r.State = State{lang: index + 1}
	r.lang = &table().languages[index]
}

// bracket counts the brackets of interpolated code. It reports whether c is the
// last one.
func (r *scanner) bracket(c byte) bool {
	interp := r.lang.literals[r.top().lit].interp
	switch opening := interp[len(interp)-1]; {
	case c == opening && r.top().open < 1<<15:
		r.top().open++
	case opening == '{' && c == '}', opening == '(' && c == ')':
		r.top().open--
		return r.top().open == 0
	}
	return false
}

// open begins the literal or comment at i, if there is one.
func (r *scanner) open(i int) bool {
	for k := range r.lang.literals {
		lit := &r.lang.literals[k]
		rest, ok := strings.CutPrefix(r.line[i:], lit.open)
		if !ok || lit.after != "" && i > 0 && strings.IndexByte(lit.after, r.line[i-1]) < 0 ||
			isWord(lit.open[0]) && i > 0 && isWord(r.line[i-1]) || lit.open == "'" && r.lang.apostrophes && endsWithName(r.line[:i]) || rest != "" && strings.IndexByte(lit.not, rest[0]) >= 0 {
			continue
		}
		end := lit.close
		if lit.then != "" {
			n := 0
			for n < len(rest) && n < 16 && (lit.fill == rest[n] || lit.fill == 0 && isWord(rest[n])) {
				n++
			}
			if !strings.HasPrefix(rest[n:], lit.then) {
				continue
			}
			end += rest[:n] + lit.tail
			rest = rest[n+len(lit.then):]
		}
		if r.depth == maxDepth {
			return false
		}
		r.add(r.lang.plain, i, false)
		r.add(lit.kind, len(r.line)-len(rest), true)
		r.stack[r.depth] = frame{lit: uint8(k)}
		r.depth++
		r.end = ""
		if lit.then != "" {
			r.end = end
		}
		return true
	}
	return false
}

// literal reads a literal or comment up to its end, the end of the line, or
// interpolated code. It reports whether the line ends with an escape, so that the
// literal goes on in the next line.
func (r *scanner) literal() (continued bool) {
	top := r.top()
	lit := &r.lang.literals[top.lit]
	end := lit.close
	if lit.then != "" {
		end = r.end
	}
	line := r.line
	if end == "" { // to the end of the line, or of the file
		stop := len(line)
		for _, s := range r.lang.switches {
			if k := strings.Index(line[r.at:], s.open); k >= 0 && !lit.multi {
				stop = min(stop, r.at+k)
			}
		}
		if stop < len(line) {
			r.depth--
		}
		r.add(lit.kind, stop, false)
		return false
	}
	for i := r.at; i < len(line); i++ {
		c := line[i]
		switch {
		case c == lit.escape && lit.escape != 0 && (c != end[0] || i+1 < len(line) && line[i+1] == c):
			if i++; i == len(line) {
				r.add(lit.kind, i, false)
				return c != end[0]
			}
		case c == end[0] && strings.HasPrefix(line[i:], end):
			i += len(end)
			if lit.nested && top.open > 0 {
				top.open--
				i--
				continue
			}
			r.add(lit.kind, i, false)
			r.depth--
			return false
		case lit.nested && c == lit.open[0] && strings.HasPrefix(line[i:], lit.open) && top.open < 1<<15:
			top.open++
			i += len(lit.open) - 1
		case lit.interp != "" && c == lit.interp[0] && strings.HasPrefix(line[i:], lit.interp) && r.depth < maxDepth:
			r.add(lit.kind, i+len(lit.interp), false)
			top.open = 1
			return false
		}
	}
	r.add(lit.kind, len(line), false)
	return false
}

// short returns the end of the character literal or regular expression at i, which
// are on one line; 0 if there is none.
func (r *scanner) short(i int) int {
	switch line := r.line; {
	case line[i] == '\'' && r.lang.chars:
		if strings.HasPrefix(line[i+1:], `\`) {
			if n := strings.IndexByte(line[min(i+3, len(line)):min(i+14, len(line))], '\''); n >= 0 {
				return i + 3 + n + 1
			}
			return 0
		}
		_, n := utf8.DecodeRuneInString(line[i+1:])
		if k := i + 1 + n; n > 0 && line[i+1] != '\'' && k < len(line) && line[k] == '\'' {
			return k + 1
		}
	case line[i] == '/' && r.lang.regexps && beginsRegexp(line, i):
		class := false
		for k := i + 1; k < min(len(line), i+maxRegexp); k++ {
			switch c := line[k]; {
			case c == '\\':
				k++
			case c == '[':
				class = true
			case c == ']':
				class = false
			case c == '/' && !class:
				return k + 1
			}
		}
	}
	return 0
}

// beginsRegexp reports whether the slash at i can begin a regular expression: it
// does not follow a value, and no comment begins there.
func beginsRegexp(line string, i int) bool {
	if i+1 < len(line) && (line[i+1] == '/' || line[i+1] == '*' || line[i+1] == ' ') {
		return false
	}
	before := strings.TrimRight(line[:i], " \t")
	if before == "" {
		return true
	}
	last := before[len(before)-1]
	if !isWord(last) {
		return strings.IndexByte("(,=:[!&|?{;+-*%~^>", last) >= 0 || last == ')' && condition().MatchString(before[max(0, len(before)-200):])
	}
	return len(before) < i && !endsWithName(before) // "x.match" is followed by a bracket
}

// condition matches one that a statement follows.
var condition = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:if|while)\s*\([^()]*(?:\([^()]*\)[^()]*)*\)$`)
})

// endsWithName reports whether code ends with a word that no value follows.
func endsWithName(code string) bool {
	word := code[strings.LastIndexFunc(code, func(c rune) bool { return c < utf8.RuneSelf && !isWord(byte(c)) })+1:]
	const keywords = " return typeof case in of delete void throw when if unless while and or not split match else do default import from export await yield as instanceof extends r "
	return word != "" && !strings.Contains(keywords, " "+word+" ")
}

// shifts reports whether the operator at i is a shift: in the arithmetic of a shell, or
// right after a value.
func (r *scanner) shifts(i int) bool {
	if !r.lang.shift {
		return strings.Contains(r.line[:i], "((")
	}
	return i > 0 && (isWord(r.line[i-1]) || strings.IndexByte(")]}", r.line[i-1]) >= 0)
}

// heredocName returns the name that ends the document whose operator is followed
// by rest; other if there is none. If the operator is also a shift, the name must be
// quoted or in upper case.
func heredocName(rest, other string, shift bool) string {
	rest = strings.TrimLeft(rest, "-~")
	quote := ""
	if rest != "" && strings.IndexByte("'\"`\\", rest[0]) >= 0 {
		quote, rest = rest[:1], rest[1:]
	}
	n := 0
	for n < len(rest) && isWord(rest[n]) {
		n++
	}
	if n == 0 || '0' <= rest[0] && rest[0] <= '9' || shift && quote == "" && (rest[0] < 'A' || rest[0] > 'Z') {
		return other
	}
	return strings.Clone(rest[:n]) // does not keep the file in memory
}

func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '$' || c >= utf8.RuneSelf
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}
