package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/codescan-dev/scanner/internal/text"
	"github.com/codescan-dev/scanner/provider"
)

// The exit codes.
const (
	exitOK          = 0   // everything was analyzed, nothing at or above failOn
	exitFindings    = 1   // findings at or above failOn
	exitUsage       = 2   // wrong usage or configuration
	exitFailed      = 3   // the run could not be done
	exitIncomplete  = 4   // chunks failed, or a budget or the breaker ended the run
	exitInterrupted = 130 // SIGINT or SIGTERM
)

// outcome is what a run came to, as far as its exit code depends on it.
type outcome struct {
	interrupted bool
	err         error // what kept the run from being done; see [usageError]
	findings    bool  // findings at or above failOn
	incomplete  bool  // not everything was analyzed
}

// exitCode maps an outcome to the exit code. When several things happened, the
// first of 130, 3, 2, 1, 4, 0 counts.
func exitCode(o outcome) int {
	var usage *usageError
	switch {
	case o.interrupted || errors.Is(o.err, context.Canceled):
		return exitInterrupted
	case o.err != nil && !errors.As(o.err, &usage):
		return exitFailed
	case o.err != nil:
		return exitUsage
	case o.findings:
		return exitFindings
	case o.incomplete:
		return exitIncomplete
	default:
		return exitOK
	}
}

// usageError is an error that the user corrects in the command line or in the
// configuration.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// asUsage marks an error as one of usage; nil stays nil.
func asUsage(err error) error {
	if err == nil {
		return nil
	}
	return &usageError{err}
}

func usagef(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...)}
}

// hintError adds to an error what can be done about it.
type hintError struct {
	err  error
	hint string
}

func (e *hintError) Error() string { return e.err.Error() }
func (e *hintError) Unwrap() error { return e.err }

func withHint(err error, hint string) error {
	if err == nil || hint == "" {
		return err
	}
	return &hintError{err, hint}
}

// hintOf returns the hint in an error's chain, or nothing.
func hintOf(err error) string {
	var h *hintError
	if errors.As(err, &h) {
		return h.hint
	}
	var p *provider.Error
	if errors.As(err, &p) {
		return p.Hint
	}
	return ""
}

// formatError writes an error for people: the message, and on a line of its own
// what can be done about it.
func formatError(err error) string {
	var b strings.Builder
	b.WriteString("scanner: " + text.Clean(err.Error()) + "\n")
	if hint := hintOf(err); hint != "" {
		b.WriteString("hint: " + text.Clean(hint) + "\n")
	}
	return b.String()
}
