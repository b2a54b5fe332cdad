package tools

import (
	"slices"
	"strings"

	"github.com/codescan-dev/scanner/diff"
)

// isForbidden reports whether a path must not be read: it leads into git's own
// directory, or to a credential file that the user did not allow to be sent.
func (t *tree) isForbidden(name string) bool {
	for e := range strings.SplitSeq(name, "/") {
		if isGitDir(e) {
			return true
		}
	}
	return diff.IsCredentialFile(name) && !slices.ContainsFunc(t.send, func(glob string) bool { return diff.Match(glob, name) })
}

// isGitDir reports whether a file system may treat an element as ".git": some
// ignore case, invisible characters, dots and spaces at the end, or the text after
// a colon, and have short names.
func isGitDir(e string) bool {
	e, _, _ = strings.Cut(strings.ToLower(e), ":")
	e = strings.Map(func(r rune) rune {
		if r >= 0x200b && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x206a && r <= 0x206f || r == 0xfeff {
			return -1
		}
		return r
	}, e)
	e = strings.TrimRight(e, ". ")
	return e == ".git" || strings.HasPrefix(e, "git~")
}
