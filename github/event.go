package github

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/codescan-dev/scanner/review"
)

// The events that are understood.
const (
	EventPullRequest       = "pull_request"
	EventPullRequestTarget = "pull_request_target"
	EventSchedule          = "schedule"
	EventDispatch          = "workflow_dispatch"
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
	// Number is the pull request, or 0. A workflow run of a fork does not name
	// it: see [Client.FindPullRequest].
	Number int
	// Head and Base are the commits of the pull request; BaseRef is the branch
	// it goes to, HeadRef the one it comes from.
	Head, Base       string
	BaseRef, HeadRef string
	// HeadRepo is where the head comes from. It is zero when that repository is
	// gone.
	HeadRepo Repo
	// Fork is set when the head comes from another repository.
	Fork bool
	// Draft is set for a pull request that is not ready for review.
	Draft bool
	// Title and Body describe the pull request in its author's words.
	Title, Body string
	// Labels are the names of its labels; Label is the one that the action is
	// about.
	Labels []string
	Label  string
	// Author is the login of the author.
	Author string
}

// payload holds the fields of the host's payloads that are used.
type payload struct {
	Action     string       `json:"action"`
	Repository *repository  `json:"repository"`
	Number     int          `json:"number"`
	Label      *label       `json:"label"`
	Pull       *pullRequest `json:"pull_request"`
	Run        *workflowRun `json:"workflow_run"`
}

type repository struct {
	ID       int64  `json:"id"`
	FullName string `json:"full_name"`
}

type label struct {
	Name string `json:"name"`
}

type pullRequest struct {
	Number int    `json:"number"`
	Title  string `json:"title"`
	Body   string `json:"body"`
	Draft  bool   `json:"draft"`
	Head   branch `json:"head"`
	Base   branch `json:"base"`
	User   struct {
		Login string `json:"login"`
	} `json:"user"`
	Labels []label `json:"labels"`
}

type branch struct {
	SHA  string      `json:"sha"`
	Ref  string      `json:"ref"`
	Repo *repository `json:"repo"`
}

type workflowRun struct {
	Event          string        `json:"event"`
	HeadSHA        string        `json:"head_sha"`
	HeadBranch     string        `json:"head_branch"`
	HeadRepository *repository   `json:"head_repository"`
	PullRequests   []pullRequest `json:"pull_requests"`
}

// ParseEvent reads the payload of an event. The name is that of the event, which
// the payload does not hold.
func ParseEvent(name string, data []byte) (Event, error) {
	ev := Event{Name: name}
	var p payload
	switch name {
	case EventSchedule, EventDispatch:
		if len(strings.TrimSpace(string(data))) == 0 {
			return ev, nil
		}
	case EventPullRequest, EventPullRequestTarget, EventWorkflowRun:
	default:
		return Event{}, fmt.Errorf("event %.100q is not supported: want %s, %s, %s, %s or %s", name,
			EventPullRequest, EventPullRequestTarget, EventSchedule, EventDispatch, EventWorkflowRun)
	}
	if err := json.Unmarshal(data, &p); err != nil {
		return Event{}, fmt.Errorf("payload of event %q: %w", name, err)
	}
	ev.Action = p.Action
	ev.Repo, _ = p.Repository.repo()
	if p.Label != nil {
		ev.Label = p.Label.Name
	}
	var err error
	switch name {
	case EventPullRequest, EventPullRequestTarget:
		err = ev.setPull(&p)
	case EventWorkflowRun:
		err = ev.setRun(&p)
	}
	if err != nil {
		return Event{}, fmt.Errorf("payload of event %q: %w", name, err)
	}
	return ev, nil
}

func (r *repository) repo() (Repo, bool) {
	if r == nil {
		return Repo{}, false
	}
	repo, err := ParseRepo(r.FullName)
	return repo, err == nil
}

func (ev *Event) setPull(p *payload) error {
	pr := p.Pull
	if pr == nil {
		return fmt.Errorf("pull_request is missing")
	}
	ev.Number = pr.Number
	if ev.Number == 0 {
		ev.Number = p.Number
	}
	switch {
	case ev.Number <= 0:
		return fmt.Errorf("pull_request.number %d is not above 0", ev.Number)
	case !review.IsCommit(pr.Head.SHA):
		return fmt.Errorf("pull_request.head.sha %.100q is not a commit", pr.Head.SHA)
	case !review.IsCommit(pr.Base.SHA):
		return fmt.Errorf("pull_request.base.sha %.100q is not a commit", pr.Base.SHA)
	}
	base, ok := pr.Base.Repo.repo()
	if !ok {
		return fmt.Errorf("pull_request.base.repo is missing")
	}
	if ev.Repo == (Repo{}) {
		ev.Repo = base
	}
	ev.Head, ev.Base = pr.Head.SHA, pr.Base.SHA
	ev.HeadRef, ev.BaseRef = pr.Head.Ref, pr.Base.Ref
	ev.HeadRepo, ok = pr.Head.Repo.repo()
	// The repository of a head that is gone was a fork.
	ev.Fork = !ok || !strings.EqualFold(ev.HeadRepo.String(), base.String())
	ev.Draft, ev.Title, ev.Body, ev.Author = pr.Draft, pr.Title, pr.Body, pr.User.Login
	for _, l := range pr.Labels {
		ev.Labels = append(ev.Labels, l.Name)
	}
	return nil
}

func (ev *Event) setRun(p *payload) error {
	run := p.Run
	switch {
	case run == nil:
		return fmt.Errorf("workflow_run is missing")
	case ev.Repo == (Repo{}):
		return fmt.Errorf("repository is missing")
	case !review.IsCommit(run.HeadSHA):
		return fmt.Errorf("workflow_run.head_sha %.100q is not a commit", run.HeadSHA)
	}
	ev.Head, ev.HeadRef = run.HeadSHA, run.HeadBranch
	var ok bool
	ev.HeadRepo, ok = run.HeadRepository.repo()
	ev.Fork = !ok || !strings.EqualFold(ev.HeadRepo.String(), ev.Repo.String())
	// The list has pull requests of other repositories, too. Of the others, the one
	// with this head is the right one, unless several have it.
	n := 0
	for _, pr := range run.PullRequests {
		if into := pr.Base.Repo; into != nil && into.ID != p.Repository.ID {
			continue
		}
		if pr.Number > 0 && pr.Head.SHA == run.HeadSHA {
			ev.Number = pr.Number
			n++
		}
	}
	if n != 1 {
		ev.Number = 0
	}
	return nil
}
