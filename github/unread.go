package github

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
)

// What was not read says nothing. A change must not get rid of a request or pass
// a check by making a file such that it is skipped: with a line that is too long,
// a NUL, or another name.

// maxAbout bounds the files that a request for changes names.
const maxAbout = 500

// names tells what a change does to the names of files.
type names struct {
	// now are the files by name. A deleted file is there only if no other has its
	// name.
	now map[string]*diff.File
	// before are the names that files had before they were renamed or copied.
	before map[string]bool
}

// names returns what the files of r do to names.
func (r *Result) names() *names {
	if r.fileNames == nil {
		r.fileNames = namesOf(r.Files)
	}
	return r.fileNames
}

func namesOf(files []diff.File) *names {
	n := &names{make(map[string]*diff.File, len(files)), make(map[string]bool)}
	for i := range files {
		f := &files[i]
		if n.now[f.Path] == nil || f.Status != diff.Deleted {
			n.now[f.Path] = f
		}
		if f.OldPath != "" {
			n.before[f.OldPath] = true
		}
	}
	return n
}

// reason says why a file was skipped. That a file is gone matters more than what
// it was.
func (n *names) reason(f *scanner.SkippedFile) diff.Reason {
	if now := n.now[f.Filename]; now != nil && now.Status == diff.Deleted {
		return diff.ReasonDeleted
	}
	return diff.Reason(f.Reason)
}

// isEmpty reports whether a file is skipped because it has nothing to be read.
func isEmpty(reason diff.Reason) bool {
	return reason == diff.ReasonDeleted || reason == diff.ReasonNoContent
}

// isChosen reports whether a file is skipped because the policy says so.
func isChosen(reason diff.Reason) bool {
	return reason == diff.ReasonPaths || reason == diff.ReasonIgnored || reason == diff.ReasonPattern
}

// subject is what a thread or a request is about.
type subject struct {
	// has reports whether a file of that name is part of it. Nil means that this
	// is not known.
	has func(name string) bool
	// path and line are those of a thread; empty for a request. The line is a hash.
	path, line string
}

// hiddenThread is a thread that is kept because a skipped file may hide its
// finding.
type hiddenThread struct {
	*ownThread
	why string
}

// hides says which skipped file may hide what a skill found in a subject; empty
// if none does. What the policy of the base leaves out is settled: that is its
// word, unless the change chose it by a new name.
func (p *Plan) hides(s *SkillResult, about subject) string {
	n := p.r.names()
	skipped := slices.Concat(s.Report.SkippedFiles, p.r.Skipped)
	for _, f := range skipped {
		reason := n.reason(&f)
		if isEmpty(reason) {
			continue
		}
		now, which := n.now[f.Filename], ""
		switch {
		case about.has == nil:
			if !isChosen(reason) {
				which = "a file was skipped this time"
			}
		case about.has(f.Filename):
			if !isChosen(reason) || p.r.TrustHead {
				which = "the file was skipped this time"
			}
		case now != nil && now.OldPath != "" && about.has(now.OldPath):
			if p.holds(f.Filename, about.line, true) {
				which = "the file was skipped under its new name"
			}
		case now != nil && now.Status == diff.Added && about.line != "" && p.left(about.path):
			// What the pull request had added has no old name.
			if p.holds(f.Filename, about.line, false) {
				which = "the line stands in a file that was added and skipped"
			}
		}
		if which != "" {
			return which + ": " + oneLine(f.Reason, 40)
		}
	}
	if about.has != nil && p.strays(s, skipped, about) {
		return "the file was renamed to where the skill does not look"
	}
	return ""
}

// left reports whether nothing has a name any more, and nothing says what became
// of the file that had it.
func (p *Plan) left(name string) bool {
	n := p.r.names()
	if now := n.now[name]; now != nil && now.Status != diff.Deleted || n.before[name] || p.r.Contents == nil {
		return false
	}
	_, err := fs.Stat(p.r.Contents, name)
	return errors.Is(err, fs.ErrNotExist)
}

// holds reports whether a file of the head has a line; unknown is said of one that
// cannot be read, and where no line is known.
func (p *Plan) holds(name, line string, unknown bool) bool {
	if line == "" || p.r.Contents == nil {
		return unknown
	}
	lines, ok := p.lines[name]
	if !ok {
		if data, err := fs.ReadFile(p.r.Contents, name); err == nil {
			lines = make(map[string]bool)
			for text := range strings.Lines(string(data)) {
				lines[lineHash(strings.TrimRight(text, "\r\n"))] = true
			}
		}
		if p.lines == nil {
			p.lines = make(map[string]map[string]bool)
		}
		p.lines[name] = lines
	}
	if lines == nil {
		return unknown
	}
	return lines[line]
}

// strays reports whether a file of a subject has a new name that the skill neither
// read nor skipped, as when another skill looks there.
func (p *Plan) strays(s *SkillResult, skipped []scanner.SkippedFile, about subject) bool {
	for i := range p.r.Files {
		f := &p.r.Files[i]
		if f.Status != diff.Renamed || !about.has(f.OldPath) || !p.holds(f.Path, about.line, true) {
			continue
		}
		if !slices.ContainsFunc(s.Report.Files, func(read scanner.FileReport) bool { return read.Path == f.Path }) &&
			!slices.ContainsFunc(skipped, func(skip scanner.SkippedFile) bool { return skip.Filename == f.Path }) {
			return true
		}
	}
	return false
}

// subject returns what a thread is about.
func (t *ownThread) subject() subject {
	return subject{func(name string) bool { return name == t.Thread.Path }, t.Thread.Path, t.findingMarker.Line}
}

// subject returns what a request is about as far as a skill goes.
func (m *reviewMarker) subject(skill string) subject {
	if m.About == nil {
		return subject{}
	}
	keys := make(map[string]bool)
	for _, key := range m.About[skill] {
		keys[key] = true
	}
	return subject{has: func(name string) bool { return keys[fileKey(name)] }}
}

// about returns keys of the files with findings that a skill asks for changes
// for, each once.
func (s *SkillResult) about() []string {
	keys := []string{}
	for _, f := range scanner.FilterConfidence(s.Report.Findings, s.Policy.MinConfidence) {
		if f.Location == nil || s.Policy.FailOn != scanner.ThresholdNone && !scanner.FailsAt([]scanner.Finding{f}, s.Policy.FailOn) {
			continue
		}
		keys = append(keys, fileKey(f.Location.Path))
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// fileKey stands for a file in a marker.
func fileKey(name string) string { return hash(12, name) }
