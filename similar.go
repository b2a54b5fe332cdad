package scanner

import (
	"cmp"
	"hash/maphash"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"
)

// Two findings resemble each other from these Dice coefficients on.
const (
	similarTitle       = 0.8
	similarDescription = 0.6
)

// signature is what two findings are compared by: their severity, and the words
// and pairs of words of their texts as ranks that a [matcher] assigned, ascending.
type signature struct {
	severity    Severity
	title, desc []uint32
}

// resembles reports whether two findings resemble each other (rule 6).
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

var hashSeed = maphash.MakeSeed()

// shingles returns the set of the normalized words and pairs of adjacent words of
// a text as hashes, ascending. It is never empty: a text without words has one
// element for that.
func shingles(text string) []uint64 {
	words := normalWords(text)
	if len(words) == 0 {
		words = []string{""}
	}
	set := make([]uint64, 0, 2*len(words))
	for i, w := range words {
		set = append(set, maphash.String(hashSeed, w))
		if i > 0 {
			set = append(set, maphash.String(hashSeed, words[i-1]+" "+w))
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
			case isUnsegmented(r):
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

// isUnsegmented reports whether r belongs to a script that is written without
// spaces, where each character is taken for a word.
func isUnsegmented(r rune) bool {
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
	ext := path.Ext(name)
	return len(ext) > 1 && len(ext) <= 5 && len(name) > len(ext) &&
		strings.Trim(ext, ".abcdefghijklmnopqrstuvwxyz0123456789") == "" && !strings.Contains(name, "(")
}

// matcher finds for each finding the first group it belongs to, without
// comparing all pairs.
//
// It relies on prefix filtering. When the elements of all sets are in one global
// order, the rarest first, then two sets whose Dice coefficient is at least t
// share an element among the first n - ceil(n*t/(2-t)) + 1 of each, where n is
// the set's own size. So only primaries that share such a rare element need to
// be compared. Titles and descriptions must both resemble each other, so the one
// with fewer candidates is taken.
type matcher struct {
	sigs []signature
}

func newMatcher(findings []Finding) *matcher {
	titles, descs := make([][]uint64, len(findings)), make([][]uint64, len(findings))
	count := make(map[uint64]int)
	for i := range findings {
		titles[i], descs[i] = shingles(findings[i].Title), shingles(findings[i].Description)
		for _, set := range [][]uint64{titles[i], descs[i]} {
			for _, e := range set {
				count[e]++
			}
		}
	}
	rarestFirst := slices.SortedFunc(maps.Keys(count), func(a, b uint64) int {
		return cmp.Or(cmp.Compare(count[a], count[b]), cmp.Compare(a, b))
	})
	rank := make(map[uint64]uint32, len(count))
	for r, e := range rarestFirst {
		rank[e] = uint32(r)
	}
	ranks := func(set []uint64) []uint32 {
		rs := make([]uint32, len(set))
		for i, e := range set {
			rs[i] = rank[e]
		}
		slices.Sort(rs)
		return rs
	}
	m := &matcher{sigs: make([]signature, len(findings))}
	for i := range findings {
		m.sigs[i] = signature{findings[i].Severity, ranks(titles[i]), ranks(descs[i])}
	}
	return m
}

// key names a list of candidates: those with an element in the prefix of their
// title or description, at a severity.
type key struct {
	severity int
	desc     bool
	element  uint32
}

// groups returns, for each finding, the index of the primary of its group.
func (m *matcher) groups() []int {
	groupOf := make([]int, len(m.sigs))
	index := make(map[key][]int) // primaries, ascending
	for i := range m.sigs {
		s := &m.sigs[i]
		groupOf[i] = m.first(s, index)
		if groupOf[i] >= 0 {
			continue
		}
		groupOf[i] = i
		for _, k := range append(s.keys(false), s.keys(true)...) {
			index[k] = append(index[k], i)
		}
	}
	return groupOf
}

// first returns the first primary that s resembles, or -1.
func (m *matcher) first(s *signature, index map[key][]int) int {
	candidates := func(keys []key) (n int) {
		for _, k := range keys {
			n += len(index[k])
		}
		return n
	}
	keys := s.keys(false)
	if desc := s.keys(true); candidates(desc) < candidates(keys) {
		keys = desc
	}
	found := -1
	for _, k := range keys {
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

// keys returns the keys of the prefix of the title or the description.
func (s *signature) keys(desc bool) []key {
	set, t := s.title, similarTitle
	if desc {
		set, t = s.desc, similarDescription
	}
	keys := make([]key, prefixLength(len(set), t))
	for i := range keys {
		keys[i] = key{s.severity.Rank(), desc, set[i]}
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

// SimilarTitles reports whether two titles resemble each other (rule 6): their
// Dice coefficient is at least 0.8. It recognizes a finding that an earlier run
// reported in other words.
func SimilarTitles(a, b string) bool {
	return dice(shingles(a), shingles(b)) >= similarTitle
}
