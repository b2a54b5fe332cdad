package gitdiff

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Kind says what kept git from answering, by what the caller can do about it.
type Kind int

// The kinds of errors.
const (
	Other              Kind = iota // git failed for a reason of its own
	GitNotFound                    // there is no git binary
	NotRepository                  // the folder is in no working tree
	BareRepository                 // the repository has no working tree
	DubiousOwnership               // git refuses the repository of another user
	BadBase                        // the base cannot be a reference, or excludes another setting
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
	// Subject is what the error is about: the reference, path or folder.
	Subject string
	// Hint says what to do, for instance the git command to run; it may be
	// empty.
	Hint string
	// Err says what happened. Where git itself failed it is or wraps a
	// [*GitError].
	Err error
}

func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

// GitError is a git command that failed.
type GitError struct {
	// Command is the name of the git command.
	Command string
	// ExitCode is the status that it ended with, -1 if it was not started or
	// was ended by a signal.
	ExitCode int
	// Stderr is the end of what it wrote there. It may hold names of files,
	// with any characters.
	Stderr string
	// Err is the error of the process.
	Err error
}

func (e *GitError) Error() string {
	if line := e.reason(); line != "" {
		return fmt.Sprintf("git %s: %s", e.Command, line)
	}
	return fmt.Sprintf("git %s: %v", e.Command, e.Err)
}

// Unwrap returns the error of the process.
func (e *GitError) Unwrap() error { return e.Err }

// reason returns the line of the output that says why git gave up.
func (e *GitError) reason() string {
	last := ""
	for line := range strings.Lines(e.Stderr) {
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
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var ge *GitError
	if !errors.As(err, &ge) {
		return err
	}
	switch s := ge.Stderr; {
	case strings.Contains(s, "dubious ownership"), strings.Contains(s, "unsafe repository"):
		return &Error{Kind: DubiousOwnership, Subject: dir, Err: err, Hint: safeDirectoryHint(s, dir)}
	case strings.Contains(s, "not a git repository"):
		return &Error{Kind: NotRepository, Subject: dir, Err: fmt.Errorf("%q is not in a git repository", dir)}
	}
	return gitFailure(err)
}

// safeDirectoryHint repeats git's own advice, which names the folder as git
// sees it.
func safeDirectoryHint(stderr, dir string) string {
	const advice = "git config --global --add safe.directory "
	for line := range strings.Lines(stderr) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, advice) {
			return line
		}
	}
	return advice + shellQuote(dir)
}

// gitFailure gives an error of git its kind.
func gitFailure(err error) error {
	var e *Error
	var ge *GitError
	if err == nil || errors.As(err, &e) || !errors.As(err, &ge) {
		return err
	}
	for _, s := range []string{"promisor", "lazy fetch", "transport '", "bad object", "unable to read "} {
		if strings.Contains(ge.Stderr, s) && !strings.Contains(ge.Stderr, "unable to read files to diff") {
			return missingObjects(err)
		}
	}
	return &Error{Kind: Other, Err: err}
}

func missingObjects(err error) *Error {
	return &Error{Kind: MissingObjects, Err: fmt.Errorf("contents are missing in this clone: %w", err),
		Hint: "in a partial clone, fetch them first: git fetch --refetch --no-filter"}
}

// shellQuote quotes s for the hints.
func shellQuote(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/-+@") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
