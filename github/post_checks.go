package github

import (
	"context"

	"github.com/codescan-dev/scanner/review"
	gh "github.com/google/go-github/v92/github"
)

// annotationBatch is the number of annotations that the host takes at once.
const annotationBatch = 50

// check creates or continues a check run.
func (p *poster) check(ctx context.Context, a *review.Action) error {
	if a.Run == nil {
		return p.createCheck(ctx, a.Check)
	}
	return p.continueCheck(ctx, a.Check, a.Run.ID, a.Run.Annotations)
}

// output returns the output of a check run with some of its annotations.
func output(k *review.Check, annotations []review.Annotation) *gh.CheckRunOutput {
	out := &gh.CheckRunOutput{Title: new(k.Title), Summary: new(k.Summary)}
	for _, a := range annotations {
		out.Annotations = append(out.Annotations, &gh.CheckRunAnnotation{
			Path: new(a.Path), StartLine: new(a.StartLine), EndLine: new(a.EndLine),
			AnnotationLevel: new(a.Level), Title: new(a.Title), Message: new(a.Message),
		})
	}
	return out
}

// createCheck creates a check run with its first annotations; it is completed with
// the last ones.
func (p *poster) createCheck(ctx context.Context, k *review.Check) error {
	n := min(len(k.Annotations), annotationBatch)
	opts := gh.CreateCheckRunOptions{
		Name: k.Name, HeadSHA: p.Plan.Head, ExternalID: new(k.ExternalID),
		Status: new("in_progress"), Output: output(k, k.Annotations[:n]),
	}
	if n == len(k.Annotations) {
		opts.Status, opts.Conclusion = new("completed"), new(string(k.Conclusion))
	}
	if p.Plan.RunURL != "" {
		opts.DetailsURL = new(p.Plan.RunURL)
	}
	var run *gh.CheckRun
	t := task{Doing: "creating a check run", Permission: checksPermission, Once: true}
	ok, err := p.Do(ctx, t, func() (err error) {
		run, _, err = p.c.gh.Checks.CreateCheckRun(ctx, p.c.repo.Owner, p.c.repo.Name, opts)
		return err
	})
	if err != nil || !ok {
		return err
	}
	p.Done.CheckURLs[k.Skill] = run.GetHTMLURL()
	if n < len(k.Annotations) {
		return p.continueCheck(ctx, k, run.GetID(), n)
	}
	return nil
}

// continueCheck adds the annotations from the given one on, and completes the
// check run.
func (p *poster) continueCheck(ctx context.Context, k *review.Check, id int64, from int) error {
	// Annotations are added, so a second request would double them.
	t := task{Doing: "updating a check run", Permission: checksPermission, Once: true}
	from = min(from, len(k.Annotations))
	for {
		to := min(from+annotationBatch, len(k.Annotations))
		opts := gh.UpdateCheckRunOptions{Name: k.Name, Output: output(k, k.Annotations[from:to])}
		if to == len(k.Annotations) {
			opts.Status, opts.Conclusion = new("completed"), new(string(k.Conclusion))
		}
		ok, err := p.Do(ctx, t, func() error {
			_, _, err := p.c.gh.Checks.UpdateCheckRun(ctx, p.c.repo.Owner, p.c.repo.Name, id, opts)
			return err
		})
		if err != nil || !ok || to == len(k.Annotations) {
			return err
		}
		from = to
	}
}
