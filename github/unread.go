package github

import (
	"path"
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

func namesOf(files []diff.File) names {
	n := names{make(map[string]*diff.File, len(files)), make(map[string]bool)}
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
func (n names) reason(f *scanner.SkippedFile) diff.Reason {
	if now := n.now[f.Filename]; now != nil && now.Status == diff.Deleted {
		return diff.ReasonDeleted
	}
	return diff.Reason(f.Reason)
}

// left reports whether nothing has a name any more, and nothing says what became
// of the file that had it. So it is when a file that the change had added got
// another name, or when it was rewritten on the way.
func (n names) left(name string) bool {
	now := n.now[name]
	return (now == nil || now.Status == diff.Deleted) && !n.before[name]
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
	// lost are the kinds of those of its files whose names are left.
	lost map[string]bool
}

// hides says which skipped file may hide what a skill found in a subject; empty
// if none does.
func (p *Plan) hides(s *SkillResult, about subject) string {
	for _, f := range slices.Concat(s.Report.SkippedFiles, p.r.Skipped) {
		reason := p.names.reason(&f)
		if isEmpty(reason) {
			continue
		}
		now, which := p.names.now[f.Filename], ""
		switch {
		case about.has == nil:
			if !isChosen(reason) {
				which = "a file was skipped this time"
			}
		case about.has(f.Filename):
			which = "the file was skipped this time"
		case now != nil && now.OldPath != "" && about.has(now.OldPath):
			which = "the file was skipped under its new name"
		case now != nil && now.Status == diff.Added && !isChosen(reason) && len(about.lost) > 0 && about.lost[kindKey(f.Filename)]:
			which = "the file is gone, and one of its kind was added and skipped"
		}
		if which != "" {
			return which + ": " + oneLine(f.Reason, 40)
		}
	}
	if about.has != nil && p.strays(s, about) {
		return "the file was renamed to where the skill does not look"
	}
	return ""
}

// strays reports whether a file of a subject has a new name that the skill neither
// read nor skipped, as when another skill looks there.
func (p *Plan) strays(s *SkillResult, about subject) bool {
	for i := range p.r.Files {
		f := &p.r.Files[i]
		if f.Status != diff.Renamed || !about.has(f.OldPath) {
			continue
		}
		if !slices.ContainsFunc(s.Report.Files, func(read scanner.FileReport) bool { return read.Path == f.Path }) &&
			!slices.ContainsFunc(slices.Concat(s.Report.SkippedFiles, p.r.Skipped), func(skip scanner.SkippedFile) bool { return skip.Filename == f.Path }) {
			return true
		}
	}
	return false
}

// subject returns what a thread is about.
func (t *ownThread) subject(n names) subject {
	about := subject{has: func(name string) bool { return name == t.Thread.Path }}
	if n.left(t.Thread.Path) {
		about.lost = map[string]bool{kindKey(t.Thread.Path): true}
	}
	return about
}

// subject returns what a request is about as far as a skill goes.
func (m *reviewMarker) subject(n names, skill string) subject {
	if m.About == nil {
		return subject{}
	}
	there := make(map[string]bool)
	for name, f := range n.now {
		if f.Status != diff.Deleted {
			there[fileKey(name)] = true
		}
	}
	for name := range n.before {
		there[fileKey(name)] = true
	}
	keys, lost := make(map[string]bool), make(map[string]bool)
	for _, key := range m.About[skill] {
		keys[key] = true
		if !there[key] {
			lost[key[max(0, len(key)-kindDigits):]] = true
		}
	}
	return subject{func(name string) bool { return keys[fileKey(name)] }, lost}
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
func fileKey(name string) string { return hash(12, name) + kindKey(name) }

// kindKey stands for what tells the language of a file.
func kindKey(name string) string { return hash(kindDigits, strings.ToLower(path.Ext(name))) }

const kindDigits = 4
