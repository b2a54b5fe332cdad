package scanner

import (
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/prefilter"
	"github.com/codescan-dev/scanner/internal/syntax"
)

const (
	// maxStatementLines and maxStatement bound the lines and bytes that are joined.
	maxStatementLines = 20
	maxStatement      = 4 << 10
)

// source is the new side of a chunk as rules see it.
type source struct {
	lang   *syntax.Language // nil if it is not known: everything is code
	before []diff.Line      // what is above lines, and in another chunk
	state  syntax.State     // what the first line of before and lines begins in
	lines  []diff.Line
	own    []bool // of lines: added, and in no other chunk
	raw    string // lines, each with a newline
	starts []int  // where lines begin in raw, and where the last one ends
	folded *prefilter.Text
	// foldedStarts are where lines begin in folded, which may have another length.
	foldedStarts []int

	// What follows is set by read.

	once  sync.Once
	code  string        // raw with blank comments
	spans []syntax.Span // of code, without the newlines
	// first is the first line of the statement of a line. last is, for a first line,
	// the last line of the statement, or the line after it if it begins a block.
	first, last []int
}

func newSource(path string, text diff.Text) *source {
	s := &source{lang: syntax.For(path), state: text.Syntax}
	var b strings.Builder
	b.Grow(64 * (len(text.Before) + len(text.Lines) + len(text.After)))
	for k, part := range [][]diff.Line{text.Before, text.Lines, text.After} {
		if k == 0 && len(part) > 0 && part[0].Op == diff.Add { // of a file that is scanned whole
			s.before = part
			continue
		}
		for _, l := range part {
			if l.New > 0 {
				s.lines = append(s.lines, l)
				s.own = append(s.own, k == 1 && l.Op == diff.Add)
				s.starts = append(s.starts, b.Len())
				b.WriteString(l.Text)
				b.WriteByte('\n')
			}
		}
	}
	s.starts = append(s.starts, b.Len())
	s.raw = b.String()
	s.folded = prefilter.NewText(s.raw)
	s.foldedStarts = make([]int, 0, len(s.lines))
	for at := 0; at < len(s.folded.Folded); {
		s.foldedStarts = append(s.foldedStarts, at)
		at += strings.IndexByte(s.folded.Folded[at:], '\n') + 1
	}
	return s
}

// read separates code, literals and comments, and finds the statements. It is called
// when a rule that is not about every byte may match.
func (s *source) read() { s.once.Do(s.prepare) }

func (s *source) prepare() {
	s.code = s.raw
	s.first, s.last = make([]int, len(s.lines)), make([]int, len(s.lines))
	if s.lang == nil {
		for i := range s.lines {
			s.first[i], s.last[i] = i, i
		}
		return
	}
	s.scan()
	for i := 0; i < len(s.lines); {
		i = s.join(i)
	}
}

// scan sets code, spans and open.
func (s *source) scan() {
	state := s.state
	if len(s.before) == 0 && len(s.lines) > 0 && s.lines[0].New == 1 {
		state = s.lang.Start()
		if !strings.Contains(s.raw, "<?") { // a part of the code of a page, as examples are
			state = syntax.State{}
		}
	}
	for i := range s.before {
		s.spans, state = s.lang.Scan(s.before[i].Text, state, s.spans[:0])
	}
	s.spans = s.spans[:0]
	var blank []byte
	for i, l := range s.lines {
		if i > 0 && !s.follows(i) {
			state = syntax.State{}
		}
		n := len(s.spans)
		s.spans, state = s.lang.Scan(l.Text, state, s.spans)
		at := s.starts[i]
		for k := n; k < len(s.spans); k++ {
			s.spans[k].End += s.starts[i]
			if s.spans[k].Kind == syntax.Comment {
				if blank == nil {
					blank = []byte(s.raw)
				}
				for ; at < s.spans[k].End; at++ {
					blank[at] = ' '
				}
			}
			at = s.spans[k].End
		}
	}
	if blank != nil {
		s.code = string(blank)
	}
}

// follows reports whether line i is the one after line i-1 in the file.
func (s *source) follows(i int) bool { return s.lines[i].New == s.lines[i-1].New+1 }

// join sets first and last for the statement that begins with line i, and returns the
// line after it.
func (s *source) join(i int) int {
	depth, j := 0, i
	begins := false // a block
	for {
		text := strings.TrimRight(s.line(j), " \t\r")
		depth += s.brackets(j)
		depth = max(depth, 0)
		var last byte
		if end := s.starts[j] + len(text); text != "" && s.kind(end-1) == syntax.Code {
			last = text[len(text)-1]
		}
		begins = last == '{' && (depth == 0 || opensBlock(text)) || last == ':' && depth == 0
		next := j+1 < len(s.lines) && s.follows(j+1) && j+1-i < maxStatementLines && s.starts[j+2]-s.starts[i] <= maxStatement
		goesOn := depth > 0 || next && s.inLiteral(j+1) || last != 0 && strings.IndexByte(`=+.%&|\`, last) >= 0 || next && s.continues(j+1)
		if !next || begins || !goesOn {
			begins = begins && next
			break
		}
		j++
	}
	for k := i; k <= j; k++ {
		s.first[k] = i
	}
	s.last[i] = j
	if begins && (depth > 0 || shortBody.MatchString(s.line(j+1))) {
		s.last[i]++
	}
	return j + 1
}

// shortBody matches the line after the header of a block that is joined with it: one
// word, as pass or continue, or what closes the block. Other lines are statements,
// unless the brace is between brackets, where it may begin a literal.
var shortBody = regexp.MustCompile(`^\s*(?:\w+;?|\W*)\s*$`)

// opensBlock reports whether the brace at the end of a line begins a block, not a
// literal: it is after a bracket, an arrow or a word.
func opensBlock(text string) bool {
	text = strings.TrimRight(text[:len(text)-1], " \t")
	if text == "" || strings.HasSuffix(text, "return") {
		return text == ""
	}
	c := text[len(text)-1]
	return c == ')' || c == '>' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// inLiteral reports whether line i begins inside of a literal.
func (s *source) inLiteral(i int) bool {
	k := s.span(s.starts[i])
	return k < len(s.spans) && s.spans[k].Kind == syntax.String && !s.spans[k].Opens && s.begin(k) == s.starts[i]
}

// continues reports whether line i goes on with the statement before it: with a
// method, an operand, or the brace of its block.
func (s *source) continues(i int) bool {
	text := strings.TrimSpace(s.line(i))
	return text != "" && (text[0] == '+' || text[0] == '.' || text == "{")
}

// line returns a line of code.
func (s *source) line(i int) string { return s.code[s.starts[i] : s.starts[i+1]-1] }

// lineAt returns the line of an offset.
func (s *source) lineAt(at int) int { return sort.SearchInts(s.starts, at+1) - 1 }

// span returns the index of the span of an offset; that of the next line for a newline.
func (s *source) span(at int) int {
	return sort.Search(len(s.spans), func(i int) bool { return s.spans[i].End > at })
}

func (s *source) kind(at int) syntax.Kind {
	if k := s.span(at); k < len(s.spans) {
		return s.spans[k].Kind
	}
	return syntax.Code
}

// begin returns where a span begins: where the one before it ends, or a line begins.
func (s *source) begin(k int) int {
	at := 0
	if k > 0 {
		at = s.spans[k-1].End
	}
	return max(at, s.starts[s.lineAt(s.spans[k].End-1)])
}

// expression returns the code from begin, where a value begins of which at least the
// part before end is known, up to what ends the value: a comma, a semicolon, a closing
// bracket, or the end of the statement.
func (s *source) expression(begin, end int) string {
	line := s.lineAt(begin)
	last := line + 1
	for last < len(s.lines) && s.first[last] == s.first[line] {
		last++
	}
	stop, depth := min(s.starts[last]-1, max(begin+maxStatement, end)), 0
	k := s.span(begin)
	for i := begin; i < stop; i++ {
		for k < len(s.spans) && s.spans[k].End <= i {
			k++
		}
		c := s.code[i]
		if k < len(s.spans) && s.spans[k].Kind == syntax.String {
			i = s.spans[k].End - 1 // the last byte, which opens the interpolated code if that is not the end
			if c = s.code[i]; c != '{' && c != '(' {
				continue
			}
		}
		switch c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}', ',', ';':
			if depth == 0 && strings.TrimSpace(s.code[min(i+1, end):end]) == "" {
				return s.code[begin:max(i, begin)]
			}
			if c != ',' && c != ';' {
				depth = max(depth-1, 0)
			}
		}
	}
	return s.code[begin:max(stop, end)]
}

// isLong reports whether a line is longer than a statement may be, as those of minified
// code, of which a rule may match many.
func (s *source) isLong(i int) bool { return s.starts[i+1]-s.starts[i] > maxStatement }

// above returns the code from at most n lines above an offset up to it, one statement
// in a line. It ends below a line that is too long.
func (s *source) above(at, n int) []string {
	line := s.lineAt(at)
	begin := s.first[line]
	if s.isLong(line) {
		return nil
	}
	joined := func(begin, end int) string { return strings.ReplaceAll(s.code[begin:end], "\n", " ") }
	lines := []string{joined(s.starts[begin], at)}
	for begin > 0 && s.follows(begin) && line-begin < n && !s.isLong(begin-1) {
		end := s.starts[begin] - 1
		begin = s.first[begin-1]
		lines = append(lines, joined(s.starts[begin], end))
	}
	if begin == 0 {
		for k := len(s.before) - 1; k >= 0 && line+len(s.before)-k <= n && len(s.before[k].Text) <= maxStatement; k-- {
			lines = append(lines, s.before[k].Text)
		}
	}
	slices.Reverse(lines)
	return lines
}

// brackets returns how many round and square brackets a line opens more than it closes.
func (s *source) brackets(i int) int {
	n := 0
	at, end := s.starts[i], s.starts[i+1]-1
	for k := s.span(at); at < end; k++ {
		if s.spans[k].Kind == syntax.Code {
			for _, c := range []byte(s.code[at:s.spans[k].End]) {
				switch c {
				case '(', '[':
					n++
				case ')', ']':
					n--
				}
			}
		}
		at = s.spans[k].End
	}
	return n
}

// isIn reports whether a match, from begin to before end in code, is in what a scope
// is about.
func (s *source) isIn(scope PatternScope, begin, end int) bool {
	if s.lang == nil {
		return scope == ScopeCode
	}
	first, last := s.span(begin), s.span(end-1)
	if first >= len(s.spans) {
		return scope == ScopeCode
	}
	switch kind := s.spans[first].Kind; scope {
	case ScopeCode:
		opening := s.spans[first].Opens && begin == s.begin(first)
		return kind == syntax.Code || kind == syntax.String && opening
	case ScopeComment:
		return kind == syntax.Comment && first == last
	default:
		for k := first + 1; k <= last && k < len(s.spans); k++ {
			if s.spans[k].Kind != syntax.String || s.spans[k].Opens {
				return false
			}
		}
		return kind == syntax.String
	}
}
