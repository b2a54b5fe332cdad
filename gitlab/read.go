package gitlab

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner/review"
	gl "gitlab.com/gitlab-org/api/client-go"
)

// Read returns the state of a merge request; see [review.Host].
//
// With the token of a job only the head is known: it cannot read its account, so
// nothing would be recognized, and it cannot write either.
func (c *Client) Read(ctx context.Context, number int, head string) (review.State, error) {
	s := review.State{Head: head, NoReviews: true}
	if c.cfg.JobToken {
		s.NoPull, s.NoChecks = true, true
		s.Denied = []*review.PermissionError{
			{Doing: "reading the merge request", Permission: commentPermission}, {Doing: "reading the commit statuses", Permission: statusPermission},
		}
		if number > 0 {
			mr, err := c.mergeRequest(ctx, number)
			if err != nil {
				return review.State{}, err
			}
			s.Head = mr.SHA
		}
		return s, nil
	}
	me, err := c.account(ctx)
	if err != nil {
		return review.State{}, err
	}
	s.Account = me.Username
	// Anyone else can neither make commit statuses nor resolve threads.
	if s.MakesChecks, err = c.mayWrite(ctx, me.ID); err != nil {
		return review.State{}, err
	}
	if number > 0 {
		err := c.readMergeRequest(ctx, number, me, &s)
		if denied, ok := errors.AsType[*review.PermissionError](err); ok {
			denied.Permission = commentPermission // it covers reading
			s = review.State{Account: s.Account, Head: head, NoReviews: true, NoPull: true, MakesChecks: s.MakesChecks, Denied: []*review.PermissionError{denied}}
		} else if err != nil {
			return review.State{}, err
		}
	}
	s.Checks, err = c.statuses(ctx, head)
	if denied, ok := errors.AsType[*review.PermissionError](err); ok {
		denied.Permission = statusPermission
		s.NoChecks, s.Denied = true, append(s.Denied, denied)
	} else if err != nil {
		return review.State{}, err
	}
	return s, nil
}

// account returns the account of the token. That of a project or a group has a bot
// of its own.
func (c *Client) account(ctx context.Context) (*gl.User, error) {
	var u *gl.User
	err := c.call.Call(ctx, task{Doing: "reading the account of the token", Permission: readPermission}, func() (err error) {
		if u, _, err = c.gl.Users.CurrentUser(gl.WithContext(ctx)); err == nil && (u == nil || u.Username == "") {
			err = errEmpty
		}
		return err
	})
	return u, err
}

// mayWrite reports whether an account has at least the role Developer, in the project
// or through a group. Where the token cannot find out, nobody has.
func (c *Client) mayWrite(ctx context.Context, user int64) (bool, error) {
	if may, known := c.writers[user]; known {
		return may, nil
	}
	var may bool
	err := c.call.Call(ctx, task{Doing: "reading the role of an account"}, func() error {
		m, _, err := c.gl.ProjectMembers.GetInheritedProjectMember(c.project.name, user, gl.WithContext(ctx))
		may = err == nil && m != nil && m.AccessLevel >= gl.DeveloperPermissions
		return err
	})
	if _, denied := errors.AsType[*review.PermissionError](err); err != nil && !denied && !isNotFound(err) {
		return false, err
	}
	c.writers[user] = may
	return may, nil
}

// mergeRequest returns a merge request.
func (c *Client) mergeRequest(ctx context.Context, number int) (*gl.MergeRequest, error) {
	var mr *gl.MergeRequest
	err := c.call.Call(ctx, task{Doing: "reading the merge request", Permission: readPermission}, func() (err error) {
		if mr, _, err = c.gl.MergeRequests.GetMergeRequest(c.project.name, int64(number), nil, gl.WithContext(ctx)); err == nil && (mr == nil || mr.SHA == "") {
			err = errEmpty
		}
		return err
	})
	return mr, err
}

// botName matches the accounts that the host makes for tokens of projects and groups,
// and for services.
var botName = regexp.MustCompile(`^(?:(?:project|group)_\d+_bot|service_account_)`)

// readMergeRequest reads the head and the discussions of a merge request.
func (c *Client) readMergeRequest(ctx context.Context, number int, me *gl.User, s *review.State) error {
	mr, err := c.mergeRequest(ctx, number)
	if err != nil {
		return err
	}
	s.Head, s.LineComments = mr.SHA, int(mr.UserNotesCount)
	t := task{Doing: "reading the discussions of the merge request", Permission: readPermission}
	list, err := pages(ctx, c, t, func(o gl.ListOptions) ([]*gl.Discussion, *gl.Response, error) {
		return c.gl.Discussions.ListMergeRequestDiscussions(c.project.name, int64(number), &gl.ListMergeRequestDiscussionsOptions{ListOptions: o}, gl.WithContext(ctx))
	})
	if err != nil {
		return err
	}
	var auto *bool // whether the host resolves what a push makes outdated; nil if not known
	for _, d := range list {
		if len(d.Notes) == 0 || slices.Contains(d.Notes, nil) || d.Notes[0].System {
			continue
		}
		first := posted(mr, d.Notes[0])
		at := d.Notes[0].Position
		if at == nil {
			if review.Marker(first.Body) != "" {
				s.Summaries = append(s.Summaries, first)
			}
			continue
		}
		by := d.Notes[0].ResolvedBy.Username
		th := review.Thread{
			Posted: first, Path: at.NewPath, Node: d.ID, Resolved: d.Notes[0].Resolved,
			PersonResolved: by != "" && !strings.EqualFold(by, me.Username),
			MayResolve:     s.MakesChecks || mr.Author != nil && mr.Author.ID == me.ID,
		}
		// The host moves a position along while the line is part of the diff.
		if at.HeadSHA == mr.SHA {
			th.Line = int(at.NewLine)
		} else if th.PersonResolved {
			if auto == nil {
				if auto, err = c.resolvesOutdated(ctx); err != nil {
					return err
				}
			}
			th.PersonResolved = !*auto
		}
		if th.Replies, err = c.replies(ctx, mr, d.Notes, me); err != nil {
			return err
		}
		s.Threads = append(s.Threads, th)
	}
	return nil
}

// resolvesOutdated reports whether the project resolves discussions whose line a push
// changed. The host then names who pushed, although nobody looked at them.
func (c *Client) resolvesOutdated(ctx context.Context) (*bool, error) {
	var p *gl.Project
	err := c.call.Call(ctx, task{Doing: "reading the settings of the project", Permission: readPermission}, func() (err error) {
		if p, _, err = c.gl.Projects.GetProject(c.project.name, nil, gl.WithContext(ctx)); err == nil && p == nil {
			err = errEmpty
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return &p.ResolveOutdatedDiffDiscussions, nil
}

// replies returns what people replied to the first of the notes. The account can be a
// person's as well, whose own replies have no marker.
func (c *Client) replies(ctx context.Context, mr *gl.MergeRequest, notes []*gl.Note, me *gl.User) (list []review.Reply, err error) {
	ours := notes[0].Author.ID == me.ID && review.Marker(notes[0].Body) != ""
	for _, n := range notes[1:] {
		if n.System || botName.MatchString(n.Author.Username) || n.Author.ID == me.ID && review.Marker(n.Body) != "" {
			continue
		}
		r := review.Reply{Posted: posted(mr, n)}
		if ours {
			if r.MayWrite, err = c.mayWrite(ctx, n.Author.ID); err != nil {
				return nil, err
			}
		}
		list = append(list, r)
	}
	return list, nil
}

func posted(mr *gl.MergeRequest, n *gl.Note) review.Posted {
	return review.Posted{ID: n.ID, Author: n.Author.Username, Body: n.Body, URL: noteURL(mr.WebURL, n.ID)}
}

// noteURL returns the address of a note; empty if that of the merge request is not
// known.
func noteURL(page string, id int64) string {
	if page == "" {
		return ""
	}
	return fmt.Sprintf("%s#note_%d", page, id)
}

// statuses returns the commit statuses of a head that have the id of a check run, see
// [statusURL].
func (c *Client) statuses(ctx context.Context, head string) ([]review.CheckRun, error) {
	t := task{Doing: "reading the commit statuses", Permission: readPermission}
	list, err := pages(ctx, c, t, func(o gl.ListOptions) ([]*gl.CommitStatus, *gl.Response, error) {
		return c.gl.Commits.GetCommitStatuses(c.project.name, head, &gl.GetCommitStatusesOptions{ListOptions: o}, gl.WithContext(ctx))
	})
	var runs []review.CheckRun
	for _, st := range list {
		if _, id, ok := strings.Cut(st.TargetURL, "#"); ok {
			runs = append(runs, review.CheckRun{
				ID: st.ID, Name: st.Name, ExternalID: id, Author: st.Author.Username,
				Completed: st.Status == string(gl.Success) || st.Status == string(gl.Failed),
			})
		}
	}
	return runs, err
}
