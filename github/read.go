package github

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner/diff"
	gh "github.com/google/go-github/v92/github"
)

// Read returns what is on the host for a pull request and a head. Without a pull
// request, number 0, these are check runs only. What the token may not read is not
// an error: see [State.NoPull] and [State.NoChecks].
func (c *Client) Read(ctx context.Context, number int, head string) (State, error) {
	s := State{Account: c.account}
	if !isSHA(head) {
		return State{}, fmt.Errorf("head %q is not a commit", head)
	}
	if number < 0 {
		return State{}, fmt.Errorf("pull request %d is not above 0", number)
	}
	if number > 0 {
		err := c.readPull(ctx, number, &s)
		if _, denied := errors.AsType[*PermissionError](err); denied {
			s = State{Account: s.Account, Head: head, NoPull: true}
		} else if err != nil {
			return State{}, err
		}
	}
	if s.Account == "" && (number == 0 || s.NoPull) {
		login, err := c.login(ctx)
		if err != nil {
			return State{}, err
		}
		s.Account = login
	}
	runs, err := c.checkRuns(ctx, head)
	if _, denied := errors.AsType[*PermissionError](err); denied {
		s.NoChecks = true
	} else if err != nil {
		return State{}, err
	}
	s.Checks = runs
	return s, nil
}

func (c *Client) readPull(ctx context.Context, number int, s *State) error {
	var err error
	if s.Head, err = c.head(ctx, number); err != nil {
		return err
	}
	login, infos, err := c.threads(ctx, number)
	if s.Account == "" {
		s.Account = login
	}
	switch {
	case err == nil:
	case ctx.Err() != nil, isLimit(err), errors.Is(err, ErrUnauthorized):
		return err
	case s.Account == "":
		if s.Account, err = c.login(ctx); err != nil {
			return err
		}
	}
	if s.Account == "" {
		return errors.New("the code host does not say which account the token belongs to")
	}

	if s.Summaries, err = c.summaries(ctx, number); err != nil {
		return err
	}
	if s.Threads, err = c.comments(ctx, number, s); err != nil {
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
		if info.ResolvedBy != nil {
			t.ResolvedBy = info.ResolvedBy.Login
		}
	}
	s.Reviews, err = c.reviews(ctx, number)
	return err
}

func isLimit(err error) bool {
	_, ok := errors.AsType[*LimitError](err)
	return ok
}

// head returns the head of a pull request.
func (c *Client) head(ctx context.Context, number int) (string, error) {
	var head string
	err := c.call(ctx, task{"reading the pull request", "pull-requests: write"}, func() error {
		pr, _, err := c.gh.PullRequests.Get(ctx, c.repo.Owner, c.repo.Name, number)
		if head = pr.GetHead().GetSHA(); err == nil && head == "" {
			err = errEmpty
		}
		return err
	}, nil)
	return head, err
}

// login returns the account of the token.
func (c *Client) login(ctx context.Context) (string, error) {
	var data struct {
		Viewer struct{ Login string }
	}
	t := task{"asking whose token it is", "pull-requests: write"}
	err := c.call(ctx, t, func() error {
		return c.query(ctx, `query { viewer { login } }`, nil, &data)
	}, nil)
	if err == nil && data.Viewer.Login != "" {
		return data.Viewer.Login, nil
	}
	if err != nil && (ctx.Err() != nil || isLimit(err) || errors.Is(err, ErrUnauthorized)) {
		return "", err
	}
	var login string
	err = c.call(ctx, t, func() error {
		u, _, err := c.gh.Users.Get(ctx, "")
		login = u.GetLogin()
		return err
	}, nil)
	return login, err
}

// summaries returns the comments that end with a marker of a summary.
func (c *Client) summaries(ctx context.Context, number int) ([]Posted, error) {
	t := task{"reading the comments of the pull request", "pull-requests: write"}
	list, err := pages(ctx, c, t, func(o gh.ListOptions) ([]*gh.IssueComment, *gh.Response, error) {
		return c.gh.Issues.ListComments(ctx, c.repo.Owner, c.repo.Name, number, &gh.IssueListCommentsOptions{ListOptions: o})
	})
	var found []Posted
	for _, ic := range list {
		var m summaryMarker
		if readMarker(ic.GetBody(), markerSummary, &m) {
			found = append(found, Posted{ic.GetID(), ic.GetUser().GetLogin(), ic.GetBody(), ic.GetHTMLURL()})
		}
	}
	return found, err
}

// comments returns the inline comments, each with its replies.
func (c *Client) comments(ctx context.Context, number int, s *State) ([]Thread, error) {
	t := task{"reading the review comments", "pull-requests: write"}
	list, err := pages(ctx, c, t, func(o gh.ListOptions) ([]*gh.PullRequestComment, *gh.Response, error) {
		return c.gh.PullRequests.ListComments(ctx, c.repo.Owner, c.repo.Name, number, &gh.PullRequestListCommentsOptions{ListOptions: o})
	})
	if err != nil {
		return nil, err
	}
	var threads []Thread
	index := make(map[int64]int)
	for _, rc := range list {
		if rc.GetInReplyTo() == 0 {
			index[rc.GetID()] = len(threads)
			threads = append(threads, Thread{
				Posted: Posted{rc.GetID(), rc.GetUser().GetLogin(), rc.GetBody(), rc.GetHTMLURL()},
				Path:   rc.GetPath(), Line: rc.GetLine(),
			})
		}
	}
	for _, rc := range list {
		i, ok := index[rc.GetInReplyTo()]
		if !ok {
			continue
		}
		// An account can be a person's as well; what that wrote has no marker.
		u := rc.GetUser()
		var m findingMarker
		if u.GetType() != "Bot" && !(s.mine(u.GetLogin()) && readMarker(rc.GetBody(), markerFinding, &m)) {
			threads[i].PersonReplied = true
		}
	}
	return threads, nil
}

func (c *Client) reviews(ctx context.Context, number int) ([]Review, error) {
	t := task{"reading the reviews", "pull-requests: write"}
	list, err := pages(ctx, c, t, func(o gh.ListOptions) ([]*gh.PullRequestReview, *gh.Response, error) {
		return c.gh.PullRequests.ListReviews(ctx, c.repo.Owner, c.repo.Name, number, &o)
	})
	var found []Review
	for _, r := range list {
		found = append(found, Review{
			Posted: Posted{r.GetID(), r.GetUser().GetLogin(), r.GetBody(), r.GetHTMLURL()},
			State:  r.GetState(),
		})
	}
	return found, err
}

// checkRuns returns the check runs of a head whose name is one of ours.
func (c *Client) checkRuns(ctx context.Context, head string) ([]CheckRun, error) {
	t := task{"reading the check runs", "checks: write"}
	list, err := pages(ctx, c, t, func(o gh.ListOptions) ([]*gh.CheckRun, *gh.Response, error) {
		res, resp, err := c.gh.Checks.ListCheckRunsForRef(ctx, c.repo.Owner, c.repo.Name, head,
			&gh.ListCheckRunsOptions{Filter: new("all"), ListOptions: o})
		if err != nil || res == nil {
			return nil, resp, err
		}
		return res.CheckRuns, resp, nil
	})
	var runs []CheckRun
	for _, r := range list {
		if strings.HasPrefix(r.GetExternalID(), externalPrefix) {
			runs = append(runs, CheckRun{
				ID: r.GetID(), Name: r.GetName(), ExternalID: r.GetExternalID(), App: r.GetApp().GetSlug(),
				Completed: r.GetStatus() == "completed", Annotations: r.GetOutput().GetAnnotationsCount(), URL: r.GetHTMLURL(),
			})
		}
	}
	return runs, err
}

// FindPullRequest returns the open pull request whose head is that of an event,
// for events that do not name it: those of a workflow that ran for a fork. It is
// [ErrHeadMoved] when no pull request has that head, or no longer.
func (c *Client) FindPullRequest(ctx context.Context, ev Event) (int, error) {
	if ev.Number > 0 {
		return ev.Number, nil
	}
	if ev.HeadRepo == (Repo{}) || ev.HeadRef == "" || !isSHA(ev.Head) {
		return 0, fmt.Errorf("event %q does not say where the head comes from", ev.Name)
	}
	t := task{"looking for the pull request", "pull-requests: write"}
	list, err := pages(ctx, c, t, func(o gh.ListOptions) ([]*gh.PullRequest, *gh.Response, error) {
		return c.gh.PullRequests.List(ctx, c.repo.Owner, c.repo.Name, &gh.PullRequestListOptions{
			State: "open", Head: ev.HeadRepo.Owner + ":" + ev.HeadRef, ListOptions: o,
		})
	})
	if err != nil {
		return 0, err
	}
	list = slices.DeleteFunc(list, func(pr *gh.PullRequest) bool {
		return pr.GetHead().GetSHA() != ev.Head || !strings.EqualFold(pr.GetHead().GetRepo().GetFullName(), ev.HeadRepo.String())
	})
	switch len(list) {
	case 0:
		return 0, fmt.Errorf("no open pull request has the head %s: %w", ev.Head, ErrHeadMoved)
	case 1:
		return list[0].GetNumber(), nil
	}
	return 0, fmt.Errorf("%d open pull requests have the head %s", len(list), ev.Head)
}

// Files returns the changes of a pull request as the host shows them, for where
// there is no git. Files too large for the host, and those whose changes cannot be
// read, have no hunks; of very many files the host lists 3,000.
func (c *Client) Files(ctx context.Context, number int) ([]diff.File, error) {
	t := task{"reading the files of the pull request", "pull-requests: write"}
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
