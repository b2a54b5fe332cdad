package review

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/match"
)

// planComments matches findings with the threads of earlier runs.
func (v *view) planComments(threads []ownThread) []Action {
	var list []Action
	comments := v.comments()
	rest := v.match(comments, threads)
	for _, c := range comments {
		t := c.item.thread
		a := Action{Kind: Keep, Target: OnComment, What: c.String(), Reason: "already posted", Comment: c, thread: t}
		switch {
		case t == nil:
			a.Kind, a.Reason = Create, "new finding"
			if c.item.near = slices.ContainsFunc(rest, func(t *ownThread) bool {
				return !t.Gone && !t.Resolved && t.Untrusted == v.Untrusted && t.Skill == c.item.skill.name() && v.near(t, c.item.finding.Location)
			}); c.item.near {
				c.Body = v.commentBody(c.item)
			}
		case c.item.elsewhere():
			a.Reason = "in the summary: a person answered what is at the same place"
		case v.Untrusted:
		default:
			v.planKnown(&a, t)
		}
		list = append(list, a)
	}
	for _, t := range rest {
		a := Action{
			Kind: Keep, Target: OnComment, Thread: t.Thread, thread: t,
			What: fmt.Sprintf("%s %q", location(t.Thread.Path, 0, t.Thread.Line), oneLine(t.Title, 80)),
		}
		if a.Reason, a.unchecked = v.keepReason(t); a.Reason == "" {
			why := "No longer found"
			a.Kind, a.Reason = Resolve, "the finding is gone"
			switch {
			case v.removed(t.Skill):
				why, a.Reason = "No longer checked", skillRemoved
			case t.Untrusted:
				why = "Replaced by a verified result"
			}
			a.Body = v.goneBody(t, why)
		}
		list = append(list, a)
	}
	return list
}

// planKnown decides about the thread of a finding. A person's decision stays; the text of
// the comment follows the finding all the same.
func (v *view) planKnown(a *Action, t *ownThread) {
	item := a.Comment.item
	item.near = t.Near
	changed := t.Severity != "" && t.Severity != item.finding.Severity
	decided := ""
	switch {
	case t.answered():
		decided = ", and a person answered"
	case t.PersonResolved:
		decided = ", and a person resolved it"
	}
	a.Reason += decided
	switch {
	case decided == "" && (t.Gone || t.Resolved && t.MayResolve):
		a.Kind, a.Reason, a.Unhide = Update, "found again", t.Gone
	case t.Gone:
		a.Kind, a.Reason = Edit, "found again"+decided
	case changed:
		a.Kind, a.Reason = Edit, "the severity changed"
	default:
		return
	}
	if a.Thread = t.Thread; t.Gone || changed {
		a.Body = v.commentBody(item)
	}
}

// match sets the threads that the comments were posted with, and returns the others. A
// comment that anyone could have caused does not match a verified finding.
func (v *view) match(comments []*Comment, threads []ownThread) (rest []*ownThread) {
	var known []*ownThread
	for i := range threads {
		if t := &threads[i]; !t.Untrusted || v.Untrusted {
			known = append(known, t)
		}
	}
	earlier, found := make([]match.Item, len(known)), make([]match.Item, len(comments))
	for i, t := range known {
		path := v.newPath(t)
		earlier[i] = match.Item{
			Group: t.Skill, Path: path, Gone: !v.has(path), Title: t.Title, Line: t.findingMarker.Line, Before: t.Before, After: t.After,
			Number: t.Thread.Line, Hunk: v.hunk(path, t.Thread.Line), Closed: t.Resolved || t.Gone,
		}
	}
	for i, c := range comments {
		m := v.findingMarker(c.item)
		found[i] = match.Item{
			Group: m.Skill, Path: c.Path, OldPath: c.OldPath, Title: m.Title, Line: m.Line, Before: m.Before, After: m.After,
			Number: c.Line, Hunk: v.hunk(c.Path, c.Line),
		}
	}
	used := make(map[*ownThread]bool)
	for i, m := range match.Pair(earlier, found) {
		if m.Earlier >= 0 {
			comments[i].item.thread, comments[i].item.step = known[m.Earlier], m.Step
			used[known[m.Earlier]] = true
		}
	}
	for i := range threads {
		if t := &threads[i]; !used[t] {
			rest = append(rest, t)
		}
	}
	return rest
}

// hunk returns the number of the hunk that shows a line, from 1; 0 if none does.
func (v *view) hunk(path string, line int) int {
	return 1 + slices.IndexFunc(v.lines[path], func(h newLines) bool { return h.start <= line && line <= h.end() })
}

// has reports whether the change has a file of that name at the head.
func (v *view) has(path string) bool {
	return slices.ContainsFunc(v.Files, func(f diff.File) bool { return f.Path == path && f.Status != diff.Deleted })
}

const skillRemoved = "the skill is no longer configured"

// keepReason returns why a thread without a comment of this run is left as it is;
// empty if its finding is gone. unchecked is set when this run, which should have looked
// for the finding, could not.
func (v *view) keepReason(t *ownThread) (reason string, unchecked bool) {
	s := v.skill(t.Skill)
	switch {
	case t.Gone:
		return "already marked as gone", false
	case t.Resolved:
		return "resolved", false
	case v.Untrusted:
		return "an unverified result resolves nothing", false
	case s == nil && !v.removed(t.Skill):
		return "the skill did not run", false
	case s == nil && len(t.Replies) > 0:
		return skillRemoved + ", but a person replied", false
	case s == nil:
		return "", false
	}
	if reason := v.uncheckedReason(s, t); reason != "" {
		return reason, true
	}
	switch {
	case !t.Untrusted && v.stillFound(s, t):
		return "still found near it, or not shown on this line", false
	case len(t.Replies) > 0:
		return "the finding is gone, but a person replied", false
	}
	return "", false
}

// uncheckedReason returns why a skill did not look at the lines of a thread again; empty
// if it did. A line that the change added and no longer adds was removed: to have read the
// rest of its file is enough.
func (v *view) uncheckedReason(s *SkillResult, t *ownThread) string {
	path := v.newPath(t)
	if !v.conclusive(s) && (s.Report.PatternsOnly || !slices.ContainsFunc(s.Report.Files, func(f scanner.FileReport) bool {
		return f.Path == path && f.Chunks.Total > 0 && f.Chunks.Failed+f.Chunks.NotAnalyzed == 0
	})) {
		return "this run did not look at everything"
	}
	if reason := v.unreadReason(s, t); reason != "" {
		return reason
	}
	deleted := slices.ContainsFunc(v.Files, func(f diff.File) bool { return f.Path == path && f.Status == diff.Deleted })
	if t.Unchanged && !deleted && v.hunk(path, t.Thread.Line) == 0 {
		return "its line is no longer part of the change"
	}
	return ""
}

// newPath returns the name of the file of a thread at the head. Git does not know it for
// a file that the change adds and a push renamed: that is where the lines of the thread are.
func (v *view) newPath(t *ownThread) string {
	path := t.Thread.Path
	for i := range v.Files {
		if f := &v.Files[i]; f.OldPath == path && f.Status == diff.Renamed {
			return f.Path
		}
	}
	if !v.has(path) && t.findingMarker.Line != "" {
		return cmp.Or(v.fileOf()[[3]string{t.findingMarker.Line, t.Before, t.After}], path)
	}
	return path
}

// fileOf returns the files by the hashes of their lines and the lines around them; empty
// where several have them.
func (v *view) fileOf() map[[3]string]string {
	if v.files != nil {
		return v.files
	}
	v.files = make(map[[3]string]string)
	for path, hunks := range v.lines {
		for i := range hunks {
			for n, line := range hunks[i].lines {
				if strings.TrimSpace(line) == "" {
					continue
				}
				at := spot{start: hunks[i].start + n, hunk: &hunks[i]}
				before, after := at.neighbors()
				key := [3]string{lineHash(line), before, after}
				if other, known := v.files[key]; known && other != path {
					v.files[key] = ""
				} else {
					v.files[key] = path
				}
			}
		}
	}
	return v.files
}

// stillFound reports whether a skill found what a thread is about, as far as that is
// certain: it may be a finding near the thread, or one with a similar title that the
// policy hides, a person marked as fine, or that is not on a line of the diff.
func (v *view) stillFound(s *SkillResult, t *ownThread) bool {
	list := slices.Clone(s.Report.Findings)
	for _, f := range s.Report.Suppressed {
		list = append(list, f.Finding)
	}
	for _, d := range s.Report.Duplicates {
		if of := v.skill(d.Of); of != nil {
			list = append(list, slices.DeleteFunc(slices.Clone(of.Report.Findings), func(f scanner.Finding) bool { return f.ID != d.Finding })...)
		}
	}
	path := v.newPath(t)
	return slices.ContainsFunc(list, func(f scanner.Finding) bool {
		near := f.Location != nil && (v.near(t, f.Location) ||
			slices.ContainsFunc(f.AdditionalLocations, func(l scanner.Location) bool { return v.near(t, &l) }))
		if !near && (f.Location == nil || f.Location.Path != path || !scanner.SimilarTitles(f.Title, t.Title)) {
			return false
		}
		i := slices.IndexFunc(v.items, func(it item) bool { return it.at != nil && it.skill == s && it.finding.ID == f.ID })
		if i >= 0 { // one that has another thread, and had it together with this one, is another
			return near && (v.items[i].thread == nil || v.items[i].thread.Near)
		}
		at := place(&f, v.lines)
		return near || at == nil || lineHash(at.text) == t.findingMarker.Line
	})
}

// nearLines is how many lines a model may put the same problem higher or lower, under
// another title.
const nearLines = 5

// near reports whether a location is near a thread: near its line or, where the host does
// not know that any more, near where the lines that were there and next to it place it.
func (v *view) near(t *ownThread, l *scanner.Location) bool {
	from, to := l.StartLine-nearLines, l.LastLine()+nearLines
	switch {
	case l.Path != v.newPath(t):
		return false
	case t.Thread.Line > 0:
		return from <= t.Thread.Line && t.Thread.Line <= to
	}
	for _, h := range v.lines[l.Path] {
		for n := max(from-1, h.start); n <= min(to+1, h.end()); n++ {
			hash := lineHash(h.lines[n-h.start])
			if n >= from && n <= to && hash == t.findingMarker.Line || n < to && hash == t.Before || n > from && hash == t.After {
				return true
			}
		}
	}
	return false
}

// unreadReason returns why a skill did not read the file of a thread, or the one that it
// was renamed to; empty if it did, or there was nothing to read. A change must not get
// rid of a thread or a request by hiding its file.
func (v *view) unreadReason(s *SkillResult, t *ownThread) string {
	path := v.newPath(t)
	for i := range v.Files {
		f := &v.Files[i]
		if f.Path != t.Thread.Path && f.Path != path || f.Status == diff.Deleted {
			continue
		}
		reason := "the skill does not look there"
		skipped := s.Report.SkippedFiles
		if i := slices.IndexFunc(skipped, func(skip scanner.SkippedFile) bool { return skip.Filename == f.Path }); i >= 0 {
			reason = oneLine(skipped[i].Reason, 40)
		} else if slices.ContainsFunc(s.Report.Files, func(read scanner.FileReport) bool { return read.Path == f.Path }) {
			continue
		}
		switch {
		case reason == string(diff.ReasonNoContent):
		case f.Path != t.Thread.Path:
			return "the file was renamed and not read: " + reason
		default:
			return "the file was not read: " + reason
		}
	}
	return ""
}

// goneBody returns the comment of a thread with a note why it is out of date.
func (v *view) goneBody(t *ownThread, why string) string {
	m := t.findingMarker
	m.Gone = true
	text := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(t.Body), Marker(t.Body)))
	return "**" + why + "** as of " + v.Head + ".\n\n" + text + "\n\n" + marker(markerFinding, m)
}

// answeredText lists the findings at the place of a thread that a person answered.
func (v *view) answeredText(s *SkillResult) string {
	var lines []string
	for i := range v.items {
		if it := &v.items[i]; it.skill == s && it.elsewhere() {
			lines = append(lines, boldTitle(it.finding.Title)+" is at the place of "+linkTo("another thread", it.thread.URL)+" that a person answered.")
		}
	}
	return joinFitting(lines, "\n", maxSkipText, "\nand %d more")
}
