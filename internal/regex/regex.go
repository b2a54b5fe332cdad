// Package regex compiles and matches regular expressions that a repository or a
// model wrote, at a bounded cost.
//
// Matching never backtracks, but its time and memory are proportional to the
// program that an expression compiles to, and a counted repetition makes a large
// program of a short text: `(?:.{30}){30}` is 900 instructions.
package regex

import (
	"context"
	"errors"
	"io"
	"regexp"
	"regexp/syntax"
	"strings"
)

// MaxInstructions bounds the size of a program.
const MaxInstructions = 2000

// ErrTooLarge is returned for an expression whose program would be larger than
// [MaxInstructions].
var ErrTooLarge = errors.New("regular expression is too large")

// Compile is [regexp.Compile] with a bound. A program that is too large is not
// built: that alone could take all memory.
func Compile(expr string) (*regexp.Regexp, error) {
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, err
	}
	if size(tree)+2 > MaxInstructions { // a program has two instructions of its own
		return nil, ErrTooLarge
	}
	return regexp.Compile(expr)
}

var (
	ignoresCase = regexp.MustCompile(`\(\?[A-Za-z]*i`)
	// wideRange finds ranges that end outside of ASCII.
	wideRange = regexp.MustCompile(`-(?:[^\x00-\x7f]|\\x\{)`)
)

// Cost estimates how long it takes to parse an expression, as the bytes of a usual
// one. It can be far more than there are: a range that ignores case is parsed
// character by character.
func Cost(expr string) int {
	cost := len(expr)
	if ignoresCase.MatchString(expr) {
		cost += 500 * len(wideRange.FindAllStringIndex(expr, -1))
	}
	return cost
}

// size returns an upper bound on the instructions of a tree. It does not overflow,
// since the parser bounds the product of nested counts.
func size(re *syntax.Regexp) int {
	n := 0
	for _, sub := range re.Sub {
		n += size(sub)
	}
	switch re.Op {
	case syntax.OpLiteral:
		return max(1, len(re.Rune))
	case syntax.OpConcat:
		return max(1, n)
	case syntax.OpAlternate:
		return n + len(re.Sub)
	case syntax.OpCapture, syntax.OpStar:
		return n + 2
	case syntax.OpRepeat:
		return max(1, re.Min, re.Max)*n + max(2, re.Max-re.Min)
	default:
		return n + 1
	}
}

// longText is the number of bytes that are matched at once. With the largest
// program it takes about a tenth of a second.
const longText = 4 << 10

// Match reports whether re matches s, as [regexp.Regexp.MatchString] does. Once
// ctx is done it returns soon; the caller must ignore the result then.
func Match(ctx context.Context, re *regexp.Regexp, s string) bool {
	if len(s) <= longText {
		return re.MatchString(s)
	}
	return re.MatchReader(&reader{ctx: ctx, s: strings.NewReader(s)})
}

// reader reads a text, which ends early when ctx is done.
type reader struct {
	ctx  context.Context
	s    *strings.Reader
	read int
}

func (r *reader) ReadRune() (rune, int, error) {
	if r.read++; r.read%longText == 0 && r.ctx.Err() != nil {
		return 0, 0, io.EOF
	}
	return r.s.ReadRune()
}

// MaxMatches bounds the matches that are replaced, because each of them may cost a
// search of the whole text.
const MaxMatches = 20

// Find returns the matches of re in s, as [regexp.Regexp.FindAllStringSubmatchIndex]
// does, but at most one more than MaxMatches, and if s is longer than 4 KiB only the first. Once ctx is done
// it returns soon; the caller must ignore the result then.
func Find(ctx context.Context, re *regexp.Regexp, s string) [][]int {
	if len(s) > longText {
		if m := re.FindReaderSubmatchIndex(&reader{ctx: ctx, s: strings.NewReader(s)}); m != nil {
			return [][]int{m}
		}
		return nil
	}
	if !re.MatchString(s) { // faster than to look for groups
		return nil
	}
	return re.FindAllStringSubmatchIndex(s, MaxMatches+1)
}

// Replace is [regexp.Regexp.ReplaceAllString] for matches that [Find] returned. It
// returns s as it is if there may be more of them, or if s is longer than 4 KiB.
func Replace(re *regexp.Regexp, s, template string, matches [][]int) string {
	if len(s) > longText || len(matches) > MaxMatches {
		return s
	}
	var out []byte
	end := 0
	for _, m := range matches {
		out = append(out, s[end:m[0]]...)
		out = re.ExpandString(out, template, s, m)
		end = m[1]
	}
	return string(append(out, s[end:]...))
}
