package fix

import (
	"context"
	"errors"
	"fmt"
	"maps"
)

// Try runs checks over the analyzed tree with some files changed: files holds
// their new contents by path, all others are as they were analyzed. An error
// that wraps [ErrCheckFailed] says that the checks do not pass; any other that
// they could not be run.
type Try func(ctx context.Context, files map[string][]byte) error

// ErrCheckFailed is wrapped by errors of a [Try] that say that the checks do
// not pass.
var ErrCheckFailed = errors.New("the checks do not pass")

// Prove returns the plan with only those fixes with which the checks still
// pass. The others are refused, reason [ReasonCheck].
//
// All fixes are tried together first: mostly that is all it takes. Otherwise,
// if the checks pass without any fix, each is tried in the order of priority
// together with those that were kept before, and what is returned has been
// tried as a whole. If the checks do not pass without any fix either, they
// prove nothing, and all fixes are refused.
//
// It calls try one at a time, at most twice and once more for each fix. An
// error is that of the context or of a try that could not be run.
func (p *Plan) Prove(ctx context.Context, try Try) (*Plan, error) {
	passes := func(q *Plan) (error, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		err := try(ctx, q.files())
		switch {
		case err == nil:
			return nil, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, ErrCheckFailed):
			return err, nil
		}
		return nil, fmt.Errorf("try fixes: %w", err)
	}
	if len(p.Changes) == 0 {
		return p, nil
	}
	together, err := passes(p)
	if err != nil || together == nil {
		return p, err
	}
	all := make(map[int]refusal)
	for i := range p.fixes {
		all[i] = refusal{ReasonCheck, "the checks do not pass without any fix either"}
	}
	none := p.restrict(all)
	before, err := passes(none)
	if err != nil {
		return p, err
	}
	if before != nil {
		return none, nil
	}

	refused := make(map[int]refusal)
	for i := range p.fixes {
		held := maps.Clone(refused)
		for k := i + 1; k < len(p.fixes); k++ {
			held[k] = refusal{}
		}
		q := p.restrict(held)
		if q.Outcomes[i].Status != StatusPlanned {
			continue
		}
		failed := together
		if len(refused) > 0 || Count(q.Outcomes).Planned < Count(p.Outcomes).Planned {
			if failed, err = passes(q); err != nil {
				return p, err
			}
		}
		if failed != nil {
			refused[i] = *refuse(ReasonCheck, "with the fix, %v", failed)
		}
	}
	return p.restrict(refused), nil
}

// restrict returns the plan without some fixes, of which those that are refused
// already stay so for their own reason.
func (p *Plan) restrict(excluded map[int]refusal) *Plan {
	excluded = maps.Clone(excluded)
	for i := range p.excluded {
		delete(excluded, i)
	}
	return p.without(excluded)
}

// files returns the new contents of the files that change.
func (p *Plan) files() map[string][]byte {
	files := make(map[string][]byte, len(p.Changes))
	for _, ch := range p.Changes {
		files[ch.Path] = ch.After
	}
	return files
}
