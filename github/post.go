package github

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/codescan-dev/scanner/review"
	gh "github.com/google/go-github/v92/github"
)

// The permissions of a workflow's token.
const (
	pullsPermission   = "pull-requests: write"
	checksPermission  = "checks: write"
	resolvePermission = "contents: write"
)

// Apply carries out a plan; see [review.Host]. Nothing that needs a permission is
// tried again when that was denied: with a token that can only read, two requests
// are refused at most for a first review.
func (c *Client) Apply(ctx context.Context, plan *review.Plan) (*review.Outcome, error) {
	p := &poster{
		c: c, plan: plan, have: &plan.Have,
		out:  &review.Outcome{Plan: plan},
		done: review.Progress{CheckURLs: maps.Clone(plan.CheckURLs)},
	}
	if p.have.NoPull {
		p.deny(&review.PermissionError{Doing: "reading the pull request", Permission: pullsPermission})
	}
	if p.have.NoChecks {
		p.deny(&review.PermissionError{Doing: "reading the check runs", Permission: checksPermission})
	}
	if plan.Summary != nil {
		p.out.SummaryURL = plan.Summary.URL
	}
	return p.out, p.run(ctx)
}

// poster carries out a plan.
type poster struct {
	c    *Client
	plan *review.Plan
	have *review.State
	out  *review.Outcome
	done review.Progress
	// noResolve is set when the token lacks the permission to resolve threads.
	noResolve bool
}

// run goes from what only informs to what later runs rely on: the summary comment,
// whose marker makes the review done, comes last.
func (p *poster) run(ctx context.Context) error {
	if p.plan.Writes() == 0 {
		return nil
	}
	if err := p.checkHead(ctx); err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{
		p.each(review.OnCheck, p.check), p.review, p.each(review.OnComment, p.thread),
		p.each(review.OnReview, p.dismiss), p.summary,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// each returns a step that carries out the actions on a target that are not kept.
func (p *poster) each(target review.Target, do func(context.Context, *review.Action) error) func(context.Context) error {
	return func(ctx context.Context) error {
		for i := range p.plan.Actions {
			if a := &p.plan.Actions[i]; a.Target == target && a.Kind != review.Keep {
				if err := do(ctx, a); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// checkHead makes sure that nothing is posted about an outdated change.
func (p *poster) checkHead(ctx context.Context) error {
	if p.plan.Number == 0 || p.have.NoPull {
		return nil
	}
	head, err := p.c.head(ctx, p.plan.Number)
	if err == nil && head != p.plan.Head {
		err = review.ErrHeadMoved
	}
	return err
}

// do makes a write and reports whether it was done. A missing permission, or any
// other refusal of this one write, is a warning. A write whose permission was
// denied before is not tried.
func (p *poster) do(ctx context.Context, t task, request func() error) (ok bool, err error) {
	if slices.Contains(p.out.Denied, t.permission) {
		return false, nil
	}
	err = p.c.call(ctx, t, request)
	if err == nil {
		p.out.Writes++
		return true, nil
	}
	if isFatal(err) {
		return false, err
	}
	denied, isDenied := errors.AsType[*review.PermissionError](err)
	if isDenied {
		p.deny(denied)
	} else {
		p.warn(err.Error())
	}
	// An account that cannot make check runs has nothing to do in the next run.
	if !isDenied || t.permission != checksPermission || p.have.MakesChecks {
		p.done.Incomplete = true
	}
	return false, nil
}

// isFatal reports whether an error ends the posting. The refusal of one request
// does not.
func isFatal(err error) bool {
	if _, denied := errors.AsType[*review.PermissionError](err); denied {
		return false
	}
	e, ok := errors.AsType[*failure](err)
	return !ok || isTransient(e.err)
}

// onPull makes a write to the pull request.
func (p *poster) onPull(ctx context.Context, t task, request func() error) error {
	t.permission = pullsPermission
	if slices.Contains(p.out.Denied, t.permission) {
		return nil
	}
	if err := p.checkHead(ctx); err != nil {
		return err
	}
	_, err := p.do(ctx, t, request)
	return err
}

// deny notes a permission that the token lacks.
func (p *poster) deny(e *review.PermissionError) {
	p.out.Denied = append(p.out.Denied, e.Permission)
	p.out.NoChecks = p.out.NoChecks || e.Permission == checksPermission
	p.warn(e.Error())
}

func (p *poster) warn(msg string) {
	if !slices.Contains(p.out.Warnings, msg) {
		p.out.Warnings = append(p.out.Warnings, msg)
	}
}

// thread resolves or opens the thread of an earlier run, and edits its comment.
func (p *poster) thread(ctx context.Context, a *review.Action) error {
	switch a.Kind {
	case review.Resolve:
		// The comment is edited only where the token cannot resolve its thread:
		// that needs no other permission than making the comment.
		if done, err := p.setResolved(ctx, a.Thread, true); done || err != nil {
			return err
		}
	case review.Update:
		if a.Thread.Resolved {
			if _, err := p.setResolved(ctx, a.Thread, false); err != nil {
				return err
			}
		}
	default: // a new comment: it is part of a review
		return nil
	}
	if a.Body == "" {
		return nil
	}
	return p.onPull(ctx, task{doing: "updating a review comment"}, func() error {
		_, _, err := p.c.gh.PullRequests.UpdateComment(ctx, p.c.repo.Owner, p.c.repo.Name, a.Thread.ID, gh.UpdatePullRequestCommentRequest{Body: a.Body})
		return err
	})
}

// setResolved resolves a thread, or undoes that, where the token may, and reports
// whether it did.
func (p *poster) setResolved(ctx context.Context, t *review.Thread, resolved bool) (ok bool, err error) {
	if t.Node == "" || !t.MayResolve || p.noResolve {
		return false, nil
	}
	if err := p.checkHead(ctx); err != nil {
		return false, err
	}
	switch err = p.c.setResolved(ctx, t.Node, resolved); {
	case err == nil:
		p.out.Writes++
		return true, nil
	case isFatal(err):
		return false, err
	}
	if _, denied := errors.AsType[*review.PermissionError](err); denied {
		p.noResolve = true
	}
	if !resolved {
		p.warn(err.Error())
	}
	return false, nil
}

// dismiss dismisses a request for changes.
func (p *poster) dismiss(ctx context.Context, a *review.Action) error {
	if a.Kind != review.Dismiss {
		return nil // a new request: it is part of a review
	}
	// A rule of the branch may forbid this, and nothing else.
	denied := p.out.Denied
	defer func() { p.out.Denied = denied }()
	return p.onPull(ctx, task{doing: "dismissing a review", once: true}, func() error {
		_, _, err := p.c.gh.PullRequests.DismissReview(ctx, p.c.repo.Owner, p.c.repo.Name, p.plan.Number, a.Review.ID, gh.PullRequestDismissReviewRequest{
			Message: "Scanner: " + a.Reason + ".", Event: new("DISMISS"),
		})
		return err
	})
}

// summary writes the summary comment. With the check runs and what the host
// refused, the text may differ from the planned one.
func (p *poster) summary(ctx context.Context) error {
	if !slices.ContainsFunc(p.plan.Actions, func(a review.Action) bool { return a.Target == review.OnSummary }) {
		return nil
	}
	body := p.plan.SummaryBody(p.done)
	if p.plan.SummaryShows(body) {
		return nil
	}
	t := task{doing: "writing the summary comment", once: p.plan.Summary == nil}
	return p.onPull(ctx, t, func() error {
		if p.plan.Summary != nil {
			_, _, err := p.c.gh.Issues.UpdateComment(ctx, p.c.repo.Owner, p.c.repo.Name, p.plan.Summary.ID, gh.IssueCommentRequest{Body: body})
			return err
		}
		ic, _, err := p.c.gh.Issues.CreateComment(ctx, p.c.repo.Owner, p.c.repo.Name, p.plan.Number, gh.IssueCommentRequest{Body: body})
		p.out.SummaryURL = ic.GetHTMLURL()
		return err
	})
}
