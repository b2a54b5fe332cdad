package review

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/codescan-dev/scanner/diff"
)

// Host is a code host, seen from one repository.
type Host interface {
	// FindPullRequest returns the open pull request with a head. The error wraps
	// [ErrHeadMoved] when none has it, or no longer.
	FindPullRequest(context.Context, Head) (int, error)
	// Files returns the changes of a pull request, for where there is no git.
	Files(ctx context.Context, number int) ([]diff.File, error)
	// Read returns the state of a pull request, or of a commit alone when number
	// is 0. What the token may not read is not an error; see [State.NoPull].
	Read(ctx context.Context, number int, head string) (State, error)
	// Apply carries out a plan. What the token may not do is left out, with a
	// warning, and the rest is done. The outcome is there with an error, too, and
	// what was done stays: the next run continues from there.
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
	// CheckURLs are the addresses of the check runs by skill.
	CheckURLs map[string]string
	// SummaryURL is the address of the summary comment; empty if there is none.
	SummaryURL string
	// Warnings describe what could not be done.
	Warnings []string
	// Denied are the permissions that the token lacks.
	Denied []string
	// NoChecks is set when the permission for check runs is among them.
	NoChecks bool
}

// Post makes a host show a result: it reads the state, plans, and has the plan
// carried out, unless dryRun is set. It changes nothing and returns [ErrHeadMoved]
// when the pull request has another head by now. The outcome is never nil.
func Post(ctx context.Context, host Host, r Result, dryRun bool) (*Outcome, error) {
	if err := r.validate(); err != nil {
		return new(Outcome), err
	}
	have, err := host.Read(ctx, r.Number, r.Head)
	if err != nil {
		return new(Outcome), err
	}
	if r.Number > 0 && have.Head != r.Head {
		return new(Outcome), ErrHeadMoved
	}
	plan, err := NewPlan(r, have)
	if err != nil || dryRun {
		return &Outcome{Plan: plan}, err
	}
	return host.Apply(ctx, plan)
}

// ErrHeadMoved means that the pull request has another head than the one that
// was scanned. Nothing is posted about an outdated change.
var ErrHeadMoved = errors.New("the head of the pull request moved during the scan")

// ErrUnauthorized means that the host does not accept the token.
var ErrUnauthorized = errors.New("the code host refused the token")

// PermissionError means that the token lacks a permission.
type PermissionError struct {
	// Doing describes what was tried.
	Doing string
	// Permission is what the workflow needs, such as "checks: write".
	Permission string
}

func (e *PermissionError) Error() string {
	return fmt.Sprintf("the token permissions are insufficient for %s: add `%s`", e.Doing, e.Permission)
}

// LimitError means that a rate limit of the host was hit and will not reset soon.
// The next run continues where this one ended.
type LimitError struct {
	Doing string
	// Wait is the time until the limit resets; 0 when it is not known.
	Wait time.Duration
}

func (e *LimitError) Error() string {
	text := "the code host's rate limit is used up while " + e.Doing
	if e.Wait > 0 {
		text += ": it resets in " + e.Wait.Round(time.Second).String()
	}
	return text
}
