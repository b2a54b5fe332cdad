package project_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/codescan-dev/scanner/project"
)

func TestExitCode(t *testing.T) {
	failed := errors.New("no repository")
	usage := fmt.Errorf("scan: %w", project.UsageError(errors.New("unknown flag")))
	all := project.Result{Fails: true, Incomplete: true}
	for _, tt := range []struct {
		name string
		r    project.Result
		err  error
		want int
	}{
		{"all right", project.Result{}, nil, 0},
		{"findings", project.Result{Fails: true}, nil, 1},
		{"usage", project.Result{}, usage, 2},
		{"failed", project.Result{}, failed, 3},
		{"incomplete", project.Result{Incomplete: true}, nil, 4},
		{"interrupted", project.Result{Interrupted: true}, nil, 130},
		{"canceled", project.Result{}, fmt.Errorf("git: %w", context.Canceled), 130},
		{"interrupted before all", project.Result{Interrupted: true, Fails: true, Incomplete: true}, failed, 130},
		{"failed before findings", all, failed, 3},
		{"usage before findings", all, usage, 2},
		{"findings before incomplete", all, nil, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := project.ExitCode(&tt.r, tt.err); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
	if got := project.ExitCode(nil, nil); got != 0 {
		t.Errorf("no result: got %d, want 0", got)
	}
}
