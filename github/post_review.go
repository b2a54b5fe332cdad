package github

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner/review"
	gh "github.com/google/go-github/v92/github"
)

// reviewBatch is the number of comments that one review carries.
const reviewBatch = 30

// review posts the new comments, in batches, and the request for changes with
// the first of them.
func (p *poster) review(ctx context.Context) error {
	var comments []*review.Comment
	request := false
	for _, a := range p.plan.Actions {
		switch {
		case a.Kind != review.Create:
		case a.Target == review.OnComment:
			comments = append(comments, a.Comment)
		case a.Target == review.OnReview:
			request = true
		}
	}
	for batch := range slices.Chunk(comments, reviewBatch) {
		var err error
		if request, err = p.batch(ctx, batch, request); err != nil {
			return err
		}
	}
	if request {
		_, err := p.batch(ctx, nil, true)
		return err
	}
	return nil
}

// batch posts one review, and returns whether changes are still to be requested.
// GitHub refuses a whole review for one line that is not part of its diff, and does
// not name the line: then the halves are tried, and a comment that is refused alone
// goes into the summary.
func (p *poster) batch(ctx context.Context, comments []*review.Comment, request bool) (bool, error) {
	if slices.Contains(p.out.Denied, pullsPermission) {
		p.done.Refused = append(p.done.Refused, comments...)
		return false, nil
	}
	if err := p.checkHead(ctx); err != nil {
		return request, err
	}
	err := p.createReview(ctx, comments, request)
	denied, isDenied := errors.AsType[*review.PermissionError](err)
	switch {
	case err == nil:
		p.out.Writes++
		return false, nil
	case isDenied:
		p.deny(denied)
		p.done.Incomplete = true
		p.done.Refused = append(p.done.Refused, comments...)
		return false, nil
	case statusOf(err) != http.StatusUnprocessableEntity:
		return request, err
	case request && strings.Contains(strings.ToLower(err.Error()), "own pull request"):
		p.warn("changes cannot be requested: the pull request belongs to the account of the token")
		if len(comments) == 0 {
			return false, nil
		}
		return p.batch(ctx, comments, false)
	case len(comments) == 0:
		p.done.Incomplete = true
		p.warn(err.Error())
		return false, nil
	case len(comments) == 1:
		p.warn("the code host does not accept a comment at " + comments[0].String() + ": it is in the summary")
		p.done.Refused = append(p.done.Refused, comments...)
		return request, nil
	}
	half := len(comments) / 2
	if request, err = p.batch(ctx, comments[:half], request); err != nil {
		return request, err
	}
	return p.batch(ctx, comments[half:], request)
}

func (p *poster) createReview(ctx context.Context, comments []*review.Comment, request bool) error {
	event := "COMMENT"
	if request {
		event = "REQUEST_CHANGES"
	}
	var drafts []*gh.DraftReviewComment
	for _, c := range comments {
		d := &gh.DraftReviewComment{
			Path: new(c.Path), Body: new(c.Body), Line: new(c.Line), Side: new("RIGHT"),
		}
		if c.StartLine > 0 {
			d.StartLine, d.StartSide = new(c.StartLine), new("RIGHT")
		}
		drafts = append(drafts, d)
	}
	body := p.plan.ReviewBody(comments, request)
	t := task{doing: "creating a review", permission: pullsPermission, once: true}
	return p.c.call(ctx, t, func() error {
		_, _, err := p.c.gh.PullRequests.CreateReview(ctx, p.c.repo.Owner, p.c.repo.Name, p.plan.Number, &gh.PullRequestReviewRequest{
			CommitID: new(p.plan.Head), Body: new(body), Event: new(event), Comments: drafts,
		})
		return err
	})
}
