package redact

import "strings"

// isSecretValue reports whether a value that is assigned to a telling name is a
// secret, and not a reference to one, an example, or something else.
func isSecretValue(v, kind string, quoted bool) bool {
	if len(v) < minValue || len(v) > maxValue || isReference(v) || isUUID(v) || isFiller(v) || isNumber(v) {
		return false
	}
	rest := stripWords(v)
	if len(rest) < 8 && !(kind == kindPassword && len(rest) >= 6) {
		return false
	}
	p := profileOf(rest)
	switch {
	case p.random():
		return true
	case p.hexOnly:
		return p.length >= minHex(kind) && p.digit > 0 && p.lower+p.upper > 0 && !p.monotonous()
	case kind != kindPassword && kind != kindSecret:
		return false
	case !quoted:
		// A bare word in code can be an expression; one that alternates as
		// passwords do, is none.
		return strongBare(p)
	}
	return p.strong() && len(rest) >= 8 && !isNameLike(v) || strongBare(p)
}

// minHex is the number of hexadecimal digits from which they are a secret. What
// is called a token is often an abbreviated hash.
func minHex(kind string) int {
	if kind == kindToken {
		return 32
	}
	return 20
}

// isNumber reports whether a value is a number in hexadecimal digits, or the
// address of a contract on a chain, as crypto currencies have "tokens".
func isNumber(v string) bool {
	digits, ok := strings.CutPrefix(strings.ReplaceAll(lowerASCII(v), "_", ""), "0x")
	return ok && len(digits) <= 40 && profileOf(digits).hexOnly
}

// strongBare reports whether a value alternates between classes as often as a
// password does, and no name.
func strongBare(p profile) bool {
	return p.length >= 8 && p.digit >= 2 && p.lower+p.upper >= 2 && p.classes() >= 3 && !p.monotonous() &&
		100*p.changes >= 30*p.length
}

// isNameLike reports whether all that is not a letter or digit in a value is what
// joins words, and digits stand only at the ends of them: "user-profile-2",
// "Version2.Client".
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

// isReference reports whether a value names a place where a secret is, or is
// filled in later, or is text.
func isReference(v string) bool {
	if strings.ContainsAny(v, " \t{}<>()") {
		return true
	}
	for _, p := range []string{"$", "%(", "@@", "/", "./", "../", "#", "--", "~/", "*", "arn:", "op://", "vault:", "ssm:", "env:", "file:", "http://", "https://", "ENC[", "process.env", "os.environ", "secret/", "projects/", "kms:", "sha256:", "sha256-", "sha384-", "sha512-", "sha1-", "md5:", "data:", "ref+", "enc:", "AQICA"} {
		if strings.HasPrefix(v, p) {
			return true
		}
	}
	for _, p := range []string{"%[", "%s", "%v", "%d", "%q", "://", "...", "…", "\\u", "::", "[REDACTED"} {
		if strings.Contains(v, p) {
			return true
		}
	}
	return false
}

// exampleWords stand in values that somebody made up.
var exampleWords = []string{
	"password", "passwort", "passwd", "passw0rd", "p@ssw0rd", "p@ssword", "pa55word", "secret", "s3cr3t", "token", "example", "sample", "changeme",
	"change-me", "change_me", "changeit", "placeholder", "dummy", "fake", "test", "mock", "todo", "insert", "replace", "redacted", "default",
	"your", "foobar", "hunter2", "correcthorsebatterystaple", "letmein", "qwerty", "invalid", "wrong", "unknown", "postgres", "mysql",
	"admin", "guest", "root", "user", "pass", "username", "apikey", "api_key", "api-key", "key", "value", "string", "none", "null", "undefined", "xxxx",
	"12345678", "123456", "abcdef", "1234", "abcd", "abc", "123",
}

// maxExample is how long a value can be that is looked through for words.
const maxExample = 64

// stripWords returns a value without the words of examples.
func stripWords(v string) string {
	if len(v) > maxExample {
		return v
	}
	for _, w := range exampleWords {
		for {
			i := strings.Index(lowerASCII(v), w)
			if i < 0 {
				break
			}
			v = v[:i] + v[i+len(w):]
		}
	}
	return v
}

// lowerASCII is strings.ToLower for ASCII letters alone: it keeps the length.
func lowerASCII(s string) string {
	for i := 0; i < len(s); i++ {
		if isUpper(s[i]) {
			b := []byte(s)
			for ; i < len(b); i++ {
				if isUpper(b[i]) {
					b[i] |= 0x20
				}
			}
			return string(b)
		}
	}
	return s
}
