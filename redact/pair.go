package redact

import (
	"regexp"
	"strings"
	"sync"
)

// Limits of what is read.
const (
	minValue   = 8 // a shorter one could be any word
	maxValue   = 4096
	maxParts   = 16  // of a value
	maxBetween = 300 // between a name and its value
	maxOpening = 128 // before a literal
)

// value is what a text gives a name: a literal, which can be joined from several,
// or a bare word.
type value struct {
	parts  []part
	quoted bool
	// data is set for a bare word where an expression is unlikely: in a line that
	// consists of a name and a value, after a flag. last is set at the end of a
	// line.
	data, last bool
	// passed is set if the value is passed to a function or a constructor, as
	// the names of variables and settings are.
	passed bool
	// announced is set if the name ends with the word for a password.
	announced bool
	// phrase is set if the name is one of a passphrase.
	phrase bool
}

// part is a part of a value, in one line.
type part struct{ start, end int }

func (v value) text(text string) string {
	var b strings.Builder
	for _, p := range v.parts {
		b.WriteString(text[p.start:p.end])
	}
	return b.String()
}

// Expressions for what is between a name and its value, in many languages.
const (
	typeName = `:? *[\w.&'*?\[\]]{1,32} {0,48}=>?` // "password string =", "password: &str ="
	operator = `===|!==|\|\|=|\?\?=|:=|\?=|\+=|==|!=|=>|<-|\|\||\?\?|:-|or |is |was |[=:,(>]|：`
	lineEnds = `(?:\\?\r?\n\+?[ \t]{1,80}(?:- )?|\\\r?\n)`
	// A literal can be in a call, in parentheses, or after a command.
	opening = `[\w.:\[\]-]{0,40}[({][ \t]{0,8}` + lineEnds + `?|(?:new |&)?(?:[\w.:\[\]-]{1,40} ){0,3}(?:[\w.:\[\]-]{0,40}[({] ?)?|""\.join\(\[|rb|br|r#{1,3}|u8|[@brRufLN]`
	quotes  = "\"'`"
	quote   = "([" + quotes + "])"
)

var (
	// assignment matches an operator, with a type before it.
	assignment = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("^(?:" + typeName + "|" + operator + ")")
	})
	// lineBreak matches the end of a line within a statement.
	lineBreak = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^" + lineEnds) })
	// literal has as groups what is before a literal, backslashes before the
	// quote, and the quote.
	literal = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(` + opening + `)?(\\{0,4})` + quote)
	})
	// joined matches what is between two literals that make one value.
	joined = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[ \t]*(?:\\?\r?\n[ \t]+)?(?:[+&]|\.\.?|\|\|)?[ \t]*(?:\\?\r?\n[ \t]+)?` + quote)
	})
	// pairLine matches what is before the name in a line of data.
	pairLine = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:^|\n)[ \t+]*(?:[-#;*/]+[ \t]+)?(?:(?:export|set|ENV|ARG|local|readonly)[ \t]+)?["']?$`)
	})
)

// readValue returns the value of the name between first and last.
func readValue(text string, first, last int, phrase bool) value {
	var v value
	rest := text[last:min(len(text), last+maxBetween)]
	after := strings.TrimLeft(rest, "\"'`])\\")
	closed := last + len(rest) - len(after)
	after = strings.TrimLeft(after, " \t")
	i := last + len(rest) - len(after)
	if after == "" {
		return v
	}
	flag := text[first] == '-'
	if item, ok := strings.CutPrefix(strings.TrimLeft(after, "\r\n \t+"), "- "); ok && flag {
		i, after = i+len(after)-len(item), item
	}
	// The expression is slow, and most names are followed by neither an operator
	// nor a type and an operator. A comma must follow a literal.
	line, _, _ := strings.Cut(after, "\n")
	switch c := after[0]; {
	case c == ',' && closed == last:
		return v
	case strings.IndexByte("=:?!|+<>(,oiw\xef", c) >= 0, strings.Contains(line, "="):
		v = readAssigned(text, first, i, after, flag)
	}
	if v.parts == nil && i > closed && strings.IndexByte("=:,", after[0]) < 0 {
		// Only blanks are between a flag or a keyword and its value.
		if strings.IndexByte(quotes, after[0]) >= 0 {
			v = readLiteral(text, i, 0, !flag)
		} else if closed == last {
			v = readBare(text, i)
			v.data = flag || isPairLine(text, first, v)
		}
	}
	if v.parts == nil {
		return v
	}
	if p := &v.parts[len(v.parts)-1]; phrase && !v.quoted && strings.HasPrefix(text[p.end:], " ") {
		// Words up to the end of the line.
		if end := lineEnd(text, p.start); end-p.start <= maxValue && isPairLine(text, first, value{parts: []part{{p.start, end}}, last: true}) {
			p.end, v.quoted = len(strings.TrimRight(text[:end], " \t\r")), true
		}
	}
	return v
}

// readAssigned reads a value after an operator at i.
func readAssigned(text string, first, i int, after string, flag bool) value {
	op := after[:1]
	if op != "(" && op != "," {
		if op = assignment().FindString(after); op == "" {
			return value{}
		}
	}
	rest := strings.TrimLeft(after[len(op):], " \t")
	broken := ""
	if rest != "" && strings.IndexByte("\\\r\n", rest[0]) >= 0 {
		if broken = lineBreak().FindString(rest); broken != "" && (op == "," && !flag || op == ">") {
			return value{}
		}
		rest = rest[len(broken):]
	}
	rest = strings.TrimPrefix(rest, "<![CDATA[")
	i += len(after) - len(rest)
	line, _, more := strings.Cut(rest, "\n")
	if strings.ContainsAny(line, quotes) || more && strings.HasSuffix(strings.TrimRight(line, " \t\r"), "(") {
		if l := literal().FindStringSubmatchIndex(rest[:min(len(rest), maxOpening)]); l != nil {
			v := readLiteral(text, i+l[6], l[5]-l[4], true)
			opening := rest[:max(l[3], 0)]
			v.passed = len(opening) > 2 && opening[0] != '(' || op == "," && !flag && !strings.HasSuffix(strings.TrimRight(text[max(0, first-4):first], quotes+"\\ "), "(")
			return v
		}
	}
	if broken != "" && broken[0] != '\\' && !strings.HasSuffix(broken, "- ") {
		return value{} // an expression
	}
	v := readBare(text, i)
	if v.parts != nil {
		end := v.parts[0].end
		tight := op == "=" && len(after) == len(rest)+1 && (end == len(text) || text[end] != ',')
		filled := op[0] == ':' && strings.HasPrefix(text[end:], "}") // the default in a template
		v.data = tight || flag || filled || op == "is " || op == "was " || op == ">" || isPairLine(text, first, v)
		v.last = v.last && len(op) <= 2 // with a type, it is code
	}
	return v
}

// readLiteral reads a literal, and those that are joined with it, from its quote
// on, before which are escapes.
func readLiteral(text string, i, escapes int, join bool) value {
	v := value{quoted: true}
	for {
		q := text[i]
		start := i + 1
		if strings.HasPrefix(text[start:], string([]byte{q, q})) {
			start += 2 // three quotes
		}
		end := start
		for end < len(text) && text[end] != q && text[end] != '\n' && end-start <= maxValue {
			if text[end] == '\\' && escapes == 0 && end+1 < len(text) && text[end+1] != '\n' {
				end++
			}
			end++
		}
		if end >= len(text) || text[end] != q {
			return v
		}
		next := end + 1
		for end > start && escapes > 0 && text[end-1] == '\\' {
			end--
		}
		if len(v.parts) > 0 && next < len(text) && strings.IndexByte(":=", text[next]) >= 0 {
			return v // a key
		}
		v.parts = append(v.parts, part{start, end})
		m := joined().FindStringSubmatchIndex(text[next:min(len(text), next+maxBetween)])
		if !join || m == nil || escapes > 0 || len(v.parts) == maxParts {
			return v
		}
		i = next + m[2]
	}
}

// readBare reads a value without quotes. What goes on with a bracket or a dot is
// an expression, and not a value.
func readBare(text string, start int) value {
	end := start
	for end < len(text) && end-start <= maxValue && isBareByte(text[end]) {
		end++
	}
	for end > start && end < len(text) && text[end] == '=' {
		end++ // padding
	}
	for end > start && end < len(text) && text[end] <= ' ' && (text[end-1] == '.' || text[end-1] == '?') {
		end-- // of a sentence
	}
	if end-start > maxValue || end < len(text) && strings.IndexByte(" \t\r\n&,;\"'`<\\|}].?", text[end]) < 0 {
		return value{}
	}
	tail := strings.TrimLeft(text[end:min(len(text), end+80)], " \t.?")
	return value{parts: []part{{start, end}}, last: tail == "" || strings.IndexByte("\r\n#", tail[0]) >= 0}
}

func isBareByte(c byte) bool {
	return isAlnum(c) || strings.IndexByte("+/_-.~!@#%^*?", c) >= 0
}

// isPairLine reports whether a line consists of a name and a bare value.
func isPairLine(text string, first int, v value) bool {
	return len(v.parts) == 1 && v.last && pairLine().MatchString(text[max(0, first-80):first])
}
