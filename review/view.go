package review

import (
	"slices"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/match"
)

// view is a result with what is derived from it once, for all texts. After newView, only
// planComments changes it: it adds the threads, and looks for the files of some.
type view struct {
	*Result
	lines map[string][]newLines // by file
	files map[[3]string]string  // see fileOf
	// items are the findings that are shown.
	items []item
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
	// thread is the one that it was recognized as, and step how, if it was. near is set
	// for one that was not, if another that may be about the same is near.
	thread *ownThread
	step   match.Step
	near   bool
}

// elsewhere reports whether a finding is in the summary alone, with a link to the thread
// at its place: a person answered there, and it is not certain that it is the same.
func (it *item) elsewhere() bool {
	return it.thread != nil && it.step >= match.SamePlace && it.thread.answered()
}

// newView returns the view of a valid result.
func newView(r *Result) (*view, error) {
	if err := r.validate(); err != nil {
		return nil, err
	}
	v := &view{Result: r, lines: newLinesOf(r.Files)}
	v.items = v.layout()
	if r.wholeFiles() {
		return v, nil // nothing was changed
	}
	v.notable = diff.FindNotable(r.Files, nil)
	for i := range r.Skills {
		for _, n := range r.Skills[i].Report.Notable {
			if !slices.Contains(v.notable, n) {
				v.notable = append(v.notable, n)
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
				it.finding, it.at = v.place(s, it.finding)
			}
			if it.at != nil {
				inline++
			}
			items = append(items, it)
		}
	}
	return items
}

// place returns a finding with the place of its comment: of merged ones, the first that
// has a place in the diff carries the comment.
func (v *view) place(s *SkillResult, f *scanner.Finding) (*scanner.Finding, *spot) {
	if at := place(f, v.lines); at != nil {
		return f, at
	}
	for _, g := range s.Report.MergeGroups {
		if g.Primary != f.ID {
			continue
		}
		for _, m := range g.Merged {
			member := *f
			member.Location = m.Location
			at := place(&member, v.lines)
			if at == nil {
				continue
			}
			member.AdditionalLocations = slices.DeleteFunc(slices.Clone(f.AdditionalLocations), func(l scanner.Location) bool { return l == *m.Location })
			if f.Location != nil {
				member.AdditionalLocations = slices.Insert(member.AdditionalLocations, 0, *f.Location)
			}
			if m.SuggestedFix != nil {
				member.SuggestedFix = m.SuggestedFix
			} else if f.SuggestedFix != nil { // of other lines: to be read, not applied here
				member.SuggestedFix = &scanner.SuggestedFix{Description: f.SuggestedFix.Description, Diff: f.SuggestedFix.Diff}
			}
			return &member, at
		}
	}
	return f, nil
}

// unread returns the files that some of the skills could not read. To skip a file by
// its name is policy; a rename to such a name is notable.
func (v *view) unread(skills []SkillResult) []scanner.SkippedFile {
	if v.wholeFiles() {
		return nil // nothing was changed
	}
	var list []scanner.SkippedFile
	for i := range skills {
		for _, f := range skills[i].Report.SkippedFiles {
			switch diff.Reason(f.Reason) {
			case diff.ReasonBinary, diff.ReasonTooLarge, diff.ReasonUnreadable:
				if !slices.Contains(list, f) {
					list = append(list, f)
				}
			}
		}
	}
	return list
}

// needsSummary reports whether a summary comment is made where there is none.
func (v *view) needsSummary() bool {
	return v.ReportOnSuccess || counts(v.Skills).Total() > 0 || v.incomplete() || len(v.PolicyFiles) > 0 || len(v.Notes) > 0 ||
		len(v.unread(v.Skills)) > 0 || len(v.notable) > 0 || slices.ContainsFunc(v.Skills, func(s SkillResult) bool { return len(s.refuted())+len(s.toCheck()) > 0 })
}
