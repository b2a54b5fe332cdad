package github

import (
	"context"
	"maps"
	"slices"

	"github.com/codescan-dev/scanner/internal/posting"
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
	p := &poster{c: c, Writer: posting.NewWriter(&c.call, plan, checksPermission, pullsPermission)}
	p.Read = p.now
	// What only informs comes first, and late what later runs rely on: the summary
	// comment, whose marker makes the review done.
	return p.Out, p.Run(ctx, p.Each(review.OnCheck, p.check), p.review, p.Each(review.OnComment, p.thread),
		p.Each(review.OnReview, p.dismiss), p.summary, p.Each(review.OnFurtherSummary, p.point))
}

// poster carries out a plan.
type poster struct {
	posting.Writer
	c *Client
	// bare is set when a review was accepted only without its comments.
	bare bool
}

// now returns the head of the pull request, and the numbers of its comments.
func (p *poster) now(ctx context.Context) (review.State, error) {
	pr, err := p.c.pull(ctx, p.Plan.Number)
	return review.State{Head: pr.GetHead().GetSHA(), Comments: pr.GetComments(), LineComments: pr.GetReviewComments()}, err
}

// onPull makes a write to the pull request.
func (p *poster) onPull(ctx context.Context, t task, request func() error) error {
	t.Permission = pullsPermission
	if p.Refused[t.Permission] {
		return nil
	}
	if err := p.CheckHead(ctx); err != nil {
		return err
	}
	_, err := p.Do(ctx, t, request)
	return err
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
	return p.onPull(ctx, task{Doing: "updating a review comment"}, func() error {
		_, _, err := p.c.gh.PullRequests.UpdateComment(ctx, p.c.repo.Owner, p.c.repo.Name, t.ID, gh.UpdatePullRequestCommentRequest{Body: a.Body})
		return err
	})
}

// mutate makes a change that only the GraphQL API has, where the token may, and reports
// whether it did. When that fails, the run goes on: the text of the comment is enough.
func (p *poster) mutate(ctx context.Context, m mutation, node string, may bool) (ok bool, err error) {
	if node == "" || !may || p.Refused[m.target] {
		return false, nil
	}
	if err := p.CheckHead(ctx); err != nil {
		return false, err
	}
	err = p.c.mutate(ctx, m, node)
	if err == nil {
		p.Out.Writes++
		return true, nil
	}
	denied := posting.IsDenied(err)
	if !denied && !posting.IsFailure(err) {
		return false, err
	}
	p.Refused[m.target] = denied || posting.IsUnanswered(err)
	// That a token cannot resolve is usual, and needs no warning.
	if m != resolveThread || !denied {
		p.Warn(err.Error())
	}
	return false, nil
}

// dismiss dismisses a request for changes.
func (p *poster) dismiss(ctx context.Context, a *review.Action) error {
	if a.Kind != review.Dismiss {
		return nil // a new request: it is part of a review
	}
	// A rule of the branch may forbid this, and nothing else.
	denied, refused := p.Out.Denied, maps.Clone(p.Refused)
	defer func() { p.Out.Denied, p.Refused = denied, refused }()
	return p.onPull(ctx, task{Doing: "dismissing a review", Once: true}, func() error {
		_, _, err := p.c.gh.PullRequests.DismissReview(ctx, p.c.repo.Owner, p.c.repo.Name, p.Plan.Number, a.Review.ID, gh.PullRequestDismissReviewRequest{
			Message: "Scanner: " + a.Reason + ".", Event: new("DISMISS"),
		})
		return err
	})
}

// point makes a further summary comment point to the first, which has its sections by
// now.
func (p *poster) point(ctx context.Context, a *review.Action) error {
	if p.Done.Incomplete {
		return nil
	}
	return p.onPull(ctx, task{Doing: "editing a further summary comment"}, func() error {
		_, _, err := p.c.gh.Issues.UpdateComment(ctx, p.c.repo.Owner, p.c.repo.Name, a.Summary.ID, gh.IssueCommentRequest{Body: a.Body})
		return err
	})
}

// summary writes the summary comment. With the check runs and what the host
// refused, the text may differ from the planned one.
func (p *poster) summary(ctx context.Context) error {
	if !slices.ContainsFunc(p.Plan.Actions, func(a review.Action) bool { return a.Target == review.OnSummary }) {
		return nil
	}
	if err := p.linkComments(ctx); err != nil {
		return err
	}
	body := p.Plan.SummaryBody(p.Done)
	if p.Plan.SummaryShows(body) {
		return nil
	}
	t := task{Doing: "writing the summary comment", Once: p.Plan.Summary == nil}
	return p.onPull(ctx, t, func() error {
		if p.Plan.Summary != nil {
			_, _, err := p.c.gh.Issues.UpdateComment(ctx, p.c.repo.Owner, p.c.repo.Name, p.Plan.Summary.ID, gh.IssueCommentRequest{Body: body})
			return err
		}
		ic, _, err := p.c.gh.Issues.CreateComment(ctx, p.c.repo.Owner, p.c.repo.Name, p.Plan.Number, gh.IssueCommentRequest{Body: body})
		p.Out.SummaryURL = ic.GetHTMLURL()
		return err
	})
}
