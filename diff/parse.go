package diff

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// ErrNoDiff is the error of [Parse] for text that holds no unified diff.
var ErrNoDiff = errors.New("no unified diff found")

// Parse reads a unified diff: the output of git diff, git show, git
// format-patch, plain diff -u, and what resembles them. Text before, between
// and after the diffs of files is passed over. An empty patch has no files, and
// text without any diff is [ErrNoDiff].
//
// Names are taken from rename and copy headers, else from "---" and "+++", else
// from the "diff --git" line. A prefix of one element that differs between the
// two sides (a/ and b/, old/ and new/) is removed; without one, as with
// diff.noprefix, names stay as they are. Names are untrusted: one that is empty,
// absolute, holds a NUL byte or has a ".." element is an error.
//
// Nothing is lost in silence: binary files, submodules and links are returned
// with what marks them as such, and everything that cannot be read (a hunk that
// does not fit its header, a combined diff of a merge) is a [*ParseError] that
// names the line and the file. A series of patches may change a file several
// times; it is then returned several times. The lines "Only in" of diff -r name
// no change that could be shown and are passed over.
func Parse(patch []byte) ([]File, error) {
	if err := checkEncoding(patch); err != nil {
		return nil, err
	}
	p := parser{cursor: cursor{s: string(bytes.TrimPrefix(patch, []byte("\ufeff"))), line: 1}}
	for p.more() {
		if err := p.parseLine(); err != nil {
			return nil, err
		}
	}
	if len(p.files) == 0 && strings.TrimSpace(p.s) != "" {
		if strings.Contains(p.s, "\x1b[") {
			return nil, fmt.Errorf("%w: the text is colored; make the diff with --color=never", ErrNoDiff)
		}
		return nil, ErrNoDiff
	}
	return p.files, nil
}

// checkEncoding recognizes what shells on Windows make of a diff.
func checkEncoding(patch []byte) error {
	if bytes.HasPrefix(patch, []byte("\xff\xfe")) || bytes.HasPrefix(patch, []byte("\xfe\xff")) {
		return &ParseError{Line: 1, Msg: "the diff is in UTF-16, as PowerShell writes it: use git diff --output=FILE instead of >"}
	}
	return nil
}

type parser struct {
	cursor
	files []File
}

// parseLine reads one line between files, or the file that it begins.
func (p *parser) parseLine() error {
	p.path = ""
	switch l := p.peek(); {
	case strings.HasPrefix(l, "diff --git "):
		return p.gitFile()
	case strings.HasPrefix(l, "diff --cc "), strings.HasPrefix(l, "diff --combined "):
		_, p.path, _ = strings.Cut(strings.TrimPrefix(l, "diff --"), " ")
		p.path = strings.TrimSuffix(p.path, "\r")
		if path, err := UnquotePath(p.path); err == nil {
			p.path = path
		}
		return p.errorf(msgCombined)
	case strings.HasPrefix(l, combinedPrefix+"-"):
		return p.errorf(msgCombined)
	case strings.HasPrefix(l, hunkPrefix+"-"):
		return p.errorf("the hunk %s belongs to no file: lines beginning with --- and +++ are missing", excerpt(l))
	case strings.HasPrefix(l, "--- ") && p.atNames():
		return p.plainFile()
	case strings.HasPrefix(l, "Binary files "):
		return p.plainBinary()
	case strings.HasPrefix(l, "Submodule "):
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
	p.path = f.Path
	if strings.HasPrefix(p.s[p.pos:], combinedPrefix) {
		return p.errorf(msgCombined)
	}
	if h.named && !strings.HasPrefix(p.s[p.pos:], hunkPrefix) {
		return p.errorf(msgCutOff)
	}
	return p.finish(f)
}

// plainFile reads a file that begins with its two names. Without a hunk it is
// one of which only properties changed, as Subversion tells it.
func (p *parser) plainFile() error {
	start := p.cursor
	oldLine, newLine := p.next()[len("--- "):], p.next()[len("+++ "):]
	f, err := plainHeader(strings.TrimSuffix(oldLine, "\r"), strings.TrimSuffix(newLine, "\r"))
	if err != nil {
		return start.errorf("%s", err)
	}
	p.path = f.Path
	if strings.HasPrefix(p.s[p.pos:], combinedPrefix) {
		return p.errorf(msgCombined)
	}
	if !p.more() {
		return p.errorf(msgCutOff)
	}
	return p.finish(f)
}

// finish reads the hunks of f, if there are any, and keeps it.
func (p *parser) finish(f File) error {
	if strings.HasPrefix(p.s[p.pos:], hunkPrefix) {
		hunks, err := p.hunks()
		if err != nil {
			return err
		}
		f.Hunks = hunks
	}
	for i := range f.Hunks {
		f.Binary = f.Binary || strings.IndexByte(f.Hunks[i].Body, 0) >= 0
	}
	p.files = append(p.files, f)
	return nil
}

// plainBinary reads the line by which diff -r tells of binary files. It may be
// prose, too: then the two names do not resemble each other.
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

// submodule reads the line by which git diff --submodule=log tells of a change.
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
