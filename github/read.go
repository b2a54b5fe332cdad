package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/posting"
	"github.com/codescan-dev/scanner/review"
	gh "github.com/google/go-github/v92/github"
)

var _ review.Host = (*Client)(nil)

// Read returns the state of a pull request; see [review.Host].
func (c *Client) Read(ctx context.Context, number int, head string) (review.State, error) {
	var s review.State
	if number > 0 {
		err := c.readPull(ctx, number, &s)
		if denied, ok := errors.AsType[*review.PermissionError](err); ok {
			s = review.State{Head: head, NoPull: true, Denied: []*review.PermissionError{denied}}
		} else if err != nil {
			return review.State{}, err
		}
	}
	var err error
	if number == 0 || s.NoPull {
		if s.Account, err = c.login(ctx); err != nil {
			return review.State{}, err
		}
	}
	s.Checks, err = c.checkRuns(ctx, head)
	if denied, ok := errors.AsType[*review.PermissionError](err); ok {
		s.NoChecks, s.Denied = true, append(s.Denied, denied)
	} else if err != nil {
		return review.State{}, err
	}
	s.MakesChecks = strings.HasSuffix(s.Account, appSuffix)
	return s, nil
}

// appSuffix ends the login of an app. Only apps make check runs.
const appSuffix = "[bot]"

func (c *Client) readPull(ctx context.Context, number int, s *review.State) error {
	pr, err := c.pull(ctx, number)
	if err != nil {
		return err
	}
	s.Head, s.Comments, s.LineComments = pr.GetHead().GetSHA(), pr.GetComments(), pr.GetReviewComments()
	var infos map[int64]threadInfo
	if s.Account, infos, err = c.threads(ctx, number); err != nil {
		if !posting.IsFailure(err) && !posting.IsDenied(err) {
			return err
		}
		// Comments can be read and written without it.
		if s.Account, _ = c.login(ctx); s.Account == "" {
			return err
		}
		s.Warnings = append(s.Warnings, err.Error()+": threads are neither resolved nor opened again")
	}
	if s.Summaries, err = c.summaries(ctx, number); err != nil {
		return err
	}
	if s.Threads, err = c.comments(ctx, number, s.Account); err != nil {
		return err
	}
	for i := range s.Threads {
		t := &s.Threads[i]
		info, ok := infos[t.ID]
		if !ok {
			continue
		}
		t.Node, t.Resolved = info.ID, info.IsResolved
		t.MayResolve = info.ViewerCanResolve || info.IsResolved && info.ViewerCanUnresolve
		first := &info.Comments.Nodes[0]
		t.CommentNode, t.Hidden, t.MayHide = first.ID, first.IsMinimized, first.ViewerCanMinimize
		if by := info.ResolvedBy; by != nil && by.Login != "" {
			// GraphQL returns logins of apps without their suffix.
			t.PersonResolved = !strings.EqualFold(strings.TrimSuffix(by.Login, appSuffix), strings.TrimSuffix(s.Account, appSuffix))
		}
	}
	s.Reviews, err = c.reviews(ctx, number)
	return err
}

// pull returns a pull request.
func (c *Client) pull(ctx context.Context, number int) (*gh.PullRequest, error) {
	var pr *gh.PullRequest
	err := c.call.Call(ctx, task{Doing: "reading the pull request", Permission: pullsPermission}, func() (err error) {
		pr, _, err = c.gh.PullRequests.Get(ctx, c.repo.Owner, c.repo.Name, number)
		if err == nil && pr.GetHead().GetSHA() == "" {
			err = errEmpty
		}
		return err
	})
	return pr, err
}

// login returns the account of the token. Those of apps are known to the GraphQL API
// alone.
func (c *Client) login(ctx context.Context) (string, error) {
	var data struct {
		Viewer struct{ Login string }
	}
	err := c.call.Call(ctx, task{Doing: "reading the account of the token", Permission: pullsPermission}, func() error {
		return c.query(ctx, `query { viewer { login } }`, nil, &data)
	})
	if err != nil {
		if user, _, restErr := c.gh.Users.Get(ctx, ""); restErr == nil {
			return user.GetLogin(), nil
		}
	}
	return data.Viewer.Login, err
}

// summaries returns the comments on the pull request that end with a marker.
func (c *Client) summaries(ctx context.Context, number int) ([]review.Posted, error) {
	t := task{Doing: "reading the comments of the pull request", Permission: pullsPermission}
	list, err := pages(ctx, c, t, func(o gh.ListOptions) ([]*gh.IssueComment, *gh.Response, error) {
		return c.gh.Issues.ListComments(ctx, c.repo.Owner, c.repo.Name, number, &gh.IssueListCommentsOptions{ListOptions: o})
	})
	var found []review.Posted
	for _, ic := range list {
		if review.Marker(ic.GetBody()) != "" {
			found = append(found, review.Posted{ID: ic.GetID(), Author: ic.GetUser().GetLogin(), Body: ic.GetBody(), URL: ic.GetHTMLURL()})
		}
	}
	return found, err
}

// comments returns the inline comments, each with its replies.
func (c *Client) comments(ctx context.Context, number int, account string) ([]review.Thread, error) {
	t := task{Doing: "reading the review comments", Permission: pullsPermission}
	list, err := pages(ctx, c, t, func(o gh.ListOptions) ([]*gh.PullRequestComment, *gh.Response, error) {
		return c.gh.PullRequests.ListComments(ctx, c.repo.Owner, c.repo.Name, number, &gh.PullRequestListCommentsOptions{ListOptions: o})
	})
	if err != nil {
		return nil, err
	}
	var threads []review.Thread
	index := make(map[int64]int)
	for _, rc := range list {
		if rc.GetInReplyTo() == 0 {
			index[rc.GetID()] = len(threads)
			threads = append(threads, review.Thread{
				Posted: postedOf(rc), Path: rc.GetPath(), Line: rc.GetLine(),
			})
		}
	}
	for _, rc := range list {
		i, ok := index[rc.GetInReplyTo()]
		if !ok {
			continue
		}
		// The account can be a person's as well, whose own replies have no marker.
		u := rc.GetUser()
		ours := strings.EqualFold(u.GetLogin(), account) && review.Marker(rc.GetBody()) != ""
		if u.GetType() == "Bot" || ours {
			continue
		}
		r := review.Reply{Posted: postedOf(rc)}
		if t := &threads[i]; strings.EqualFold(t.Author, account) && review.Marker(t.Body) != "" {
			if r.MayWrite, err = c.mayWrite(ctx, r.Author); err != nil {
				return nil, err
			}
		}
		threads[i].Replies = append(threads[i].Replies, r)
	}
	return threads, nil
}

func postedOf(rc *gh.PullRequestComment) review.Posted {
	return review.Posted{ID: rc.GetID(), Author: rc.GetUser().GetLogin(), Body: rc.GetBody(), URL: rc.GetHTMLURL()}
}

// mayWrite reports whether an account can write to the repository. The association that
// comes with a comment is no proof: a collaborator may only read, and a member of the
// organization may have no access at all. Where the token must not ask, nobody can.
func (c *Client) mayWrite(ctx context.Context, login string) (bool, error) {
	if may, known := c.writers[login]; known {
		return may, nil
	}
	var may bool
	err := c.call.Call(ctx, task{Doing: "reading the permission of an account"}, func() error {
		level, _, err := c.gh.Repositories.GetPermissionLevel(ctx, c.repo.Owner, c.repo.Name, login)
		may = err == nil && (level.GetPermission() == "admin" || level.GetPermission() == "write")
		return err
	})
	if status := statusOf(err); err != nil && !posting.IsDenied(err) && status != http.StatusForbidden && status != http.StatusNotFound {
		return false, err
	}
	c.writers[login] = may
	return may, nil
}

func (c *Client) reviews(ctx context.Context, number int) ([]review.Review, error) {
	t := task{Doing: "reading the reviews", Permission: pullsPermission}
	list, err := pages(ctx, c, t, func(o gh.ListOptions) ([]*gh.PullRequestReview, *gh.Response, error) {
		return c.gh.PullRequests.ListReviews(ctx, c.repo.Owner, c.repo.Name, number, &o)
	})
	var found []review.Review
	for _, r := range list {
		found = append(found, review.Review{
			Posted: review.Posted{ID: r.GetID(), Author: r.GetUser().GetLogin(), Body: r.GetBody(), URL: r.GetHTMLURL()},
			State:  r.GetState(),
		})
	}
	return found, err
}

// checkRuns returns the check runs of a head.
func (c *Client) checkRuns(ctx context.Context, head string) ([]review.CheckRun, error) {
	t := task{Doing: "reading the check runs", Permission: checksPermission}
	list, err := pages(ctx, c, t, func(o gh.ListOptions) ([]*gh.CheckRun, *gh.Response, error) {
		res, resp, err := c.gh.Checks.ListCheckRunsForRef(ctx, c.repo.Owner, c.repo.Name, head,
			&gh.ListCheckRunsOptions{Filter: new("all"), ListOptions: o})
		if err != nil || res == nil {
			return nil, resp, err
		}
		return res.CheckRuns, resp, nil
	})
	var runs []review.CheckRun
	for _, r := range list {
		runs = append(runs, review.CheckRun{
			ID: r.GetID(), Name: r.GetName(), ExternalID: r.GetExternalID(), Author: r.GetApp().GetSlug() + appSuffix,
			Completed: r.GetStatus() == "completed", Annotations: r.GetOutput().GetAnnotationsCount(), URL: r.GetHTMLURL(),
		})
	}
	return runs, err
}

// FindPullRequest returns the open pull request with a head; see [review.Host].
func (c *Client) FindPullRequest(ctx context.Context, head review.Head) (int, error) {
	repo, err := ParseRepo(head.Repo)
	if err != nil || head.Ref == "" || !review.IsCommit(head.Commit) {
		return 0, errors.New("the event does not name the repository, branch and commit of the head")
	}
	t := task{Doing: "looking for the pull request", Permission: pullsPermission}
	list, err := pages(ctx, c, t, func(o gh.ListOptions) ([]*gh.PullRequest, *gh.Response, error) {
		return c.gh.PullRequests.List(ctx, c.repo.Owner, c.repo.Name, &gh.PullRequestListOptions{
			State: "open", Head: repo.Owner + ":" + head.Ref, ListOptions: o,
		})
	})
	if err != nil {
		return 0, err
	}
	list = slices.DeleteFunc(list, func(pr *gh.PullRequest) bool {
		return pr.GetHead().GetSHA() != head.Commit || !strings.EqualFold(pr.GetHead().GetRepo().GetFullName(), head.Repo)
	})
	switch len(list) {
	case 0:
		return 0, fmt.Errorf("no open pull request has the head %s: %w", head.Commit, review.ErrHeadMoved)
	case 1:
		return list[0].GetNumber(), nil
	}
	return 0, fmt.Errorf("%d open pull requests have the head %s", len(list), head.Commit)
}

// Files returns the changes of a pull request as GitHub shows them. Files that are
// too large for that, and those whose changes cannot be read, have no hunks; of very
// many files GitHub lists 3,000.
func (c *Client) Files(ctx context.Context, number int) ([]diff.File, error) {
	t := task{Doing: "reading the files of the pull request", Permission: pullsPermission}
	list, err := pages(ctx, c, t, func(o gh.ListOptions) ([]*gh.CommitFile, *gh.Response, error) {
		return c.gh.PullRequests.ListFiles(ctx, c.repo.Owner, c.repo.Name, number, &o)
	})
	if err != nil {
		return nil, err
	}
	files := make([]diff.File, 0, len(list))
	for _, cf := range list {
		f := diff.File{Path: cf.GetFilename(), OldPath: cf.GetPreviousFilename()}
		switch cf.GetStatus() {
		case "added":
			f.Status = diff.Added
		case "removed":
			f.Status = diff.Deleted
		case "renamed":
			f.Status = diff.Renamed
		case "copied":
			f.Status = diff.Copied
		}
		if patch := cf.GetPatch(); patch != "" {
			// One file that cannot be read must not hide the others.
			if hunks, err := diff.ParseHunks([]byte(patch)); err == nil {
				f.Hunks = hunks
			}
		}
		files = append(files, f)
	}
	return files, nil
}
