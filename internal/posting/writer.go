package posting

import (
	"context"
	"errors"
	"slices"

	"github.com/codescan-dev/scanner/review"
)

// Writer makes the writes of a plan. The refusal of one is a warning; what needs a
// permission is not tried again when that was denied.
type Writer struct {
	*Caller
	Plan *review.Plan
	Out  *review.Outcome
	Done review.Progress
	// Head returns the head of the change now.
	Head func(context.Context) (string, error)
	// Checks is the permission for check runs.
	Checks string
}

// Each carries out the actions on a target that are not kept.
func (w *Writer) Each(ctx context.Context, target review.Target, do func(context.Context, *review.Action) error) error {
	for i := range w.Plan.Actions {
		if a := &w.Plan.Actions[i]; a.Target == target && a.Kind != review.Keep {
			if err := do(ctx, a); err != nil {
				return err
			}
		}
	}
	return nil
}

// CheckHead makes sure that nothing is posted about an outdated change.
func (w *Writer) CheckHead(ctx context.Context) error {
	if w.Plan.Number == 0 || w.Plan.Have.NoPull {
		return nil
	}
	head, err := w.Head(ctx)
	if err == nil && head != w.Plan.Head {
		err = review.ErrHeadMoved
	}
	return err
}

// Do makes a write and reports whether it was done. A missing permission, or any
// other refusal of this one write, is a warning. A write whose permission was
// denied before is not tried.
func (w *Writer) Do(ctx context.Context, t Task, request func() error) (ok bool, err error) {
	if slices.Contains(w.Out.Denied, t.Permission) {
		return false, nil
	}
	err = w.Call(ctx, t, request)
	if err == nil {
		w.Out.Writes++
		return true, nil
	}
	if IsFatal(err) {
		return false, err
	}
	denied, isDenied := errors.AsType[*review.PermissionError](err)
	if isDenied {
		w.Deny(denied)
	} else {
		w.Warn(err.Error())
	}
	// An account that cannot make check runs has nothing to do in the next run.
	if !isDenied || t.Permission != w.Checks || w.Plan.Have.MakesChecks {
		w.Done.Incomplete = true
	}
	return false, nil
}

// Deny notes a permission that the token lacks.
func (w *Writer) Deny(e *review.PermissionError) {
	w.Out.Denied = append(w.Out.Denied, e.Permission)
	w.Out.NoChecks = w.Out.NoChecks || e.Permission == w.Checks
	w.Warn(e.Error())
}

// Warn notes what could not be done.
func (w *Writer) Warn(msg string) {
	if !slices.Contains(w.Out.Warnings, msg) {
		w.Out.Warnings = append(w.Out.Warnings, msg)
	}
}
