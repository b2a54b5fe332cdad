package redact

import (
	"slices"
	"strings"
)

// The kinds of values that only their names give away.
const (
	kindPassword  = "password"
	kindSecret    = "secret"
	kindToken     = "token"
	kindAPIKey    = "api-key"
	kindSecretKey = "secret-key"
	kindAWSSecret = "aws-secret-key"
)

// word is a part of a name whose value is a secret.
type word struct {
	text string
	kind string
	// alone forbids that letters stand right before it: "pass" is not in
	// "bypass".
	alone bool
	// after, if set, are the words one of which must stand before it.
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

// notSecret are parts of names that say that the value is none, though a word
// before or after them sounds so.
var notSecret = []string{
	"hash", "sha", "digest", "checksum", "md5", "crc", "etag", "fingerprint", "public", "pub", "sum", "integrity",
	"id", "ids", "name", "names", "url", "uri", "path", "file", "dir", "type", "kind", "length", "len", "size", "count", "min",
	"max", "expiry", "expires", "ttl", "regex", "regexp", "pattern", "label", "placeholder", "prompt", "hint", "message",
	"field", "header", "param", "version", "index", "limit", "page", "next", "prev", "cursor", "continuation", "endpoint",
	"arn", "ref", "format", "prefix", "suffix", "selector", "column", "class", "style", "title", "description", "error",
	"policy", "rule", "test", "example", "alg", "algorithm", "address", "mint", "contract", "commit", "revision", "icon",
}

// Bounds on what is read around a word.
const (
	maxName  = 48
	maxSpace = 48
	minValue = 8
	maxValue = 4096
)

// match finds the value that is assigned to a name with the word at i.
func (w word) match(sc *scan, i int) (span, bool) {
	text := sc.text
	// Most words are no names of anything that is assigned: what tells so soonest
	// comes first.
	end := i + len(w.text)
	if !wordEnds(text, end) {
		return span{}, false
	}
	last := end
	for last < len(text) && last-end < maxName && isNameByte(text[last]) {
		last++
	}
	v, ok := readValue(text, last)
	if !ok || v.end-v.start < minValue || !w.begins(text, i) {
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
	kind := w.kind
	value := text[v.start:v.end]
	if !isSecretValue(value, kind, v.quoted) {
		return span{}, false
	}
	if name := strings.ToLower(text[first:last]); len(value) == 40 && (strings.Contains(name, "aws") || strings.Contains(name, "secretaccesskey") || strings.Contains(name, "secret_access_key")) {
		kind = kindAWSSecret
	}
	return span{start: v.start, end: v.end, kind: kind, rank: rankContext}, true
}

// begins reports whether the word may begin at i.
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

// wordEnds reports whether no further letters of the same word follow, but for
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

// isHarmless reports whether a part of a name, split into its words, has one that
// says that the value is no secret.
func isHarmless(part string) bool {
	from := 0
	check := func(to int) bool {
		w := strings.ToLower(part[from:to])
		return slices.Contains(notSecret, w) || slices.Contains(notSecret, strings.TrimRight(w, "0123456789"))
	}
	for i := 0; i < len(part); i++ {
		c := part[i]
		switch {
		case !isAlnum(c):
			if check(i) {
				return true
			}
			from = i + 1
		case i > from && isUpper(c) && !isUpper(part[i-1]):
			if check(i) {
				return true
			}
			from = i
		}
	}
	return check(len(part))
}

// value is the place of what is assigned.
type value struct {
	start, end int
	quoted     bool
}

// readValue reads from the end of a name over the operator to the value, in
// whatever language it is.
func readValue(text string, i int) (value, bool) {
	line := func(i int) bool { return i < len(text) && text[i] != '\n' }
	spaces := func() {
		for n := 0; line(i) && n < maxSpace && (text[i] == ' ' || text[i] == '\t'); n++ {
			i++
		}
	}
	closed := false // the name is itself a literal
	for n := 0; line(i) && n < 4 && strings.IndexByte("\"'`])\\", text[i]) >= 0; n++ {
		closed = closed || text[i] != '\\'
		i++
	}
	spaces()
	i = skipType(text, i)
	switch op := operator(text[i:min(len(text), i+16)]); {
	case op > 0:
		i += op
	case closed && line(i) && text[i] == ',':
		i++
	case line(i) && (text[i] == '(' || text[i] == '>'):
		i++
	default:
		return value{}, false
	}
	spaces()
	i += opening(text[i:min(len(text), i+16)])
	escaped := 0
	for line(i) && text[i] == '\\' && escaped < 4 {
		escaped++
		i++
	}
	if !line(i) {
		return value{}, false
	}
	q := text[i]
	if q != '"' && q != '\'' && q != '`' {
		if escaped > 0 {
			return value{}, false
		}
		return readBare(text, i)
	}
	i++
	end := i
	for line(end) && end-i <= maxValue && text[end] != q {
		if text[end] == '\\' && escaped == 0 && line(end+1) {
			end++
		}
		end++
	}
	if end >= len(text) || end-i > maxValue || text[end] != q {
		return value{}, false
	}
	for end > i && escaped > 0 && text[end-1] == '\\' {
		end--
	}
	return value{start: i, end: end, quoted: true}, true
}

// operators assign or compare, the longer before the shorter.
var operators = []string{"===", "!==", "||=", "??=", ":=", "?=", "+=", "==", "!=", "=>", "<-", "=", ":"}

func operator(s string) int {
	for _, v := range []string{` value="`, ` value='`} {
		if strings.HasPrefix(s, v) {
			return len(v) - 1
		}
	}
	for _, o := range operators {
		if strings.HasPrefix(s, o) {
			return len(o)
		}
	}
	return 0
}

// skipType skips the type that some languages have between name and operator:
// "password string =", "password: &str =".
func skipType(text string, i int) int {
	j := i
	if j < len(text) && text[j] == ':' {
		j++
		for j < len(text) && text[j] == ' ' {
			j++
		}
	}
	from := j
	for j < len(text) && j-from < 32 && (isAlnum(text[j]) || strings.IndexByte("_.&'*?[]", text[j]) >= 0) {
		j++
	}
	if j == from || j >= len(text) {
		return i
	}
	for n := 0; j < len(text) && text[j] == ' ' && n < maxSpace; n++ {
		j++
	}
	if j < len(text) && text[j] == '=' && !strings.HasPrefix(text[j:], "==") {
		return j
	}
	return i
}

// opening returns the length of what stands before the quotes of a literal.
func opening(s string) int {
	for _, o := range []string{"[]byte(", "String(", "string(", "new String(", "Some(", "Buffer.from(", "@", "b", "r", "u", "f", "L", "rb", "br"} {
		if rest, ok := strings.CutPrefix(s, o); ok && rest != "" && strings.IndexByte("\"'`", rest[0]) >= 0 {
			return len(o)
		}
	}
	return 0
}

// readBare reads a value without quotes. It must be all there is: what goes on
// with a bracket or a dot is an expression.
func readBare(text string, i int) (value, bool) {
	end := i
	for end < len(text) && end-i <= maxValue && isBareByte(text[end]) {
		end++
	}
	for end < len(text) && end > i && text[end] == '=' && end-i <= maxValue {
		end++ // padding
	}
	if end == i || end-i > maxValue {
		return value{}, false
	}
	if end < len(text) && strings.IndexByte(" \t\r\n&,;\"'`<\\|", text[end]) < 0 {
		return value{}, false
	}
	return value{start: i, end: end}, true
}

func isBareByte(c byte) bool {
	return isAlnum(c) || strings.IndexByte("+/_-.~!@#%^*?", c) >= 0
}
