package redact

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// The kinds of values that only the text around them gives away.
const (
	kindURLPassword = "url-password"
	kindPassword    = "password"
	kindSecret      = "secret"
	kindToken       = "token"
	kindAPIKey      = "api-key"
	kindSecretKey   = "secret-key"
	kindAWSSecret   = "aws-secret-key"
)

// word is a part of a name that sounds like the name of a secret.
type word struct {
	text string
	kind string
	// alone forbids letters right before it: "pass" is not in "bypass".
	alone bool
	// after, if set, are the words one of which must be before it.
	after []string
}

var words = []word{
	{text: "password", kind: kindPassword},
	{text: "passwd", kind: kindPassword},
	{text: "passphrase", kind: kindPassword},
	{text: "passwort", kind: kindPassword},
	{text: "pass", kind: kindPassword, alone: true},
	{text: "pwd", kind: kindPassword},
	{text: "secret", kind: kindSecret},
	{text: "credential", kind: kindSecret},
	{text: "token", kind: kindToken},
	{text: "key", kind: kindAPIKey, after: []string{
		"api", "app", "application", "subscription", "service", "license", "openai", "anthropic", "stripe", "sendgrid",
		"mailgun", "datadog", "dd", "client", "consumer", "rest", "bot", "access", "auth", "account",
	}},
	{text: "key", kind: kindSecretKey, after: []string{
		"private", "encryption", "encrypt", "signing", "sign", "master", "storage", "shared", "secret", "server", "admin",
		"host", "function", "hmac", "jwt", "crypto", "cipher", "aes", "deploy", "webhook",
	}},
}

// notSecret are parts of names of values that are not secret, although another
// part sounds so: "password_hash", "tokenURL".
var notSecret = []string{
	"hash", "sha", "digest", "checksum", "md5", "crc", "etag", "fingerprint", "public", "pub", "sum", "integrity",
	"id", "ids", "name", "names", "url", "uri", "path", "file", "dir", "type", "kind", "length", "len", "size", "count", "min",
	"max", "expiry", "expires", "ttl", "regex", "regexp", "pattern", "label", "placeholder", "prompt", "hint", "message",
	"field", "header", "param", "version", "index", "limit", "page", "next", "prev", "cursor", "continuation", "endpoint",
	"arn", "ref", "format", "prefix", "suffix", "selector", "column", "class", "style", "title", "description", "error",
	"policy", "rule", "test", "example", "alg", "algorithm", "address", "mint", "contract", "commit", "revision", "icon",
}

// Limits of what is read around a word.
const (
	maxName  = 48
	minValue = 8
	maxValue = 4096
)

// assignment matches what is between a name and its value, in many languages: a
// type, an operator, and the beginning of a literal. Its groups are the operator,
// backslashes before the quote, and the quote.
var assignment = sync.OnceValue(func() *regexp.Regexp {
	const (
		typeName = `:? *[\w.&'*?\[\]]{1,32} {0,48}=>?` // "password string =", "password: &str ="
		operator = `===|!==|\|\|=|\?\?=|:=|\?=|\+=|==|!=|=>|<-|[=:,(>]`
		opening  = `\[\]byte\(|(?:new )?String\(|string\(|Some\(|Buffer\.from\(|rb|br|[@brufL]`
		quote    = "(\\\\{0,4})([\"'`])"
	)
	return regexp.MustCompile("^(" + typeName + "|" + operator + `)[ \t]{0,48}(?:(?:` + opening + ")?" + quote + ")?")
})

// match finds the value that is assigned to a name with the word at i.
func (w word) match(sc *scan, i int) (span, bool) {
	text := sc.text
	end := i + len(w.text)
	// The cheap checks come first: most words are not in a name that something
	// is assigned to.
	if !wordEnds(text, end) {
		return span{}, false
	}
	last := end
	for last < len(text) && last-end < maxName && isNameByte(text[last]) {
		last++
	}
	start, stop, quoted := readValue(text, last)
	if stop-start < minValue || !w.begins(text, i) {
		return span{}, false
	}
	first := i
	for first > 0 && i-first < maxName && isNameByte(text[first-1]) {
		first--
	}
	if strings.HasSuffix(text[:first], "://") {
		return span{}, false // the user of a URL
	}
	if isHarmless(text[first:i]) || isHarmless(text[end:last]) {
		return span{}, false
	}
	kind, value := w.kind, text[start:stop]
	if !isSecretValue(value, kind, quoted) {
		return span{}, false
	}
	name := strings.ToLower(text[first:last])
	if len(value) == 40 && (strings.Contains(name, "aws") || strings.Contains(name, "secretaccesskey") || strings.Contains(name, "secret_access_key")) {
		kind = kindAWSSecret
	}
	return span{start: start, end: stop, kind: kind, rank: rankContext}, true
}

// begins reports whether the word can begin at i.
func (w word) begins(text string, i int) bool {
	if w.alone && i > 0 && isAlnum(text[i-1]) && (isLower(text[i]) || isUpper(text[i-1])) {
		return false
	}
	if w.after == nil {
		return true
	}
	if i > 0 && (text[i-1] == '_' || text[i-1] == '-' || text[i-1] == '.') {
		i--
	}
	before := lowerASCII(text[max(0, i-maxName):i])
	for _, a := range w.after {
		if !strings.HasSuffix(before, a) {
			continue
		}
		if at := i - len(a); at == 0 || !isAlnum(text[at-1]) || isUpper(text[at]) && !isUpper(text[at-1]) {
			return true
		}
	}
	return false
}

func isNameByte(c byte) bool { return isAlnum(c) || c == '_' || c == '-' || c == '.' }

// wordEnds reports whether no further letters of the same word follow, except for
// the plural.
func wordEnds(text string, end int) bool {
	if end < len(text) && text[end]|0x20 == 's' {
		end++
	}
	if end >= len(text) {
		return true
	}
	c := text[end]
	return !isLower(c) && (!isUpper(c) || isLower(text[end-1]))
}

// isHarmless reports whether a part of a name, split into its words, has one of
// notSecret.
func isHarmless(part string) bool {
	from := 0
	for i := range len(part) + 1 {
		if i < len(part) && isAlnum(part[i]) && (i == from || !isUpper(part[i]) || isUpper(part[i-1])) {
			continue
		}
		w := strings.ToLower(strings.Trim(part[from:i], "_-."))
		if slices.Contains(notSecret, w) || slices.Contains(notSecret, strings.TrimRight(w, "0123456789")) {
			return true
		}
		from = i
	}
	return false
}

// readValue returns the place of the value that is assigned to a name that ends
// at i. It is empty if there is none.
func readValue(text string, i int) (start, end int, quoted bool) {
	line, _, _ := strings.Cut(text[i:min(len(text), i+160)], "\n")
	after := strings.TrimLeft(line, "\"'`])\\ \t")
	nameEnd := line[:len(line)-len(after)]
	// The expression is slow, and most names are followed by neither an operator
	// nor a type and an operator. A comma must follow a literal.
	switch {
	case after == "":
		return 0, 0, false
	case after[0] == ',':
		if !strings.ContainsAny(nameEnd, "\"'`])") {
			return 0, 0, false
		}
	case strings.IndexByte("=:?!|+<>(", after[0]) < 0 && strings.IndexByte(after, '=') < 0:
		return 0, 0, false
	}
	m := assignment().FindStringSubmatchIndex(after)
	if m == nil {
		return 0, 0, false
	}
	start = i + len(nameEnd) + m[1]
	if m[6] < 0 {
		end, ok := endOfBare(text, start)
		if !ok {
			return 0, 0, false
		}
		return start, end, false
	}
	q, escaped := after[m[6]], m[4] < m[5]
	for end = start; end < len(text) && text[end] != q && text[end] != '\n'; end++ {
		if end-start > maxValue {
			return 0, 0, false
		}
		if text[end] == '\\' && !escaped && end+1 < len(text) && text[end+1] != '\n' {
			end++
		}
	}
	if end >= len(text) || text[end] != q {
		return 0, 0, false
	}
	for end > start && escaped && text[end-1] == '\\' {
		end--
	}
	return start, end, true
}

// endOfBare returns the end of a value without quotes. What goes on with a bracket
// or a dot is an expression, and not a value.
func endOfBare(text string, start int) (end int, ok bool) {
	for end = start; end < len(text) && end-start <= maxValue && isBareByte(text[end]); {
		end++
	}
	for end > start && end < len(text) && text[end] == '=' {
		end++ // padding
	}
	return end, end-start <= maxValue && (end == len(text) || strings.IndexByte(" \t\r\n&,;\"'`<\\|", text[end]) >= 0)
}

func isBareByte(c byte) bool {
	return isAlnum(c) || strings.IndexByte("+/_-.~!@#%^*?", c) >= 0
}

// matchURL finds the password in scheme://user:password@host, and a token that
// is there instead of both.
func matchURL(sc *scan, i int) (span, bool) {
	text, start := sc.text, i+len("://")
	if i == 0 || !isAlnum(text[i-1]) {
		return span{}, false
	}
	// A slash must be escaped in a password, and otherwise ends the search: a port
	// and a path look the same.
	end := strings.IndexAny(text[start:min(len(text), start+512)], "@/?\"'`<>\\ \t\r\n")
	if end < 0 || text[start+end] != '@' {
		return span{}, false
	}
	end += start
	user, password, ok := strings.Cut(text[start:end], ":")
	if !ok {
		return span{start: start, end: end, kind: kindURLPassword, rank: rankContext}, looksRandom(user) && !isReference(user)
	}
	s := span{start: end - len(password), end: end, kind: kindURLPassword, rank: rankContext}
	return s, !strings.EqualFold(user, password) && isPassword(password) && !isExampleHost(text[end+1:])
}

// isPassword reports whether a password is neither a variable nor one that
// examples have.
func isPassword(s string) bool {
	return len(s) >= 4 && !isReference(s) && strings.Trim(strings.ToLower(stripWords(s)), "0123456789*.-_!x\"'") != ""
}

// isExampleHost reports whether text begins with a host that is reserved for
// examples.
func isExampleHost(text string) bool {
	n := 0
	for n < len(text) && n < 256 && (isAlnum(text[n]) || text[n] == '.' || text[n] == '-') {
		n++
	}
	for _, d := range []string{"example.com", "example.org", "example.net", ".example", ".test", ".invalid"} {
		if strings.HasSuffix(text[:n], d) {
			return true
		}
	}
	return false
}
