// Package prefilter detects quickly that a regular expression cannot match.
//
// Most lines match none of a skill's many patterns, and a regular expression takes
// far longer to detect that than a search for a fixed text. A [Filter] derives from
// an expression texts of which every match contains at least one:
// `\bos\.(?:system|popen)\(` needs "os.system(" or "os.popen(".
package prefilter

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxTexts bounds the texts of a filter. A search for more of them takes as
	// long as the expression.
	maxTexts = 24
	// maxClass is the number of characters of the largest class that is expanded.
	maxClass = 16
	// minLength is the length of the shortest useful text.
	minLength = 2
)

// Filter holds the texts of one expression. Its zero value lets everything pass.
// It is safe for concurrent use.
type Filter struct {
	// texts are folded; without any, everything may match.
	texts []string
}

// New derives the filter of re.
func New(re *regexp.Regexp) Filter {
	tree, err := syntax.Parse(re.String(), syntax.Perl)
	if err != nil { // as for a POSIX expression
		return Filter{}
	}
	i := analyze(tree.Simplify())
	if i.exact != nil {
		i.offer(i.exact)
	}
	return Filter{texts: shortest(i.need)}
}

// shortest removes texts that contain another one.
func shortest(texts []string) []string {
	var out []string
	for i, t := range texts {
		if !slices.ContainsFunc(texts, func(o string) bool { return o != t && strings.Contains(t, o) }) &&
			!slices.Contains(texts[:i], t) {
			out = append(out, t)
		}
	}
	return out
}

// MayMatch reports whether the expression may match a text. It never returns false
// if the expression matches. The text must have gone through [Fold].
func (f Filter) MayMatch(folded string) bool {
	for _, t := range f.texts {
		if strings.Contains(folded, t) {
			return true
		}
	}
	return len(f.texts) == 0
}

// Text is a text that many filters are tried on. It is safe for concurrent use.
type Text struct {
	// Folded is the text after [Fold].
	Folded string
	// grams is a set with all that three neighboring bytes hash to.
	grams [gramBits / 64]uint64
}

const gramBits = 1 << 16

// NewText returns a text ready for [Filter.Mark].
func NewText(s string) *Text {
	t := &Text{Folded: Fold(s)}
	for i := range len(t.Folded) - 2 {
		h := gramHash(t.Folded[i:])
		t.grams[h/64] |= 1 << (h % 64)
	}
	return t
}

func gramHash(s string) uint32 {
	return (uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16) * 0x9e3779b1 / (1 << 32 / gramBits)
}

// Mark sets those of marks whose lines in t may have a part of a match, and reports
// whether there are any: each match has a part in one of them. The lines begin at
// starts. It takes far less time than [Filter.MayMatch] for each line.
func (f Filter) Mark(t *Text, starts []int, marks []bool) bool {
	any := false
	for _, need := range f.texts {
		if !t.mayContain(need) {
			continue
		}
		for line, at := 0, 0; line < len(starts); line++ {
			i := strings.Index(t.Folded[at:], need)
			if i < 0 {
				break
			}
			for at += i; line+1 < len(starts) && starts[line+1] <= at; {
				line++
			}
			marks[line], any = true, true
			if line+1 < len(starts) {
				at = starts[line+1]
			}
		}
	}
	if len(f.texts) == 0 {
		for i := range marks {
			marks[i], any = true, true
		}
	}
	return any
}

func (t *Text) mayContain(s string) bool {
	for i := range len(s) - 2 {
		if h := gramHash(s[i:]); t.grams[h/64]&(1<<(h%64)) == 0 {
			return false
		}
	}
	return true
}

// Fold returns s with ASCII letters in lower case, along with the two characters
// outside of ASCII that match one regardless of case.
func Fold(s string) string {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return strings.Map(fold, s)
		}
	}
	return strings.ToLower(s) // faster
}

func fold(r rune) rune {
	switch {
	case 'A' <= r && r <= 'Z':
		return r + 'a' - 'A'
	case r == '\u017f': // long s
		return 's'
	case r == '\u212a': // Kelvin sign
		return 'k'
	}
	return r
}

// isPlain reports whether r, which is folded, matches nothing but itself: it has
// no other case, and does not match bytes that are not UTF-8 either.
func isPlain(r rune) bool {
	return r < utf8.RuneSelf || unicode.SimpleFold(r) == r && r != utf8.RuneError
}

// info describes the texts that an expression matches, all folded.
type info struct {
	// exact lists all of them; nil if there are too many.
	exact []string
	// need lists texts of which each of them contains one; nil if there are no
	// useful ones. It is not set together with exact.
	need []string
}

func analyze(re *syntax.Regexp) info {
	switch re.Op {
	case syntax.OpLiteral:
		var b strings.Builder
		for _, r := range re.Rune {
			if r = fold(r); !isPlain(r) {
				return info{}
			}
			b.WriteRune(r)
		}
		return info{exact: []string{b.String()}}
	case syntax.OpCharClass:
		return info{exact: classTexts(re.Rune)}
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText,
		syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return info{exact: []string{""}}
	case syntax.OpCapture:
		return analyze(re.Sub[0])
	case syntax.OpQuest:
		if sub := analyze(re.Sub[0]); sub.exact != nil {
			return info{exact: limited(append([]string{""}, sub.exact...))}
		}
	case syntax.OpPlus:
		return once(analyze(re.Sub[0]))
	case syntax.OpRepeat:
		if re.Min > 0 {
			return once(analyze(re.Sub[0]))
		}
	case syntax.OpConcat:
		return concat(re.Sub)
	case syntax.OpAlternate:
		return alternate(re.Sub)
	}
	return info{}
}

// classTexts expands a small class, given as pairs of bounds.
func classTexts(bounds []rune) []string {
	var texts []string
	seen := make(map[rune]bool)
	for i := 0; i < len(bounds); i += 2 {
		if bounds[i+1]-bounds[i] >= 2*maxClass {
			return nil
		}
		for r := bounds[i]; r <= bounds[i+1]; r++ {
			f := fold(r)
			if !isPlain(f) || f <= ' ' {
				return nil // white space is too frequent to filter by
			}
			if !seen[f] {
				seen[f] = true
				texts = append(texts, string(f))
			}
		}
	}
	if len(texts) > maxClass {
		return nil
	}
	return texts
}

// once returns the info of an expression that is repeated at least once.
func once(sub info) info {
	if sub.exact != nil {
		sub.offer(sub.exact)
		sub.exact = nil
	}
	return sub
}

func concat(subs []*syntax.Regexp) info {
	var all info
	run := []string{""} // the texts of the last subs, which are all exact
	whole := true       // run reaches back to the beginning
	for _, sub := range subs {
		s := analyze(sub)
		if s.exact != nil {
			if next := limited(product(run, s.exact)); next != nil {
				run = next
				continue
			}
			all.offer(run)
			run, whole = s.exact, false
			continue
		}
		all.offer(run)
		all.offer(s.need)
		run, whole = []string{""}, false
	}
	if whole {
		return info{exact: run}
	}
	all.offer(run)
	return all
}

func alternate(subs []*syntax.Regexp) info {
	exact, need := []string{}, []string{}
	for _, sub := range subs {
		s := analyze(sub)
		if exact != nil && s.exact != nil {
			exact = limited(append(exact, s.exact...))
		} else {
			exact = nil
		}
		if s = once(s); need != nil && s.need != nil {
			need = limited(append(need, s.need...))
		} else {
			need = nil // an alternative without texts may match anything
		}
	}
	if exact != nil {
		return info{exact: exact}
	}
	return info{need: need}
}

// offer sets need to texts if they are better than the present ones: longer, or
// otherwise fewer.
func (i *info) offer(texts []string) {
	least := func(texts []string) int {
		n := len(texts[0])
		for _, t := range texts {
			n = min(n, len(t))
		}
		return n
	}
	switch {
	case len(texts) == 0 || least(texts) < minLength:
	case i.need == nil || least(texts) > least(i.need),
		least(texts) == least(i.need) && len(texts) < len(i.need):
		i.need = texts
	}
}

func product(heads, tails []string) []string {
	if len(heads)*len(tails) > maxTexts {
		return nil
	}
	out := make([]string, 0, len(heads)*len(tails))
	for _, h := range heads {
		for _, t := range tails {
			out = append(out, h+t)
		}
	}
	return out
}

func limited(texts []string) []string {
	if len(texts) > maxTexts {
		return nil
	}
	return texts
}
