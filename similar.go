package scanner

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
	"unicode"
)

// Two findings resemble each other from these Dice coefficients on.
const (
	similarTitle       = 0.8
	similarDescription = 0.6
)

// shingles is the set of normalized words and pairs of adjacent words of a text,
// as hashes, ascending and without duplicates. Never empty: a text without words
// has one element of its own.
type shingles []uint64

// signature is what resemblance is decided by. The elements of its sets are
// ranks that a [matcher] gave out, ascending.
type signature struct {
	severity    Severity
	title, desc []uint32
}

// resembles decides rule 6 of the processing rules for two findings.
func (s *signature) resembles(t *signature) bool {
	return s.severity == t.severity &&
		dice(s.title, t.title) >= similarTitle &&
		dice(s.desc, t.desc) >= similarDescription
}

// dice returns the Dice coefficient of two ascending sets.
func dice[E cmp.Ordered](a, b []E) float64 {
	common := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			common, i, j = common+1, i+1, j+1
		}
	}
	return 2 * float64(common) / float64(len(a)+len(b))
}

// shingle normalizes a text: letter case and punctuation are dropped, numbers
// and paths are masked.
func shingle(text string) shingles {
	words := normalWords(text)
	if len(words) == 0 {
		return shingles{hashOf("")}
	}
	set := make(shingles, 0, 2*len(words))
	for i, w := range words {
		set = append(set, hashOf(w))
		if i > 0 {
			set = append(set, hashOf(words[i-1]+" "+w))
		}
	}
	slices.Sort(set)
	return slices.Compact(set)
}

// The masks cannot be words of a text, which consist of letters and '#'.
const (
	maskNumber = "#"
	maskPath   = "/"
)

// normalWords splits a text into lower-case words with numbers and paths masked.
func normalWords(text string) []string {
	var words []string
	for field := range strings.FieldsSeq(text) {
		if isPath(field) {
			words = append(words, maskPath)
			continue
		}
		var w strings.Builder
		flush := func() {
			if w.Len() > 0 {
				words = append(words, w.String())
				w.Reset()
			}
		}
		for _, r := range field {
			switch {
			case unicode.IsDigit(r):
				if !strings.HasSuffix(w.String(), maskNumber) {
					w.WriteString(maskNumber)
				}
			case wordless(r):
				flush()
				words = append(words, string(r))
			case unicode.IsLetter(r) || unicode.IsMark(r) || r == '_':
				w.WriteRune(unicode.ToLower(r))
			case r == '\'' || r == '’':
				// An apostrophe does not end a word.
			default:
				flush()
			}
		}
		flush()
	}
	return words
}

// wordless reports whether r belongs to a script that is written without spaces,
// where each character counts as a word.
func wordless(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}

// isPath reports whether a word looks like the path of a file: it has a slash
// between other characters, or ends like "name.go" or "name.go:12".
func isPath(word string) bool {
	word = strings.Trim(word, "`'\"()[]{}<>.,;:!?*")
	if i := strings.IndexByte(word, '/'); i >= 0 {
		// "and/or" is two words; a path has a dot or a second slash.
		return strings.Count(word, "/") > 1 || strings.ContainsRune(word, '.')
	}
	name, _, _ := strings.Cut(word, ":")
	stem, ext, ok := cutLast(name, '.')
	return ok && len(stem) > 0 && len(ext) >= 1 && len(ext) <= 4 && isLowerAlnum(ext) && !strings.ContainsRune(word, '(')
}

func cutLast(s string, sep byte) (before, after string, found bool) {
	if i := strings.LastIndexByte(s, sep); i >= 0 {
		return s[:i], s[i+1:], true
	}
	return s, "", false
}

func isLowerAlnum(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// hashOf is the 64-bit FNV-1a hash.
func hashOf(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// matcher finds for each finding the first group it belongs to, without
// comparing all pairs.
//
// It rests on prefix filtering. When the elements of all sets are in one global
// order, the rarest first, then two sets whose Dice coefficient is at least t
// share an element among the first n - ceil(n*t/(2-t)) + 1 of each, where n is
// the set's own size. So only primaries that share such a rare element need to
// be looked at. Titles and descriptions must both resemble each other, so the
// one with fewer candidates is taken. Findings with equal signatures end in the
// same group, and only the first of them is looked up.
type matcher struct {
	sigs []signature
}

func newMatcher(findings []Finding) *matcher {
	// Elements get numbers as they are met, so that each is looked up once.
	numbers := make(map[uint64]uint32)
	var count []uint32 // by number
	number := func(text string) []uint32 {
		set := shingle(text)
		ns := make([]uint32, len(set))
		for i, e := range set {
			n, ok := numbers[e]
			if !ok {
				n = uint32(len(count))
				numbers[e] = n
				count = append(count, 0)
			}
			count[n]++
			ns[i] = n
		}
		return ns
	}
	m := &matcher{sigs: make([]signature, len(findings))}
	for i := range findings {
		f := &findings[i]
		m.sigs[i] = signature{severity: f.Severity, title: number(f.Title), desc: number(f.Description)}
	}

	// Ranks stand for the elements from here on: the rarest is the lowest.
	order := make([]uint32, len(count))
	for n := range order {
		order[n] = uint32(n)
	}
	slices.SortFunc(order, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(count[a], count[b]), cmp.Compare(a, b))
	})
	rank := count
	for r, n := range order {
		rank[n] = uint32(r)
	}
	for i := range m.sigs {
		for _, set := range [][]uint32{m.sigs[i].title, m.sigs[i].desc} {
			for k, n := range set {
				set[k] = rank[n]
			}
			slices.Sort(set)
		}
	}
	return m
}

// key names a posting list: an element of a title or description at a severity.
type key uint64

func newKey(severity Severity, desc bool, element uint32) key {
	k := key(element)<<3 | key(severity.Rank())<<1
	if desc {
		k |= 1
	}
	return k
}

// groups returns, for each finding, the index of the primary of its group.
func (m *matcher) groups() []int {
	groupOf := make([]int, len(m.sigs))
	index := make(map[key][]int) // primaries, ascending
	same := make(map[string]int) // encoded signature -> primary
	var code []byte
	for i := range m.sigs {
		s := &m.sigs[i]
		code = s.encode(code[:0])
		if primary, ok := same[string(code)]; ok {
			groupOf[i] = primary
			continue
		}
		primary := m.first(s, index)
		if primary < 0 {
			primary = i
			for _, k := range s.keys(false) {
				index[k] = append(index[k], i)
			}
			for _, k := range s.keys(true) {
				index[k] = append(index[k], i)
			}
		}
		groupOf[i] = primary
		same[string(code)] = primary
	}
	return groupOf
}

// first returns the first primary that s resembles, or -1.
func (m *matcher) first(s *signature, index map[key][]int) int {
	best, fewest := []key(nil), -1
	for _, desc := range []bool{false, true} {
		keys, n := s.keys(desc), 0
		for _, k := range keys {
			n += len(index[k])
		}
		if fewest < 0 || n < fewest {
			best, fewest = keys, n
		}
	}
	found := -1
	for _, k := range best {
		for _, primary := range index[k] {
			if found >= 0 && primary >= found {
				break // the list is ascending, and an earlier group is known
			}
			if m.sigs[primary].resembles(s) {
				found = primary
				break
			}
		}
	}
	return found
}

// keys returns the posting lists of the prefix of the title or the description.
func (s *signature) keys(desc bool) []key {
	set, t := s.title, similarTitle
	if desc {
		set, t = s.desc, similarDescription
	}
	n := prefixLength(len(set), t)
	keys := make([]key, n)
	for i, e := range set[:n] {
		keys[i] = newKey(s.severity, desc, e)
	}
	return keys
}

// prefixLength returns how many of the n elements of a set must be looked at so
// that no set with a Dice coefficient of at least t is missed.
func prefixLength(n int, t float64) int {
	// The least overlap is with the smallest set that can still reach t, which
	// has n*t/(2-t) elements, all of them shared. The small term keeps rounding
	// errors on the safe side.
	overlap := int(float64(n)*t/(2-t) - 1e-9)
	return min(n, max(1, n-overlap))
}

// encode appends a unique representation of s to b.
func (s *signature) encode(b []byte) []byte {
	b = append(b, s.severity...)
	for _, set := range [][]uint32{s.title, s.desc} {
		b = binary.AppendUvarint(append(b, 0), uint64(len(set)))
		for _, e := range set {
			b = binary.LittleEndian.AppendUint32(b, e)
		}
	}
	return b
}

// SimilarTitles reports whether two titles resemble each other as rule 6 of the
// processing rules has it: their Dice coefficient is at least 0.8. It tells
// whether a finding is the one that an earlier run reported in other words.
func SimilarTitles(a, b string) bool {
	return dice(shingle(a), shingle(b)) >= similarTitle
}
