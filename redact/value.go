package redact

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// isSecret reports whether the text s of a value that belongs to a secret-sounding
// name is a secret, and not a reference to one, an example, or something else.
func (v value) isSecret(s, kind string) bool {
	if len(s) < minValue || len(s) > maxValue || isReference(s) || isUUID(s) || isFiller(s) || isNumber(s) {
		return false
	}
	if kind != kindPassword && kind != kindSecret {
		v.announced = false
		if strings.ContainsAny(s, " \t") && len(s) < 32 {
			return false
		}
	} else if strings.ContainsAny(s, " \t") {
		return v.quoted && !v.passed && (v.isPhrase(s) || slices.ContainsFunc(strings.Fields(s), isMixed))
	}
	rest := stripWords(s)
	if len(rest) < 8 && !(kind == kindPassword && len(rest) >= 6) {
		return false
	}
	p := profileOf(rest)
	switch {
	case p.random():
		return true
	case p.hexOnly:
		return p.length >= minHex(kind) && p.digit > 0 && p.lower+p.upper > 0 && !p.monotonous()
	case kind == kindToken, kind != kindPassword && kind != kindSecret && (!v.quoted || v.passed || p.symbol == 0 || isNameLike(s)):
		return false
	case strongBare(p):
		// Even a bare word in code, which can be an expression, does not
		// alternate as passwords do.
		return true
	case kind != kindPassword && kind != kindSecret, !v.quoted && !v.phrase && strings.Contains(s, ".") && isNameLike(s):
		return false
	case !v.quoted && !v.data:
		return v.last && p.strong() && !isNameLike(s) && !strings.Contains(s, "/")
	case p.strong() && len(rest) >= 8 && !isNameLike(s):
		return true
	case kind == kindSecret && strings.ContainsAny(s, "-_./"):
		return false // more often the name of a secret
	}
	// People make passwords from words and numbers.
	return v.announced && !v.passed && (p.digit >= 2 && p.lower+p.upper >= 4 && 2*p.steps < p.length || v.isPhrase(s))
}

// isPhrase reports whether a value consists of words, but not of those that
// sentences and names have.
func (v value) isPhrase(s string) bool {
	words := strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == '-' || v.phrase && r == '.' })
	for _, w := range words {
		if len(w) < 3 || strings.ContainsFunc(w, func(r rune) bool { return r < 'a' || r > 'z' }) ||
			slices.Contains(sentenceWords, w) || slices.Contains(exampleWords, w) {
			return false
		}
	}
	return len(words) >= 4
}

// sentenceWords are in most texts of several words that are not passphrases.
var sentenceWords = strings.Fields("the and for not are you your must has was with this that from have should cannot please enter can will use")

// isMixed reports whether a word has digits as words in a sentence do not.
func isMixed(s string) bool {
	p := profileOf(s)
	return len(s) >= 5 && p.changes >= 2 && !isNameLike(strings.Trim(s, ",;()!?")) || p.lower+p.upper >= 5 && p.digit >= 2
}

// minHex is the number of hexadecimal digits from which they are a secret. A
// "token" is often an abbreviated hash.
func minHex(kind string) int {
	if kind == kindToken {
		return 32
	}
	return 20
}

// isNumber reports whether a value is a number in hexadecimal digits, or the
// address of a "token" of a crypto currency.
func isNumber(v string) bool {
	digits, ok := strings.CutPrefix(strings.ReplaceAll(lowerASCII(v), "_", ""), "0x")
	return ok && len(digits) <= 40 && profileOf(digits).hexOnly
}

// strongBare reports whether a value alternates between classes as often as
// passwords do, and names do not.
func strongBare(p profile) bool {
	return p.length >= 8 && p.digit >= 2 && p.lower+p.upper >= 2 && p.classes() >= 3 && !p.monotonous() &&
		100*p.changes >= 30*p.length
}

// isNameLike reports whether a value consists of words, with digits only at their
// ends, and of what joins words: "user-profile-2", "Version2.Client".
func isNameLike(v string) bool {
	changes := 0
	for i := 0; i < len(v); i++ {
		if !isNameByte(v[i]) && v[i] != '/' && v[i] != ':' {
			return false
		}
		if i > 0 && isDigit(v[i-1]) && isLower(v[i]|0x20) {
			changes++
		}
	}
	return changes == 0
}

// isReference reports whether a value is the name of a place where a secret is,
// or is filled in later, or is text.
func isReference(v string) bool {
	name := strings.TrimLeft(v, "$#/.@~*&!-")
	return len(name) < len(v) && isNameLike(name) || reference().MatchString(v)
}

// reference matches parts of templates and formats, calls, tags, URLs, and the
// prefixes of stores, digests and encrypted values.
var reference = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[$#%]\{|\$\(|\{\{|<%|\(\?|\[\^?(?:a-z|A-Z|0-9)|\{[\w.:!-]*\}|<[A-Za-z][A-Za-z _.-]*\d?>|%\(|%\[|^\w+:"|\[\d*\]|(?:^|[\s:/=,('"])%[svdq]|://|\.\.\.|…|\\u(?:[^0]|0[^0]|00[^0-7])|::|\[REDACTED|\w\([^)]*\)` +
		`|^(?:\$\w{1,2}\$|\$[A-Z_]+\b|\$\w+(?:->|\[)|--|\*\*|@@|(?:arn|op|vault|ssm|env|file|data|enc|kms|md5|sha\d+)[:-]|ENC\[|AQICA|[a-z]+(?:(?::\d+)?\||#[a-z]|\[)|process\.env|os\.environ|secret/|projects/)`)
})

// exampleWords are in values that somebody made up.
var exampleWords = []string{
	"password", "passwort", "passwd", "passw0rd", "p@ssw0rd", "p@ssword", "pa55word", "secret", "s3cr3t", "token", "example", "sample", "changeme",
	"change-me", "change_me", "changeit", "placeholder", "dummy", "fake", "test", "mock", "todo", "insert", "replace", "redacted", "default",
	"your", "foobar", "hunter2", "correcthorsebatterystaple", "letmein", "qwerty", "invalid", "wrong", "unknown", "postgres", "mysql",
	"admin", "guest", "root", "user", "pass", "username", "apikey", "api_key", "api-key", "key", "value", "string", "none", "null", "undefined", "xxxx",
	"12345678", "123456", "abcdef", "1234", "abcd", "abc", "123",
}

// maxExample is the length up to which a value is searched for words.
const maxExample = 64

// stripWords returns a value without the words of examples.
func stripWords(v string) string {
	if len(v) > maxExample {
		return v
	}
	lower := lowerASCII(v)
	for _, w := range exampleWords {
		for i := strings.Index(lower, w); i >= 0; i = strings.Index(lower, w) {
			v, lower = v[:i]+v[i+len(w):], lower[:i]+lower[i+len(w):]
		}
	}
	return v
}

// isFiller reports whether a token of a known form is an example of it: it has
// few different characters, or a word such as "example".
func isFiller(token string) bool {
	if p := profileOf(token); p.entropy < 2 {
		return true
	}
	for _, run := range []string{"xxxxxx", "XXXXXX", "000000", "******", "......"} {
		if strings.Contains(token, run) {
			return true
		}
	}
	for _, w := range []string{"EXAMPLE", "example", "Example", "PLACEHOLDER", "placeholder", "your-", "your_", "YOUR_", "dummy", "DUMMY"} {
		if strings.Contains(token, w) {
			return true
		}
	}
	return false
}

// isUUID reports whether s is a UUID, which is a name and not a secret.
func isUUID(s string) bool {
	return len(s) == 36 && s[8] == '-' && s[13] == '-' && s[18] == '-' && s[23] == '-' && profileOf(lowerASCII(strings.ReplaceAll(s, "-", ""))).hexOnly
}

// profile describes the characters of a value.
type profile struct {
	length                      int
	lower, upper, digit, symbol int
	// changes counts the neighbors of different classes among letters and
	// digits, except a capital before a small letter, as words begin like that.
	changes int
	// steps counts the neighbors that are equal or follow each other in the
	// alphabet, as in "12345" and "aaaa".
	steps int
	// words counts the small letters after two others, as in words.
	words   int
	hexOnly bool    // hexadecimal digits of one case
	entropy float64 // bits per byte
}

func profileOf(s string) profile {
	p := profile{length: len(s), hexOnly: true}
	var freq [256]int
	class := func(c byte) byte {
		switch {
		case isLower(c):
			return 'a'
		case isUpper(c):
			return 'A'
		case isDigit(c):
			return '0'
		}
		return 0
	}
	run := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		freq[c]++
		if run++; !isLower(c) {
			run = 0
		} else if run >= 3 {
			p.words++
		}
		p.hexOnly = p.hexOnly && isHex(c)
		k := class(c)
		switch k {
		case 'a':
			p.lower++
		case 'A':
			p.upper++
		case '0':
			p.digit++
		default:
			p.symbol++
		}
		if i == 0 {
			continue
		}
		before := class(s[i-1])
		if before != 0 && k != 0 && before != k && (before != 'A' || k != 'a') {
			p.changes++
		}
		if d := int(c) - int(s[i-1]); -1 <= d && d <= 1 {
			p.steps++
		}
	}
	p.hexOnly = p.hexOnly && (p.lower == 0 || p.upper == 0)
	for _, n := range freq {
		if n > 0 {
			q := float64(n) / float64(len(s))
			p.entropy -= q * math.Log2(q)
		}
	}
	return p
}

// classes returns how many of the four classes of characters there are.
func (p profile) classes() int {
	n := 0
	for _, c := range []int{p.lower, p.upper, p.digit, p.symbol} {
		if c > 0 {
			n++
		}
	}
	return n
}

// monotonous reports whether the value is a run through the alphabet or has few
// different characters, as people type examples.
func (p profile) monotonous() bool {
	return p.entropy < 2.5 || 2*p.steps >= p.length
}

// random reports whether the value looks machine-made: letters and digits
// alternate more often than in words and identifiers.
func (p profile) random() bool {
	letters := p.lower + p.upper
	switch {
	case p.length < 16, p.digit == 0, letters == 0, p.entropy < 3, p.monotonous():
		return false
	case p.length < 32 && p.hexOnly:
		return false // an abbreviated hash, a number
	}
	return 100*p.changes >= 25*(letters+p.digit)
}

// wordy reports whether the value could be an identifier of several words.
func (p profile) wordy() bool {
	return p.upper > 0 && p.symbol == 0 && 10*p.words >= 3*(p.lower+p.upper)
}

// strong reports whether the value looks like a strong password.
func (p profile) strong() bool {
	return p.length >= 8 && p.classes() >= 3 && p.digit > 0 && p.lower+p.upper > 0 && !p.monotonous() &&
		(p.symbol > 0 || p.changes >= 3)
}

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isAlnum(c byte) bool { return isLower(c|0x20) || isDigit(c) }
func isHex(c byte) bool   { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

// isBase64 reports whether c is in the standard alphabet, including padding.
func isBase64(c byte) bool { return isAlnum(c) || c == '+' || c == '/' || c == '=' }

// lowerASCII returns s with ASCII letters in lower case. It keeps the length.
func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if isUpper(c) {
			b[i] |= 0x20
		}
	}
	return string(b)
}
