package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// kindKnown is the kind of the values given to [New].
const kindKnown = "known-secret"

// minKnown is the length from which a known value is replaced.
const minKnown = 8

// values finds values that are known in advance. The zero values finds none.
type values struct {
	index *index
	texts []string
	// known is the number of texts that are spellings of values given to New.
	// The others were found in the text itself.
	known int
}

func newValues(known []string) values {
	var texts []string
	for _, k := range known {
		texts = append(texts, spellings(k)...)
	}
	if len(texts) == 0 {
		return values{}
	}
	return values{newIndex(texts), texts, len(texts)}
}

// with returns v and further values, as they are.
func (v values) with(more []string) values {
	texts := slices.Concat(v.texts, more)
	return values{newIndex(texts), texts, v.known}
}

// find returns the places of the values in text. Those that overlap are one span.
func (v values) find(text string) []span {
	if v.index == nil {
		return nil
	}
	var spans []span
	for at, n := range v.index.find(text) {
		if !strings.HasPrefix(text[at:], v.texts[n]) {
			continue // in another case
		}
		s := span{start: at, end: at + len(v.texts[n]), kind: kindSecret, rank: rankContext}
		if n >= v.known && isNameLike(v.texts[n]) && (at > 0 && isAlnum(text[at-1]) || s.end < len(text) && isAlnum(text[s.end])) {
			continue // a part of another name
		}
		if n < v.known {
			s.kind, s.rank = kindKnown, rankKnown
		}
		if n := len(spans); n > 0 && at < spans[n-1].end {
			spans[n-1].end = max(spans[n-1].end, s.end)
		} else {
			spans = append(spans, s)
		}
	}
	return spans
}

// spellings returns a secret as code and protocols write it. If it has several
// lines, each is a secret as well.
func spellings(secret string) []string {
	secret = strings.TrimSpace(secret)
	if len(secret) < minKnown {
		return nil
	}
	var all []string
	add := func(s string) {
		s, _ = visible(s)
		if len(s) >= minKnown && !strings.Contains(s, "\n") {
			all = append(all, s)
		}
	}
	for line := range strings.SplitSeq(secret, "\n") {
		add(strings.TrimSpace(line))
	}

	query := url.QueryEscape(secret)
	percent := regexp.MustCompile(`%..`)
	for _, s := range []string{query, strings.ReplaceAll(query, "+", "%20"), url.PathEscape(secret)} {
		add(s)
		add(percent.ReplaceAllStringFunc(s, strings.ToLower))
	}

	if quoted, err := json.Marshal(secret); err == nil {
		escaped := string(quoted[1 : len(quoted)-1])
		add(escaped)
		plain := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(escaped)
		add(plain)
		add(strings.ReplaceAll(plain, "/", `\/`))
	}

	add(hex.EncodeToString([]byte(secret)))
	add(strings.ToUpper(hex.EncodeToString([]byte(secret))))

	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		// The bytes before it, as the user in "user:password", shift the bits by
		// which it is cut into digits: there are three spellings, without the
		// digits that it shares with its neighbors.
		for shift, from := range []int{0, 2, 3} {
			s := enc.EncodeToString([]byte(strings.Repeat("\x00", shift) + secret))
			if (shift+len(secret))%3 != 0 {
				s = s[:len(s)-1]
			}
			add(s[from:])
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
