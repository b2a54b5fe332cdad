package review

import (
	"io/fs"
	"slices"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
)

// view is a result with what is derived from it once, for all texts. It does not
// change after newView.
type view struct {
	*Result
	// changed are the files by name. A deleted file is there only if no other has
	// its name.
	changed map[string]*diff.File
	lines   map[string][]newLines // by file
	// items are the findings that are shown.
	items []item
	// notRead are, by skill, the files that the change itself kept from being
	// read; see [view.evades].
	notRead map[string][]scanner.SkippedFile
	// notable are the changes that a person should look at. A host may not know
	// the modes of files, and a log can come from anyone, so they are from both.
	notable []diff.Notable
}

// item is a finding that is shown.
type item struct {
	skill   *SkillResult
	finding *scanner.Finding
	// at is the place of its comment; nil if it is in the summary alone.
	at *spot
}

// newView returns the view of a valid result.
func newView(r *Result) (*view, error) {
	if err := r.validate(); err != nil {
		return nil, err
	}
	v := &view{Result: r, lines: newLinesOf(r.Files), changed: make(map[string]*diff.File, len(r.Files)), notRead: make(map[string][]scanner.SkippedFile)}
	for i := range r.Files {
		f := &r.Files[i]
		if v.changed[f.Path] == nil || f.Status != diff.Deleted {
			v.changed[f.Path] = f
		}
	}
	v.items = v.layout()
	if r.Number == 0 {
		return v, nil // nothing was changed
	}
	v.notable = diff.FindNotable(r.Files)
	for i := range r.Skills {
		s := &r.Skills[i]
		for _, n := range s.Report.Notable {
			if !slices.Contains(v.notable, n) {
				v.notable = append(v.notable, n)
			}
		}
		for _, f := range s.Report.SkippedFiles {
			if v.evades(&f) {
				v.notRead[s.name()] = append(v.notRead[s.name()], f)
			}
		}
	}
	return v, nil
}

// layout returns what a result shows, each finding with its place.
func (v *view) layout() []item {
	var items []item
	inline, limit := 0, maxInline
	if v.Untrusted {
		limit = maxInlineUntrusted
	}
	for i := range v.Skills {
		s := &v.Skills[i]
		for j := range s.Selection.Shown {
			it := item{skill: s, finding: &s.Selection.Shown[j]}
			if inline < limit && v.Number > 0 {
				it.at = place(it.finding, v.lines)
			}
			if it.at != nil {
				inline++
			}
			items = append(items, it)
		}
	}
	return items
}

// reason returns why a file was skipped. That a file was deleted matters more
// than what it was.
func (v *view) reason(f *scanner.SkippedFile) diff.Reason {
	if now := v.changed[f.Filename]; now != nil && now.Status == diff.Deleted {
		return diff.ReasonDeleted
	}
	return diff.Reason(f.Reason)
}

// evades reports whether a file is skipped for what the change put into it.
func (v *view) evades(f *scanner.SkippedFile) bool {
	switch v.reason(f) {
	case diff.ReasonTooLarge, diff.ReasonUnreadable:
		return true
	case diff.ReasonBinary:
		return v.couldBeText(f.Filename)
	}
	return false
}

// unread returns the files that the change itself kept from some of the skills.
func (v *view) unread(skills []SkillResult) []scanner.SkippedFile {
	var list []scanner.SkippedFile
	for i := range skills {
		for _, f := range v.notRead[skills[i].name()] {
			if !slices.ContainsFunc(list, func(g scanner.SkippedFile) bool { return g.Filename == f.Filename }) {
				list = append(list, f)
			}
		}
	}
	return list
}

// readNothing reports whether a skill looked at nothing of a change, although
// there was something that the policy does not exclude.
func (v *view) readNothing(s *SkillResult) bool {
	if v.Number == 0 || s.Report.Chunks.Total > 0 {
		return false
	}
	for _, f := range s.Report.SkippedFiles {
		switch v.reason(&f) {
		case diff.ReasonDeleted, diff.ReasonNoContent, diff.ReasonPaths, diff.ReasonIgnored, diff.ReasonPattern:
		default:
			return true
		}
	}
	return false
}

// needsSummary reports whether a summary comment is made where there is none.
func (v *view) needsSummary() bool {
	return v.ReportOnSuccess || v.counts().Total() > 0 || v.incomplete() || len(v.PolicyFiles) > 0 || len(v.Notes) > 0 ||
		len(v.unread(v.Skills)) > 0 || len(v.notable) > 0
}

// couldBeText reports whether a file that was skipped as binary could be text
// into which a few bytes were put so that it is skipped. An image or an archive
// is not, and is no reason for a warning.
func (r *Result) couldBeText(name string) bool {
	if r.Contents == nil {
		return true
	}
	data, err := fs.ReadFile(r.Contents, name)
	return err != nil || resemblesText(data)
}
