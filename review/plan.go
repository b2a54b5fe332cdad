package review

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Kind is what is done with something on the host.
type Kind string

// The kinds of actions.
const (
	Create  Kind = "create"
	Update  Kind = "update"
	Edit    Kind = "edit"
	Resolve Kind = "resolve"
	Keep    Kind = "keep"
	Dismiss Kind = "dismiss"
)

// Target is what an action is about.
type Target string

// The targets. The fields of [Action] describe what to do with each.
const (
	// OnComment creates an inline comment, updates one whose finding was found
	// again, for which its thread is opened again, edits one, which leaves the thread
	// as it is, or resolves the thread.
	OnComment Target = "comment"
	// OnReview creates a review that requests changes, or dismisses one.
	OnReview Target = "review"
	// OnCheck creates a check run, or continues one that was cut short.
	OnCheck Target = "check run"
	// OnSummary creates or updates the summary comment. Its text is
	// [Plan.SummaryBody], which may differ from the planned one once the other
	// actions are done, so a host also looks at one that is kept.
	OnSummary Target = "summary"
	// OnFurtherSummary makes a further summary comment point to the first. Two runs at
	// once can make two.
	OnFurtherSummary Target = "further summary"
	// OnVerified keeps the summary of a verified result.
	OnVerified Target = "verified summary"
)

// Action is one thing to do, or to leave as it is.
type Action struct {
	Kind   Kind
	Target Target
	// What names it, in a line of text that is safe to print.
	What string
	// Reason is why.
	Reason string

	// Comment is the comment to create, or the one that was found again.
	Comment *Comment
	// Thread is the thread to open again, to edit or to resolve. Body is the new text
	// of its comment: of an update only if it is not empty, of a thread to resolve
	// for where the token cannot resolve it.
	Thread *Thread
	Body   string
	// Unhide is set when an earlier run may have hidden the comment of an update.
	Unhide bool
	// Summary is the further summary comment, whose new text is Body.
	Summary *Posted
	// Review is the review to dismiss.
	Review *Review
	// Check is the check run to create, or to continue from Run.
	Check *Check
	Run   *CheckRun

	// thread is that of the comment, for the summary; nil if it is new. unchecked is set
	// when the thread is kept because its finding could not be looked for.
	thread    *ownThread
	unchecked bool
}

// String writes the action in a line.
func (a Action) String() string {
	return fmt.Sprintf("%-7s %s %s: %s", a.Kind, a.Target, a.What, a.Reason)
}

// Plan is what has to be done so that the host shows a result, and nothing that is
// outdated. It does not change after [NewPlan].
type Plan struct {
	// Actions are in the order in which they are explained. A host carries them
	// out in this one: check runs, new comments and requests for changes, threads,
	// dismissals, the summary. What later runs rely on comes last.
	Actions []Action
	// Have is the state that the plan starts from.
	Have State
	// Number, Head and RunURL are those of the result.
	Number       int
	Head, RunURL string
	// Summary is the summary comment on the host; nil if there is none.
	Summary *Posted
	// CheckURLs are the addresses of existing check runs by skill.
	CheckURLs map[string]string

	v        *view
	before   summaryMarker
	progress *progress
	// further are the other summary comments.
	further []*Posted
	note    string // a further one for the summary; empty if there is none
}

// Writes counts the actions that change something.
func (p *Plan) Writes() int {
	n := 0
	for _, a := range p.Actions {
		if a.Kind != Keep {
			n++
		}
	}
	return n
}

// String writes the plan, one action a line.
func (p *Plan) String() string {
	var b strings.Builder
	for _, a := range p.Actions {
		b.WriteString(a.String() + "\n")
	}
	return b.String()
}

// NewPlan compares what a result asks for with the state of the host. It is a pure
// function.
func NewPlan(r Result, have State) (*Plan, error) {
	v, err := newView(&r)
	switch {
	case err != nil:
		return nil, err
	case r.Head == "":
		return nil, errors.New("the head of the result is missing")
	}
	p := &Plan{Have: have, Number: r.Number, Head: r.Head, RunURL: r.RunURL, v: v, progress: new(progress)}
	p.Actions, p.CheckURLs = v.planChecks(&have)
	if r.Number == 0 || have.NoPull {
		return p, nil
	}
	threads := have.ownThreads()
	comments := v.planComments(threads)
	p.Actions = append(p.Actions, comments...)
	if !have.NoReviews {
		requests, kept := v.planRequests(have.requests(), threads)
		p.Actions = append(p.Actions, requests...)
		if kept != "" {
			// Else a merge is blocked and nothing explains why.
			p.note = proseText("A request for changes is still open: "+kept+". Anyone who knows that it is resolved can dismiss it.", maxFixText)
		}
	}
	p.Summary, p.before = have.summary()
	p.progress = v.newProgress(comments, p.before)
	p.Actions = append(p.Actions, p.planSummary()...)
	if list := have.summaries(); len(list) > 1 && !r.Untrusted {
		p.further = list[1:]
		for _, s := range p.further {
			p.Actions = append(p.Actions, Action{
				Kind: Update, Target: OnFurtherSummary, What: "comment", Reason: "there is an earlier one", Summary: s,
				Body: "The summary is in " + linkTo("an earlier comment", p.Summary.URL) + ".",
			})
		}
	}
	return p, nil
}

// planChecks decides which check runs are made, and returns the addresses of those
// that are already there. If the last one has the same contents, it is kept, or
// continued when it was cut short.
func (v *view) planChecks(have *State) (list []Action, urls map[string]string) {
	urls = make(map[string]string)
	if have.NoChecks {
		return nil, urls
	}
	for _, c := range v.checks() {
		a := Action{Kind: Create, Target: OnCheck, What: fmt.Sprintf("%q", c.Name), Reason: string(c.Conclusion), Check: c}
		if run := have.latest(c.Name, idPrefix(v.Untrusted)); run != nil && run.ExternalID == c.ExternalID {
			a.Kind, a.Reason, a.Run = Keep, "no change", run
			if !run.Completed {
				a.Kind, a.Reason = Update, "was cut short"
			}
			urls[c.Skill] = run.URL
		}
		list = append(list, a)
	}
	return list, urls
}

// planSummary decides about the summary comment. There is one: a verified result
// takes over that of an unverified one, but not the other way round.
func (p *Plan) planSummary() []Action {
	a := Action{Kind: Update, Target: OnSummary, What: "comment", Reason: "the result changed"}
	switch {
	case p.v.Untrusted && p.Summary != nil && !p.before.Untrusted:
		a.Kind, a.Target, a.Reason = Keep, OnVerified, "an unverified result does not replace a verified one"
	case p.Summary == nil && !p.v.needsSummary() && p.note == "":
		return nil
	case p.Summary == nil:
		a.Kind, a.Reason = Create, "there is none"
	case p.SummaryShows(p.SummaryBody(Progress{CheckURLs: p.CheckURLs})):
		a.Kind, a.Reason = Keep, "no change"
	}
	return []Action{a}
}

// Progress is what a host did of a plan, as far as the summary comment shows it.
type Progress struct {
	// CheckURLs are the addresses of the check runs by skill.
	CheckURLs map[string]string
	// Refused are the comments that the host did not accept: the summary has
	// their findings in full.
	Refused []*Comment
	// CommentURLs are the addresses of the new comments, as far as they are known, by
	// their markers (see [Marker]).
	CommentURLs map[string]string
	// Incomplete is set when something failed that the next run may be able to
	// do. Then that run must not take the review for done.
	Incomplete bool
}

// refused reports whether the host did not accept the comment of a finding.
func (p *Progress) refused(it *item) bool {
	return slices.ContainsFunc(p.Refused, func(c *Comment) bool { return c.item == it })
}

// SummaryBody renders the summary comment.
func (p *Plan) SummaryBody(done Progress) string {
	var kept []section
	if p.Summary != nil && !p.v.Untrusted {
		for _, s := range append([]*Posted{p.Summary}, p.further...) {
			var m summaryMarker
			if readMarker(s.Body, markerSummary, &m); m.Untrusted {
				continue
			}
			kept = append(kept, slices.DeleteFunc(readSections(s.Body), func(k section) bool {
				return p.v.removed(k.skill) || p.v.skill(k.skill) != nil || slices.ContainsFunc(kept, func(o section) bool { return o.skill == k.skill })
			})...)
		}
	}
	if p.before.Head != p.v.Head {
		for i := range kept {
			kept[i].text = newMark.ReplaceAllString(kept[i].text, "")
		}
	}
	m := p.v.summaryMarker(p.before, !done.Incomplete)
	p.progress.mark(&m)
	return p.v.summary(p.progress, done, kept, p.note, m)
}

// SummaryShows reports whether the summary comment on the host already has a text.
func (p *Plan) SummaryShows(body string) bool {
	return p.Summary != nil && strings.TrimSpace(strings.ReplaceAll(p.Summary.Body, "\r\n", "\n")) == body
}
