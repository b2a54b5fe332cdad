package review

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// progress is what changed since the review of an earlier head, as far as comments
// show it.
type progress struct {
	// since is that head; empty if there was no such review.
	since string
	// was are the ids of the comments whose threads were open after it. open are those
	// that are now, without the ones that were made for this head: these name it.
	was, open []int64
	// posted are the findings that have a comment.
	posted map[*item]posted
	// fixed are the threads that were open, and whose finding is gone.
	fixed []*ownThread
	// unchecked are the actions on threads whose finding could not be looked for.
	unchecked []Action
}

// posted is the comment of a finding.
type posted struct {
	marker string
	url    string // empty if it is new
	isNew  bool   // since the review before
}

// maxKnown bounds the comments that a marker lists.
const maxKnown = 500

// newProgress compares the actions on comments with the review before. If that was of
// the same head, it was cut short or of other skills: this one continues it.
func (v *view) newProgress(actions []Action, before summaryMarker) *progress {
	p := &progress{since: before.Head, was: slices.Clone(before.Open), posted: make(map[*item]posted)}
	again := before.Head == v.Head
	if again {
		p.since, p.was = before.Since, before.Was
	}
	if !IsCommit(p.since) {
		p.since = ""
	}
	stays := func(t *ownThread) {
		if t.Head != v.Head {
			p.open = append(p.open, t.ID)
		}
	}
	for _, a := range actions {
		t := a.thread
		if t != nil && !again && t.Head == before.Head && !slices.Contains(p.was, t.ID) {
			p.was = append(p.was, t.ID)
		}
		wasOpen := t != nil && slices.Contains(p.was, t.ID)
		if a.Comment != nil && a.Comment.item.elsewhere() {
			stays(t)
			continue
		}
		if a.Comment != nil {
			found := posted{marker: Marker(a.Comment.Body), isNew: !wasOpen}
			if t != nil {
				found.url = t.URL
				stays(t)
			}
			p.posted[a.Comment.item] = found
			continue
		}
		if t == nil {
			continue
		}
		gone := a.Kind == Resolve || t.Gone || t.Resolved
		if !gone {
			stays(t)
		}
		switch {
		case v.skill(t.Skill) == nil, t.Untrusted && !v.Untrusted:
		case gone && wasOpen && !t.PersonResolved:
			p.fixed = append(p.fixed, t)
		case a.unchecked:
			p.unchecked = append(p.unchecked, a)
		}
	}
	return p
}

// mark adds to a marker what the next review compares with.
func (p *progress) mark(m *summaryMarker) {
	m.Since, m.Was, m.Open = p.since, firstOf(p.was, maxKnown), firstOf(p.open, maxKnown)
}

// sinceText counts what is new, fixed and still there, and lists what is fixed; empty
// for a first review.
func (v *view) sinceText(p *progress, done Progress) string {
	if p.since == "" {
		return ""
	}
	isNew, still, others := 0, 0, 0
	for i := range v.items {
		switch found, ok := p.posted[&v.items[i]]; {
		case !ok || done.refused(&v.items[i]):
			others++
		case found.isNew:
			isNew++
		default:
			still++
		}
	}
	var counts []string
	add := func(n int, what string) {
		if n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, what))
		}
	}
	add(isNew, "new")
	add(len(p.fixed), "fixed")
	add(still, "still there")
	add(others, "without a comment, not compared")
	if len(counts) == 0 {
		return ""
	}
	text := "Since " + v.commitLink(p.since) + ": " + strings.Join(counts, ", ") + "."
	var fixed []string
	for _, t := range p.fixed {
		fixed = append(fixed, threadLink(t))
	}
	if len(fixed) > 0 {
		text += "\n\n**Fixed:** " + joinFitting(fixed, ", ", maxNames, "%d more") + "."
	}
	return text
}

// uncheckedText lists the earlier findings that this run could not look for; empty if
// there are none.
func (p *progress) uncheckedText() string {
	var list []string
	for _, a := range p.unchecked {
		list = append(list, threadLink(a.thread)+": "+titleText(a.Reason))
	}
	if len(list) == 0 {
		return ""
	}
	return "**Not checked again:** " + plural(len(list), "earlier finding") + ".\n\n- " + joinFitting(list, "\n- ", maxNames, "and %d more")
}

// threadLink renders the thread of an earlier finding.
func threadLink(t *ownThread) string {
	return linkTo(boldTitle(t.Title), t.URL) + " in " + codeText(location(t.Thread.Path, 0, t.Thread.Line))
}

// commentOf returns the address of a finding's comment, if it is known, and whether it is
// new since the review before.
func (p *progress) commentOf(it *item, done Progress) (url string, isNew bool) {
	found, ok := p.posted[it]
	if !ok || done.refused(it) {
		return "", false
	}
	return cmp.Or(found.url, done.CommentURLs[found.marker]), found.isNew && p.since != ""
}
