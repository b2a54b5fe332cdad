package github

import (
	"context"
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
	for _, a := range p.Plan.Actions {
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
// not name the line. If it accepts the review without comments, they are posted one by
// one; those that are refused go into the summary.
func (p *poster) batch(ctx context.Context, comments []*review.Comment, request bool) (bool, error) {
	if p.Refused[pullsPermission] || p.Refused[reviews] {
		p.Done.Refused = append(p.Done.Refused, comments...)
		return false, nil
	}
	if err := p.CheckHead(ctx); err != nil {
		return request, err
	}
	p.Commented += len(comments)
	err := p.createReview(ctx, comments, comments, request)
	if request && statusOf(err) == http.StatusUnprocessableEntity && strings.Contains(strings.ToLower(err.Error()), "own pull request") {
		p.Warn("changes cannot be requested: the pull request belongs to the account of the token")
		if len(comments) == 0 {
			return false, nil
		}
		return p.batch(ctx, comments, false)
	}
	if statusOf(err) == http.StatusUnprocessableEntity && len(comments) > 0 {
		if p.bare {
			return false, p.oneByOne(ctx, comments)
		}
		if err = p.createReview(ctx, nil, comments, request); err == nil {
			p.bare = true
			p.Out.Writes++
			return false, p.oneByOne(ctx, comments)
		}
	}
	if err != nil {
		p.Refused[reviews] = true
		p.Done.Refused = append(p.Done.Refused, comments...)
		return false, p.Refuse(reviewTask, err)
	}
	p.Out.Writes++
	return false, nil
}

// oneByOne posts comments without a review.
func (p *poster) oneByOne(ctx context.Context, comments []*review.Comment) error {
	for _, k := range comments {
		t := task{Doing: "commenting on " + k.String(), Permission: pullsPermission, Once: true}
		if p.Refused[t.Permission] {
			p.Done.Refused = append(p.Done.Refused, k)
			continue
		}
		if err := p.CheckHead(ctx); err != nil {
			return err
		}
		body := gh.CreatePullRequestCommentRequest{Body: k.Body, CommitID: p.Plan.Head, Path: k.Path, Line: new(k.Line), Side: new("RIGHT")}
		if k.StartLine > 0 {
			body.StartLine, body.StartSide = new(k.StartLine), new("RIGHT")
		}
		err := p.c.call.Call(ctx, t, func() error {
			_, _, err := p.c.gh.PullRequests.CreateComment(ctx, p.c.repo.Owner, p.c.repo.Name, p.Plan.Number, body)
			return err
		})
		if err == nil {
			p.Out.Writes++
			continue
		}
		p.Done.Refused = append(p.Done.Refused, k)
		if statusOf(err) == http.StatusUnprocessableEntity {
			p.Warn(err.Error() + ": it is in the summary")
		} else if err := p.Refuse(t, err); err != nil {
			return err
		}
	}
	return nil
}

// reviewTask is the request that creates a review, and reviews the key under which it is
// noted that the host refuses them.
var reviewTask = task{Doing: "creating a review", Permission: pullsPermission, Once: true}

const reviews = "reviews"

// createReview posts some comments as a review, whose text is about all that are new.
func (p *poster) createReview(ctx context.Context, comments, all []*review.Comment, request bool) error {
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
	body := p.Plan.ReviewBody(all, request)
	return p.c.call.Call(ctx, reviewTask, func() error {
		_, _, err := p.c.gh.PullRequests.CreateReview(ctx, p.c.repo.Owner, p.c.repo.Name, p.Plan.Number, &gh.PullRequestReviewRequest{
			CommitID: new(p.Plan.Head), Body: new(body), Event: new(event), Comments: drafts,
		})
		return err
	})
}

// linkComments looks up the addresses of the comments, which the answer to a review does
// not have.
func (p *poster) linkComments(ctx context.Context) error {
	if p.Commented == 0 {
		return nil
	}
	t := task{Doing: "reading the review comments", Permission: pullsPermission}
	list, err := pages(ctx, p.c, t, func(o gh.ListOptions) ([]*gh.PullRequestComment, *gh.Response, error) {
		return p.c.gh.PullRequests.ListComments(ctx, p.c.repo.Owner, p.c.repo.Name, p.Plan.Number, &gh.PullRequestListCommentsOptions{ListOptions: o})
	})
	p.Done.CommentURLs = make(map[string]string)
	for _, rc := range list {
		if strings.EqualFold(rc.GetUser().GetLogin(), p.Plan.Have.Account) {
			p.Done.CommentURLs[review.Marker(rc.GetBody())] = rc.GetHTMLURL()
		}
	}
	return err
}
