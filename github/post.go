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

// reviewBatch is the number of comments that one review carries.
const reviewBatch = 30

// Outcome says what became of a result.
type Outcome struct {
	// Plan is what was to be done.
	Plan *Plan
	// Writes counts the requests that changed something.
	Writes int
	// Checks are the URLs of the check runs by skill.
	Checks map[string]string
	// SummaryURL is the summary comment; empty if there is none.
	SummaryURL string
	// Warnings say what could not be done, among them which permissions the
	// token lacks.
	Warnings []string
	// Denied are the permissions that the token lacks, such as "checks: write".
	Denied []string
}

// Post makes the host show a result. It reads what is there, plans, and does
// what the plan says; with dryRun it only plans.
//
// What the token may not do is left out, with a warning, and the rest is done.
// The error is or wraps [ErrHeadMoved] when the pull request has another head by
// now, [ErrUnauthorized], or a [*LimitError]. The outcome comes with it, and
// what was done stays: the next run goes on from there.
func (c *Client) Post(ctx context.Context, r Result, dryRun bool) (*Outcome, error) {
	out := &Outcome{Checks: make(map[string]string)}
	if err := r.validate(); err != nil {
		return out, err
	}
	if r.Repo != c.repo {
		return out, fmt.Errorf("the result is about %s, not %s", r.Repo, c.repo)
	}
	have, err := c.Read(ctx, r.Number, r.Head)
	if err != nil {
		return out, err
	}
	if r.Number > 0 && have.Head != r.Head {
		return out, ErrHeadMoved
	}
	if out.Plan, err = NewPlan(r, have); err != nil {
		return out, err
	}
	if dryRun {
		return out, nil
	}
	p := &poster{c: c, plan: out.Plan, have: &have, out: out}
	if have.NoChecks {
		p.denied(&PermissionError{"reading the check runs", "checks: write"})
	}
	err = p.run(ctx)
	out.Checks = out.Plan.links
	return out, err
}

// poster does what a plan says.
type poster struct {
	c    *Client
	plan *Plan
	have *State
	out  *Outcome
}

// run goes from what only informs to what later runs go by: the summary comment,
// whose marker says that all is done, comes last.
func (p *poster) run(ctx context.Context) error {
	if p.plan.Writes() == 0 {
		return nil
	}
	if err := p.checkHead(ctx); err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{p.checkRuns, p.review, p.threads, p.dismiss, p.summary} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// checkHead makes sure that nothing is said about a change that has moved on.
func (p *poster) checkHead(ctx context.Context) error {
	r := p.plan.r
	if r.Number == 0 {
		return nil
	}
	head, err := p.c.head(ctx, r.Number)
	if err == nil && head != r.Head {
		err = ErrHeadMoved
	}
	return err
}

// do makes a write. A missing permission, and whatever else the host has against
// this one write, is a warning; ok tells whether it was done.
func (p *poster) do(ctx context.Context, t task, request func() error, written func() (bool, error)) (ok bool, err error) {
	err = p.c.call(ctx, t, request, written)
	switch {
	case err == nil:
		p.out.Writes++
		return true, nil
	case fatal(ctx, err):
		return false, err
	}
	if denied, ok := errors.AsType[*PermissionError](err); ok {
		p.denied(denied)
	} else {
		p.warn(err.Error())
	}
	return false, nil
}

// fatal reports whether an error ends the posting. A refusal of one request does
// not.
func fatal(ctx context.Context, err error) bool {
	if _, denied := errors.AsType[*PermissionError](err); denied {
		return false
	}
	if e, ok := errors.AsType[*graphQLError](err); ok && e.kind != "" {
		return false
	}
	status := statusOf(err)
	return ctx.Err() != nil || errors.Is(err, ErrUnauthorized) || status < 400 || status >= 500
}

func (p *poster) denied(e *PermissionError) {
	if !slices.Contains(p.out.Denied, e.Permission) {
		p.out.Denied = append(p.out.Denied, e.Permission)
	}
	p.warn(e.Error())
}

func (p *poster) warn(msg string) {
	if !slices.Contains(p.out.Warnings, msg) {
		p.out.Warnings = append(p.out.Warnings, msg)
	}
}

// checkRuns makes, continues and completes check runs.
func (p *poster) checkRuns(ctx context.Context) error {
	for i := range p.plan.Actions {
		a := &p.plan.Actions[i]
		if a.Target != "check run" || a.Kind == Keep {
			continue
		}
		var err error
		switch {
		case a.check < 0:
			err = p.closeCheck(ctx, a.run)
		case a.Kind == Create:
			err = p.createCheck(ctx, &p.plan.checks[a.check])
		default:
			err = p.continueCheck(ctx, &p.plan.checks[a.check], a.run.ID, a.run.Annotations)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// output returns the output of a check run with some of its annotations.
func (k *Check) output(from, to int) *gh.CheckRunOutput {
	out := &gh.CheckRunOutput{Title: gh.Ptr(k.Title), Summary: gh.Ptr(k.Summary)}
	for _, a := range k.Annotations[from:to] {
		out.Annotations = append(out.Annotations, &gh.CheckRunAnnotation{
			Path: gh.Ptr(a.Path), StartLine: gh.Ptr(a.StartLine), EndLine: gh.Ptr(a.EndLine),
			AnnotationLevel: gh.Ptr(a.Level), Title: gh.Ptr(a.Title), Message: gh.Ptr(a.Message),
		})
	}
	return out
}

// createCheck makes a check run with its first annotations; it is completed with
// the last ones.
func (p *poster) createCheck(ctx context.Context, k *Check) error {
	n := min(len(k.Annotations), annotationBatch)
	opts := gh.CreateCheckRunOptions{
		Name: k.Name, HeadSHA: p.plan.r.Head, ExternalID: gh.Ptr(k.ExternalID),
		Status: gh.Ptr("in_progress"), Output: k.output(0, n),
	}
	if n == len(k.Annotations) {
		opts.Status, opts.Conclusion = gh.Ptr("completed"), gh.Ptr(string(k.Conclusion))
	}
	if p.plan.r.RunURL != "" {
		opts.DetailsURL = gh.Ptr(p.plan.r.RunURL)
	}
	var run CheckRun
	known := make(map[int64]bool)
	for _, c := range p.have.Checks {
		known[c.ID] = true
	}
	ok, err := p.do(ctx, task{"creating a check run", "checks: write"}, func() error {
		r, _, err := p.c.gh.Checks.CreateCheckRun(ctx, p.c.repo.Owner, p.c.repo.Name, opts)
		run = CheckRun{ID: r.GetID(), URL: r.GetHTMLURL()}
		return err
	}, func() (bool, error) {
		runs, err := p.c.checkRuns(ctx, p.plan.r.Head)
		for _, r := range runs {
			if r.Name == k.Name && r.ExternalID == k.ExternalID && !known[r.ID] {
				run = r
				return true, err
			}
		}
		return false, err
	})
	if err != nil || !ok {
		return err
	}
	p.plan.links[k.Skill] = run.URL
	if n < len(k.Annotations) {
		return p.continueCheck(ctx, k, run.ID, n)
	}
	return nil
}

// continueCheck adds the annotations from the given one on, and completes the
// check run.
func (p *poster) continueCheck(ctx context.Context, k *Check, id int64, from int) error {
	t := task{"updating a check run", "checks: write"}
	from = min(from, len(k.Annotations))
	for {
		to := min(from+annotationBatch, len(k.Annotations))
		opts := gh.UpdateCheckRunOptions{Name: k.Name, Output: k.output(from, to)}
		if to == len(k.Annotations) {
			opts.Status, opts.Conclusion = gh.Ptr("completed"), gh.Ptr(string(k.Conclusion))
		}
		ok, err := p.do(ctx, t, func() error {
			_, _, err := p.c.gh.Checks.UpdateCheckRun(ctx, p.c.repo.Owner, p.c.repo.Name, id, opts)
			return err
		}, func() (bool, error) {
			// Annotations are added, so a repeat would double them.
			var done bool
			err := p.c.call(ctx, t, func() error {
				r, _, err := p.c.gh.Checks.GetCheckRun(ctx, p.c.repo.Owner, p.c.repo.Name, id)
				done = r.GetOutput().GetAnnotationsCount() >= to && (to < len(k.Annotations) || r.GetStatus() == "completed")
				return err
			}, nil)
			return done, err
		})
		if err != nil || !ok || to == len(k.Annotations) {
			return err
		}
		from = to
	}
}

// closeCheck completes a check run that an earlier run left, without a verdict.
func (p *poster) closeCheck(ctx context.Context, run *CheckRun) error {
	_, err := p.do(ctx, task{"updating a check run", "checks: write"}, func() error {
		_, _, err := p.c.gh.Checks.UpdateCheckRun(ctx, p.c.repo.Owner, p.c.repo.Name, run.ID, gh.UpdateCheckRunOptions{
			Name: run.Name, Status: gh.Ptr("completed"), Conclusion: gh.Ptr(string(Neutral)),
		})
		return err
	}, nil)
	return err
}

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
		p.refused(list)
		*request = false
		return nil
	}
	if statusOf(err) != http.StatusUnprocessableEntity {
		return err
	}
	switch len(list) {
	case 0:
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
		event, m.Blocking = "REQUEST_CHANGES", p.plan.blocking
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
			Path: gh.Ptr(c.Path), Body: gh.Ptr(c.Body), Line: gh.Ptr(c.Line), Side: gh.Ptr("RIGHT"),
		}
		if c.StartLine > 0 {
			d.StartLine, d.StartSide = gh.Ptr(c.StartLine), gh.Ptr("RIGHT")
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
			CommitID: gh.Ptr(r.Head), Body: gh.Ptr(body), Event: gh.Ptr(event), Comments: drafts,
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

// threads resolves and updates comments of earlier runs.
func (p *poster) threads(ctx context.Context) error {
	for i := range p.plan.Actions {
		a := &p.plan.Actions[i]
		if a.Target != "comment" || a.thread == nil || a.Kind == Keep {
			continue
		}
		var err error
		if a.Kind == Resolve {
			err = p.resolve(ctx, a.thread)
		} else {
			err = p.reopen(ctx, a.thread, p.plan.comments[a.comment].Body)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// resolve resolves a thread, or says in its comment that the finding is gone
// where the token may not do that. The second needs no permission but the one
// that the comment was made with.
func (p *poster) resolve(ctx context.Context, t *Thread) error {
	if t.Node != "" && t.MayResolve {
		err := p.c.resolve(ctx, t.Node, true)
		if err == nil {
			p.out.Writes++
			return nil
		}
		// A thread that cannot be resolved must not end the run, unless
		// nothing else can be done either.
		if ctx.Err() != nil || isLimit(err) || errors.Is(err, ErrUnauthorized) {
			return err
		}
	}
	return p.edit(ctx, t, goneBody(t.Body, p.plan.r.Head))
}

// reopen undoes what resolve did.
func (p *poster) reopen(ctx context.Context, t *Thread, body string) error {
	if t.Resolved && t.Node != "" && t.MayResolve {
		err := p.c.resolve(ctx, t.Node, false)
		switch {
		case err == nil:
			p.out.Writes++
		case fatal(ctx, err):
			return err
		default:
			p.warn(err.Error())
		}
	}
	var m findingMarker
	if readMarker(t.Body, markerFinding, &m) && m.Gone {
		return p.edit(ctx, t, body)
	}
	return nil
}

func (p *poster) edit(ctx context.Context, t *Thread, body string) error {
	_, err := p.do(ctx, task{"updating a review comment", "pull-requests: write"}, func() error {
		_, _, err := p.c.gh.PullRequests.UpdateComment(ctx, p.c.repo.Owner, p.c.repo.Name, t.ID, gh.UpdatePullRequestCommentRequest{Body: body})
		return err
	}, nil)
	return err
}

// goneBody returns a comment that says that its finding is gone.
func goneBody(body, head string) string {
	var m findingMarker
	if !readMarker(body, markerFinding, &m) {
		return body
	}
	m.Gone = true
	body = strings.TrimSpace(body)
	text := strings.TrimSpace(body[:strings.LastIndex(body, markerBegin)])
	return "**No longer found** as of " + head + ".\n\n" + text + "\n\n" + marker(markerFinding, m)
}

// dismiss dismisses requests for changes.
func (p *poster) dismiss(ctx context.Context) error {
	t := task{"dismissing a review", "pull-requests: write"}
	number := p.plan.r.Number
	for i := range p.plan.Actions {
		a := &p.plan.Actions[i]
		if a.Kind != Dismiss {
			continue
		}
		_, err := p.do(ctx, t, func() error {
			_, _, err := p.c.gh.PullRequests.DismissReview(ctx, p.c.repo.Owner, p.c.repo.Name, number, a.review.ID, gh.PullRequestDismissReviewRequest{
				Message: "Scanner: " + a.Reason + ".", Event: gh.Ptr("DISMISS"),
			})
			return err
		}, func() (bool, error) {
			revs, err := p.c.reviews(ctx, number)
			return slices.ContainsFunc(revs, func(r Review) bool { return r.ID == a.review.ID && r.State == "DISMISSED" }), err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// summary writes the summary comment.
func (p *poster) summary(ctx context.Context) error {
	i := slices.IndexFunc(p.plan.Actions, func(a Action) bool { return a.Target == "summary" })
	if i < 0 {
		return nil
	}
	posted := p.plan.posted
	if posted != nil {
		p.out.SummaryURL = posted.URL
	}
	body := p.plan.summary()
	// With the check runs and what the host refused, the text may differ from
	// the one that was planned.
	if p.plan.Actions[i].Kind == Keep && (p.plan.r.Untrusted || sameText(posted.Body, body)) {
		return nil
	}
	if err := p.checkHead(ctx); err != nil {
		return err
	}
	t := task{"writing the summary comment", "pull-requests: write"}
	number := p.plan.r.Number
	if posted != nil {
		_, err := p.do(ctx, t, func() error {
			_, _, err := p.c.gh.Issues.UpdateComment(ctx, p.c.repo.Owner, p.c.repo.Name, posted.ID, gh.IssueCommentRequest{Body: body})
			return err
		}, nil)
		return err
	}
	_, err := p.do(ctx, t, func() error {
		ic, _, err := p.c.gh.Issues.CreateComment(ctx, p.c.repo.Owner, p.c.repo.Name, number, gh.IssueCommentRequest{Body: body})
		p.out.SummaryURL = ic.GetHTMLURL()
		return err
	}, func() (bool, error) {
		list, err := p.c.summaries(ctx, number)
		for _, s := range list {
			if p.have.mine(s.Author) {
				p.out.SummaryURL = s.URL
				return true, err
			}
		}
		return false, err
	})
	return err
}
