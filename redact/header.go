package redact

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

// The kinds of what stands in URLs and headers.
const (
	kindURLPassword = "url-password"
	kindBasic       = "basic-auth"
	kindBearer      = "bearer-token"
)

// maxUserInfo is how far a URL is read for its password.
const maxUserInfo = 512

// matchURL finds the password in scheme://user:password@host, and a token that
// stands there for both.
func matchURL(sc *scan, i int) (span, bool) {
	text := sc.text
	if i == 0 || !isAlnum(text[i-1]) {
		return span{}, false
	}
	start := i + len("://")
	colon := -1
	for j := start; j < len(text) && j < start+maxUserInfo; j++ {
		switch c := text[j]; {
		case c == '@':
			if colon < 0 {
				user := text[start:j]
				return span{start: start, end: j, kind: kindURLPassword, rank: rankContext}, profileOf(user).random() && !isReference(user)
			}
			s := span{start: colon + 1, end: j, kind: kindURLPassword, rank: rankContext}
			return s, isURLPassword(text[start:colon], text[s.start:s.end]) && !isExampleHost(text[j+1:])
		case c == ':':
			if colon < 0 {
				colon = j
			}
		case c <= ' ' || strings.IndexByte("/?\"'`<>\\", c) >= 0:
			// A slash must be escaped in a password, but people forget it. Not
			// to take a port and a path for one, that is left alone.
			return span{}, false
		}
	}
	return span{}, false
}

// isURLPassword reports whether a password is worth hiding: it is neither a
// variable, nor what every tutorial has.
func isURLPassword(user, password string) bool {
	if len(password) < 4 || strings.EqualFold(user, password) || isReference(password) {
		return false
	}
	return strings.Trim(strings.ToLower(stripWords(password)), "0123456789*.-_!x\"'") != ""
}

// isExampleHost reports whether a text begins with a host that is reserved for
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

// matchBasic finds a user and password in base64.
func matchBasic(sc *scan, i int) (span, bool) {
	text := sc.text
	if !sc.boundary(i) {
		return span{}, false
	}
	start := i + len("basic ")
	end := start
	for end < len(text) && end < start+maxUserInfo && isBase64(text[end]) {
		end++
	}
	value := strings.TrimRight(text[start:end], "=")
	if len(value) < 8 {
		return span{}, false
	}
	decoded, err := base64.RawStdEncoding.DecodeString(value)
	if err != nil || !utf8.Valid(decoded) {
		return span{}, false
	}
	_, password, ok := strings.Cut(string(decoded), ":")
	if !ok || strings.ContainsFunc(string(decoded), func(r rune) bool { return r < ' ' }) || stripWords(password) == "" {
		return span{}, false
	}
	return span{start: start, end: end, kind: kindBasic, rank: rankContext}, true
}

// matchBearer finds a token in a header.
func matchBearer(sc *scan, i int) (span, bool) {
	text := sc.text
	if !sc.boundary(i) {
		return span{}, false
	}
	start := i + len("bearer ")
	end := start
	for end < len(text) && end < start+maxValue && (isBase64(text[end]) || strings.IndexByte("-._~", text[end]) >= 0) {
		end++
	}
	v := text[start:end]
	p := profileOf(v)
	ok := !isUUID(v) && !isFiller(v) && !isReference(v) && (p.random() || p.hexOnly && p.length >= 32 && !p.monotonous())
	return span{start: start, end: end, kind: kindBearer, rank: rankContext}, ok
}

// matchNetrc finds the password of a line of a .netrc file.
func matchNetrc(sc *scan, i int) (span, bool) {
	text := sc.text
	if !sc.boundary(i) {
		return span{}, false
	}
	line := text[i:min(len(text), i+maxUserInfo)]
	if nl := strings.IndexByte(line, '\n'); nl >= 0 {
		line = line[:nl]
	}
	login := strings.Index(line, " login ")
	if login < 0 {
		return span{}, false
	}
	before, value, ok := strings.Cut(line[login:], " password ")
	if !ok {
		return span{}, false
	}
	value, _, _ = strings.Cut(strings.TrimRight(value, "\r"), " ")
	start := i + login + len(before) + len(" password ")
	return span{start: start, end: start + len(value), kind: kindPassword, rank: rankContext}, isURLPassword("", value)
}
