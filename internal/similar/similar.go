// Package similar groups texts that have the same meaning in nearly the same words.
//
// Texts are compared as sets of their normalized words and pairs of adjacent
// words: letter case and punctuation are dropped, numbers and paths are masked.
// Two are similar when the Dice coefficient of their sets is high enough.
package similar

import (
	"cmp"
	"hash/maphash"
	"math/bits"
	"path"
	"slices"
	"strings"
	"unicode"
)

// Two items are similar from these Dice coefficients on.
const (
	minTitle       = 0.8
	minDescription = 0.6
)

// Item is what is compared.
type Item struct {
	// Class keeps items apart: those of different classes are never similar.
	Class              int
	Title, Description string
}

// Titles reports whether two titles alone are similar.
func Titles(a, b string) bool {
	return dice(set(shingles(a)), set(shingles(b))) >= minTitle
}

// Related reports whether two titles are about the same: at least half of the words of
// the shorter one, and two of them, are in the other, too. Words of up to three letters do
// not count.
func Related(a, b string) bool {
	words := func(title string) []string {
		return set(slices.DeleteFunc(normalWords(title), func(w string) bool { return len(w) <= 3 }))
	}
	s, t := words(a), words(b)
	common := 0
	for _, w := range s {
		if slices.Contains(t, w) {
			common++
		}
	}
	return common >= 2 && 2*common >= min(len(s), len(t))
}

// signature is what two items are compared by: their class, and the elements of
// their sets as ranks that a [Matcher] assigned, ascending.
type signature struct {
	class       int
	title, desc []uint32
}

func (s *signature) similar(t *signature) bool {
	return s.class == t.class && dice(s.title, t.title) >= minTitle && dice(s.desc, t.desc) >= minDescription
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

// shingles returns the normalized words and pairs of adjacent words of a text as
// hashes. There is at least one: a text without words has one for that.
func shingles(text string) []uint64 {
	words := normalWords(text)
	if len(words) == 0 {
		words = []string{""}
	}
	all := make([]uint64, 0, 2*len(words))
	last := uint64(0)
	for i, w := range words {
		h := maphash.String(hashSeed, w)
		all = append(all, h)
		if i > 0 {
			all = append(all, (bits.RotateLeft64(last, 32)^h)*0x9e3779b97f4a7c15)
		}
		last = h
	}
	return all
}

// set sorts a list and drops what is repeated.
func set[E cmp.Ordered](list []E) []E {
	slices.Sort(list)
	return slices.Compact(list)
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
		if strings.Trim(field, "abcdefghijklmnopqrstuvwxyz_") == "" {
			words = append(words, field) // most words
			continue
		}
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

// Matcher compares items and finds their groups without comparing all pairs.
//
// It relies on prefix filtering. When the elements of all sets are in one global
// order, the rarest first, then two sets whose Dice coefficient is at least t
// share an element among the first n - ceil(n*t/(2-t)) + 1 of each, where n is
// the set's own size. So only items that share such a rare element need to be
// compared. Titles and descriptions must both be similar, so the one with fewer
// candidates is taken.
type Matcher struct {
	sigs []signature
	// shared is the first element that occurs more than once. No two sets have one
	// before it in common.
	shared uint32
}

// New returns a Matcher of items.
func New(items []Item) *Matcher {
	numbers := make(map[uint64]uint32) // of the elements, as they appear
	var counts []int
	number := func(text string) []uint32 {
		hashes := shingles(text)
		list := make([]uint32, len(hashes))
		for i, h := range hashes {
			n, ok := numbers[h]
			if !ok {
				n = uint32(len(counts))
				numbers[h] = n
				counts = append(counts, 0)
			}
			counts[n]++
			list[i] = n
		}
		return list
	}
	m := &Matcher{sigs: make([]signature, len(items))}
	for i, item := range items {
		m.sigs[i] = signature{item.Class, number(item.Title), number(item.Description)}
	}

	// The rarest first: next is the rank of the next element of a count.
	next := make([]uint32, 2+slices.Max(append(counts, 1)))
	for _, c := range counts {
		next[c+1]++
	}
	for c := 1; c < len(next); c++ {
		next[c] += next[c-1]
	}
	m.shared = next[2]
	ranks := make([]uint32, len(counts))
	for n, c := range counts {
		ranks[n] = next[c]
		next[c]++
	}
	for i := range m.sigs {
		s := &m.sigs[i]
		for _, list := range []*[]uint32{&s.title, &s.desc} {
			for k, n := range *list {
				(*list)[k] = ranks[n]
			}
			*list = set(*list)
		}
	}
	return m
}

// Similar reports whether two items, given by their indexes, are similar.
func (m *Matcher) Similar(i, j int) bool { return m.sigs[i].similar(&m.sigs[j]) }

// key names a list of candidates: those with an element in the prefix of their
// title or description, in a class.
type key uint64

// Groups returns, for each item, the index of the first item of its group. Each
// joins the first group whose first item it is similar to, or else opens one.
func (m *Matcher) Groups() []int {
	groupOf := make([]int, len(m.sigs))
	index := make(map[key][]int) // of first items, ascending
	for i := range m.sigs {
		s := &m.sigs[i]
		groupOf[i] = m.first(s, index)
		if groupOf[i] >= 0 {
			continue
		}
		groupOf[i] = i
		for _, k := range append(m.keys(s, false), m.keys(s, true)...) {
			index[k] = append(index[k], i)
		}
	}
	return groupOf
}

// first returns the first of the indexed items that s is similar to, or -1.
func (m *Matcher) first(s *signature, index map[key][]int) int {
	candidates := func(keys []key) (n int) {
		for _, k := range keys {
			n += len(index[k])
		}
		return n
	}
	keys := m.keys(s, false)
	if desc := m.keys(s, true); candidates(desc) < candidates(keys) {
		keys = desc
	}
	found := -1
	for _, k := range keys {
		for _, i := range index[k] {
			if found >= 0 && i >= found {
				break // the list is ascending, and an earlier group is known
			}
			if m.sigs[i].similar(s) {
				found = i
				break
			}
		}
	}
	return found
}

// keys returns the keys of the prefix of the title or the description, without those
// of elements that no other set has.
func (m *Matcher) keys(s *signature, desc bool) []key {
	list, t, kind := s.title, minTitle, key(0)
	if desc {
		list, t, kind = s.desc, minDescription, 1
	}
	prefix := list[:prefixLength(len(list), t)]
	unshared, _ := slices.BinarySearch(prefix, m.shared)
	keys := make([]key, 0, len(prefix)-unshared)
	for _, e := range prefix[unshared:] {
		keys = append(keys, (key(s.class)<<1|kind)<<32|key(e))
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
