package github

import (
	"fmt"
	"slices"
)

// planReview decides whether changes are requested, and whether an earlier
// request is dismissed. A request stands for the skills that it names.
func (p *Plan) planReview(have *State) {
	p.about = make(map[string][]string)
	files := 0
	for i := range p.r.Skills {
		if s := &p.r.Skills[i]; p.r.blocks(s) {
			p.blocking = append(p.blocking, s.name())
			p.about[s.name()] = s.about()
			files += len(p.about[s.name()])
		}
	}
	if files > maxAbout {
		p.about = nil
	}
	var standing []reviewMarker
	for i := range have.Reviews {
		rev := &have.Reviews[i]
		var m reviewMarker
		if !have.standing(rev, &m) {
			continue
		}
		a := Action{Kind: Keep, Target: "review", What: fmt.Sprintf("%d", rev.ID), review: rev}
		switch {
		case slices.ContainsFunc(p.blocking, func(name string) bool { return slices.Contains(m.Blocking, name) }):
			a.Reason = "changes are requested already"
		case p.r.Untrusted:
			a.Reason = "an unverified result dismisses nothing"
		case !p.settled(m.Blocking):
			a.Reason = "this run did not look at everything that asks for changes"
		case p.withheld(&m) != "":
			a.Reason = p.withheld(&m)
		case len(m.Blocking) > 0 && !slices.ContainsFunc(m.Blocking, func(name string) bool { return !p.r.gone(name) }):
			a.Kind, a.Reason = Dismiss, noSkill
		default:
			a.Kind, a.Reason = Dismiss, "nothing blocks any more"
		}
		if a.Kind == Keep {
			standing = append(standing, m)
			if len(p.blocking) == 0 && !p.r.Untrusted {
				p.stands = a.Reason
			}
		}
		p.add(a)
	}
	if slices.ContainsFunc(p.blocking, func(name string) bool { return !p.requested(standing, name) }) {
		p.request = true
		p.add(Action{Kind: Create, Target: "review", What: "requesting changes", Reason: "findings reach failOn"})
	}
}

// withheld says which skipped file may hide what a request is about; empty if
// none does.
func (p *Plan) withheld(m *reviewMarker) string {
	for _, name := range m.Blocking {
		s := p.r.skill(name)
		if s == nil {
			continue // it is gone
		}
		about := m.subject(name)
		if why := p.hides(s, about); why != "" {
			return why
		}
		for _, t := range p.hidden {
			if t.Skill == name && (about.has == nil || about.has(t.Thread.Path)) {
				return t.why
			}
		}
	}
	return ""
}

// requested reports whether the requests that stand are about everything that a
// skill asks for changes for. What they are not about could be hidden from the
// next run without them noticing.
func (p *Plan) requested(standing []reviewMarker, name string) bool {
	var about []string
	known := false
	for _, m := range standing {
		if !slices.Contains(m.Blocking, name) {
			continue
		}
		if m.About == nil {
			return true
		}
		known, about = true, append(about, m.About[name]...)
	}
	return known && !slices.ContainsFunc(p.r.skill(name).about(), func(key string) bool { return !slices.Contains(about, key) })
}

// settled reports whether each of these skills has a conclusive result, or is
// gone.
func (p *Plan) settled(skills []string) bool {
	for _, name := range skills {
		if s := p.r.skill(name); !p.r.gone(name) && (s == nil || !p.r.conclusive(s)) {
			return false
		}
	}
	return true
}
