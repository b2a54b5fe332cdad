package redact

import "strings"

// scan is the state of looking through a text.
type scan struct {
	text  string
	known []span // secrets found before, less those that are passed
	end   int    // of the last secret with a form
	dead  []int  // for each rule, before where it need not be tried
}

// boundary reports whether a secret may begin at i: nothing that could be a part
// of it stands before. Where one secret ends, another one may begin.
func (sc *scan) boundary(i int) bool {
	if i == 0 || i == sc.end || !isAlnum(sc.text[i-1]) || afterEscape(sc.text, i) {
		return true
	}
	for len(sc.known) > 0 && sc.known[0].end < i-maxBack {
		sc.known = sc.known[1:]
	}
	for _, k := range sc.known {
		if k.end >= i {
			return k.end == i
		}
	}
	return false
}

// maxBack is how far before its lead a secret may begin.
const maxBack = 128

// find returns the secrets that have a form or are assigned to a telling name.
func (x *ruleIndex) find(text string, known []span) []span {
	var spans []span
	sc := &scan{text: text, known: known, end: -1, dead: make([]int, len(rules))}
	h := uint(0)
	for i := -2; i+2 < len(text); i++ {
		h = (h<<5 | uint(text[i+2]&31)) % headSize // as head does
		n := x.first[h]
		if n == 0 || i < 0 {
			continue
		}
	leads:
		for n != 0 {
			l := &x.leads[n-1]
			n = l.next
			if !l.at(text, i) {
				continue
			}
			s, ok := l.try(sc, i)
			if !ok {
				continue
			}
			spans = append(spans, s)
			if s.rank == rankShape {
				// Nothing is looked for within a secret that has a form.
				sc.end = s.end
				if s.end-1 > i {
					i = s.end - 1
					if i+2 < len(text) {
						h = head(text, i)
					}
				}
				break leads
			}
		}
	}
	return spans
}

func (l *lead) at(text string, i int) bool {
	if l.fold {
		return len(text)-i >= len(l.text) && strings.EqualFold(text[i:i+len(l.text)], l.text)
	}
	return strings.HasPrefix(text[i:], l.text)
}

// afterEscape reports whether an escape of a string or a URL ends before i, whose
// last letter is not part of what follows.
func afterEscape(text string, i int) bool {
	if i >= 2 && text[i-2] == '\\' && strings.IndexByte("nrtbf0", text[i-1]) >= 0 {
		return true
	}
	return i >= 3 && text[i-3] == '%' && isHex(text[i-2]) && isHex(text[i-1])
}
