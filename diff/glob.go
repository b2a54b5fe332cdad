package diff

import (
	"errors"
	"fmt"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Limits of globs. Alternatives are tried one after the other, and every pair
// of braces multiplies them.
const (
	maxPatternLen   = 1024
	maxAlternatives = 256
	maxBraces       = 16 // pairs
)

// Match reports whether a glob matches path, which is relative to the root of
// the repository, has '/' between its elements, and can hold any byte. All globs,
// in the configuration, in skills and in built-in tables, have this syntax:
//
//   - "*" matches any text without a slash, "?" one character, "[a-z]" and
//     "[^a-z]" one of a class, "{a,b}" alternatives, "**" between slashes any
//     number of directories. A backslash makes the next character literal.
//   - A glob without a slash is compared with the last element of the path, in
//     any directory: "*.lock" matches "a/b/yarn.lock".
//   - A glob with a slash is compared with the whole path: "docs/*.md" matches
//     "docs/a.md", but neither "docs/a/b.md" nor "x/docs/a.md". A leading slash
//     or "./" has no other effect: "/TODO" matches in the root only.
//   - A glob with a slash at its end matches everything in such directories:
//     "testdata/" in all named testdata, "/gen/" and "src/gen/" from the root.
//   - A glob without special characters also names a directory: "vendor" and
//     "src/gen" match everything below them.
//
// Case matters. A glob that [ValidatePattern] rejects matches nothing.
func Match(pattern, path string) bool { return CompileGlob(pattern).Match(path) }

// A Glob is a glob that is compared with many paths; see [Match]. The zero Glob
// matches nothing. It is safe for concurrent use.
type Glob struct {
	alternatives []alternative
	name         bool // compared with the last element of a path
	dir, itself  bool // matches what is below a directory, or that name itself
	anywhere     bool // such a directory can be below any other
}

// alternative is a glob without braces. Most are names, or of the form "*.ext".
type alternative struct {
	text string
	kind int
	part string // what it matches contains this; to reject most paths at once
}

const (
	kindGlob = iota
	kindName
	kindSuffix // of an element
)

// CompileGlob prepares a glob for matching. One that [ValidatePattern] rejects
// matches nothing.
func CompileGlob(pattern string) Glob {
	if len(pattern) > maxPatternLen {
		return Glob{}
	}
	p, rooted := trimRoot(pattern)
	p, dir := strings.CutSuffix(p, "/")
	if p == "" || !doublestar.ValidatePattern(p) { // also of braces: their alternatives alone may well be valid
		return Glob{}
	}
	// The library tries braces while it backtracks, which takes exponential time
	// for a few of them with stars.
	expanded, ok := expand(p, maxBraces)
	if !ok {
		return Glob{}
	}
	rooted = rooted || strings.Contains(p, "/")
	var g Glob
	if dir || !isGlob(p) {
		g.dir, g.itself, g.anywhere = true, !dir, !rooted
	} else {
		g.name = !rooted
	}
	for _, e := range expanded {
		suffix, star := strings.CutPrefix(e, "*")
		switch {
		case !isGlob(e):
			g.alternatives = append(g.alternatives, alternative{text: e, kind: kindName})
		case star && !rooted && !isGlob(suffix):
			g.alternatives = append(g.alternatives, alternative{text: suffix, kind: kindSuffix})
		default:
			g.alternatives = append(g.alternatives, alternative{e, kindGlob, longestPart(e)})
		}
	}
	return g
}

// longestPart returns the longest text between the stars of a glob without braces.
// "**" also matches nothing, and then the slash next to it is not in the path.
func longestPart(glob string) (part string) {
	if strings.ContainsAny(glob, `?[\`) {
		return ""
	}
	for p := range strings.SplitSeq(glob, "*") {
		if p = strings.Trim(p, "/"); len(p) > len(part) {
			part = p
		}
	}
	return part
}

// Match reports whether the glob matches path.
func (g Glob) Match(path string) bool {
	switch {
	case path == "":
		return false
	case g.dir:
		return g.matchDir(path)
	case g.name:
		path = path[strings.LastIndexByte(path, '/')+1:]
	}
	return g.match(path)
}

// match compares a whole path or an element.
func (g Glob) match(path string) bool {
	for i := range g.alternatives {
		a := &g.alternatives[i]
		matches := false
		switch {
		case a.kind == kindName:
			matches = a.text == path
		case a.kind == kindSuffix:
			matches = strings.HasSuffix(path, a.text)
		case strings.Contains(path, a.part):
			matches, _ = doublestar.Match(a.text, path)
		}
		if matches {
			return true
		}
	}
	return false
}

// matchDir reports whether the glob matches a directory that path is in or, when
// itself is set, path.
func (g Glob) matchDir(path string) bool {
	from := 0
	for i := 0; i <= len(path); i++ {
		if i < len(path) && path[i] != '/' || i == len(path) && !g.itself {
			continue
		}
		if g.match(path[from:i]) {
			return true
		}
		if g.anywhere {
			from = i + 1
		}
	}
	return false
}

// isGlob reports whether p has special characters.
func isGlob(p string) bool { return strings.ContainsAny(p, `*?[{}\`) }

func trimRoot(p string) (string, bool) {
	if rest, ok := strings.CutPrefix(p, "./"); ok {
		return rest, true
	}
	return strings.CutPrefix(p, "/")
}

// ValidatePattern returns an error if a glob cannot be used; see [Match]. It
// rejects wrong syntax, globs that can never match, and those with so many
// alternatives that matching would take long.
func ValidatePattern(pattern string) error {
	p, _ := trimRoot(pattern)
	p, _ = strings.CutSuffix(p, "/")
	switch {
	case p == "":
		return fmt.Errorf("glob %q is empty", pattern)
	case len(pattern) > maxPatternLen:
		return fmt.Errorf("glob %.40q... is longer than %d bytes", pattern, maxPatternLen)
	case strings.ContainsRune(pattern, 0):
		return fmt.Errorf("glob %q contains a NUL byte", pattern)
	case pattern[0] == '!':
		return fmt.Errorf(`glob %q is negated, which is not supported; write "\!" for a name that begins with "!"`, pattern)
	case !doublestar.ValidatePattern(p):
		return fmt.Errorf("glob %q has an error: an open [ or {, an empty [], or a backslash at the end", pattern)
	}
	if err := validElements(p); err != nil {
		return fmt.Errorf("glob %q can never match: %w", pattern, err)
	}
	if _, ok := expand(p, maxBraces); !ok {
		return fmt.Errorf("glob %q has more than %d alternatives, or than %d pairs of braces", pattern, maxAlternatives, maxBraces)
	}
	return nil
}

func validElements(p string) error {
	for e := range strings.SplitSeq(p, "/") {
		switch e {
		case "":
			return errors.New("paths are relative to the repository root and have no empty elements")
		case ".", "..":
			return fmt.Errorf("paths have no %q elements", e)
		}
	}
	return nil
}

// expand returns globs without braces that together match what p does. It is
// false when braces do not match, or when there are more than maxAlternatives or
// pairs of braces.
func expand(p string, pairs int) (globs []string, ok bool) {
	open := indexSpecial(p, "{")
	if open < 0 {
		return []string{p}, true
	}
	choices, rest, ok := choices(p[open+1:])
	if !ok || pairs == 0 {
		return nil, false
	}
	for _, c := range choices {
		more, ok := expand(p[:open]+c+rest, pairs-1)
		if !ok || len(globs)+len(more) > maxAlternatives {
			return nil, false
		}
		globs = append(globs, more...)
	}
	return globs, true
}

// choices splits what follows an open brace at its commas, up to the closing
// brace.
func choices(p string) (list []string, rest string, ok bool) {
	depth, from := 0, 0
	for i := 0; ; i++ {
		next := indexSpecial(p[i:], "{},")
		if next < 0 {
			return nil, "", false
		}
		i += next
		switch {
		case p[i] == '{':
			depth++
		case p[i] == '}' && depth > 0:
			depth--
		case depth > 0:
		case p[i] == ',':
			list, from = append(list, p[from:i]), i+1
		default:
			return append(list, p[from:i]), p[i+1:], true
		}
	}
}

// indexSpecial returns the index of the first of chars in p that is neither in a
// class nor after a backslash, or -1.
func indexSpecial(p, chars string) int {
	for i := 0; i < len(p); i++ {
		switch {
		case p[i] == '\\':
			i++
		case p[i] == '[':
			i += skipClass(p[i+1:])
		case strings.IndexByte(chars, p[i]) >= 0:
			return i
		}
	}
	return -1
}

// skipClass returns the length of a character class without its open bracket.
func skipClass(p string) int {
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '\\':
			i++
		case ']':
			return i + 1
		}
	}
	return len(p)
}
