package redact

import (
	"encoding/base64"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// maxNear is how far values are searched before and after a name, in bytes, maxBelow
// the number of lines below it, and maxUnder that below a name that ends its line.
const maxNear, maxBelow, maxUnder = 200, 3, 8

// near returns the values around a name that no word of a program or a sentence
// looks like, wherever they are in its line: before the name, in another argument or
// cell. An announced name is that of a password, which can also be made up. The values
// can be in the next lines, and if the line ends with the name, in those below it,
// which can hold a pair for each value if the name is a plural. A call is the name of
// a function: only literals of its line are passed to it.
func (sc *scan) near(first, last int, kind string, announced, call bool) []span {
	text := sc.text
	sc.line.read(text, first, last)
	from, end, digits := sc.line.from, sc.line.end, sc.line.digits
	below := !call && end < len(text) && text[end] == '\n'
	ends := below && endsLine(text[last:end])
	// The cheap checks come first: most lines have no digit, and go on.
	below = below && (ends || kind != kindToken && announced && digitsBelow(text, end))
	if !digits && !below || isHarmless(text[first:last]) || first > 0 && text[first-1] == '/' && strings.HasPrefix(text[last:], "\"") {
		return nil
	}
	var spans []span
	if digits && from >= sc.searched {
		spans = append(distinct(text, from, end, kind), encoded(text, last, end, kind)...)
		sc.searched = end
	}
	if digits && (announced || call) {
		spans = append(spans, made(text, from, end, call)...)
	}
	if below && len(spans) == 0 {
		spans = append(spans, sc.under(from, end+1, kind, announced, text[last-1]|0x20 == 's', ends)...)
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
	*l = line{from: first, end: first}
	for l.from > 0 && first-l.from < maxNear && text[l.from-1] != '\n' {
		l.from--
		l.digits = l.digits || isDigit(text[l.from])
	}
	for l.end < len(text) && l.end-last < maxNear && text[l.end] != '\n' {
		l.digits = l.digits || isDigit(text[l.end])
		l.end++
	}
}

// digitsBelow reports whether there are digits in the lines below the one that ends
// at i.
func digitsBelow(text string, i int) bool {
	for n := 0; i < len(text) && n <= maxBelow; i++ {
		if isDigit(text[i]) {
			return true
		}
		if text[i] == '\n' {
			n++
		}
	}
	return false
}

// endsLine reports whether the rest of a line with a name leaves its value to the
// next line.
func endsLine(rest string) bool {
	rest = strings.TrimRight(rest, " \t\r")
	if rest != "" && strings.IndexByte(");,}", rest[len(rest)-1]) >= 0 {
		return false
	}
	if rest != "" && strings.IndexByte("=([|>\\`", rest[len(rest)-1]) >= 0 || strings.HasSuffix(rest, quotes[:1]+quotes[:1]) || strings.HasSuffix(rest, "''") {
		return true
	}
	if len(rest) >= 64 || strings.ContainsAny(rest, ");},") {
		return false
	}
	return !strings.ContainsFunc(rest, func(r rune) bool { return r >= 0x80 || isAlnum(byte(r)) })
}

// under returns the values in the lines from i on: where a line is only a value, or
// has a distinct one. Lines of a plural are pairs.
func (sc *scan) under(head, i int, kind string, announced, plural, ends bool) []span {
	text := sc.text
	margin := indent(text[head:])
	if text[head] == '[' {
		margin = -1 // a section
	}
	var spans []span
	blank := false
	for n := 0; n < maxUnder && i < len(text) && (n == 0 || i >= sc.searched); n++ {
		end := lineEnd(text[:min(len(text), i+maxBetween)], i)
		line := text[i:end]
		if n > 1 && (!ends && n >= maxBelow || ends && indent(line) <= margin) {
			break
		}
		if strings.TrimSpace(line) == "" {
			if blank {
				break // two blank lines separate what does not belong together
			}
			i, n, blank = end+1, n-1, true
			continue
		}
		blank = false
		digits := hasDigit(line)
		if (digits || announced) && (ends && (n == 0 || plural) || hasValueKey(line)) {
			if m := lonely().FindStringSubmatchIndex(line); m != nil && (m[2] < 0 || !isHarmless(line[m[2]:m[3]])) {
				v := value{quoted: true, announced: announced}
				if s := line[m[4]:m[5]]; v.isSecret(s, kind) && (!strings.Contains(s, " ") || v.isPhrase(s)) {
					spans = append(spans, span{start: i + m[4], end: i + m[5], kind: kind, rank: rankNear})
				}
			}
		}
		if i >= sc.searched {
			if digits {
				spans = append(spans, distinct(text, i, end, kind)...)
			}
			sc.searched = end
		}
		if announced && digits && i >= sc.made {
			sc.made = end
			spans = append(spans, made(text, i, end, false)...)
		}
		i = end + 1
	}
	return spans
}

// lonely matches a line with a single value, and its key if it has one.
var lonely = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[+\s]*(?:[-:] |<\w+>)?(?:["']?([\w.-]+)["']?\s*[:=]\s*)?["'(\[]*([^\s"'<>(){}\[\],;:=](?:[^"'<>\n]*[^\s"'<>(){}\[\],;:=])?)["')\]]*(?:</\w+>)?[,;]?\s*$`)
})

// hasValueKey reports whether a line is that of a value of which the name is another
// value.
func hasValueKey(line string) bool {
	n := strings.IndexAny(line, ":=")
	if n < 0 {
		return false
	}
	key := lowerASCII(strings.Trim(line[:n], "\"'\\ \t"))
	return strings.HasSuffix(key, "value") || strings.HasSuffix(key, "val") || strings.HasSuffix(key, "default") || strings.HasSuffix(key, "content")
}

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " \t+-")) }

// encoded returns the values after a name that are written as codes of characters, or
// in hexadecimal digits, but not in as many as a commit has.
func encoded(text string, from, to int, kind string) []span {
	line := text[from:to]
	digits := 0
	for i := range len(line) {
		if isDigit(line[i]) {
			digits++
		}
	}
	if digits < 6 {
		return nil
	}
	var spans []span
	for _, m := range codes().FindAllStringSubmatchIndex(line, -1) {
		if g := m[max(2, len(m)-2):]; m[2] >= 0 {
			spans = append(spans, span{start: from + m[2], end: from + m[3], kind: kind, rank: rankNear})
		} else if g[1]-g[0] != 40 {
			spans = append(spans, span{start: from + g[0], end: from + g[1], kind: kind, rank: rankNear})
		}
	}
	return spans
}

var codes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`((?:(?:\\x|%|\\u00|&#x)[0-9a-fA-F]{2};?|&#\d{2,3};|\\[0-7]{3}){6,}[\w!@#$%^*-]*|(?:(?:0[xX][0-9a-fA-F]{2}|\d{2,3}),\s?){7,}(?:0[xX])?\w{2,3})|["']([0-9a-f]{32,128})["']`)
})

// distinct returns the distinct values in text[from:to].
func distinct(text string, from, to int, kind string) []span {
	var spans []span
	for i := from; i < to; {
		if strings.IndexByte(quotes, text[i]) >= 0 {
			s, _, closed := strings.Cut(text[i+1:to], text[i:i+1])
			if closed && !strings.ContainsAny(s, " \t:=,\\") && isDistinct(s) {
				spans = append(spans, span{start: i + 1, end: i + 1 + len(s), kind: kind, rank: rankNear})
				i += len(s) + 2
				continue
			}
		}
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
		if digits == 0 || end-start < minValue || strings.HasPrefix(text[start:end], "0x") || start > from && text[start-1] == '$' || end < len(text) && strings.IndexByte("([", text[end]) >= 0 || strings.HasSuffix(text[:start], "ENC(") {
			continue
		}
		if s := text[start:end]; isDistinct(s) && !profileOf(joiners.Replace(strings.TrimLeft(s, "!*"))).wordy() {
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

// made returns the values in a line that people make from words and a number, if
// nothing shows that they are names of something else; only quoted ones if quoted.
func made(text string, from, end int, quoted bool) []span {
	possible := false
	for i := from + 2; i < end && !possible; i++ {
		next := text[min(i+1, end-1)]
		possible = isDigit(text[i]) && (isDigit(next) || next == '!' || next == '?') && (text[i-1] == '-' || isLower(text[i-1]) && isLower(text[i-2]))
	}
	if !possible {
		return nil
	}
	var spans []span
	for _, m := range madeUp().FindAllStringSubmatchIndex(text[from:end], 4) {
		if s := text[from+m[2] : from+m[3]]; stripWords(s) == s && (!quoted || m[2] > 0 && strings.IndexByte(quotes, text[from+m[2]-1]) >= 0) {
			spans = append(spans, span{start: from + m[2], end: from + m[3], kind: kindPassword, rank: rankNear})
		}
	}
	return spans
}

var madeUp = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[^$\w.#/-])([a-z]{3,}[A-Z][a-z]{2,}\d{2,4}|(?:[A-Za-z][a-z]{2,}-){2,3}(?:19|20)\d\d|[A-Z]?[a-z]{4,}(?:19|20)\d\d|[A-Z][a-z]{4,}\d{1,4}[!?])(?:[^\w.(/\[=:-]|[.:]?$|\.\s)`)
})

// isDistinct reports whether a value looks like a password or a key wherever it is.
// What joins words does not make them different.
func isDistinct(s string) bool {
	s = strings.Trim(s, ".,-*~")
	if len(s) < minValue || len(s) > maxDistinct {
		return false
	}
	p := profileOf(joiners.Replace(s))
	if p.length < minValue || p.hexOnly || p.digit == 0 || p.lower+p.upper < 3 || p.changes < 2 && p.classes() < 4 || p.monotonous() || isNameLike(strings.ReplaceAll(s, "*", ".")) {
		return false
	}
	if file, _, ok := strings.Cut(s, "#"); ok && strings.Contains(file, ".") {
		return false // a place in a document
	}
	if _, host, ok := strings.Cut(s, "@"); ok && strings.Contains(host, ".") {
		return false // an address
	}
	if isUUID(s) || isFiller(s) || isNumber(s) {
		return false
	}
	if p = profileOf(joiners.Replace(stripWords(s))); p.length < minValue || p.digit == 0 {
		return false
	}
	b, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(s, "="))
	ok := err == nil && isPrintable(b) || p.length == len(s) && p.random() && (p.length >= 20 || p.upper > 0) || p.random() && p.classes() >= 3
	if strings.Contains(s, "/") {
		ok = ok && len(s) >= 32
	} else {
		ok = ok || strongBare(p) || p.classes() == 4
	}
	return ok && !isReference(s) // the slow check is the last
}

// randoms returns the tokens that only a machine makes, without a name: of 20 bytes or
// more that mix capitals, small letters and digits. Their key, if they have one, must
// not be that of a hash or something else that is public.
func randoms(text string) []span {
	var spans []span
	for i := minRandom - 1; i < len(text); i += minRandom / 2 {
		// A token has two bytes that are half of its length apart.
		if !tokenBytes[text[i]] || !tokenBytes[text[i-minRandom/2]] {
			continue
		}
		start, end := i, i
		for start > 0 && tokenBytes[text[start-1]] && i-start < maxRandom {
			start--
		}
		for end < len(text) && tokenBytes[text[end]] && end-i < maxRandom {
			end++
		}
		i = end - 1
		s := text[start:end]
		for end < len(text) && text[end] == '=' {
			end++ // padding
		}
		if len(s) < minRandom || len(s) > maxRandom || isWrapped(end-start) || start == 0 || strings.IndexByte("\"'`= ", text[start-1]) < 0 {
			continue
		}
		p := profileOf(s)
		if p.upper < 2 || p.lower < 2 || p.digit < 2 || !p.random() || p.entropy < 3.8 || p.symbol > 2 && p.length < 40 || p.wordy() || isReference(s) || isFiller(s) {
			continue
		}
		key := strings.TrimRight(text[max(0, start-maxName):start], "\"'`=: ")
		key = key[strings.LastIndexFunc(key, func(r rune) bool { return r >= 0x80 || !isNameByte(byte(r)) })+1:]
		if isHarmless(key) || key == "" && strings.TrimLeft(text[max(0, start-maxName):start], " \t") == "" {
			continue
		}
		spans = append(spans, span{start: start, end: end, kind: kindToken, rank: rankNear})
	}
	return spans
}

// maxDistinct is the length up to which values are distinct: longer ones are data.
const maxDistinct = 160

// minRandom and maxRandom limit the length of a token without a name.
const minRandom, maxRandom = 20, 100

// tokenBytes are the bytes of a token.
var tokenBytes = func() (set [256]bool) {
	for c := range set {
		set[c] = isAlnum(byte(c)) || strings.IndexByte("+/-_", byte(c)) >= 0
	}
	return set
}()

// isPrintable reports whether decoded bytes are text: random ones are not.
func isPrintable(b []byte) bool {
	return len(b) >= minValue && !slices.ContainsFunc(b, func(c byte) bool { return c < ' ' || c > '~' })
}

var joiners = strings.NewReplacer("-", "", "_", "", ".", "", "/", "", ":", "", "+", "", "=", "")
