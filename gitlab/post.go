package gitlab

import (
	"cmp"
	"context"
	"crypto/sha1"
	"errors"
	"fmt"
	"slices"

	"github.com/codescan-dev/scanner/internal/posting"
	"github.com/codescan-dev/scanner/internal/text"
	"github.com/codescan-dev/scanner/review"
	gl "gitlab.com/gitlab-org/api/client-go"
)

// Apply carries out a plan; see [review.Host].
func (c *Client) Apply(ctx context.Context, plan *review.Plan) (*review.Outcome, error) {
	p := &poster{c: c, Writer: posting.NewWriter(&c.call, plan, statusPermission, commentPermission)}
	p.Read = p.now
	p.Done.CommentURLs = make(map[string]string)
	// What only informs comes first, and late what later runs rely on: the summary note,
	// whose marker makes the review done.
	return p.Out, p.Run(ctx, p.Each(review.OnCheck, p.status), p.Each(review.OnComment, p.comment),
		p.Each(review.OnComment, p.thread), p.summary, p.Each(review.OnFurtherSummary, p.point))
}

// poster carries out a plan.
type poster struct {
	posting.Writer
	c  *Client
	mr *gl.MergeRequest // as it was read last
	// noResolve is set when the token lacks the role to resolve threads.
	noResolve bool
}

// now returns the head of the merge request, and the number of its notes.
func (p *poster) now(ctx context.Context) (s review.State, err error) {
	if p.mr, err = p.c.mergeRequest(ctx, p.Plan.Number); err != nil {
		return s, err
	}
	return review.State{Head: p.mr.SHA, LineComments: int(p.mr.UserNotesCount)}, nil
}

// onMergeRequest makes a write to the merge request, and reports whether it was done.
func (p *poster) onMergeRequest(ctx context.Context, t task, request func() error) (ok bool, err error) {
	t.Permission = commentPermission
	if p.Refused[t.Permission] {
		return false, nil
	}
	if err := p.CheckHead(ctx); err != nil {
		return false, err
	}
	return p.Do(ctx, t, request)
}

// maxStatusText is the length of a description and an address, in characters.
const maxStatusText = 255

// status creates a commit status. The host has no neutral one: what does not fail the
// pipeline is a success with a description of what was found.
func (p *poster) status(ctx context.Context, a *review.Action) error {
	opts := &gl.SetCommitStatusOptions{
		State: gl.Success, Name: &a.Check.Name, Description: new(text.Truncate(a.Check.Title, maxStatusText)),
		TargetURL: new(p.statusURL(a.Check.ExternalID)),
	}
	if a.Check.Conclusion == review.Failure {
		opts.State = gl.Failed
	}
	if p.c.cfg.PipelineID > 0 {
		opts.PipelineID = &p.c.cfg.PipelineID
	}
	_, err := p.Do(ctx, task{Doing: "creating a commit status", Permission: statusPermission, Once: true}, func() error {
		set := func() error {
			_, _, err := p.c.gl.Commits.SetCommitStatus(p.c.project.name, p.Plan.Head, opts, gl.WithContext(ctx))
			return err
		}
		err := set()
		if isNotFound(err) && opts.PipelineID != nil {
			opts.PipelineID = nil // it is that of another commit
			err = set()
		}
		if isNotFound(err) && p.Plan.Number > 0 {
			// No pipeline and no branch of the project has the head of a fork.
			opts.Ref = new(fmt.Sprintf("refs/merge-requests/%d/head", p.Plan.Number))
			err = set()
		}
		return err
	})
	return err
}

// statusURL returns the address that a commit status leads to. A status has no id of
// its owner, so the fragment is that of the check run.
func (p *poster) statusURL(id string) string {
	page := cmp.Or(p.Plan.RunURL, p.c.project.page(p.c.web)+"/-/commit/"+p.Plan.Head)
	if len(page)+1+len(id) > maxStatusText {
		page = p.c.web
	}
	return page + "#" + id
}

// comment creates a discussion on lines of the diff. What the host refuses is in the
// summary.
func (p *poster) comment(ctx context.Context, a *review.Action) error {
	if a.Kind != review.Create {
		return nil
	}
	incomplete := p.Done.Incomplete
	done, err := p.onMergeRequest(ctx, task{Doing: "commenting on " + a.Comment.String(), Once: true}, func() error {
		p.Commented++
		d, _, err := p.c.gl.Discussions.CreateMergeRequestDiscussion(p.c.project.name, int64(p.Plan.Number), &gl.CreateMergeRequestDiscussionOptions{
			Body: &a.Comment.Body, Position: position(p.mr.DiffRefs, a.Comment),
		}, gl.WithContext(ctx))
		if err == nil && d != nil && len(d.Notes) > 0 && d.Notes[0] != nil {
			p.Done.CommentURLs[review.Marker(a.Comment.Body)] = noteURL(p.mr.WebURL, d.Notes[0].ID)
		}
		return err
	})
	if err == nil && !done {
		p.Done.Refused = append(p.Done.Refused, a.Comment)
		if !p.Refused[commentPermission] {
			p.Done.Incomplete = incomplete // it would be refused again
		}
	}
	return err
}

// position returns the place of a comment: the number on the new side of an added
// line, and those on both sides of any other.
func position(refs gl.MergeRequestDiffRefs, c *review.Comment) *gl.PositionOptions {
	pos := &gl.PositionOptions{
		PositionType: new("text"), BaseSHA: &refs.BaseSha, StartSHA: &refs.StartSha, HeadSHA: &refs.HeadSha,
		OldPath: &c.OldPath, NewPath: &c.Path,
	}
	end := linePosition(c.Path, c.OldLine, c.Line)
	pos.OldLine, pos.NewLine = end.OldLine, end.NewLine
	if c.StartLine > 0 {
		pos.LineRange = &gl.LineRangeOptions{Start: linePosition(c.Path, c.OldStart, c.StartLine), End: end}
	}
	return pos
}

func linePosition(path string, old review.OldLine, line int) *gl.LinePositionOptions {
	p := &gl.LinePositionOptions{
		LineCode: new(fmt.Sprintf("%x_%d_%d", sha1.Sum([]byte(path)), old.Number, line)), Type: new("new"), NewLine: new(int64(line)),
	}
	if !old.Added {
		p.Type, p.OldLine = new("old"), new(int64(old.Number))
	}
	return p
}

// thread resolves or opens the discussion of an earlier run, and edits its note.
func (p *poster) thread(ctx context.Context, a *review.Action) error {
	switch a.Kind {
	case review.Resolve:
		// The note is edited only where the token cannot resolve its discussion.
		if done, err := p.setResolved(ctx, a.Thread, true); done || err != nil {
			return err
		}
	case review.Update:
		if a.Thread.Resolved {
			if _, err := p.setResolved(ctx, a.Thread, false); err != nil {
				return err
			}
		}
	case review.Edit:
	default:
		return nil
	}
	if a.Body == "" {
		return nil
	}
	return p.edit(ctx, a.Thread.ID, a.Body)
}

// edit changes the text of a note.
func (p *poster) edit(ctx context.Context, id int64, body string) error {
	_, err := p.onMergeRequest(ctx, task{Doing: "updating a note"}, func() error {
		_, _, err := p.c.gl.Notes.UpdateMergeRequestNote(p.c.project.name, int64(p.Plan.Number), id, &gl.UpdateMergeRequestNoteOptions{Body: &body}, gl.WithContext(ctx))
		return err
	})
	return err
}

// setResolved resolves a discussion, or undoes that, where the token may, and reports
// whether it did.
func (p *poster) setResolved(ctx context.Context, t *review.Thread, resolved bool) (ok bool, err error) {
	if !t.MayResolve || p.noResolve {
		return false, nil
	}
	if err := p.CheckHead(ctx); err != nil {
		return false, err
	}
	err = p.c.call.Call(ctx, task{Doing: "resolving a discussion", Permission: statusPermission}, func() error {
		_, _, err := p.c.gl.Discussions.ResolveMergeRequestDiscussion(p.c.project.name, int64(p.Plan.Number), t.Node, &gl.ResolveMergeRequestDiscussionOptions{Resolved: &resolved}, gl.WithContext(ctx))
		return err
	})
	switch {
	case err == nil:
		p.Out.Writes++
		return true, nil
	case posting.IsFatal(err):
		return false, err
	}
	_, p.noResolve = errors.AsType[*review.PermissionError](err)
	if !resolved {
		p.Warn(err.Error())
	}
	return false, nil
}

// point makes a further summary note point to the first, which has its sections by now.
func (p *poster) point(ctx context.Context, a *review.Action) error {
	if p.Done.Incomplete {
		return nil
	}
	return p.edit(ctx, a.Summary.ID, a.Body)
}

// summary writes the summary note. With what the host refused, the text may differ
// from the planned one.
func (p *poster) summary(ctx context.Context) error {
	if !slices.ContainsFunc(p.Plan.Actions, func(a review.Action) bool { return a.Target == review.OnSummary }) {
		return nil
	}
	body := p.Plan.SummaryBody(p.Done)
	if p.Plan.SummaryShows(body) {
		return nil
	}
	if p.Plan.Summary != nil {
		return p.edit(ctx, p.Plan.Summary.ID, body)
	}
	_, err := p.onMergeRequest(ctx, task{Doing: "writing the summary note", Once: true}, func() error {
		n, _, err := p.c.gl.Notes.CreateMergeRequestNote(p.c.project.name, int64(p.Plan.Number), &gl.CreateMergeRequestNoteOptions{Body: &body}, gl.WithContext(ctx))
		if err == nil && n != nil {
			p.Out.SummaryURL = noteURL(p.mr.WebURL, n.ID)
		}
		return err
	})
	return err
}
