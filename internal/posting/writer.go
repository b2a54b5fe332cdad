package posting

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/codescan-dev/scanner/review"
)

// Writer makes the writes of a plan. The refusal of one is a warning; when the host
// refuses all of a kind, no other is tried.
type Writer struct {
	*Caller
	Plan *review.Plan
	Out  *review.Outcome
	Done review.Progress
	// Read returns the head of the change now, and the numbers of its comments.
	Read func(context.Context) (review.State, error)
	// Checks and Comments are the permissions for check runs and comments.
	Checks, Comments string
	// Refused holds the permissions of writes that the host refuses altogether, for
	// whatever reason.
	Refused map[string]bool
	// Commented counts the comments on lines that the run may have posted.
	Commented int
	// reason is the first refusal that a permission does not help against.
	reason error
}

// NewWriter returns a writer of a plan. checks and comments are the permissions for
// check runs and comments.
func NewWriter(c *Caller, plan *review.Plan, checks, comments string) Writer {
	have := &plan.Have
	w := Writer{
		Caller: c, Plan: plan, Out: &review.Outcome{Plan: plan, Warnings: slices.Clone(have.Warnings), NoChecks: have.NoChecks}, Checks: checks, Comments: comments,
		Done:    review.Progress{CheckURLs: maps.Clone(plan.CheckURLs)},
		Refused: map[string]bool{checks: have.NoChecks, comments: have.NoPull},
	}
	for _, e := range have.Denied {
		w.Deny(e)
	}
	if plan.Summary != nil {
		w.Out.SummaryURL = plan.Summary.URL
	}
	return w
}

// Run carries out the steps of a plan. It is an error when nothing could be posted, and
// nothing is there, for a reason that a permission does not help against.
func (w *Writer) Run(ctx context.Context, steps ...func(context.Context) error) error {
	if w.Plan.Writes() == 0 {
		return nil
	}
	for _, step := range append([]func(context.Context) error{w.CheckHead}, steps...) {
		if err := step(ctx); err != nil {
			return err
		}
	}
	w.Out.NoComments = w.Refused[w.Comments]
	shown := slices.ContainsFunc(w.Plan.Actions, func(a review.Action) bool {
		return a.Kind == review.Keep && (a.Target == review.OnCheck || a.Target == review.OnSummary)
	})
	if w.Out.Writes == 0 && !shown {
		return w.reason
	}
	return nil
}

// Each returns a step that carries out the actions on a target that are not kept.
func (w *Writer) Each(target review.Target, do func(context.Context, *review.Action) error) func(context.Context) error {
	return func(ctx context.Context) error {
		for i := range w.Plan.Actions {
			if a := &w.Plan.Actions[i]; a.Target == target && a.Kind != review.Keep {
				if err := do(ctx, a); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// CheckHead makes sure that nothing is posted about an outdated change, and that no
// other run has posted what is about to be. The one comment on the change as a whole
// comes last, so only comments on lines can be this run's own.
func (w *Writer) CheckHead(ctx context.Context) error {
	have := &w.Plan.Have
	if w.Plan.Number == 0 || have.NoPull {
		return nil
	}
	now, err := w.Read(ctx)
	switch {
	case err != nil:
		return err
	case now.Head != w.Plan.Head:
		return review.ErrHeadMoved
	case now.Comments > have.Comments, now.LineComments > have.LineComments+w.Commented:
		return review.ErrStale
	}
	return nil
}

// Do makes a write and reports whether it was done. The refusal of this one write is a
// warning. A write of a kind that the host refuses altogether is not tried.
func (w *Writer) Do(ctx context.Context, t Task, request func() error) (ok bool, err error) {
	if w.Refused[t.Permission] {
		return false, nil
	}
	err = w.Call(ctx, t, request)
	if err == nil {
		w.Out.Writes++
		return true, nil
	}
	return false, w.Refuse(t, err)
}

// Refuse notes that a write was refused. It returns the error if that ends the posting.
func (w *Writer) Refuse(t Task, err error) error {
	if IsFatal(err) {
		return err
	}
	if denied, ok := errors.AsType[*review.PermissionError](err); ok {
		w.Deny(denied)
		w.Refused[t.Permission] = true
	} else {
		w.Warn(err.Error())
		w.reason = cmp.Or(w.reason, err)
		w.Refused[t.Permission] = isForbidden(err)
	}
	w.Out.NoChecks = w.Refused[w.Checks]
	// An account that cannot make check runs has nothing to do in the next run.
	if !w.Refused[t.Permission] || t.Permission != w.Checks || w.Plan.Have.MakesChecks {
		w.Done.Incomplete = true
	}
	return nil
}

// Deny notes a permission that the token lacks.
func (w *Writer) Deny(e *review.PermissionError) {
	w.Out.Denied = append(w.Out.Denied, e.Permission)
	w.Warn(e.Error())
}

// Warn notes what could not be done.
func (w *Writer) Warn(msg string) {
	if !slices.Contains(w.Out.Warnings, msg) {
		w.Out.Warnings = append(w.Out.Warnings, msg)
	}
}
