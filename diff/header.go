package diff

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// The kinds of git's file modes that have no text to analyze.
const (
	modeKind      = 0o170000
	modeLink      = 0o120000
	modeSubmodule = 0o160000
)

const devNull = "/dev/null"

// maxNameSpaces bounds the search for the space between two names of different
// length in a line without quotes.
const maxNameSpaces = 200

var submoduleLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^Submodule (.+) ([0-9a-f]{7,64}\.{2,3}[0-9a-f]{7,64}(?:| \(.*\)):?|contains (?:untracked|modified) content)$`)
})

// gitHeader collects the lines between "diff --git" and the first hunk.
type gitHeader struct {
	line             string // what follows "diff --git "
	status           Status
	oldMode, newMode uint32
	binary           bool
	from, to         string // of a rename or copy
	oldName, newName string // of the lines --- and +++
	named            bool   // oldName and newName were read
}

// add takes one line, and reports whether it belongs to the header. names is set
// if the line and the next are --- and +++.
func (h *gitHeader) add(l string, names bool) (ok bool, err error) {
	value := ""
	is := func(key string) bool {
		var ok bool
		value, ok = strings.CutPrefix(l, key)
		return ok
	}
	switch {
	case is("index "):
		if _, mode, ok := strings.Cut(value, " "); ok {
			h.newMode, err = parseMode(mode)
			h.oldMode = h.newMode
		}
	case is("--- "):
		if !names {
			return false, nil
		}
		h.oldName, err = nameOf(value)
	case is("+++ "):
		if h.oldName == "" {
			return false, nil
		}
		h.newName, err = nameOf(value)
		h.named = true
	case is("old mode "):
		h.oldMode, err = parseMode(value)
	case is("new mode "):
		h.newMode, err = parseMode(value)
	case is("new file mode "):
		h.status = Added
		h.newMode, err = parseMode(value)
	case is("deleted file mode "):
		h.status = Deleted
		h.oldMode, err = parseMode(value)
	case is("rename from "):
		h.status = Renamed
		h.from, err = UnquotePath(value)
	case is("rename to "):
		h.status = Renamed
		h.to, err = UnquotePath(value)
	case is("copy from "):
		h.status = Copied
		h.from, err = UnquotePath(value)
	case is("copy to "):
		h.status = Copied
		h.to, err = UnquotePath(value)
	case is("similarity index "), is("dissimilarity index "):
	case is("Binary files "), is("GIT binary patch"):
		h.binary = true
	default:
		return false, nil
	}
	return true, err
}

func parseMode(s string) (uint32, error) {
	m, err := strconv.ParseUint(strings.TrimSpace(s), 8, 32)
	if err != nil {
		return 0, fmt.Errorf("bad file mode %s", excerpt(s))
	}
	return uint32(m), nil
}

// nameOf returns the name in what follows "--- " or "+++ ". A tab ends it; a name
// that holds one is quoted.
func nameOf(s string) (string, error) {
	if strings.HasPrefix(s, `"`) {
		name, _, err := cutQuoted(s)
		return name, err
	}
	name, _, _ := strings.Cut(s, "\t")
	return name, nil
}

// file returns the file that the header describes.
func (h *gitHeader) file() (File, error) {
	f := File{Status: h.status, OldMode: h.oldMode, Mode: h.newMode, Binary: h.binary}
	oldName, newName, err := h.names()
	if err != nil {
		return File{}, err
	}
	if f.Path, err = checkedPath(newName); err != nil {
		return File{}, err
	}
	if f.Status == Renamed || f.Status == Copied {
		if f.OldPath, err = checkedPath(oldName); err != nil {
			return File{}, err
		}
	}
	// Without a mode header, /dev/null is the only sign.
	if f.Status == Modified && h.named {
		switch {
		case h.oldName == devNull:
			f.Status = Added
		case h.newName == devNull:
			f.Status = Deleted
		default:
			f.OldPath = otherName(oldName, f.Path)
		}
	}
	mode := f.Mode
	if f.Status == Deleted {
		mode = f.OldMode
	}
	f.Skip = skipMode(mode)
	return f, nil
}

// skipMode returns the reason to skip a file of a mode; empty if there is none.
func skipMode(mode uint32) Reason {
	switch mode & modeKind {
	case modeSubmodule:
		return ReasonSubmodule
	case modeLink:
		return ReasonLink
	}
	return ""
}

// names returns the two names without prefixes.
func (h *gitHeader) names() (oldName, newName string, err error) {
	if h.status == Renamed || h.status == Copied {
		if h.from == "" || h.to == "" {
			return "", "", errors.New("a rename or copy without both of its names")
		}
		return h.from, h.to, nil
	}
	if h.named && h.oldName != devNull && h.newName != devNull {
		o, n := trimPrefixes(h.oldName, h.newName)
		return o, n, nil
	}
	o, n, err := splitGitLine(h.line)
	if err != nil {
		// The name next to /dev/null is enough.
		switch {
		case h.named && h.newName != devNull:
			return "", trimKnownPrefix(h.newName), nil
		case h.named && h.oldName != devNull:
			return "", trimKnownPrefix(h.oldName), nil
		}
		return "", "", err
	}
	o, n = trimPrefixes(o, n)
	return o, n, nil
}

// splitGitLine splits a "diff --git" line into its two names. Unquoted names can
// hold spaces, but they differ only in their prefix.
func splitGitLine(l string) (oldName, newName string, err error) {
	if strings.HasPrefix(l, `"`) {
		if oldName, l, err = cutQuoted(l); err != nil {
			return "", "", err
		}
		if newName, err = UnquotePath(strings.TrimPrefix(l, " ")); err != nil {
			return "", "", err
		}
		return oldName, newName, nil
	}
	if i := strings.Index(l, ` "`); i >= 0 && strings.HasSuffix(l, `"`) {
		newName, err = UnquotePath(l[i+1:])
		return l[:i], newName, err
	}
	if oldName, newName, ok := splitPair(l, " "); ok {
		return oldName, newName, nil
	}
	return "", "", fmt.Errorf("cannot tell the two names apart in %s", excerpt("diff --git "+l))
}

// splitPair splits s at a separator such that the two sides are names of one
// file: equal, equal except for their first element, or one of them /dev/null.
func splitPair(s, sep string) (oldName, newName string, ok bool) {
	// Prefixes mostly have the same length. Then the separator is in the middle,
	// which is also the only place that is tried in a long line.
	if n := len(s) - len(sep); n >= 0 && n%2 == 0 && s[n/2:n/2+len(sep)] == sep && samePath(s[:n/2], s[n/2+len(sep):]) {
		return s[:n/2], s[n/2+len(sep):], true
	}
	for i, tries := 0, 0; tries < maxNameSpaces; tries++ {
		next := strings.Index(s[i:], sep)
		if next < 0 {
			break
		}
		i += next
		oldName, newName = s[:i], s[i+len(sep):]
		if oldName == devNull || newName == devNull || samePath(oldName, newName) {
			return oldName, newName, true
		}
		i += len(sep)
	}
	return "", "", false
}

func samePath(a, b string) bool {
	return a == b || a != "" && b != "" && trimElement(a) == trimElement(b) && strings.Contains(a, "/") && strings.Contains(b, "/")
}

// trimElement returns what follows the first element of a path.
func trimElement(p string) string {
	_, rest, _ := strings.Cut(p, "/")
	return rest
}

// trimPrefixes removes the prefixes of the two sides, which are not part of the
// path: their first element, if nothing else differs, or a prefix that git is
// known to write.
func trimPrefixes(oldName, newName string) (string, string) {
	switch {
	case oldName == newName:
		return oldName, newName
	case samePath(oldName, newName):
		return trimElement(oldName), trimElement(newName)
	}
	if o, n := trimKnownPrefix(oldName), trimKnownPrefix(newName); o != oldName && n != newName && oldName[0] != newName[0] {
		return o, n
	}
	return oldName, newName
}

// trimKnownPrefix removes a prefix that git writes by itself or with
// diff.mnemonicPrefix.
func trimKnownPrefix(name string) string {
	if len(name) > 2 && name[1] == '/' && strings.IndexByte("abciow", name[0]) >= 0 {
		return name[2:]
	}
	return name
}

// plainHeader returns the file that the text after "--- " and "+++ " describes
// without any git header.
func plainHeader(oldLine, newLine string) (File, error) {
	oldName, err := nameOf(oldLine)
	if err != nil {
		return File{}, err
	}
	newName, err := nameOf(newLine)
	if err != nil {
		return File{}, err
	}
	f := File{}
	name, other := newName, ""
	switch {
	case oldName == devNull && newName == devNull:
		return File{}, errors.New("both names are /dev/null")
	case oldName == devNull:
		f.Status, name = Added, trimKnownPrefix(newName)
	case newName == devNull:
		f.Status, name = Deleted, trimKnownPrefix(oldName)
	default:
		other, name = trimPrefixes(oldName, newName)
		if absent(oldLine) {
			f.Status = Added
		} else if absent(newLine) {
			f.Status = Deleted
		}
	}
	f.Path, err = checkedPath(name)
	if other != "" && f.Status == Modified {
		f.OldPath = otherName(other, f.Path)
	}
	return f, err
}

// otherName returns the name of the old side, which can lead anywhere, as a path; empty
// if it is that of the new side, or of no file.
func otherName(oldName, newPath string) string {
	if oldName = path.Clean("/" + oldName)[1:]; oldName == newPath || strings.IndexByte(oldName, 0) >= 0 {
		return ""
	}
	return strings.Clone(oldName)
}

// absent reports whether a name has the time that diff -N writes for a file that
// does not exist: the epoch, in any time zone.
func absent(l string) bool {
	_, stamp, _ := strings.Cut(l, "\t")
	return strings.HasPrefix(stamp, "1970-01-01 ") || strings.HasPrefix(stamp, "1969-12-31 ")
}

// checkedPath returns a path of a diff in its shortest form, or an error if it
// cannot be the path of a file.
func checkedPath(p string) (string, error) {
	switch {
	case p == "":
		return "", errors.New("the file has no name")
	case strings.IndexByte(p, 0) >= 0:
		return "", fmt.Errorf("the name %s holds a NUL byte", excerpt(p))
	case strings.HasPrefix(p, "/"):
		return "", fmt.Errorf("the name %s is absolute: names must be relative to the repository root", excerpt(p))
	}
	for e := range strings.SplitSeq(p, "/") {
		if e == ".." {
			return "", fmt.Errorf("the name %s leads out of the repository", excerpt(p))
		}
	}
	if p = path.Clean(p); p == "." {
		return "", errors.New("the file has no name")
	}
	return strings.Clone(p), nil // of the path alone, not of the whole diff
}
