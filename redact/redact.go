package redact

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/codescan-dev/scanner/internal/text"
)

// A Redactor replaces secrets by placeholders. It is immutable, and safe for
// concurrent use. The zero Redactor knows no values.
type Redactor struct {
	known values
}

// New returns a Redactor that replaces known values everywhere, except inside of
// placeholders, in addition to what looks like a secret. Values shorter than 8
// bytes are ignored: they could be any word.
func New(known ...string) *Redactor {
	return &Redactor{known: newValues(known)}
}

// maxRounds limits how often a text is searched. One round finds everything,
// unless secrets are close to each other and one hides the context of the next.
const maxRounds = 8

// maxPropagated is the number of secrets found by their context that are then
// replaced in the rest of the text, too.
const maxPropagated = 64

// Redact replaces the secrets in text and returns how many it replaced. A private
// key counts as one, with all its lines. The number of lines stays the same, and
// the result of Redact is not changed by another Redact.
//
// It can be used as scanner.Options.Redact.
func (r *Redactor) Redact(text string) (string, int) {
	n := 0
	var names namer
	var propagated []string
	known := r.known
	for range maxRounds {
		shown, places := visible(text)
		spans := find(shown, known)
		if len(spans) == 0 {
			break
		}
		if n == 0 {
			names.reserve(shown)
		}
		for i, s := range spans {
			v := shown[s.start:s.end]
			spans[i].placeholder = names.name(s, v)
			if s.rank <= rankContext && len(v) >= minKnown && len(propagated) < maxPropagated && !slices.Contains(propagated, v) {
				propagated = append(propagated, v)
			}
			if !s.more {
				n++
			}
		}
		if len(propagated) > 0 {
			known = r.known.with(slices.DeleteFunc(slices.Clone(propagated), func(v string) bool { return isNameIn(shown, v) }))
		}
		text = replace(text, spans, places)
	}
	return text, n
}

// isNameIn reports whether a value is also an identifier or a part of a path in
// text, or could be any word. It must stay readable there.
func isNameIn(text, v string) bool {
	if !isNameLike(v) || !hasDigit(v) {
		return isNameLike(v)
	}
	for at := 0; ; {
		i := strings.Index(text[at:], v)
		if i < 0 {
			return false
		}
		at += i
		end := at + len(v)
		next := strings.TrimLeft(text[end:min(len(text), end+8)], " ")
		if at > 0 && strings.IndexByte("./$", text[at-1]) >= 0 || end < len(text) && strings.IndexByte("./([", text[end]) >= 0 ||
			strings.HasPrefix(next, "=") || strings.HasPrefix(next, ":=") {
			return true
		}
		at = end
	}
}

// span is a secret, or a part of one, in one line of a text.
type span struct {
	start, end int
	kind       string
	rank       rank
	more       bool // a further line of the secret before

	placeholder string
}

// rank orders the kinds that several rules find at the same place.
type rank int

const (
	rankNear    rank = iota // found near a name
	rankContext             // found by the text around it
	rankForm                // found by its own form
	rankBlock               // part of a private key
	rankKnown               // one of the values given to New
)

// find returns the secrets in text, in order and without overlaps. It leaves out
// those that overlap with placeholders.
func find(text string, known values) []span {
	inKnown := known.find(text)
	spans := slices.Concat(inKnown, blocks(text), findSecrets(text, inKnown), randoms(text))
	if len(spans) == 0 {
		return nil
	}
	slices.SortStableFunc(spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	merged := spans[:1]
	for _, s := range spans[1:] {
		last := &merged[len(merged)-1]
		if s.start >= last.end {
			merged = append(merged, s)
			continue
		}
		if s.rank > last.rank {
			last.kind, last.rank, last.more = s.kind, s.rank, s.more
		}
		last.end = max(last.end, s.end)
	}
	opaque := placeholder().FindAllStringIndex(text, -1)
	return slices.DeleteFunc(merged, func(s span) bool {
		for len(opaque) > 0 && opaque[0][1] <= s.start {
			opaque = opaque[1:]
		}
		return len(opaque) > 0 && opaque[0][0] < s.end
	})
}

// replace replaces spans of the visible part of a text by their placeholders.
func replace(text string, spans []span, places []int) string {
	var b strings.Builder
	b.Grow(len(text) + 16*len(spans))
	at := 0
	for _, s := range spans {
		if places != nil {
			s.start, s.end = places[s.start], places[s.end-1]+1
		}
		b.WriteString(text[at:s.start])
		b.WriteString(s.placeholder)
		at = s.end
	}
	b.WriteString(text[at:])
	return b.String()
}

// visible returns a text without its hidden characters, and where in the text each
// of its bytes is; nil if that is the same place. All rules read this view: secrets
// are found although hidden characters split them or their names, be it on purpose,
// by an editor, or because the text is in UTF-16, which has a NUL after each letter.
func visible(s string) (string, []int) {
	i := 0
	for i < len(s) {
		if c := s[i]; c >= ' ' && c <= '~' || c == '\n' || c == '\t' { // most are
			i++
			continue
		}
		size, hidden := hiddenAt(s, i)
		if hidden {
			break
		}
		i += size
	}
	if i == len(s) {
		return s, nil
	}
	var b strings.Builder
	var places []int
	for i = 0; i < len(s); {
		size, hidden := hiddenAt(s, i)
		for end := i + size; i < end; i++ {
			if !hidden {
				b.WriteByte(s[i])
				places = append(places, i)
			}
		}
	}
	return b.String(), places
}

// hiddenAt returns the size of the character at i, and whether it is hidden. What
// is not UTF-8 is.
func hiddenAt(s string, i int) (size int, hidden bool) {
	if c := s[i]; ' ' <= c && c <= '~' || c == '\n' || c == '\t' || c == '\r' {
		return 1, false
	}
	r, size := utf8.DecodeRuneInString(s[i:])
	return size, text.Hidden(r) || r == utf8.RuneError && size == 1
}
