package github

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/codescan-dev/scanner/review"
	gh "github.com/google/go-github/v92/github"
)

// The supported events.
const (
	EventPullRequest       = "pull_request"
	EventPullRequestTarget = "pull_request_target"
	// EventMergeGroup is about pull requests in a merge queue, which has no comments.
	EventMergeGroup = "merge_group"
	EventSchedule   = "schedule"
	EventDispatch   = "workflow_dispatch"
	// EventWorkflowRun follows another workflow, which may have run for a fork.
	EventWorkflowRun = "workflow_run"
)

// Event is what started a workflow. Its texts are untrusted: anyone can write
// them.
type Event struct {
	// Name is the name of the event.
	Name string
	// Action is what happened, for instance "opened"; empty if the event has
	// none.
	Action string
	// Repo is the repository of the workflow. It is zero when the payload does
	// not name it, as that of a schedule.
	Repo Repo
	// Number is the pull request, or 0. A workflow run does not name it: see
	// [Client.FindPullRequest].
	Number int
	// Head and Base are the commits of the pull request, or of the merge group.
	Head, Base string
	// HeadRepo and HeadRef are the repository and the branch that the head comes
	// from. HeadRepo is zero when that repository is gone.
	HeadRepo Repo
	HeadRef  string
	// Fork is set when the head comes from another repository.
	Fork bool
	// Draft is set if the pull request is a draft.
	Draft bool
	// Title and Body describe the pull request in its author's words.
	Title, Body string
	// Author is the login of the author.
	Author string
}

// ParseEvent reads the payload of an event. The name is that of the event, which
// the payload does not hold.
func ParseEvent(name string, data []byte) (Event, error) {
	var p struct {
		Action      string
		Repository  *gh.Repository
		PullRequest *gh.PullRequest `json:"pull_request"`
		WorkflowRun *gh.WorkflowRun `json:"workflow_run"`
		MergeGroup  *gh.MergeGroup  `json:"merge_group"`
	}
	if name == EventSchedule && len(data) == 0 {
		return Event{Name: name}, nil
	}
	if err := json.Unmarshal(data, &p); err != nil {
		return Event{}, fmt.Errorf("payload of event %.100q: %w", name, err)
	}
	ev := Event{Name: name, Action: p.Action, Repo: repoOf(p.Repository)}
	var err error
	switch name {
	case EventPullRequest, EventPullRequestTarget:
		err = ev.setPull(p.PullRequest)
	case EventWorkflowRun:
		err = ev.setRun(p.WorkflowRun)
	case EventMergeGroup:
		err = ev.setGroup(p.MergeGroup)
	case EventSchedule, EventDispatch:
	default:
		return Event{}, fmt.Errorf("event %.100q is not supported: want %s, %s, %s, %s, %s or %s", name,
			EventPullRequest, EventPullRequestTarget, EventMergeGroup, EventSchedule, EventDispatch, EventWorkflowRun)
	}
	if err != nil {
		return Event{}, fmt.Errorf("payload of event %q: %w", name, err)
	}
	return ev, nil
}

// repoOf returns the name of a repository; zero if it has none that is valid.
func repoOf(r *gh.Repository) Repo {
	repo, err := ParseRepo(r.GetFullName())
	if err != nil {
		return Repo{}
	}
	return repo
}

func (ev *Event) setPull(pr *gh.PullRequest) error {
	head, base := pr.GetHead(), pr.GetBase()
	baseRepo := repoOf(base.GetRepo())
	switch {
	case pr == nil:
		return errors.New("pull_request is missing")
	case pr.GetNumber() <= 0:
		return fmt.Errorf("pull_request.number %d is not above 0", pr.GetNumber())
	case !review.IsCommit(head.GetSHA()):
		return fmt.Errorf("pull_request.head.sha %.100q is not a commit", head.GetSHA())
	case !review.IsCommit(base.GetSHA()):
		return fmt.Errorf("pull_request.base.sha %.100q is not a commit", base.GetSHA())
	case baseRepo == (Repo{}):
		return errors.New("pull_request.base.repo is missing")
	}
	if ev.Repo == (Repo{}) {
		ev.Repo = baseRepo
	}
	ev.Number, ev.Head, ev.Base = pr.GetNumber(), head.GetSHA(), base.GetSHA()
	ev.Draft = pr.GetDraft()
	ev.Title, ev.Body, ev.Author = pr.GetTitle(), pr.GetBody(), pr.GetUser().GetLogin()
	ev.setHeadRepo(head.GetRepo(), head.GetRef(), baseRepo)
	return nil
}

func (ev *Event) setGroup(group *gh.MergeGroup) error {
	switch {
	case group == nil:
		return errors.New("merge_group is missing")
	case !review.IsCommit(group.GetHeadSHA()):
		return fmt.Errorf("merge_group.head_sha %.100q is not a commit", group.GetHeadSHA())
	case !review.IsCommit(group.GetBaseSHA()):
		return fmt.Errorf("merge_group.base_sha %.100q is not a commit", group.GetBaseSHA())
	}
	// The action checks_requested is the only one that starts a workflow.
	ev.Action, ev.Head, ev.Base = "", group.GetHeadSHA(), group.GetBaseSHA()
	return nil
}

func (ev *Event) setRun(run *gh.WorkflowRun) error {
	switch {
	case run == nil:
		return errors.New("workflow_run is missing")
	case ev.Repo == (Repo{}):
		return errors.New("repository is missing")
	case !review.IsCommit(run.GetHeadSHA()):
		return fmt.Errorf("workflow_run.head_sha %.100q is not a commit", run.GetHeadSHA())
	}
	ev.Head = run.GetHeadSHA()
	ev.setHeadRepo(run.GetHeadRepository(), run.GetHeadBranch(), ev.Repo)
	return nil
}

// setHeadRepo sets where the head comes from. A repository that is gone was a fork.
func (ev *Event) setHeadRepo(repo *gh.Repository, ref string, base Repo) {
	ev.HeadRepo, ev.HeadRef = repoOf(repo), ref
	ev.Fork = !strings.EqualFold(ev.HeadRepo.String(), base.String())
}
