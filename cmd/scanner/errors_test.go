package main

import (
	"errors"
	"fmt"
	"testing"

	"github.com/codescan-dev/scanner/project"
	"github.com/codescan-dev/scanner/provider"
)

func TestFormatError(t *testing.T) {
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"plain", errors.New("no luck"), "scanner: no luck\n"},
		{"controls are stripped", errors.New("no \x1b[31mluck"), "scanner: no luck\n"},
		{"hint", fmt.Errorf("scan: %w", project.WithHint(errors.New("no key"), "use --offline")), "scanner: scan: no key\nhint: use --offline\n"},
		{"hint of the provider", &provider.Error{Kind: provider.KindInvalid, Message: "no", Hint: "ask nicely"}, "scanner: InvalidRequestError: no\nhint: ask nicely\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := formatError(tt.err); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
