package gitlab

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/review"
	gl "gitlab.com/gitlab-org/api/client-go"
)

// FindPullRequest returns the open merge request with a head; see [review.Host].
func (c *Client) FindPullRequest(ctx context.Context, head review.Head) (int, error) {
	source, err := ParseProject(head.Repo)
	if err != nil || head.Ref == "" || !review.IsCommit(head.Commit) {
		return 0, errors.New("the project, branch and commit of the head are not known")
	}
	t := task{Doing: "looking for the merge request", Permission: readPermission}
	id := source.number()
	if id == 0 {
		err := c.call.Call(ctx, t, func() error {
			p, _, err := c.gl.Projects.GetProject(source.name, nil, gl.WithContext(ctx))
			if err == nil && p == nil {
				err = errEmpty
			}
			if err == nil {
				id = p.ID
			}
			return err
		})
		if err != nil {
			return 0, err
		}
	}
	list, err := pages(ctx, c, t, func(o gl.ListOptions) ([]*gl.BasicMergeRequest, *gl.Response, error) {
		return c.gl.MergeRequests.ListProjectMergeRequests(c.project.name, &gl.ListProjectMergeRequestsOptions{
			ListOptions: o, State: new("opened"), SourceBranch: new(head.Ref),
		}, gl.WithContext(ctx))
	})
	if err != nil {
		return 0, err
	}
	list = slices.DeleteFunc(list, func(mr *gl.BasicMergeRequest) bool {
		return mr.SHA != head.Commit || mr.SourceProjectID != id
	})
	switch len(list) {
	case 0:
		return 0, fmt.Errorf("no open merge request has the head %s: %w", head.Commit, review.ErrHeadMoved)
	case 1:
		return int(list[0].IID), nil
	}
	return 0, fmt.Errorf("%d open merge requests have the head %s", len(list), head.Commit)
}

// Files returns the changes of a merge request as GitLab shows them. Files that are
// too large for that, and those whose changes cannot be read, have no hunks.
func (c *Client) Files(ctx context.Context, number int) ([]diff.File, error) {
	t := task{Doing: "reading the files of the merge request", Permission: readPermission}
	list, err := pages(ctx, c, t, func(o gl.ListOptions) ([]*gl.MergeRequestDiff, *gl.Response, error) {
		return c.gl.MergeRequests.ListMergeRequestDiffs(c.project.name, int64(number), &gl.ListMergeRequestDiffsOptions{ListOptions: o}, gl.WithContext(ctx))
	})
	if err != nil {
		return nil, err
	}
	files := make([]diff.File, 0, len(list))
	for _, d := range list {
		f := diff.File{Path: d.NewPath, OldMode: mode(d.AMode), Mode: mode(d.BMode)}
		switch {
		case d.NewFile:
			f.Status = diff.Added
		case d.DeletedFile:
			f.Status = diff.Deleted
		case d.RenamedFile:
			f.Status, f.OldPath = diff.Renamed, d.OldPath
		}
		// One file that cannot be read must not hide the others.
		if hunks, err := diff.ParseHunks([]byte(d.Diff)); err == nil {
			f.Hunks = hunks
		}
		files = append(files, f)
	}
	return files, nil
}

// mode reads a file mode of git; 0 if it is none.
func mode(s string) uint32 {
	m, _ := strconv.ParseUint(s, 8, 32)
	return uint32(m)
}
