package redact

import (
	"strconv"
	"strings"
)

// The parts of a placeholder.
const (
	open   = "[REDACTED:"
	number = '#'
	shut   = ']'
)

// HasPlaceholder reports whether s holds a placeholder, or the beginning of one,
// in upper or lower case. A suggested fix with a placeholder would overwrite the
// secret, and must be rejected.
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

// Limits of a placeholder.
const (
	maxKind   = 40
	maxNumber = 6 // digits
)

// placeholders returns the places of the placeholders in text.
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

// reserve keeps the numbers that are in the text already.
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
		// The lines of private keys need no numbers.
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
