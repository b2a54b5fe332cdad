package project

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/diff/gitdiff"
	"github.com/codescan-dev/scanner/provider"
	"github.com/codescan-dev/scanner/provider/replay"
)

// The exit codes; see [ExitCode].
const (
	exitOK          = 0
	exitFindings    = 1
	exitUsage       = 2
	exitFailed      = 3
	exitIncomplete  = 4
	exitInterrupted = 130
)

// ExitCode returns the exit code of a program for the result of a run, which may be
// nil, and its error:
//
//	0    everything was analyzed, nothing at or above failOn
//	1    findings at or above failOn
//	2    wrong usage or configuration; see [UsageError]
//	3    the run could not be done
//	4    chunks failed, or a budget, the timeout or the breaker ended the run
//	130  the context was canceled
//
// When several apply, it is the first of 130, 3, 2, 1, 4, 0.
func ExitCode(r *Result, err error) int {
	if r == nil {
		r = &Result{}
	}
	var usage *usageError
	var limit timeLimitError
	switch {
	case r.Interrupted || errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, &limit):
		return exitIncomplete
	case err != nil && !errors.As(err, &usage):
		return exitFailed
	case err != nil:
		return exitUsage
	case r.Fails:
		return exitFindings
	case r.Incomplete:
		return exitIncomplete
	default:
		return exitOK
	}
}

// usageError is an error that the user corrects in the arguments or in the
// configuration.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// UsageError marks an error as one that the user corrects in the arguments or in
// the configuration, which [ExitCode] returns 2 for. Nil stays nil.
func UsageError(err error) error {
	if err == nil {
		return nil
	}
	return &usageError{err}
}

func usagef(format string, args ...any) error {
	return UsageError(fmt.Errorf(format, args...))
}

// hintError adds to an error what the user can do about it.
type hintError struct {
	err  error
	hint string
}

func (e *hintError) Error() string { return e.err.Error() }
func (e *hintError) Unwrap() error { return e.err }

// WithHint adds to an error what the user can do about it; see [Hint].
func WithHint(err error, hint string) error {
	if err == nil || hint == "" {
		return err
	}
	return &hintError{err, hint}
}

// Hint returns what the user can do about an error; empty if that is not known.
func Hint(err error) string {
	if h, ok := errors.AsType[*hintError](err); ok {
		return h.hint
	}
	if p, ok := errors.AsType[*provider.Error](err); ok {
		return p.Hint
	}
	return ""
}

// gitError gives an error of git its exit code and its hint.
func gitError(err error) error {
	e, ok := errors.AsType[*gitdiff.Error](err)
	if !ok {
		return err
	}
	hint := e.Hint
	switch e.Kind {
	case gitdiff.UnresolvedBase:
		err = usagef("No changes found: base reference %q does not resolve", e.Subject)
	case gitdiff.BadBase, gitdiff.ShallowBase, gitdiff.UnrelatedBase, gitdiff.UnresolvedRevision, gitdiff.BadPath:
		err = UsageError(err)
	case gitdiff.NotRepository:
		if hint == "" {
			hint = "run it in a repository, or scan a diff with --diff-file"
		}
	}
	return WithHint(err, hint)
}

// commitError is gitError for a commit of a pull request that is not in the clone:
// the user did not choose it, so the error does not mean that there are no changes.
func commitError(err error) error {
	if e, ok := errors.AsType[*gitdiff.Error](err); ok && e.Kind == gitdiff.UnresolvedBase {
		return WithHint(UsageError(err), e.Hint)
	}
	return gitError(err)
}

// errUnauthorized is the error of a run whose credentials were refused.
type errUnauthorized struct{}

func (errUnauthorized) Error() string { return "Authentication failed: unauthorized" }

// runError returns an error that ended a run as users see it.
func (pl *Plan) runError(err error) error {
	if m, ok := errors.AsType[*replay.MissingError](err); ok {
		return WithHint(UsageError(m), fmt.Sprintf("the same command with --record=%s in place of --replay records it: scanner scan --record=%[1]s --skill=%s %s",
			pl.opts.Replay, m.Task.Skill, diff.QuotePath(m.Task.Path)))
	}
	p, ok := errors.AsType[*provider.Error](err)
	if !ok || p.Kind != provider.KindAuth {
		return err
	}
	// The provider does not know where its key is from.
	key := cmp.Or(pl.Settings.Origin("provider.apiKey"), "SCANNER_PROVIDER_API_KEY")
	hint := strings.Replace(p.Hint, "the API key", key, 1)
	if hint == "" {
		hint = "check " + key + ", and that it belongs to this API"
	}
	if p.Message != "" {
		hint += " (" + p.Message + ")"
	}
	return WithHint(errUnauthorized{}, hint)
}
