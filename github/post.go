package github

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	gh "github.com/google/go-github/v92/github"
)

// reviewBatch is the number of comments that one review carries.
const reviewBatch = 30

// Outcome says what became of a result.
type Outcome struct {
	// Plan is what was to be done.
	Plan *Plan
	// Writes counts the requests that changed something.
	Writes int
	// Checks are the URLs of the check runs by skill.
	Checks map[string]string
	// SummaryURL is the summary comment; empty if there is none.
	SummaryURL string
	// Warnings say what could not be done, among them which permissions the
	// token lacks.
	Warnings []string
	// Denied are the permissions that the token lacks, such as "checks: write".
	Denied []string
}

// Post makes the host show a result. It reads what is there, plans, and does
// what the plan says; with dryRun it only plans.
//
// What the token may not do is left out, with a warning, and the rest is done.
// Nothing that needs a permission is tried again when that was denied: with a
// token that can only read, two requests are refused at most for a first review.
// The error is or wraps [ErrHeadMoved] when the pull request has another head by
// now, [ErrUnauthorized], or a [*LimitError]. The outcome comes with it, and
// what was done stays: the next run goes on from there.
func (c *Client) Post(ctx context.Context, r Result, dryRun bool) (*Outcome, error) {
	out := &Outcome{Checks: make(map[string]string)}
	if err := r.validate(); err != nil {
		return out, err
	}
	if !strings.EqualFold(r.Repo.String(), c.repo.String()) {
		return out, fmt.Errorf("the result is about %s, not %s", r.Repo, c.repo)
	}
	have, err := c.Read(ctx, r.Number, r.Head)
	if err != nil {
		return out, err
	}
	if r.Number > 0 && have.Head != r.Head {
		return out, ErrHeadMoved
	}
	if out.Plan, err = NewPlan(r, have); err != nil {
		return out, err
	}
	if dryRun {
		return out, nil
	}
	p := &poster{c: c, plan: out.Plan, have: &have, out: out}
	if have.NoPull {
		p.denied(&PermissionError{"reading the pull request", "pull-requests: write"})
	}
	if have.NoChecks {
		p.denied(&PermissionError{"reading the check runs", "checks: write"})
	}
	if out.Plan.posted != nil {
		out.SummaryURL = out.Plan.posted.URL
	}
	err = p.run(ctx)
	out.Checks = out.Plan.links
	return out, err
}

// poster does what a plan says.
type poster struct {
	c    *Client
	plan *Plan
	have *State
	out  *Outcome
	// unposted is set when something was refused that the next run may be
	// allowed to do: then this review is not done.
	unposted bool
	// lacking are the permissions that are not there for anything.
	lacking []string
	// noResolve is set when the token may not resolve threads.
	noResolve bool
}

// run goes from what only informs to what later runs go by: the summary comment,
// whose marker says that all is done, comes last.
func (p *poster) run(ctx context.Context) error {
	if p.plan.Writes() == 0 {
		return nil
	}
	if err := p.checkHead(ctx); err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{p.checkRuns, p.review, p.threads, p.dismiss, p.retire, p.summary} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// checkHead makes sure that nothing is said about a change that has moved on.
func (p *poster) checkHead(ctx context.Context) error {
	r := p.plan.r
	if r.Number == 0 || p.have.NoPull {
		return nil
	}
	head, err := p.c.head(ctx, r.Number)
	if err == nil && head != r.Head {
		err = ErrHeadMoved
	}
	return err
}

// do makes a write. A missing permission, and whatever else the host has against
// this one write, is a warning; ok tells whether it was done. What needs a
// permission that was denied before is not tried.
func (p *poster) do(ctx context.Context, t task, request func() error, written func() (bool, error)) (ok bool, err error) {
	if p.lacks(t.permission) {
		return false, nil
	}
	err = p.c.call(ctx, t, request, written)
	switch {
	case err == nil:
		p.out.Writes++
		return true, nil
	case fatal(ctx, err):
		return false, err
	}
	denied, ok := errors.AsType[*PermissionError](err)
	if ok {
		p.denied(denied)
	} else {
		p.warn(err.Error())
	}
	// Only apps can make check runs: with the token of another account there is
	// nothing to wait for.
	p.unposted = p.unposted || !ok || t.permission != "checks: write" || p.have.isApp()
	return false, nil
}

// fatal reports whether an error ends the posting. A refusal of one request does
// not.
func fatal(ctx context.Context, err error) bool {
	if _, denied := errors.AsType[*PermissionError](err); denied {
		return false
	}
	if e, ok := errors.AsType[*graphQLError](err); ok && e.kind != "" {
		return false
	}
	status := statusOf(err)
	return ctx.Err() != nil || errors.Is(err, ErrUnauthorized) || status < 400 || status >= 500
}

// onPull makes a write to the pull request.
func (p *poster) onPull(ctx context.Context, doing string, request func() error, written func() (bool, error)) error {
	t := task{doing, "pull-requests: write"}
	if p.lacks(t.permission) {
		return nil
	}
	if err := p.checkHead(ctx); err != nil {
		return err
	}
	_, err := p.do(ctx, t, request, written)
	return err
}

func (p *poster) lacks(permission string) bool { return slices.Contains(p.lacking, permission) }

// denied notes a permission that the token lacks.
func (p *poster) denied(e *PermissionError) {
	p.lacking = append(p.lacking, e.Permission)
	if !slices.Contains(p.out.Denied, e.Permission) {
		p.out.Denied = append(p.out.Denied, e.Permission)
	}
	p.warn(e.Error())
}

func (p *poster) warn(msg string) {
	if !slices.Contains(p.out.Warnings, msg) {
		p.out.Warnings = append(p.out.Warnings, msg)
	}
}

// threads resolves and updates comments of earlier runs.
func (p *poster) threads(ctx context.Context) error {
	for i := range p.plan.Actions {
		a := &p.plan.Actions[i]
		if a.Target != "comment" || a.thread == nil || a.Kind == Keep {
			continue
		}
		var err error
		if a.Kind == Resolve {
			err = p.resolve(ctx, a.thread)
		} else {
			err = p.reopen(ctx, a.thread, p.plan.comments[a.comment].Body)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// resolve resolves a thread, or says in its comment that the finding is gone
// where the token may not do that. The second needs no permission but the one
// that the comment was made with.
func (p *poster) resolve(ctx context.Context, t *Thread) error {
	if t.Node != "" && t.MayResolve && !p.noResolve {
		if err := p.checkHead(ctx); err != nil {
			return err
		}
		err := p.c.resolve(ctx, t.Node, true)
		if err == nil {
			p.out.Writes++
			return nil
		}
		_, p.noResolve = errors.AsType[*PermissionError](err)
		// A thread that cannot be resolved must not end the run, unless
		// nothing else can be done either.
		if ctx.Err() != nil || isLimit(err) || errors.Is(err, ErrUnauthorized) {
			return err
		}
	}
	return p.edit(ctx, t, goneBody(t.Body, p.plan.r.Head))
}

// reopen undoes what resolve did.
func (p *poster) reopen(ctx context.Context, t *Thread, body string) error {
	if t.Resolved && t.Node != "" && t.MayResolve && !p.noResolve {
		if err := p.checkHead(ctx); err != nil {
			return err
		}
		err := p.c.resolve(ctx, t.Node, false)
		_, p.noResolve = errors.AsType[*PermissionError](err)
		switch {
		case err == nil:
			p.out.Writes++
		case fatal(ctx, err):
			return err
		default:
			p.warn(err.Error())
		}
	}
	var m findingMarker
	if readMarker(t.Body, markerFinding, &m) && m.Gone {
		return p.edit(ctx, t, body)
	}
	return nil
}

func (p *poster) edit(ctx context.Context, t *Thread, body string) error {
	return p.onPull(ctx, "updating a review comment", func() error {
		_, _, err := p.c.gh.PullRequests.UpdateComment(ctx, p.c.repo.Owner, p.c.repo.Name, t.ID, gh.UpdatePullRequestCommentRequest{Body: body})
		return err
	}, nil)
}

// goneBody returns a comment that says that its finding is gone.
func goneBody(body, head string) string {
	var m findingMarker
	if !readMarker(body, markerFinding, &m) {
		return body
	}
	m.Gone = true
	body = strings.TrimSpace(body)
	text := strings.TrimSpace(body[:strings.LastIndex(body, markerBegin)])
	return "**No longer found** as of " + head + ".\n\n" + text + "\n\n" + marker(markerFinding, m)
}

// dismiss dismisses requests for changes.
func (p *poster) dismiss(ctx context.Context) error {
	number := p.plan.r.Number
	// A rule of the branch may forbid this, and nothing else.
	lacking := p.lacking
	defer func() { p.lacking = lacking }()
	for i := range p.plan.Actions {
		a := &p.plan.Actions[i]
		if a.Kind != Dismiss {
			continue
		}
		err := p.onPull(ctx, "dismissing a review", func() error {
			_, _, err := p.c.gh.PullRequests.DismissReview(ctx, p.c.repo.Owner, p.c.repo.Name, number, a.review.ID, gh.PullRequestDismissReviewRequest{
				Message: "Scanner: " + a.Reason + ".", Event: new("DISMISS"),
			})
			return err
		}, func() (bool, error) {
			revs, err := p.c.reviews(ctx, number)
			return slices.ContainsFunc(revs, func(r Review) bool { return r.ID == a.review.ID && r.State == "DISMISSED" }), err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// retire empties the summary of an unverified result.
func (p *poster) retire(ctx context.Context) error {
	for i := range p.plan.Actions {
		a := &p.plan.Actions[i]
		if a.old == nil {
			continue
		}
		err := p.onPull(ctx, "updating the unverified summary", func() error {
			_, _, err := p.c.gh.Issues.UpdateComment(ctx, p.c.repo.Owner, p.c.repo.Name, a.old.ID, gh.IssueCommentRequest{Body: a.body})
			return err
		}, nil)
		if err != nil {
			return err
		}
	}
	return nil
}

// summary writes the summary comment.
func (p *poster) summary(ctx context.Context) error {
	i := slices.IndexFunc(p.plan.Actions, func(a Action) bool { return a.Target == "summary" })
	if i < 0 {
		return nil
	}
	posted := p.plan.posted
	if p.plan.r.Untrusted && posted != nil && !p.plan.before.Untrusted {
		return nil
	}
	// With the check runs and what the host refused, the text may differ from
	// the one that was planned.
	body := p.plan.summary(!p.unposted)
	if posted != nil && sameSummary(posted.Body, body) {
		return nil
	}
	const doing = "writing the summary comment"
	number := p.plan.r.Number
	if posted != nil {
		return p.onPull(ctx, doing, func() error {
			_, _, err := p.c.gh.Issues.UpdateComment(ctx, p.c.repo.Owner, p.c.repo.Name, posted.ID, gh.IssueCommentRequest{Body: body})
			return err
		}, nil)
	}
	known := make(map[int64]bool)
	for _, s := range p.have.Summaries {
		known[s.ID] = true
	}
	return p.onPull(ctx, doing, func() error {
		ic, _, err := p.c.gh.Issues.CreateComment(ctx, p.c.repo.Owner, p.c.repo.Name, number, gh.IssueCommentRequest{Body: body})
		p.out.SummaryURL = ic.GetHTMLURL()
		return err
	}, func() (bool, error) {
		list, err := p.c.summaries(ctx, number)
		for _, s := range list {
			if p.have.mine(s.Author) && !known[s.ID] {
				p.out.SummaryURL = s.URL
				return true, err
			}
		}
		return false, err
	})
}
