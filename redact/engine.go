package redact

import (
	"iter"
	"regexp"
	"strings"
	"sync"
)

// index finds many texts within a text in one pass, in upper or lower case.
type index struct {
	// first holds for each hash of three bytes the number of the first of texts
	// that begins with these, plus one.
	first []int32
	texts []indexed
}

type indexed struct {
	text string
	next int32 // the next text with the same hash, plus one
}

// hashes is the number of hashes of three bytes: of five bits each, which are the
// same in upper and lower case.
const hashes = 1 << 15

func newIndex(texts []string) *index {
	x := &index{first: make([]int32, hashes)}
	last := make(map[uint]int)
	for i, t := range texts {
		x.texts = append(x.texts, indexed{text: t})
		h := uint(t[0]&31)<<10 | uint(t[1]&31)<<5 | uint(t[2]&31)
		if before, ok := last[h]; ok {
			x.texts[before].next = int32(i + 1)
		} else {
			x.first[h] = int32(i + 1)
		}
		last[h] = i
	}
	return x
}

// find yields the places of the texts: where one begins, and its number.
func (x *index) find(text string) iter.Seq2[int, int] {
	return func(yield func(at, number int) bool) {
		first, h := (*[hashes]int32)(x.first), uint(0)
		for i := range len(text) {
			h = (h<<5 | uint(text[i]&31)) % hashes
			if first[h] == 0 || i < 2 {
				continue
			}
			at := i - 2
			for n := first[h]; n != 0; {
				t := &x.texts[n-1]
				if len(text)-at >= len(t.text) && strings.EqualFold(text[at:at+len(t.text)], t.text) && !yield(at, int(n-1)) {
					return
				}
				n = t.next
			}
		}
	}
}

// A matcher finds the secrets to which a keyword belongs that begins at i.
type matcher func(sc *scan, i int) []span

// keywords are those of all rules.
type keywords struct {
	index    *index
	matchers []matcher // by number of the keyword
}

// allKeywords is made on first use: a program that redacts nothing does not pay
// for it.
var allKeywords = sync.OnceValue(func() *keywords {
	var texts []string
	k := new(keywords)
	add := func(text string, m matcher) {
		texts = append(texts, text)
		k.matchers = append(k.matchers, m)
	}
	for i, r := range rules {
		m := r.matcher(i, regexp.MustCompile(`^(?:`+r.re+`)`))
		for _, text := range strings.Fields(r.keywords) {
			add(text, m)
		}
	}
	add("://", matchURL)
	add("@tcp(", matchDSN)
	add("@unix(", matchDSN)
	for _, flag := range []string{" -p", " -w", " -a", " -k", " -x", " -n", " -s", " -t", " -c", " -i", " -b", " -e", `"-p`, `'-p`, `"-w`, `'-w`, " /p:", " -u", `"-u`, `'-u`, " --user", " --proxy-user"} {
		add(flag, matchFlag)
	}
	for _, call := range []string{"auth", "login", "logon", "signin", "credential", "connect", "begin(", "pw_set", "hmac", "signer", "cipher", "fernet", "securestring", "new PDO", "sign(",
		"crypt(", "pbkdf2", "createuser", "create_user", "adduser", "add_user", "client(", "key(", "secret(", "token(", "bind", "mysqli", "checkpw", "hash(", "keystore", "cookie",
		"base64 -", "base64decode", "base64_decode", "frombase64", "b64decode", "atob(", "log in", "sign in", "wi-fi", "wifi", "passkey", "sqlplus", "net user", "net use", "creds"} {
		add(call, func(sc *scan, i int) []span { return sc.near(i, i+len(call), kindPassword, false, true) })
	}
	for _, kind := range []string{`kind: Secret`, `kind: "Secret"`, `"kind": "Secret"`, `"kind":"Secret"`} {
		add(kind, func(sc *scan, i int) []span {
			if end := i + len(kind); end < len(sc.text) && isNameByte(sc.text[end]) {
				return nil
			}
			return matchManifest(sc, i)
		})
	}
	for _, w := range words {
		for text := range strings.SplitSeq(w.text, "|") {
			w.text = strings.TrimRight(text, "=: \"',")
			add(text, w.match)
		}
	}
	k.index = newIndex(texts)
	return k
})

// scan is the state of a search for secrets.
type scan struct {
	text string
	ends map[int]bool // where secrets end
	// rejected is for each rule the end of the last match that it rejected: one
	// that begins within it is no better.
	rejected []int
	manifest int // the end of the last manifest
	searched int // the end of the last part searched by near
	made     int // the end of the last one searched for what people make
	line     line
}

// findSecrets returns the secrets that have a form, or that the text around them
// gives away. known are the secrets that were found before.
func findSecrets(text string, known []span) []span {
	sc := &scan{text: text, ends: make(map[int]bool), rejected: make([]int, len(rules))}
	for _, s := range known {
		sc.ends[s.end] = true
	}
	var spans []span
	end := 0 // of the last secret with a form; nothing is searched within it
	k := allKeywords()
	for i, n := range k.index.find(text) {
		if i < end {
			continue
		}
		for _, s := range k.matchers[n](sc, i) {
			spans = append(spans, s)
			if s.rank == rankForm {
				end = s.end
				sc.ends[end] = true
			}
		}
	}
	return spans
}

// boundary reports whether a secret can begin at i: the byte before cannot be a
// part of it. Where one secret ends, another can begin.
func (sc *scan) boundary(i int) bool {
	return i == 0 || !isAlnum(sc.text[i-1]) || afterEscape(sc.text, i) || sc.ends[i]
}

// afterEscape reports whether an escape of a string or a URL ends before i, whose
// last letter is not part of what follows.
func afterEscape(text string, i int) bool {
	if i >= 2 && text[i-2] == '\\' && strings.IndexByte("nrtbf0", text[i-1]) >= 0 {
		return true
	}
	return i >= 3 && text[i-3] == '%' && isHex(text[i-2]) && isHex(text[i-1])
}

// window is the largest part of a text that a rule is matched against. A secret
// that is longer is followed to its end.
const window = 1024

// matcher returns the matcher of the rule of this number.
func (r rule) matcher(number int, re *regexp.Regexp) matcher {
	rank := rankForm
	if r.context {
		rank = rankContext
	}
	return func(sc *scan, i int) []span {
		text, start := sc.text, i-r.offset
		if start < sc.rejected[number] || re.NumSubexp() == 0 && !sc.boundary(start) {
			return nil
		}
		cut := min(len(text), start+window)
		if !strings.Contains(text[start:cut], r.near) {
			return nil
		}
		m := re.FindStringSubmatchIndex(text[start:cut])
		if m == nil {
			return nil
		}
		group := m[len(m)-2:]
		s := span{start: start + group[0], end: start + group[1], kind: r.kind, rank: rank}
		if s.end == cut {
			for s.end < len(text) && (isBase64(text[s.end]) || strings.IndexByte("-_.", text[s.end]) >= 0) {
				s.end++
			}
		}
		secret := text[s.start:s.end]
		if s.end < len(text) && isAlnum(text[s.end-1]) && isAlnum(text[s.end]) || !r.context && isFiller(secret) || r.check != nil && !r.check(secret) {
			sc.rejected[number] = s.end
			return nil
		}
		return []span{s}
	}
}
