package diff

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"strings"
)

var errNoDiff = errors.New("no unified diff found")

// Parse reads a unified diff: the output of git diff, git show, git
// format-patch, plain diff -u, and similar programs. Text before, between and
// after the diffs of files is ignored. An empty patch has no files, and text
// without any diff is an error.
//
// Names are taken from rename and copy headers, else from "---" and "+++", else
// from the "diff --git" line. A prefix of one element that differs between the
// two sides (a/ and b/, old/ and new/) is removed; without one, as with
// diff.noprefix, names stay as they are. Names are untrusted: one that is empty,
// absolute, holds a NUL byte or has a ".." element is an error.
//
// Nothing is lost silently: binary files, submodules and links are returned and
// marked as such, and everything that cannot be read (a hunk that does not fit
// its header, a combined diff of a merge) is an error that names the line and the
// file. A file that a series of patches changes several times is returned several
// times. The lines "Only in" of diff -r are ignored, as they have no change to
// show.
func Parse(patch []byte) ([]File, error) {
	if bytes.HasPrefix(patch, []byte("\xff\xfe")) || bytes.HasPrefix(patch, []byte("\xfe\xff")) {
		return nil, &parseError{line: 1, msg: "the diff is in UTF-16, as PowerShell writes it: use git diff --output=FILE instead of >"}
	}
	p := parser{cursor: cursor{s: string(bytes.TrimPrefix(patch, []byte("\ufeff"))), line: 1}}
	for p.more() {
		if err := p.parseLine(); err != nil {
			return nil, err
		}
	}
	if len(p.files) == 0 && strings.TrimSpace(p.s) != "" {
		if strings.Contains(p.s, "\x1b[") {
			return nil, fmt.Errorf("%w: the text is colored; make the diff with --color=never", errNoDiff)
		}
		return nil, errNoDiff
	}
	return p.files, nil
}

// parseError is where a diff cannot be read, and why.
type parseError struct {
	line int    // number of the line in the parsed text, from 1
	path string // the file that the line is about, if that is known
	msg  string
}

func (e *parseError) Error() string {
	if e.path == "" {
		return fmt.Sprintf("line %d: %s", e.line, e.msg)
	}
	return fmt.Sprintf("line %d: %.200q: %s", e.line, e.path, e.msg)
}

type parser struct {
	cursor
	files []File
}

// parseLine reads one line between files, or the file that it begins.
func (p *parser) parseLine() error {
	p.path = ""
	switch {
	case p.at("diff --git "):
		return p.gitFile()
	case p.at("diff --cc "), p.at("diff --combined "):
		_, name, _ := strings.Cut(strings.TrimPrefix(p.peek(), "diff "), " ")
		if path, err := UnquotePath(strings.TrimSuffix(name, "\r")); err == nil {
			p.path = path
		}
		return p.errorf(msgCombined)
	case p.at(combinedPrefix + "-"):
		return p.errorf(msgCombined)
	case p.at(hunkPrefix + "-"):
		return p.errorf("the hunk %s belongs to no file: lines beginning with --- and +++ are missing", excerpt(p.peek()))
	case p.atNames():
		return p.plainFile()
	case p.at("Binary files "):
		return p.plainBinary()
	case p.at("Submodule "):
		return p.submodule()
	}
	p.next()
	return nil
}

// gitFile reads the section of one file in git's format.
func (p *parser) gitFile() error {
	start := p.cursor
	h := gitHeader{line: strings.TrimSuffix(strings.TrimPrefix(p.next(), "diff --git "), "\r")}
	for p.more() {
		ok, err := h.add(strings.TrimSuffix(p.peek(), "\r"), p.atNames())
		if err != nil {
			return p.errorf("%s", err)
		}
		if !ok {
			break
		}
		p.next()
	}
	f, err := h.file()
	if err != nil {
		return start.errorf("%s", err)
	}
	return p.finish(f, h.named)
}

// plainFile reads a file that begins with its two names. Subversion writes them
// without a hunk for a file of which only properties changed.
func (p *parser) plainFile() error {
	start := p.cursor
	oldLine, newLine := p.next()[len("--- "):], p.next()[len("+++ "):]
	f, err := plainHeader(strings.TrimSuffix(oldLine, "\r"), strings.TrimSuffix(newLine, "\r"))
	if err != nil {
		return start.errorf("%s", err)
	}
	return p.finish(f, !p.more())
}

// finish reads the hunks of f, if there are any or must be some, and adds f.
func (p *parser) finish(f File, needsHunks bool) error {
	p.path = f.Path
	switch {
	case p.at(combinedPrefix):
		return p.errorf(msgCombined)
	case p.at(hunkPrefix):
		hunks, err := p.hunks()
		if err != nil {
			return err
		}
		f.Hunks = hunks
	case needsHunks:
		return p.errorf("no hunk follows the lines --- and +++: the diff is cut off")
	}
	f.MarkBinary(nil)
	p.files = append(p.files, f)
	return nil
}

// plainBinary reads the line that diff -r writes for binary files. It may also be
// prose: then the two names do not resemble each other.
func (p *parser) plainBinary() error {
	l := strings.TrimSuffix(p.peek(), "\r")
	names, ok := strings.CutSuffix(strings.TrimPrefix(l, "Binary files "), " differ")
	if ok {
		if oldName, newName, ok := splitPair(names, " and "); ok {
			f, err := plainHeader(oldName, newName)
			if err != nil {
				return p.errorf("%s", err)
			}
			f.Binary = true
			p.files = append(p.files, f)
		}
	}
	p.next()
	return nil
}

// submodule reads the line that git diff --submodule=log writes for a change.
func (p *parser) submodule() error {
	if m := submoduleLine().FindStringSubmatch(strings.TrimSuffix(p.peek(), "\r")); m != nil {
		path, err := checkedPath(m[1])
		if err != nil {
			return p.errorf("%s", err)
		}
		f := File{Path: path, Skip: ReasonSubmodule, Mode: modeSubmodule, OldMode: modeSubmodule}
		switch {
		case strings.Contains(m[2], "(new submodule)"):
			f.Status, f.OldMode = Added, 0
		case strings.Contains(m[2], "(submodule deleted)"):
			f.Status, f.Mode = Deleted, 0
		}
		p.files = append(p.files, f)
	}
	p.next()
	return nil
}

const (
	hunkPrefix     = "@@ "
	combinedPrefix = "@@@ "
	msgCombined    = "a combined diff (of a merge) has more than two sides and cannot be read: make the diff against one parent, for instance with git diff or git show --first-parent"
)

// cursor walks over the lines of a diff.
type cursor struct {
	s    string
	pos  int // where the current line begins
	line int // its number, from 1
	path string
	// buf is used for the hunks of all files. Nil before the first.
	buf *bufio.Reader
}

func (c *cursor) more() bool { return c.pos < len(c.s) }

// at reports whether the current line begins with prefix.
func (c *cursor) at(prefix string) bool { return strings.HasPrefix(c.s[c.pos:], prefix) }

// peek returns the current line without its newline.
func (c *cursor) peek() string { return firstLine(c.s[c.pos:]) }

// next returns the current line without its newline, and moves on.
func (c *cursor) next() string {
	l := c.peek()
	c.skip(l)
	return l
}

// skip moves over the current line, which is l.
func (c *cursor) skip(l string) {
	c.pos = min(c.pos+len(l)+1, len(c.s))
	c.line++
}

// atNames reports whether the current line and the next are the names of a
// file.
func (c *cursor) atNames() bool {
	rest, ok := strings.CutPrefix(c.s[c.pos:], "--- ")
	if !ok {
		return false
	}
	_, rest, _ = strings.Cut(rest, "\n")
	return strings.HasPrefix(rest, "+++ ")
}

// atFile reports whether names and a hunk follow.
func (c *cursor) atFile() bool {
	if !c.atNames() {
		return false
	}
	ahead := *c
	ahead.next()
	ahead.next()
	return ahead.at(hunkPrefix)
}

func (c *cursor) errorf(format string, args ...any) *parseError {
	return &parseError{line: c.line, path: c.path, msg: fmt.Sprintf(format, args...)}
}

func firstLine(s string) string {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return s[:i]
	}
	return s
}

// excerpt quotes the beginning of a line for a message.
func excerpt(l string) string {
	const limit = 60
	l = strings.TrimSuffix(l, "\r")
	if len(l) > limit {
		return fmt.Sprintf("%q...", l[:limit])
	}
	return fmt.Sprintf("%q", l)
}
