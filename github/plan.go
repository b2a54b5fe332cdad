package github

import (
	"fmt"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner"
)

// Kind is what is done with something on the host.
type Kind string

// The kinds of actions.
const (
	Create  Kind = "create"
	Update  Kind = "update"
	Resolve Kind = "resolve"
	Keep    Kind = "keep"
	Dismiss Kind = "dismiss"
)

// Action is one thing to do, or to leave as it is.
type Action struct {
	Kind Kind
	// Target is "comment", "review", "check run", "summary" or "unverified
	// summary".
	Target string
	// What names it, in a line of text that is safe to print.
	What string
	// Reason says why.
	Reason string

	comment int     // created, or the new text of an updated one
	thread  *Thread // updated or resolved
	review  *Review // dismissed
	check   int     // created or continued
	run     *CheckRun
	old     *Posted // a comment that gets the text of body
	body    string
}

// String writes the action in a line.
func (a Action) String() string {
	return fmt.Sprintf("%-7s %s %s: %s", a.Kind, a.Target, a.What, a.Reason)
}

// Plan is what is to be done so that the host shows a result, and nothing that
// is no longer so.
type Plan struct {
	Actions []Action

	r        *Result
	sides    map[string]*side
	items    []item
	comments []Comment
	checks   []Check
	links    map[string]string // URLs of check runs by skill
	request  bool              // changes are to be requested by a new review
	blocking []string
	about    map[string][]string // see reviewMarker
	posted   *Posted             // the summary comment
	before   summaryMarker
	hidden   []hiddenThread             // threads whose finding a skipped file may hide
	lines    map[string]map[string]bool // hashes of the lines of files of the head that were looked at
	stands   string                     // why a request for changes stands although nothing blocks; empty if none does
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

// NewPlan compares what a result asks for with what is there. It is a pure
// function.
func NewPlan(r Result, have State) (*Plan, error) {
	if err := r.validate(); err != nil {
		return nil, err
	}
	p := &Plan{r: &r, sides: sidesOf(r.Files), items: layout(&r), checks: checks(&r), links: make(map[string]string)}
	p.comments = comments(&r, p.items)
	p.planChecks(&have)
	if r.Number == 0 || have.NoPull {
		return p, nil
	}
	p.planComments(&have)
	p.planReview(&have)
	p.planSummary(&have)
	return p, nil
}

func (p *Plan) add(a Action) { p.Actions = append(p.Actions, a) }

// thread is a thread of the account that a finding was posted with.
type ownThread struct {
	*Thread
	findingMarker
	taken bool
}

// ownThreads returns the threads that earlier runs posted. A marker in a comment
// of another account is no marker, nor is one that names another file.
func ownThreads(have *State) []ownThread {
	var list []ownThread
	for i := range have.Threads {
		t := &have.Threads[i]
		var m findingMarker
		if have.mine(t.Author) && readMarker(t.Body, markerFinding, &m) && m.Path == pathKey(t.Path) {
			list = append(list, ownThread{Thread: t, findingMarker: m})
		}
	}
	return list
}

// planComments matches findings with threads.
func (p *Plan) planComments(have *State) {
	threads := ownThreads(have)
	for i, t := range p.matches(threads) {
		c := &p.comments[i]
		if t == nil {
			p.add(Action{Kind: Create, Target: "comment", What: c.String(), Reason: "new finding", comment: i})
			continue
		}
		a := Action{Kind: Keep, Target: "comment", What: c.String(), comment: i, thread: t.Thread}
		switch {
		case p.r.Untrusted:
			a.Reason = "already posted"
		case t.Resolved && !have.resolvedByMe(t.Thread):
			a.Reason = "already posted, and a person resolved it"
		case t.Gone, t.Resolved && t.MayResolve:
			a.Kind, a.Reason = Update, "found again"
		default:
			a.Reason = "already posted"
		}
		p.add(a)
	}
	for i := range threads {
		t := &threads[i]
		if t.taken {
			continue
		}
		a := Action{
			Kind: Keep, Target: "comment", thread: t.Thread,
			What: fmt.Sprintf("%s %q", location(t.Thread.Path, 0, t.Thread.Line), oneLine(t.Title, 80)),
		}
		if a.Reason = p.whyKeep(t); a.Reason == "" {
			a.Kind, a.Reason = Resolve, p.whyGone(t)
		}
		p.add(a)
	}
}

// matches returns for each comment the thread that it was posted with, or nil.
// Threads with the same title are taken first, so that a finding in other words
// does not take the thread of another one.
func (p *Plan) matches(threads []ownThread) []*ownThread {
	list := make([]*ownThread, len(p.comments))
	for _, same := range []bool{true, false} {
		for i := range p.comments {
			if list[i] != nil {
				continue
			}
			c := &p.comments[i]
			if list[i] = match(threads, c, p.items[c.item].at, p.r.Untrusted, same); list[i] != nil {
				list[i].taken = true
			}
		}
	}
	return list
}

// match returns the thread that a finding was posted with: that of the same
// skill, path and text of the line whose title is the same, or similar. Of several
// it is one that is not resolved, on the nearest line. A comment that anyone could
// have caused does not stand for a finding that is verified.
func match(threads []ownThread, c *Comment, at *spot, untrusted, same bool) *ownThread {
	line, title := lineHash(at.text), oneLine(c.Title, maxTitle)
	var best *ownThread
	var bestRank [2]int
	for i := range threads {
		t := &threads[i]
		if t.taken || t.Untrusted && !untrusted || t.Skill != c.Skill || t.Thread.Path != c.Path || t.findingMarker.Line != line ||
			t.Title != title && (same || !scanner.SimilarTitles(t.Title, title)) {
			continue
		}
		rank := [2]int{btoi(t.Resolved), max(t.Thread.Line-at.end, at.end-t.Thread.Line)}
		if best == nil || slices.Compare(rank[:], bestRank[:]) < 0 {
			best, bestRank = t, rank
		}
	}
	return best
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// whyKeep says why a thread without a comment of this run is left as it is, or
// nothing if its finding is gone.
func (p *Plan) whyKeep(t *ownThread) string {
	if t.Gone {
		return "gone, as the comment says"
	}
	if t.Resolved {
		return "resolved"
	}
	if p.r.Untrusted {
		return "an unverified result resolves nothing"
	}
	s := p.r.skill(t.Skill)
	if t.Untrusted && (s == nil || !p.r.conclusive(s)) {
		return "it comes from an unverified result"
	}
	hidden := ""
	if s != nil {
		hidden = p.hides(s, t.subject())
	}
	switch {
	case s == nil && !p.r.gone(t.Skill):
		return "the skill did not run"
	case s == nil && t.PersonReplied:
		return noSkill + ", but a person replied"
	case s == nil:
		return ""
	case !p.r.conclusive(s):
		return "this run did not look at everything"
	case hidden != "":
		p.hidden = append(p.hidden, hiddenThread{t, hidden})
		return hidden
	case p.stillFound(s, t):
		return "still found, but not shown on this line"
	case t.PersonReplied:
		return "the finding is gone, but a person replied"
	}
	return ""
}

const noSkill = "the skill is no longer configured"

// whyGone says why a thread that is not kept is resolved.
func (p *Plan) whyGone(t *ownThread) string {
	if p.r.gone(t.Skill) {
		return noSkill
	}
	return "the finding is gone"
}

// stillFound reports whether a thread's finding is among those that have no
// comment of this run: hidden by the policy, or not on a line of the diff.
func (p *Plan) stillFound(s *SkillResult, t *ownThread) bool {
	commented := make(map[string]bool)
	for i := range p.items {
		if it := &p.items[i]; it.skill.name() == s.name() && it.at != nil {
			commented[it.finding.ID] = true
		}
	}
	for i := range s.Report.Findings {
		f := &s.Report.Findings[i]
		if f.Location == nil || f.Location.Path != t.Thread.Path || commented[f.ID] || !scanner.SimilarTitles(f.Title, t.Title) {
			continue
		}
		if at := place(f, p.sides); at == nil || lineHash(at.text) == t.findingMarker.Line {
			return true
		}
	}
	return false
}

// planChecks decides which check runs are made. If the last one has the same
// contents, it is kept, or continued when it was cut short. Any other that is not
// completed is, since nobody else will.
func (p *Plan) planChecks(have *State) {
	if have.NoChecks {
		return
	}
	for i := range p.checks {
		c := &p.checks[i]
		a := Action{Kind: Create, Target: "check run", What: fmt.Sprintf("%q", c.Name), Reason: string(c.Conclusion), check: i}
		latest := have.latest(c.Name, p.r.idPrefix())
		for j := range have.Checks {
			run := &have.Checks[j]
			if run.Name != c.Name || !have.mine(run.App+"[bot]") || !strings.HasPrefix(run.ExternalID, externalPrefix) {
				continue
			}
			switch {
			case run == latest && run.ExternalID == c.ExternalID:
				a.Kind, a.Reason, a.run = Keep, "says the same", run
				if !run.Completed {
					a.Kind, a.Reason = Update, "was cut short"
				}
				p.links[c.Skill] = run.URL
			case !run.Completed && !p.r.Untrusted:
				p.add(Action{
					Kind: Update, Target: "check run", What: fmt.Sprintf("%q %d", c.Name, run.ID),
					Reason: "left unfinished by an earlier run", check: -1, run: run,
				})
			}
		}
		p.add(a)
	}
}

// planSummary decides about the summary comment. An unverified result does not
// touch that of a verified one, and does not stand beside it for the same head. A
// verified result takes over the comment of an unverified one.
func (p *Plan) planSummary(have *State) {
	a := Action{Target: "summary", What: "comment"}
	p.posted, p.before = have.summary(false)
	if p.r.Untrusted && p.posted != nil && p.before.Head == p.r.Head {
		a.Kind, a.Reason = Keep, "an unverified result does not replace a verified one"
		p.add(a)
		return
	}
	old, m := have.summary(true)
	if p.posted == nil || p.r.Untrusted {
		p.posted, p.before = old, m
	}
	if !p.r.Untrusted && old != nil && old != p.posted && !p.r.incomplete() && !sameSummary(old.Body, retired(m)) {
		p.add(Action{
			Kind: Update, Target: "unverified summary", What: "comment",
			Reason: "a verified review has taken its place", old: old, body: retired(m),
		})
	}
	switch {
	case p.posted == nil && !p.r.worthTelling() && p.stands == "":
		return
	case p.posted == nil:
		a.Kind, a.Reason = Create, "there is none"
	case sameSummary(p.posted.Body, p.summary(true)):
		a.Kind, a.Reason = Keep, "says the same"
	default:
		a.Kind, a.Reason = Update, "says something else"
	}
	p.add(a)
}

// retired is what becomes of the summary of an unverified result beside that of a
// verified one.
func retired(m summaryMarker) string {
	m.Done = nil
	return "## Scanner\n\nA verified review has taken the place of the unverified one that stood here.\n\n" + marker(markerSummary, m)
}

// summary renders the summary comment; whole says that all else was posted.
func (p *Plan) summary(whole bool) string {
	var kept []section
	if p.posted != nil && !p.r.Untrusted && !p.before.Untrusted {
		kept = slices.DeleteFunc(readSections(p.posted.Body), func(k section) bool { return p.r.gone(k.skill) })
	}
	r := *p.r
	if p.stands != "" {
		// Else a merge is blocked and nothing says why.
		r.Notes = append(slices.Clone(r.Notes), "A request for changes still stands: "+p.stands+". Whoever knows that it is settled can dismiss it.")
	}
	return summary(&r, p.items, p.links, kept, summaryMarkerOf(p.r, &p.before, whole))
}

// sameSummary compares summary comments as the host keeps them. What a run took
// and cost is no reason to write one again.
func sameSummary(a, b string) bool {
	norm := func(s string) string {
		s = strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n"))
		before, rest, ok := strings.Cut(s, "\n"+footerMark)
		if !ok {
			return s
		}
		_, after, _ := strings.Cut(rest, "\n")
		return before + after
	}
	return norm(a) == norm(b)
}
