package redact

import (
	"regexp"
	"strings"
	"sync"
)

// maxNear is how far values are searched before and after a name, in bytes, and
// maxUnder the number of lines below a name that ends its line.
const maxNear, maxUnder = 200, 8

// near returns the values around a name that no word of a program or a sentence
// looks like, wherever they are in its line: before the name, in another argument or
// cell. If the line ends with the name, they can be in the lines below it, which can
// hold a pair for each value if the name is a plural.
func (sc *scan) near(first, last int, kind string, announced bool) []span {
	text := sc.text
	sc.line.read(text, first, last)
	from, end, digits := sc.line.from, sc.line.end, sc.line.digits
	// The cheap checks come first: most lines have no digit, and go on.
	ends := end < len(text) && text[end] == '\n' && endsLine(text[last:end])
	if !digits && !ends || isHarmless(text[first:last]) || first > 0 && text[first-1] == '/' && strings.HasPrefix(text[last:], "\"") {
		return nil
	}
	var spans []span
	if digits && from >= sc.searched {
		spans = distinct(text, from, end, kind)
		sc.searched = end
	}
	if digits && announced && kind == kindPassword {
		spans = append(spans, made(text, last, end)...)
	}
	if ends {
		spans = append(spans, sc.under(from, end+1, kind, announced, text[last-1]|0x20 == 's')...)
	}
	return spans
}

// line is the part of a line around a name.
type line struct {
	from, end int
	digits    bool
}

func (l *line) read(text string, first, last int) {
	if l.from <= first && last <= l.end && l.end > 0 {
		return
	}
	l.from, l.end, l.digits = first, first, false
	for l.from > 0 && first-l.from < maxNear && text[l.from-1] != '\n' {
		l.from--
		l.digits = l.digits || isDigit(text[l.from])
	}
	for l.end < len(text) && l.end-last < maxNear && text[l.end] != '\n' {
		l.digits = l.digits || isDigit(text[l.end])
		l.end++
	}
}

// endsLine reports whether the rest of a line with a name leaves its value to the
// next line.
func endsLine(rest string) bool {
	if len(rest) >= 64 || strings.ContainsAny(rest, ");},") {
		return false
	}
	return !strings.ContainsFunc(rest, isWordRune) || strings.ContainsAny(rest, "<&!#R") &&
		!strings.ContainsFunc(opener().ReplaceAllString(rest, ""), isWordRune)
}

// opener matches what can be after a name although the value is in the next line.
var opener = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^["'\]]*\s*(?:</\w+>|(?:[:=]\s*)?(?:<<[-~]?["']?\w+["']?[.\w]*|&\w+|!!\w+|R|r#)?)`)
})

func isWordRune(r rune) bool { return r >= 0x80 || isAlnum(byte(r)) }

// under returns the values in the lines from i on: where a line is only a value, or
// has a distinct one. Lines of a plural are pairs.
func (sc *scan) under(head, i int, kind string, announced, plural bool) []span {
	text := sc.text
	margin := indent(text[head:])
	var spans []span
	for n := range maxUnder {
		if i >= len(text) || n > 0 && i < sc.searched {
			break
		}
		end := lineEnd(text[:min(len(text), i+maxBetween)], i)
		line := text[i:end]
		if n > 1 && indent(line) <= margin && strings.TrimSpace(line) != "" {
			break
		}
		var m []int
		if (n == 0 || plural) && (hasDigit(line) || announced) {
			m = lonely().FindStringSubmatchIndex(line)
		}
		if m != nil && (m[2] == m[3] && n == 0 || m[2] < m[3] && plural && !isHarmless(line[m[2]:m[3]])) {
			v := value{quoted: true, announced: announced}
			if s := line[m[4]:m[5]]; v.isSecret(s, kind) {
				spans = append(spans, span{start: i + m[4], end: i + m[5], kind: kind, rank: rankNear})
			}
		}
		if i >= sc.searched {
			spans = append(spans, distinct(text, i, end, kind)...)
			sc.searched = end
		}
		i = end + 1
	}
	return spans
}

// lonely matches a line with a single value, and its key if it has one.
var lonely = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[+\s]*(?:[-:] |<\w+>)?["']?([\w.-]*?)(?:["']?[:=] ?|)["'(\[]*([^\s"'<>(){}\[\],;:=]+)["')\]]*(?:</\w+>)?[,;]?\s*$`)
})

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " \t+-")) }

// distinct returns the distinct values in text[from:to].
func distinct(text string, from, to int, kind string) []span {
	var spans []span
	for i := from; i < to; {
		start, digits := i, 0
		for i < to && isBareByte(text[i]) {
			if isDigit(text[i]) {
				digits++
			}
			i++
		}
		end := i
		for end < to && end > start && text[end] == '=' {
			end++ // padding
		}
		if strings.HasPrefix(text[end:to], "://") {
			for i < to && strings.IndexByte(" \t\"'`<>", text[i]) < 0 {
				i++
			}
			continue
		}
		i = max(end, start+1)
		if digits == 0 || end-start < minValue || start > from && text[start-1] == '$' || end < len(text) && strings.IndexByte("([", text[end]) >= 0 || strings.HasSuffix(text[:start], "ENC(") {
			continue
		}
		if isDistinct(text[start:end]) {
			spans = append(spans, span{start: start, end: end, kind: kind, rank: rankNear})
			continue
		}
		if strings.Count(text[start:end], "/") != 1 || isReference(text[start:end]) {
			continue
		}
		for a := start; a < end; { // as in user/password
			b := a
			for b < end && text[b] != '/' {
				b++
			}
			if b-a >= minValue && isDistinct(text[a:b]) {
				spans = append(spans, span{start: a, end: b, kind: kind, rank: rankNear})
			}
			a = b + 1
		}
	}
	return spans
}

// made returns the value that people made from words and a number if it is alone
// between the name that ends at i and the end of the line.
func made(text string, i, end int) []span {
	m := madeUp().FindStringSubmatchIndex(text[i:end])
	if m == nil || stripWords(text[i+m[2]:i+m[3]]) != text[i+m[2]:i+m[3]] {
		return nil
	}
	return []span{{start: i + m[2], end: i + m[3], kind: kindPassword, rank: rankNear}}
}

var madeUp = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[^$\w]*(?:\w+[^$\w]+){0,3}?([a-z]{3,}[A-Z][a-z]{2,}\d{2,4}|[a-z]{3,}-[a-z]{3,}-(?:19|20)\d\d)(?:[^\w.(/\[-]|[.]?$)`)
})

// isDistinct reports whether a value looks like a password or a key wherever it is.
// What joins words does not make them different.
func isDistinct(s string) bool {
	s = strings.Trim(s, ".,-*~")
	if len(s) < minValue || len(s) > maxValue {
		return false
	}
	p := profileOf(joiners.Replace(s))
	if p.length < minValue || p.hexOnly || p.digit == 0 || p.lower+p.upper < 3 || p.changes < 2 && p.classes() < 4 || p.monotonous() || isNameLike(s) {
		return false
	}
	if file, _, ok := strings.Cut(s, "#"); ok && strings.Contains(file, ".") {
		return false // a place in a document
	}
	if _, host, ok := strings.Cut(s, "@"); ok && strings.Contains(host, ".") {
		return false // an address
	}
	if isUUID(s) || isFiller(s) || isNumber(s) || isReference(s) {
		return false
	}
	if p = profileOf(joiners.Replace(stripWords(s))); p.length < minValue || p.digit == 0 {
		return false
	}
	switch {
	case p.length == len(s) && p.random() && (p.length >= 20 || p.upper > 0):
		return true
	case strings.Contains(s, "/"):
		return len(s) >= 32 && p.random() && p.classes() >= 3
	}
	return strongBare(p) || p.classes() == 4 || p.random() && p.classes() >= 3
}

var joiners = strings.NewReplacer("-", "", "_", "", ".", "", "/", "", ":", "", "+", "", "=", "")
