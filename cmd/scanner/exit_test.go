package main

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/codescan-dev/scanner/provider"
)

func TestExitCode(t *testing.T) {
	failed := errors.New("no repository")
	usage := fmt.Errorf("scan: %w", usagef("unknown flag"))
	for _, tt := range []struct {
		name string
		o    outcome
		want int
	}{
		{"all right", outcome{}, 0},
		{"findings", outcome{findings: true}, 1},
		{"usage", outcome{err: usage}, 2},
		{"failed", outcome{err: failed}, 3},
		{"incomplete", outcome{incomplete: true}, 4},
		{"interrupted", outcome{interrupted: true}, 130},
		{"canceled", outcome{err: fmt.Errorf("git: %w", context.Canceled)}, 130},
		{"interrupted before all", outcome{interrupted: true, err: failed, findings: true, incomplete: true}, 130},
		{"failed before findings", outcome{err: failed, findings: true, incomplete: true}, 3},
		{"usage before findings", outcome{err: usage, findings: true, incomplete: true}, 2},
		{"findings before incomplete", outcome{findings: true, incomplete: true}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := exitCode(tt.o); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}

func TestFormatError(t *testing.T) {
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"plain", errors.New("no luck"), "scanner: no luck\n"},
		{"controls are stripped", errors.New("no \x1b[31mluck"), "scanner: no luck\n"},
		{"hint", fmt.Errorf("scan: %w", withHint(errors.New("no key"), "use --offline")), "scanner: scan: no key\nhint: use --offline\n"},
		{"hint of the provider", &provider.Error{Kind: provider.KindInvalid, Message: "no", Hint: "ask nicely"}, "scanner: InvalidRequestError: no\nhint: ask nicely\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := formatError(tt.err); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
