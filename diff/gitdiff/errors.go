package gitdiff

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Kind classifies errors by what the caller can do about them.
type Kind int

// The kinds of errors.
const (
	Other              Kind = iota // git failed for another reason
	GitNotFound                    // there is no git binary
	NotRepository                  // the directory is not in a working tree
	BareRepository                 // the repository has no working tree
	DubiousOwnership               // git refuses the repository of another user
	BadBase                        // not a valid reference, or settings that cannot be used together
	UnresolvedBase                 // the base reference does not resolve
	UnresolvedRevision             // another reference or commit does not resolve
	ShallowBase                    // the merge base is not in this shallow clone
	UnrelatedBase                  // there is no merge base
	BadPath                        // a path is outside, or neither in the tree nor in the change
	MissingObjects                 // contents are not in this partial or damaged clone
)

// Error is a failure that this package can explain.
type Error struct {
	Kind Kind
	// Subject is the reference, path or directory that the error is about.
	Subject string
	// Hint is what the user can do, such as the git command to run; it may be
	// empty.
	Hint string
	// Err describes what happened.
	Err error
}

func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

// gitError is a git command that failed.
type gitError struct {
	command  string // the name of the git command
	exitCode int    // -1 if it was not started, or was ended by a signal
	stderr   string // the end of it
	err      error  // of the process
}

func (e *gitError) Error() string {
	if line := e.reason(); line != "" {
		return fmt.Sprintf("git %s: %s", e.command, line)
	}
	return fmt.Sprintf("git %s: %v", e.command, e.err)
}

func (e *gitError) Unwrap() error { return e.err }

// reason returns the line of stderr that gives the reason of the failure.
func (e *gitError) reason() string {
	last := ""
	for line := range strings.Lines(e.stderr) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "fatal: "); ok {
			return rest
		}
		if line != "" && !strings.HasPrefix(line, "hint: ") {
			last = line
		}
	}
	return strings.TrimPrefix(last, "error: ")
}

// openError explains why a repository cannot be opened.
func openError(ctx context.Context, dir string, err error) error {
	if ge, ok := errors.AsType[*gitError](err); ok && ctx.Err() == nil {
		switch s := ge.stderr; {
		case strings.Contains(s, "dubious ownership"), strings.Contains(s, "unsafe repository"):
			return &Error{Kind: DubiousOwnership, Subject: dir, Err: err, Hint: safeDirectoryHint(s, dir)}
		case strings.Contains(s, "not a git repository"):
			return &Error{Kind: NotRepository, Subject: dir, Err: fmt.Errorf("%q is not in a git repository", dir)}
		}
	}
	return explain(ctx, err)
}

// explain returns the error for a caller of the package: that of ctx if it ended,
// or that of a git command with its kind.
func explain(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	ge, ok := errors.AsType[*gitError](err)
	if _, explained := errors.AsType[*Error](err); !ok || explained {
		return err
	}
	for _, s := range []string{"promisor", "lazy fetch", "transport '", "bad object", "unable to read "} {
		if strings.Contains(ge.stderr, s) && !strings.Contains(ge.stderr, "unable to read files to diff") {
			return missingObjects(err)
		}
	}
	return &Error{Kind: Other, Err: err}
}

// safeDirectoryHint repeats the advice of git, with the path of the directory as
// git compares it.
func safeDirectoryHint(stderr, dir string) string {
	const advice = "git config --global --add safe.directory "
	for line := range strings.Lines(stderr) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, advice) {
			return line
		}
	}
	return advice + shellQuote(dir)
}

func missingObjects(err error) *Error {
	return &Error{Kind: MissingObjects, Err: fmt.Errorf("contents are missing in this clone: %w", err),
		Hint: "in a partial clone, fetch them first: git fetch --refetch --no-filter"}
}

// shellQuote quotes s for a shell, as in hints.
func shellQuote(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/-+@") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
