package review

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/retry"
)

// Host is a code host, seen from one repository.
type Host interface {
	// FindPullRequest returns the open pull request with a head. The error wraps
	// [ErrHeadMoved] when none has it, or no longer.
	FindPullRequest(context.Context, Head) (int, error)
	// Files returns the changes of a pull request, for a run without git.
	Files(ctx context.Context, number int) ([]diff.File, error)
	// Read returns the state of a pull request, or of a commit alone when number
	// is 0. What the token lacks a permission for is not an error; see
	// [State.NoPull].
	Read(ctx context.Context, number int, head string) (State, error)
	// Apply carries out a plan. What the token lacks a permission for is left out,
	// with a warning, and the rest is done. The outcome is there with an error, too,
	// and what was done stays: the next run continues from there. The error is or
	// wraps [ErrHeadMoved], [ErrStale], [ErrUnanswered], [ErrUnauthorized] or a
	// [*LimitError], or is the reason why the host refused everything.
	Apply(context.Context, *Plan) (*Outcome, error)
}

// Head is where the head of a pull request comes from.
type Head struct {
	Commit string
	// Repo and Ref are the repository and the branch.
	Repo, Ref string
}

// Outcome is the result of carrying out a plan.
type Outcome struct {
	Plan *Plan
	// Writes counts the requests that changed something.
	Writes int
	// SummaryURL is the address of the summary comment; empty if there is none.
	SummaryURL string
	// Warnings describe what could not be done.
	Warnings []string
	// Denied are the permissions that the token lacks.
	Denied []string
	// NoChecks is set when the host lets the token make no check runs.
	NoChecks bool
	// NoComments is set when it lets the token write no comments, and there were some.
	NoComments bool
}

// Post makes a host show a result: it reads the state, plans, and has the plan
// carried out, unless dryRun is set. It changes nothing and returns [ErrHeadMoved]
// when the pull request has another head by now. The outcome is never nil.
//
// After a write without an answer it starts again: the state shows whether that
// was carried out. It also does so when another run posted after the state was read.
func Post(ctx context.Context, host Host, r Result, dryRun bool) (*Outcome, error) {
	var out *Outcome
	writes := 0
	policy := retry.Policy{Retries: 8, Initial: time.Second, Max: 16 * time.Second}
	err := retry.Do(ctx, policy, func() (again bool, wait time.Duration, err error) {
		out, err = post(ctx, host, r, dryRun)
		writes += out.Writes
		return errors.Is(err, ErrUnanswered) || errors.Is(err, ErrStale), 0, err
	}, nil)
	if out == nil {
		out = new(Outcome)
	}
	out.Writes = writes
	return out, err
}

func post(ctx context.Context, host Host, r Result, dryRun bool) (*Outcome, error) {
	have, err := read(ctx, host, r.Number, r.Head)
	if err != nil {
		return new(Outcome), err
	}
	plan, err := NewPlan(r, have)
	if err != nil || dryRun {
		return &Outcome{Plan: plan}, err
	}
	return host.Apply(ctx, plan)
}

// FindEarlier looks for a review of a pull request that is done; see [State.Done]. It
// returns [ErrHeadMoved] when the pull request has another head by now.
func FindEarlier(ctx context.Context, host Host, number int, head, policy string, skills []string) (Earlier, bool, error) {
	have, err := read(ctx, host, number, head)
	if err != nil {
		return Earlier{}, false, err
	}
	earlier, done := have.Done(head, policy, skills)
	return earlier, done, nil
}

// read returns the state of a pull request that has a head, or of a commit alone.
func read(ctx context.Context, host Host, number int, head string) (State, error) {
	have, err := host.Read(ctx, number, head)
	if err == nil && number > 0 && have.Head != head {
		err = ErrHeadMoved
	}
	return have, err
}

// ErrHeadMoved means that the pull request has another head than the one that
// was scanned. Nothing is posted about an outdated change.
var ErrHeadMoved = errors.New("the head of the pull request moved during the scan")

// ErrStale means that somebody posted on the pull request after its state was read.
var ErrStale = errors.New("the pull request changed after it was read")

// ErrUnanswered means that a host did not answer a write that cannot be repeated
// without harm: it may have been carried out.
var ErrUnanswered = errors.New("the code host did not answer")

// ErrUnauthorized means that the host does not accept the token.
var ErrUnauthorized = errors.New("the code host refused the token")

// PermissionError means that the token lacks a permission.
type PermissionError struct {
	// Doing describes what was tried.
	Doing string
	// Permission is what the workflow needs, such as "checks: write".
	Permission string
	// Reason is the message of the host; empty if it gave none.
	Reason string
}

func (e *PermissionError) Error() string {
	text := fmt.Sprintf("the token permissions are insufficient for %s: add `%s`", e.Doing, e.Permission)
	if e.Reason != "" {
		text += " (" + e.Reason + ")"
	}
	return text
}

// LimitError means that a rate limit of the host was hit and will not reset soon.
// The next run continues where this one ended.
type LimitError struct {
	Doing string
	// Wait is the time until the limit resets.
	Wait time.Duration
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("the code host's rate limit is used up while %s: it resets in %s", e.Doing, e.Wait.Round(time.Second))
}
