package github

import (
	"context"

	gh "github.com/google/go-github/v92/github"
)

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
	out := &gh.CheckRunOutput{Title: new(k.Title), Summary: new(k.Summary)}
	for _, a := range k.Annotations[from:to] {
		out.Annotations = append(out.Annotations, &gh.CheckRunAnnotation{
			Path: new(a.Path), StartLine: new(a.StartLine), EndLine: new(a.EndLine),
			AnnotationLevel: new(a.Level), Title: new(a.Title), Message: new(a.Message),
		})
	}
	return out
}

// createCheck makes a check run with its first annotations; it is completed with
// the last ones.
func (p *poster) createCheck(ctx context.Context, k *Check) error {
	n := min(len(k.Annotations), annotationBatch)
	opts := gh.CreateCheckRunOptions{
		Name: k.Name, HeadSHA: p.plan.r.Head, ExternalID: new(k.ExternalID),
		Status: new("in_progress"), Output: k.output(0, n),
	}
	if n == len(k.Annotations) {
		opts.Status, opts.Conclusion = new("completed"), new(string(k.Conclusion))
	}
	if p.plan.r.RunURL != "" {
		opts.DetailsURL = new(p.plan.r.RunURL)
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
			opts.Status, opts.Conclusion = new("completed"), new(string(k.Conclusion))
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
			Name: run.Name, Status: new("completed"), Conclusion: new(string(Neutral)),
		})
		return err
	}, nil)
	return err
}
