package github

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
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
		out:     &review.Outcome{Plan: plan, Warnings: slices.Clone(plan.Have.Warnings)},
		done:    review.Progress{CheckURLs: maps.Clone(plan.CheckURLs)},
		refused: map[string]bool{pullsPermission: plan.Have.NoPull, checksPermission: plan.Have.NoChecks},
	}
	p.out.NoChecks = p.have.NoChecks
	for _, e := range p.have.Denied {
		p.deny(e)
	}
	if plan.Summary != nil {
		p.out.SummaryURL = plan.Summary.URL
	}
	err := p.run(ctx)
	if err == nil && p.out.Writes == 0 && !slices.ContainsFunc(plan.Actions, isShown) {
		err = p.reason
	}
	return p.out, err
}

// isShown reports whether an action keeps what shows the result as a whole.
func isShown(a review.Action) bool {
	return a.Kind == review.Keep && (a.Target == review.OnCheck || a.Target == review.OnSummary)
}

// poster carries out a plan.
type poster struct {
	c    *Client
	plan *review.Plan
	have *review.State
	out  *review.Outcome
	done review.Progress
	// refused holds the permissions of the writes that the host refuses altogether, for
	// whatever reason.
	refused map[string]bool
	// reason is the first refusal that a permission does not help against.
	reason error
	// commented is set once this run may have posted comments on lines.
	commented bool
	// bare is set when a review was accepted only without its comments.
	bare bool
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
		p.each(review.OnReview, p.dismiss), p.each(review.OnFurtherSummary, p.point), p.summary,
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

// checkHead makes sure that nothing is posted about an outdated change, and that no
// other run has posted what is about to be. Comments on lines are among what this run
// posts; the one comment on the pull request comes last.
func (p *poster) checkHead(ctx context.Context) error {
	if p.plan.Number == 0 || p.have.NoPull {
		return nil
	}
	pr, err := p.c.pull(ctx, p.plan.Number)
	switch {
	case err != nil:
		return err
	case pr.GetHead().GetSHA() != p.plan.Head:
		return review.ErrHeadMoved
	case pr.GetComments() > p.have.Comments, !p.commented && pr.GetReviewComments() > p.have.LineComments:
		return review.ErrStale
	}
	return nil
}

// do makes a write and reports whether it was done. A refusal of this one write is a
// warning. A write of a kind that the host refuses altogether is not tried.
func (p *poster) do(ctx context.Context, t task, request func() error) (ok bool, err error) {
	if p.refused[t.permission] {
		return false, nil
	}
	err = p.c.call(ctx, t, request)
	if err == nil {
		p.out.Writes++
		return true, nil
	}
	return false, p.refuse(t, err)
}

// refuse notes that a write was refused. It returns the error if that ends the posting.
func (p *poster) refuse(t task, err error) error {
	if isFatal(err) {
		return err
	}
	if denied, ok := errors.AsType[*review.PermissionError](err); ok {
		p.deny(denied)
		p.refused[t.permission] = true
	} else {
		p.warn(err.Error())
		p.reason = cmp.Or(p.reason, err)
		p.refused[t.permission] = statusOf(err) == http.StatusForbidden
	}
	p.out.NoChecks = p.refused[checksPermission]
	// An account that cannot make check runs has nothing to do in the next run.
	if !p.refused[t.permission] || t.permission != checksPermission || p.have.MakesChecks {
		p.done.Incomplete = true
	}
	return nil
}

// isFatal reports whether an error ends the posting. The refusal of one request
// does not.
func isFatal(err error) bool {
	if isRefusal(err) {
		return false
	}
	e, ok := errors.AsType[*failure](err)
	return !ok || isTransient(e.err)
}

// isRefusal reports whether the token lacks a permission.
func isRefusal(err error) bool {
	_, ok := errors.AsType[*review.PermissionError](err)
	return ok
}

// onPull makes a write to the pull request.
func (p *poster) onPull(ctx context.Context, t task, request func() error) error {
	t.permission = pullsPermission
	if p.refused[t.permission] {
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
	p.warn(e.Error())
}

func (p *poster) warn(msg string) {
	if !slices.Contains(p.out.Warnings, msg) {
		p.out.Warnings = append(p.out.Warnings, msg)
	}
}

// thread resolves or opens the thread of an earlier run, and edits its comment.
func (p *poster) thread(ctx context.Context, a *review.Action) error {
	t := a.Thread
	switch a.Kind {
	case review.Resolve:
		// The comment is hidden and edited only where the token cannot resolve its
		// thread: that needs no other permission than making the comment.
		if done, err := p.mutate(ctx, resolveThread, t.Node, t.MayResolve && !t.Resolved); done || err != nil {
			return err
		}
		if _, err := p.mutate(ctx, hideComment, t.CommentNode, t.MayHide && !t.Hidden); err != nil {
			return err
		}
	case review.Update:
		if _, err := p.mutate(ctx, openThread, t.Node, t.MayResolve && t.Resolved); err != nil {
			return err
		}
		// The marker of the comment is what later runs open it by, so it comes last.
		if _, err := p.mutate(ctx, showComment, t.CommentNode, t.MayHide && t.Hidden && a.Unhide); err != nil {
			return err
		}
	case review.Edit:
	default: // a new comment: it is part of a review
		return nil
	}
	if a.Body == "" {
		return nil
	}
	return p.onPull(ctx, task{doing: "updating a review comment"}, func() error {
		_, _, err := p.c.gh.PullRequests.UpdateComment(ctx, p.c.repo.Owner, p.c.repo.Name, t.ID, gh.UpdatePullRequestCommentRequest{Body: a.Body})
		return err
	})
}

// mutate makes a change that only the GraphQL API has, where the token may, and reports
// whether it did. When that fails, the run goes on: the text of the comment is enough.
func (p *poster) mutate(ctx context.Context, m mutation, node string, may bool) (ok bool, err error) {
	if node == "" || !may || p.refused[m.target] {
		return false, nil
	}
	if err := p.checkHead(ctx); err != nil {
		return false, err
	}
	err = p.c.mutate(ctx, m, node)
	if err == nil {
		p.out.Writes++
		return true, nil
	}
	_, failed := errors.AsType[*failure](err)
	denied := isRefusal(err)
	if !failed && !denied {
		return false, err
	}
	p.refused[m.target] = denied || isTransient(err)
	// That a token cannot resolve is usual, and needs no warning.
	if m != resolveThread || !denied {
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
	denied, refused := p.out.Denied, maps.Clone(p.refused)
	defer func() { p.out.Denied, p.refused = denied, refused }()
	return p.onPull(ctx, task{doing: "dismissing a review", once: true}, func() error {
		_, _, err := p.c.gh.PullRequests.DismissReview(ctx, p.c.repo.Owner, p.c.repo.Name, p.plan.Number, a.Review.ID, gh.PullRequestDismissReviewRequest{
			Message: "Scanner: " + a.Reason + ".", Event: new("DISMISS"),
		})
		return err
	})
}

// point makes a further summary comment point to the first.
func (p *poster) point(ctx context.Context, a *review.Action) error {
	return p.onPull(ctx, task{doing: "editing a further summary comment"}, func() error {
		_, _, err := p.c.gh.Issues.UpdateComment(ctx, p.c.repo.Owner, p.c.repo.Name, a.Summary.ID, gh.IssueCommentRequest{Body: a.Body})
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
