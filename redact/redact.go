package redact

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// A Redactor replaces secrets by placeholders. It is immutable, and safe for
// concurrent use. The zero Redactor knows no values.
type Redactor struct {
	known literals
}

// New returns a Redactor that replaces, beside what looks like a secret, the
// known values wherever they stand, but not inside of placeholders. Values shorter
// than 8 bytes are ignored: they could be any word.
func New(known ...string) *Redactor {
	return &Redactor{known: newLiterals(known)}
}

// maxRounds bounds how often a text is looked through. One round finds all there
// is, except where secrets stand close to each other and one hides what tells the
// other.
const maxRounds = 8

// maxLearned is how many of the secrets that only their surroundings gave away
// are then looked for in the rest of the text.
const maxLearned = 64

// Redact replaces the secrets in text and returns how many it replaced. A private
// key counts as one however many lines it has. The number of lines stays the same,
// and what Redact returned it would return unchanged.
//
// It is a function as scanner.Options.Redact wants it.
func (r *Redactor) Redact(text string) (string, int) {
	n := 0
	var names namer
	var learned []string
	known := &r.known
	for range maxRounds {
		opaque := placeholders(text)
		spans := find(text, known, opaque)
		if len(spans) == 0 {
			break
		}
		if n == 0 {
			names.reserve(text, opaque)
		}
		for _, s := range spans {
			if v := text[s.start:s.end]; s.rank == rankContext && len(v) >= minLearned && len(learned) < maxLearned {
				learned = append(learned, v)
			}
			if !s.more {
				n++
			}
		}
		text = replace(text, spans, &names)
		if len(learned) > 0 {
			known = r.known.with(learned)
		}
	}
	return text, n
}

// minLearned is the length from which a value is looked for in the whole text
// because it was assigned to a name that says secret in one place.
const minLearned = 12

// span is a secret, or a part of one, in one line of a text.
type span struct {
	start, end int
	kind       string
	rank       rank
	more       bool // a further line of the secret before
}

// rank orders what several rules say about the same place.
type rank int

const (
	rankContext rank = iota // a value, because of what stands around it
	rankShape               // has a form of its own
	rankBlock               // part of a private key
	rankKnown               // one of the values given to New
)

// find returns what is to be replaced, in order and without overlaps.
func find(text string, known *literals, opaque []span) []span {
	spans := known.find(text)
	inKnown := spans
	spans = append(spans, blocks(text)...)
	spans = append(spans, compiled().find(text, inKnown)...)
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
	return slices.DeleteFunc(merged, func(s span) bool {
		i, _ := slices.BinarySearchFunc(opaque, s.start, func(o span, start int) int {
			if o.end <= start {
				return -1
			}
			return 1
		})
		return i < len(opaque) && opaque[i].start < s.end
	})
}

func replace(text string, spans []span, names *namer) string {
	var b strings.Builder
	b.Grow(len(text) + 16*len(spans))
	at := 0
	for _, s := range spans {
		b.WriteString(text[at:s.start])
		b.WriteString(names.name(s, text[s.start:s.end]))
		at = s.end
	}
	b.WriteString(text[at:])
	return b.String()
}

// The parts of a placeholder.
const (
	open   = "[REDACTED:"
	number = '#'
	shut   = ']'
)

// HasPlaceholder reports whether s holds a placeholder, or the beginning of one,
// in whatever case. A suggested fix with a placeholder would write it over the
// secret, and is to be refused.
func HasPlaceholder(s string) bool {
	for {
		i := strings.IndexByte(s, open[0])
		if i < 0 || len(s)-i < len(open) {
			return false
		}
		if strings.EqualFold(s[i:i+len(open)], open) {
			return true
		}
		s = s[i+1:]
	}
}

// Bounds on what is taken as a placeholder.
const (
	maxKind   = 40
	maxNumber = 6 // digits
)

// placeholders returns where in text placeholders stand.
func placeholders(text string) []span {
	var found []span
	for at := 0; ; {
		i := strings.Index(text[at:], open)
		if i < 0 {
			return found
		}
		start := at + i
		end := start + len(open)
		for end < len(text) && end-start-len(open) < maxKind && (isLower(text[end]) || isDigit(text[end]) || text[end] == '-') {
			end++
		}
		kind := text[start+len(open) : end]
		if end < len(text) && text[end] == number {
			digits := end + 1
			for end = digits; end < len(text) && end-digits < maxNumber && isDigit(text[end]); end++ {
			}
		}
		if at = end; kind != "" && end < len(text) && text[end] == shut {
			at = end + 1
			found = append(found, span{start: start, end: at, kind: kind})
		}
	}
}

// namer gives secrets their placeholders, the same one to the same secret.
type namer struct {
	names map[string]string
	count map[string]int // of each kind
}

// reserve keeps the numbers that stand in the text already.
func (n *namer) reserve(text string, opaque []span) {
	n.names, n.count = make(map[string]string), make(map[string]int)
	for _, o := range opaque {
		used := 1
		if _, digits, ok := strings.Cut(text[o.start:o.end-1], string(number)); ok {
			used, _ = strconv.Atoi(digits)
		}
		n.count[o.kind] = max(n.count[o.kind], used)
	}
}

func (n *namer) name(s span, secret string) string {
	if s.rank == rankBlock {
		// All lines of all private keys read the same: which line is which is
		// of no interest.
		return open + s.kind + string(shut)
	}
	if name, ok := n.names[secret]; ok {
		return name
	}
	n.count[s.kind]++
	name := open + s.kind
	if c := n.count[s.kind]; c > 1 {
		name += string(number) + strconv.Itoa(c)
	}
	name += string(shut)
	n.names[secret] = name
	return name
}
