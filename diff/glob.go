package diff

import (
	"errors"
	"fmt"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Bounds on globs. Alternatives are tried one after the other, and every pair
// of braces multiplies them; no reasonable glob comes near.
const (
	maxPatternLen   = 1024
	maxAlternatives = 256
)

// Match reports whether a glob matches path, which is relative to the root of
// the repository, has '/' between its elements, and may hold any byte. All globs
// of the scanner, in configuration, skills and built-in tables, mean the same:
//
//   - "*" is any text without a slash, "?" one character, "[a-z]" and "[^a-z]"
//     one of a class, "{a,b}" alternatives, "**" between slashes any number of
//     folders; a backslash takes the meaning away from the next character.
//   - A glob without a slash is compared with the last element of the path, in
//     whatever folder: "*.lock" matches "a/b/yarn.lock".
//   - A glob with a slash is compared with the whole path: "docs/*.md" matches
//     "docs/a.md", but neither "docs/a/b.md" nor "x/docs/a.md". A leading slash,
//     or "./", does nothing else than that: "/TODO" matches in the root only.
//   - A glob with a slash at its end matches everything in such folders:
//     "testdata/" in any testdata folder, "/gen/" and "src/gen/" from the root.
//   - A glob without special characters is also the name of a folder: "vendor"
//     and "src/gen" match everything below them.
//
// Case matters. A glob that [ValidatePattern] refuses matches nothing.
func Match(pattern, path string) bool {
	if len(pattern) > maxPatternLen {
		return false
	}
	p, rooted := trimRoot(pattern)
	p, folder := strings.CutSuffix(p, "/")
	if p == "" || path == "" {
		return false
	}
	rooted = rooted || strings.Contains(p, "/")
	if folder || !isGlob(p) {
		return matchFolder(p, path, rooted, !folder)
	}
	if !rooted {
		path = path[strings.LastIndexByte(path, '/')+1:]
		// The common "*.ext" needs no machinery.
		if suffix := p[1:]; p[0] == '*' && !isGlob(suffix) {
			return strings.HasSuffix(path, suffix)
		}
	}
	return matchGlob(p, path)
}

// isGlob reports whether p has characters with a meaning.
func isGlob(p string) bool { return strings.ContainsAny(p, `*?[{}\`) }

// matchFolder reports whether p matches a folder above path or, when itself is
// set, path. A glob that is not rooted is compared with single elements.
func matchFolder(p, path string, rooted, itself bool) bool {
	literal := !isGlob(p)
	from := 0
	for i := 0; i <= len(path); i++ {
		if i < len(path) && path[i] != '/' || i == len(path) && !itself {
			continue
		}
		part := path[from:i]
		if literal && p == part || !literal && matchGlob(p, part) {
			return true
		}
		if !rooted {
			from = i + 1
		}
	}
	return false
}

// matchGlob unfolds braces before it matches: the library tries them within its
// backtracking, which takes exponential time for a few braces with stars.
func matchGlob(p, path string) bool {
	if !strings.ContainsAny(p, "{}") {
		ok, err := doublestar.Match(p, path)
		return ok && err == nil
	}
	if !doublestar.ValidatePattern(p) {
		return false // its alternatives alone may well be valid
	}
	globs, ok := unfold(p)
	if !ok {
		return false
	}
	for _, g := range globs {
		if ok, err := doublestar.Match(g, path); ok && err == nil {
			return true
		}
	}
	return false
}

func trimRoot(p string) (string, bool) {
	if rest, ok := strings.CutPrefix(p, "./"); ok {
		return rest, true
	}
	return strings.CutPrefix(p, "/")
}

// ValidatePattern says why a glob cannot be used; see [Match]. Besides wrong
// syntax it refuses globs that could never match, and those so full of
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
	if _, ok := unfold(p); !ok {
		return fmt.Errorf("glob %q has more than %d alternatives", pattern, maxAlternatives)
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

// unfold returns the globs without braces that p stands for. It is false when
// braces do not match, or when there are more than maxAlternatives globs.
func unfold(p string) ([]string, bool) {
	globs := []string{""}
	for p != "" {
		open := indexSpecial(p, "{")
		if open < 0 {
			return appendEach(globs, []string{p})
		}
		choices, rest, ok := choices(p[open+1:])
		if !ok {
			return nil, false
		}
		var unfolded []string
		for _, c := range choices {
			u, ok := unfold(c)
			if !ok || len(unfolded)+len(u) > maxAlternatives {
				return nil, false
			}
			unfolded = append(unfolded, u...)
		}
		if globs, ok = appendEach(globs, []string{p[:open]}); !ok {
			return nil, false
		}
		if globs, ok = appendEach(globs, unfolded); !ok {
			return nil, false
		}
		p = rest
	}
	return globs, true
}

// appendEach returns every combination of a beginning and an end.
func appendEach(begins, ends []string) ([]string, bool) {
	if len(begins)*len(ends) > maxAlternatives {
		return nil, false
	}
	all := make([]string, 0, len(begins)*len(ends))
	for _, b := range begins {
		for _, e := range ends {
			all = append(all, b+e)
		}
	}
	return all, true
}

// choices cuts what follows an open brace at its commas and its closing brace.
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

// indexSpecial returns where one of chars stands in p outside of classes and
// not after a backslash, or -1.
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

// skipClass returns the length of a character class whose bracket was read.
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
