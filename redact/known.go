package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// kindKnown is the kind of the values given to New.
const kindKnown = "known-secret"

// minKnown is the length from which a known value is replaced.
const minKnown = 8

// literals finds texts that are known in advance.
type literals struct {
	// heads holds, at the hash of its first three bytes, whether a form may
	// begin there.
	heads []bool
	// byHead are the forms by that hash, longest first.
	byHead map[uint][]literal
}

type literal struct {
	text string
	kind string
	rank rank
}

func newLiterals(known []string) literals {
	var l literals
	for _, k := range known {
		for _, f := range forms(k) {
			l.add(literal{f, kindKnown, rankKnown})
		}
	}
	return l
}

// with returns l and values that a text itself gave away.
func (l *literals) with(learned []string) *literals {
	more := &literals{heads: slices.Clone(l.heads), byHead: make(map[uint][]literal)}
	for h, list := range l.byHead {
		more.byHead[h] = slices.Clone(list)
	}
	for _, v := range learned {
		more.add(literal{v, kindLearned, rankContext})
	}
	return more
}

// kindLearned never shows: the value has its placeholder already.
const kindLearned = "secret"

func (l *literals) add(form literal) {
	if l.heads == nil {
		l.heads, l.byHead = make([]bool, headSize), make(map[uint][]literal)
	}
	h := head(form.text, 0)
	l.heads[h] = true
	list := l.byHead[h]
	if slices.ContainsFunc(list, func(k literal) bool { return k.text == form.text }) {
		return
	}
	list = append(list, form)
	slices.SortStableFunc(list, func(a, b literal) int { return len(b.text) - len(a.text) })
	l.byHead[h] = list
}

// find returns where in text the forms stand. Those that overlap are one span.
func (l *literals) find(text string) []span {
	if len(l.byHead) == 0 {
		return nil
	}
	var spans []span
	heads, h := (*[headSize]bool)(l.heads), uint(0)
	for i := -2; i+2 < len(text); i++ {
		h = (h<<5 | uint(text[i+2]&31)) % headSize // as head does
		if !heads[h] || i < 0 {
			continue
		}
		for _, f := range l.byHead[h] {
			if !strings.HasPrefix(text[i:], f.text) {
				continue
			}
			end := i + len(f.text)
			if n := len(spans); n > 0 && i < spans[n-1].end {
				spans[n-1].end = max(spans[n-1].end, end)
			} else {
				spans = append(spans, span{start: i, end: end, kind: f.kind, rank: f.rank})
			}
			break
		}
	}
	return spans
}

// forms returns the spellings of a secret. One of several lines is looked for
// line by line as well.
func forms(secret string) []string {
	secret = strings.TrimSpace(secret)
	var all []string
	add := func(form string) {
		if len(form) >= minKnown && !strings.Contains(form, "\n") {
			all = append(all, form)
		}
	}
	if len(secret) < minKnown {
		return nil
	}
	for line := range strings.SplitSeq(secret, "\n") {
		add(strings.TrimSpace(line))
	}
	for _, escape := range []func(string) string{url.QueryEscape, url.PathEscape, strictEscape} {
		e := escape(secret)
		add(e)
		add(lowerPercent(e))
	}
	for _, html := range []bool{true, false} {
		add(jsonEscape(secret, html))
	}
	add(strings.ReplaceAll(jsonEscape(secret, false), "/", `\/`))
	add(hex.EncodeToString([]byte(secret)))
	add(strings.ToUpper(hex.EncodeToString([]byte(secret))))
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		// What stands before it, as the user does in "user:password", decides
		// which bits begin a digit: there are three spellings, less the digits
		// that it shares with its neighbors.
		for shift := range 3 {
			e := enc.EncodeToString([]byte(strings.Repeat("\x00", shift) + secret))
			from := []int{0, 2, 3}[shift]
			to := len(e)
			if (shift+len(secret))%3 != 0 {
				to--
			}
			add(e[from:to])
		}
	}
	return all
}

// strictEscape escapes everything but letters and digits.
func strictEscape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if c := s[i]; isAlnum(c) || strings.IndexByte("-_.~", c) >= 0 {
			b.WriteByte(c)
		} else {
			b.WriteString("%" + strings.ToUpper(hex.EncodeToString([]byte{c})))
		}
	}
	return b.String()
}

// lowerPercent writes the digits of percent escapes in lower case.
func lowerPercent(s string) string {
	b := []byte(s)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:i+3], strings.ToLower(string(b[i+1:i+3])))
			i += 2
		}
	}
	return string(b)
}

func jsonEscape(s string, html bool) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(html)
	if enc.Encode(s) != nil {
		return ""
	}
	quoted := strings.TrimSuffix(b.String(), "\n")
	return quoted[1 : len(quoted)-1]
}

// headSize is the number of hashes of three bytes.
const headSize = 1 << 15

// head hashes the three bytes at i. Upper and lower case give the same hash. The
// text must be long enough.
func head(text string, i int) uint {
	return uint(text[i]&31)<<10 | uint(text[i+1]&31)<<5 | uint(text[i+2]&31)
}
