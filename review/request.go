package review

import (
	"fmt"
	"slices"
)

// blocking returns the names of the skills that ask for changes.
func (v *view) blocking() []string {
	var names []string
	for i := range v.Skills {
		if s := &v.Skills[i]; v.blocks(s) {
			names = append(names, s.name())
		}
	}
	return names
}

// planRequests decides whether changes are requested, and which earlier requests
// are dismissed. A request is about the skills that it names. kept is why one stays
// although no skill asks for changes; empty if none does.
func (v *view) planRequests(requests []request, threads []ownThread) (list []Action, kept string) {
	blocking := v.blocking()
	var requested []string
	for _, r := range requests {
		a := Action{Kind: Keep, Target: OnReview, What: fmt.Sprint(r.ID), Review: r.Review}
		if slices.ContainsFunc(blocking, func(name string) bool { return slices.Contains(r.Blocking, name) }) {
			a.Reason = "changes are already requested"
		} else if a.Reason = v.keepRequest(&r, threads); a.Reason == "" {
			a.Kind, a.Reason = Dismiss, "nothing blocks any more"
			if len(r.Blocking) > 0 && !slices.ContainsFunc(r.Blocking, func(name string) bool { return !v.removed(name) }) {
				a.Reason = skillRemoved
			}
		}
		if a.Kind == Keep {
			requested = append(requested, r.Blocking...)
			if len(blocking) == 0 && !v.Untrusted {
				kept = a.Reason
			}
		}
		list = append(list, a)
	}
	if slices.ContainsFunc(blocking, func(name string) bool { return !slices.Contains(requested, name) }) {
		list = append(list, Action{Kind: Create, Target: OnReview, What: "requesting changes", Reason: "findings reach failOn"})
	}
	return list, kept
}

// keepRequest returns why a request stays whose skills do not ask for changes;
// empty if it is to be dismissed.
func (v *view) keepRequest(r *request, threads []ownThread) string {
	if v.Untrusted {
		return "an unverified result dismisses nothing"
	}
	for _, name := range r.Blocking {
		s := v.skill(name)
		if v.removed(name) {
			continue
		}
		if s == nil || !v.conclusive(s) {
			return "this run did not look at everything that asks for changes"
		}
		for _, t := range threads {
			// Threads that an earlier run resolved are done. One that a person
			// resolved is not: that may be the author of the change.
			if done := t.Gone || t.Resolved && !t.PersonResolved; done || t.Skill != name {
				continue
			}
			if reason := v.unreadReason(s, &t); reason != "" {
				return reason
			}
		}
	}
	return ""
}

// ReviewBody renders the text of a review with comments of the plan, and with a
// request for changes if there is one.
func (p *Plan) ReviewBody(comments []*Comment, request bool) string {
	var m reviewMarker
	text := "Scanner:"
	if len(comments) > 0 {
		text += " " + plural(len(comments), "new finding") + "."
	}
	if request {
		m.Blocking = p.v.blocking()
		text += " Findings reach the severity at which changes are requested."
	}
	if p.v.Untrusted {
		text += "\n\n" + unverified
	}
	return text + "\n\n" + marker(markerReview, m)
}
