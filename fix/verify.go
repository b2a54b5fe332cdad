package fix

import (
	"context"
	"errors"
	"fmt"
)

// Check runs checks over the analyzed tree with some files changed: files are
// their new contents by path. An error that wraps [ErrCheckFailed] means that the
// checks fail; any other, that they could not be run.
type Check func(ctx context.Context, files map[string][]byte) error

// ErrCheckFailed is wrapped by errors of a [Check] that failed.
var ErrCheckFailed = errors.New("the checks do not pass")

// Verify returns the plan with only those fixes with which the checks still
// pass. The others are refused, reason [ReasonCheck].
//
// Mostly the checks pass with all fixes together, and that is all it takes.
// Otherwise, if they pass without any fix, each fix is tried in the order of
// priority, together with those that were kept before it. If the checks fail
// without any fix too, they prove nothing, and all fixes are refused.
//
// Verify calls check one at a time, at most twice and once more for each fix. An
// error is that of the context, or of a check that could not be run.
func (p *Plan) Verify(ctx context.Context, check Check) (*Plan, error) {
	if len(p.Changes) == 0 {
		return p, nil
	}
	together, err := p.check(ctx, check)
	if err != nil || together == nil {
		return p, err
	}
	none := make(map[int]*refusal)
	for i := range p.fixes {
		none[i] = refuse(ReasonCheck, "the checks do not pass without any fix either")
	}
	before, err := p.without(none).check(ctx, check)
	if err != nil {
		return p, err
	}
	if before != nil {
		return p.without(none), nil
	}

	refused := make(map[int]*refusal) // what failed, and what was not tried yet
	for i := range p.fixes {
		refused[i] = none[i]
	}
	for i := range p.fixes {
		delete(refused, i)
		q := p.without(refused)
		if q.Outcomes[i].Status != StatusPlanned {
			continue
		}
		failed := together
		if len(refused) > 0 { // else all fixes were tried together before
			if failed, err = q.check(ctx, check); err != nil {
				return p, err
			}
		}
		if failed != nil {
			refused[i] = refuse(ReasonCheck, "with the fix, %v", failed)
		}
	}
	return p.without(refused), nil
}

// check returns why the checks fail with the plan, if they do.
func (p *Plan) check(ctx context.Context, check Check) (failed, err error) {
	files := make(map[string][]byte, len(p.Changes))
	for _, ch := range p.Changes {
		files[ch.Path] = ch.After
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	switch err := check(ctx, files); {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, ErrCheckFailed):
		return err, nil
	case err != nil:
		return nil, fmt.Errorf("check fixes: %w", err)
	}
	return nil, nil
}
