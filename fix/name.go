package fix

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/codescan-dev/scanner/diff"
)

const devNull = "/dev/null"

// stamp matches the time behind a name where no tab separates the two.
var stamp = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\s+\d{4}-\d\d-\d\d[ T]\d\d:\d\d.*$`)
})

// file returns the path of the file that a section is about. Names are taken
// with and without the first element that diffs put before them; allowed says
// which of them are files that may be changed, and about is the file of the
// finding.
func (s *section) file(about string, allowed func(string) bool) (string, *refusal) {
	if !s.named && s.gitLine == "" {
		if about == "" {
			return "", refuse(ReasonOtherFile, "neither the diff nor the finding names a file")
		}
		if !allowed(about) {
			return about, refuse(ReasonNotScanned, "%s is none of the files that were scanned", quote(about))
		}
		return about, nil
	}
	var names []string
	if s.named {
		oldName, r := cleanName(s.oldName)
		if r != nil {
			return "", r
		}
		newName, r := cleanName(s.newName)
		if r != nil {
			return "", r
		}
		switch {
		case oldName == devNull && newName == devNull:
			return "", refuse(ReasonMalformed, "both names in the diff are %s", devNull)
		case oldName == devNull:
			return "", refuse(ReasonCreate, "the diff makes a new file; fixes change files that are there")
		case newName == devNull:
			return "", refuse(ReasonDelete, "the diff deletes the file")
		}
		for _, n := range []string{oldName, newName} {
			if r := checkName(n); r != nil {
				return "", r
			}
		}
		if names = common(oldName, newName); len(names) == 0 {
			return "", refuse(ReasonRename, "the diff names two files, %s and %s", quote(oldName), quote(newName))
		}
	}
	if s.gitLine != "" {
		git, r := gitNames(s.gitLine)
		if r != nil {
			return "", r
		}
		if names == nil {
			names = git
		} else {
			names = slices.DeleteFunc(names, func(n string) bool { return !slices.Contains(git, n) })
		}
		if len(names) == 0 {
			return "", refuse(ReasonRename, "the names in the diff contradict each other")
		}
	}
	for _, n := range names {
		if r := checkName(n); r != nil {
			return "", r
		}
	}
	known := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !allowed(n) })
	switch {
	case about != "" && slices.Contains(known, about):
		return about, nil
	case len(known) == 1:
		return known[0], nil
	case len(known) > 1:
		return "", refuse(ReasonAmbiguous, "the diff may be about %s or %s", quote(known[0]), quote(known[1]))
	}
	return "", refuse(ReasonNotScanned, "%s is none of the files that were scanned", quote(names[len(names)-1]))
}

// cleanName returns the name in what follows "--- " or "+++ ".
func cleanName(s string) (string, *refusal) {
	s = strings.TrimRight(s, " ")
	if strings.HasPrefix(s, `"`) {
		if i := strings.LastIndexByte(s, '"'); i > 0 {
			s = s[:i+1] // without the time
		}
		name, err := diff.UnquotePath(s)
		if err != nil {
			return "", refuse(ReasonMalformed, "%v", err)
		}
		return strings.TrimPrefix(name, "./"), nil
	}
	name, _, _ := strings.Cut(s, "\t")
	return strings.TrimPrefix(stamp().ReplaceAllString(name, ""), "./"), nil
}

// sides are the first elements that diff programs put before the names of the
// two sides.
var sides = []string{"a", "b", "c", "i", "o", "w", "old", "new", "orig", "original", "modified"}

func trimSide(name string) (string, bool) {
	first, rest, ok := strings.Cut(name, "/")
	if !ok || !slices.Contains(sides, first) {
		return name, false
	}
	return rest, true
}

// common returns what the file of two names may be called; nothing if they are
// names of different files.
func common(oldName, newName string) []string {
	o, oldSide := trimSide(oldName)
	n, newSide := trimSide(newName)
	var names []string
	add := func(ok bool, name string) {
		if ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	add(oldName == newName, oldName)
	add(oldSide && newSide && o == n, o)
	add(oldSide && !newSide && o == newName, o)
	add(newSide && !oldSide && n == oldName, n)
	return names
}

// maxSpaces bounds the search for the space between two names.
const maxSpaces = 100

// gitNames returns what the file of a line "diff --git" may be called.
func gitNames(line string) ([]string, *refusal) {
	var names []string
	try := func(o, n string) *refusal {
		for _, s := range []*string{&o, &n} {
			name, err := diff.UnquotePath(*s)
			if err != nil {
				return refuse(ReasonMalformed, "%v", err)
			}
			*s = name
		}
		for _, c := range common(o, n) {
			if !slices.Contains(names, c) {
				names = append(names, c)
			}
		}
		return nil
	}
	if strings.Contains(line, `"`) {
		// Git quotes both names or one of them.
		i := strings.Index(line, ` "`)
		if strings.HasPrefix(line, `"`) {
			i = strings.Index(line[1:], `" `) + 2
		}
		if i < 2 {
			i = strings.IndexByte(line, ' ')
		}
		if i < 0 {
			return nil, refuse(ReasonMalformed, "cannot read the names in %s", excerpt(gitPrefix+line))
		}
		if r := try(line[:i], line[i+1:]); r != nil {
			return nil, r
		}
	} else {
		for i, k := 0, 0; k < maxSpaces; k++ {
			next := strings.IndexByte(line[i:], ' ')
			if next < 0 {
				break
			}
			i += next
			if r := try(line[:i], line[i+1:]); r != nil {
				return nil, r
			}
			i++
		}
	}
	if len(names) == 0 {
		return nil, refuse(ReasonRename, "the diff names two files: %s", excerpt(line))
	}
	return names, nil
}

// checkName refuses names that no fix may touch, whatever is scanned. It
// assumes the worst of all file systems, so that a plan means the same
// everywhere.
func checkName(name string) *refusal {
	bad := func(why string) *refusal { return refuse(ReasonPath, "the name %s %s", quote(name), why) }
	switch {
	case name == "":
		return bad("is empty")
	case !utf8.ValidString(name):
		return bad("is not valid UTF-8")
	case strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return bad("holds a control character")
	case strings.HasPrefix(name, "/"), strings.HasPrefix(name, `\`), len(name) > 1 && name[1] == ':':
		return bad("is absolute")
	}
	for i, e := range strings.FieldsFunc(name, func(r rune) bool { return r == '/' || r == '\\' }) {
		plain := plainElement(e)
		switch {
		case e == "..":
			return bad("leads out of its folder")
		case isGit(plain):
			return bad("belongs to git itself")
		case i == 0 && plain == ".scanner":
			return bad("belongs to scanner itself")
		case plain == "" && e != ".":
			return bad("is one that some systems cannot hold")
		}
	}
	if path.Clean(name) != name {
		return bad("is not in its shortest form")
	}
	return nil
}

// plainElement returns an element of a path as the file systems that are the
// most generous see it: HFS+ ignores some characters, NTFS dots and spaces at
// the end and what follows a colon, and neither minds the case.
func plainElement(e string) string {
	e = strings.Map(func(r rune) rune {
		switch {
		case r >= 0x200c && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x206f,
			r == 0x200b, r == 0x00ad, r == 0xfeff:
			return -1
		}
		return r
	}, e)
	e, _, _ = strings.Cut(e, ":")
	e = strings.TrimRight(e, ". ")
	// Strings.ToLower knows of no special cases such as the long s.
	return strings.Map(func(r rune) rune {
		switch r {
		case 'ı', 'İ':
			return 'i'
		case 'ſ':
			return 's'
		case 'K':
			return 'k'
		}
		return r
	}, strings.ToLower(e))
}

// isGit reports whether an element, as plainElement returns it, is the folder of
// a repository, or its short name on NTFS.
func isGit(e string) bool {
	if e == ".git" {
		return true
	}
	n, ok := strings.CutPrefix(e, "git~")
	return ok && n != "" && strings.Trim(n, "0123456789") == ""
}

// quote quotes a path for a message.
func quote(p string) string { return fmt.Sprintf("%.200q", p) }
