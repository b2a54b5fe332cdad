package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	gh "github.com/google/go-github/v92/github"
)

// review posts the new comments, in batches, and the request for changes with
// the first of them.
func (p *poster) review(ctx context.Context) error {
	var list []int
	for _, a := range p.plan.Actions {
		if a.Target == "comment" && a.Kind == Create {
			list = append(list, a.comment)
		}
	}
	request := p.plan.request
	for batch := range slices.Chunk(list, reviewBatch) {
		if err := p.batch(ctx, batch, &request); err != nil {
			return err
		}
	}
	if request {
		return p.batch(ctx, nil, &request)
	}
	return nil
}

// batch posts one review. A line that the host does not take for a part of the
// diff makes it refuse the whole review, without a word on which line it is: then
// the halves are tried, and a comment that is refused alone stands in the summary.
// request is cleared when changes were requested.
func (p *poster) batch(ctx context.Context, list []int, request *bool) error {
	if p.lacks("pull-requests: write") {
		p.refused(list)
		*request = false
		return nil
	}
	if err := p.checkHead(ctx); err != nil {
		return err
	}
	err := p.createReview(ctx, list, *request)
	if err == nil {
		*request = false
		return nil
	}
	if *request && isOwnPull(err) {
		p.warn("changes cannot be requested: the pull request belongs to the account of the token")
		*request = false
		if len(list) == 0 {
			return nil
		}
		return p.batch(ctx, list, request)
	}
	if denied, ok := errors.AsType[*PermissionError](err); ok {
		p.denied(denied)
		p.unposted = true
		p.refused(list)
		*request = false
		return nil
	}
	if statusOf(err) != http.StatusUnprocessableEntity {
		return err
	}
	switch len(list) {
	case 0:
		p.unposted = true
		p.warn(err.Error())
		*request = false
		return nil
	case 1:
		p.warn(fmt.Sprintf("the code host takes no comment at %s: it stands in the summary", p.plan.comments[list[0]].String()))
		p.refused(list)
		return nil
	}
	half := len(list) / 2
	if err := p.batch(ctx, list[:half], request); err != nil {
		return err
	}
	return p.batch(ctx, list[half:], request)
}

func isOwnPull(err error) bool {
	if e, ok := errors.AsType[*gh.ErrorResponse](err); ok && statusOf(err) == http.StatusUnprocessableEntity {
		text := strings.ToLower(e.Error())
		return strings.Contains(text, "own pull request")
	}
	return false
}

// refused moves comments to the summary.
func (p *poster) refused(list []int) {
	for _, i := range list {
		p.plan.items[p.plan.comments[i].item].at = nil
	}
}

func (p *poster) createReview(ctx context.Context, list []int, request bool) error {
	r := p.plan.r
	m := reviewMarker{Head: r.Head}
	event, text := "COMMENT", "Scanner:"
	if len(list) > 0 {
		text += " " + plural(len(list), "new finding") + "."
	}
	if request {
		event, m.Blocking, m.About = "REQUEST_CHANGES", p.plan.blocking, p.plan.about
		text += " Findings reach the severity at which changes are requested."
	}
	if r.Untrusted {
		text += "\n\n" + unverified
	}
	var bodies []string
	var drafts []*gh.DraftReviewComment
	for _, i := range list {
		c := &p.plan.comments[i]
		d := &gh.DraftReviewComment{
			Path: new(c.Path), Body: new(c.Body), Line: new(c.Line), Side: new("RIGHT"),
		}
		if c.StartLine > 0 {
			d.StartLine, d.StartSide = new(c.StartLine), new("RIGHT")
		}
		drafts = append(drafts, d)
		bodies = append(bodies, location(c.Path, c.StartLine, c.Line), c.Body)
	}
	m.Batch = hash(16, bodies...)
	body := text + "\n\n" + marker(markerReview, m)
	known := make(map[int64]bool)
	for _, rev := range p.have.Reviews {
		known[rev.ID] = true
	}
	err := p.c.call(ctx, task{"creating a review", "pull-requests: write"}, func() error {
		_, _, err := p.c.gh.PullRequests.CreateReview(ctx, p.c.repo.Owner, p.c.repo.Name, r.Number, &gh.PullRequestReviewRequest{
			CommitID: new(r.Head), Body: new(body), Event: new(event), Comments: drafts,
		})
		return err
	}, func() (bool, error) {
		revs, err := p.c.reviews(ctx, r.Number)
		return slices.ContainsFunc(revs, func(rev Review) bool {
			var there reviewMarker
			return !known[rev.ID] && p.have.mine(rev.Author) && readMarker(rev.Body, markerReview, &there) &&
				there.Head == m.Head && there.Batch == m.Batch
		}), err
	})
	if err == nil {
		p.out.Writes++
	}
	return err
}
