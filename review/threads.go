package review

import (
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
	posted, rest := v.match(comments, threads)
	for i, c := range comments {
		a := Action{Kind: Keep, Target: OnComment, What: c.String(), Reason: "already posted", Comment: c}
		a.thread = posted[i]
		switch t := a.thread; {
		case t == nil:
			a.Kind, a.Reason = Create, "new finding"
		case v.Untrusted:
		case t.PersonResolved:
			a.Reason = "already posted, and a person resolved it"
		case t.Gone:
			a.Kind, a.Reason, a.Thread, a.Body = Update, "found again", t.Thread, c.Body
			a.Unhide = true
		case t.Resolved && t.MayResolve:
			a.Kind, a.Reason, a.Thread = Update, "found again", t.Thread
		}
		list = append(list, a)
	}
	for _, t := range rest {
		a := Action{
			Kind: Keep, Target: OnComment, Thread: t.Thread, thread: t,
			What: fmt.Sprintf("%s %q", location(t.Thread.Path, 0, t.Thread.Line), oneLine(t.Title, 80)),
		}
		if a.Reason, a.unchecked = v.keepReason(t); a.Reason == "" {
			a.Kind, a.Reason, a.Body = Resolve, "the finding is gone", v.goneBody(t)
			if v.removed(t.Skill) {
				a.Reason = skillRemoved
			}
		}
		list = append(list, a)
	}
	return list
}

// match returns for each comment the thread that it was posted with, or nil, and
// the other threads. A comment that anyone could have caused does not match a
// verified finding.
func (v *view) match(comments []*Comment, threads []ownThread) (posted []*ownThread, rest []*ownThread) {
	for i := range threads {
		if t := &threads[i]; !t.Untrusted || v.Untrusted {
			rest = append(rest, t)
		}
	}
	earlier, found := make([]match.Item, len(rest)), make([]match.Item, len(comments))
	for i, t := range rest {
		earlier[i] = match.Item{
			Group: t.Skill, Path: t.Thread.Path, Title: t.Title, Line: t.findingMarker.Line,
			Number: t.Thread.Line, Hunk: v.hunk(t.Thread.Path, t.Thread.Line), Closed: t.Resolved,
		}
	}
	for i, c := range comments {
		found[i] = match.Item{
			Group: c.item.skill.name(), Path: c.Path, Title: oneLine(c.item.finding.Title, maxTitle), Line: lineHash(c.item.at.text),
			Number: c.Line, Hunk: v.hunk(c.Path, c.Line),
		}
	}
	posted = make([]*ownThread, len(comments))
	used := make(map[*ownThread]bool)
	for i, m := range match.Pair(earlier, found) {
		if m.Earlier >= 0 {
			posted[i] = rest[m.Earlier]
			used[posted[i]] = true
		}
	}
	rest = nil
	for i := range threads {
		if t := &threads[i]; !used[t] {
			rest = append(rest, t)
		}
	}
	return posted, rest
}

// hunk returns the number of the hunk that shows a line, from 1; 0 if none does.
func (v *view) hunk(path string, line int) int {
	return 1 + slices.IndexFunc(v.lines[path], func(h newLines) bool { return h.start <= line && line <= h.end() })
}

const skillRemoved = "the skill is no longer configured"

// keepReason returns why a thread without a comment of this run is left as it is;
// empty if its finding is gone. unchecked is set when this run, which should have looked
// for the finding, could not.
func (v *view) keepReason(t *ownThread) (reason string, unchecked bool) {
	s := v.skill(t.Skill)
	conclusive := s != nil && v.conclusive(s)
	switch {
	case t.Gone:
		return "already marked as gone", false
	case t.Resolved:
		return "resolved", false
	case v.Untrusted:
		return "an unverified result resolves nothing", false
	case t.Untrusted && !conclusive:
		return "it comes from an unverified result", false
	case s == nil && !v.removed(t.Skill):
		return "the skill did not run", false
	case s == nil && len(t.Replies) > 0:
		return skillRemoved + ", but a person replied", false
	case s == nil:
		return "", false
	case !conclusive:
		return "this run did not look at everything", true
	}
	if reason := v.unreadReason(s, t.Thread.Path); reason != "" {
		return reason, true
	}
	switch {
	case v.stillFound(s, t):
		return "still found, but not shown on this line", false
	case len(t.Replies) > 0:
		return "the finding is gone, but a person replied", false
	}
	return "", false
}

// stillFound reports whether a skill found what a thread is about, and it has no
// comment of this run: it is hidden by the policy, or not on a line of the diff.
func (v *view) stillFound(s *SkillResult, t *ownThread) bool {
	return slices.ContainsFunc(s.Report.Findings, func(f scanner.Finding) bool {
		if f.Location == nil || f.Location.Path != t.Thread.Path || !scanner.SimilarTitles(f.Title, t.Title) || v.commented(s, f.ID) {
			return false
		}
		at := place(&f, v.lines)
		return at == nil || lineHash(at.text) == t.findingMarker.Line
	})
}

// commented reports whether a finding has a comment of this run.
func (v *view) commented(s *SkillResult, id string) bool {
	return slices.ContainsFunc(v.items, func(it item) bool { return it.at != nil && it.skill == s && it.finding.ID == id })
}

// unreadReason returns why a skill did not read a file, or the file that it was
// renamed to; empty if it did, or there was nothing to read. A change must not get
// rid of a thread or a request by hiding its file.
func (v *view) unreadReason(s *SkillResult, path string) string {
	for i := range v.Files {
		f := &v.Files[i]
		renamed := f.Status == diff.Renamed && f.OldPath == path
		if f.Path != path && !renamed || f.Status == diff.Deleted {
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
		case renamed:
			return "the file was renamed and not read: " + reason
		default:
			return "the file was not read: " + reason
		}
	}
	return ""
}

// goneBody returns the comment of a thread with a note that its finding is gone.
func (v *view) goneBody(t *ownThread) string {
	m := t.findingMarker
	m.Gone = true
	text := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(t.Body), Marker(t.Body)))
	return "**No longer found** as of " + v.Head + ".\n\n" + text + "\n\n" + marker(markerFinding, m)
}
