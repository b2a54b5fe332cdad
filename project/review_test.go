package project_test

import (
	"strings"
	"testing"

	"github.com/codescan-dev/scanner/config"
	"github.com/codescan-dev/scanner/project"
)

// TestNoTriggerErrorHint does what the hint proposes: the configuration accepts it, and the
// event starts the skill.
func TestNoTriggerErrorHint(t *testing.T) {
	for _, tt := range []struct {
		e    config.Event
		want string
	}{
		{config.Event{Type: "schedule"}, `give skills paths = ["**"] and triggers = [{ type = "schedule" }]`},
		{config.Event{Type: "pull_request"}, `give skills triggers = [{ type = "pull_request" }]`},
		{config.Event{Type: "pull_request", Action: "opened"}, `give skills triggers = [{ type = "pull_request", actions = ["opened"] }]`},
		{config.Event{Type: "pull_request", Action: "labeled", Draft: true}, `give skills triggers = [{ type = "pull_request", actions = ["labeled"] }]`},
		{config.Event{Type: "pull_request", Action: "edited"}, `no trigger can have the action "edited": leave it out of the types that start the workflow`},
		{config.Event{Type: "pull_request", Action: "x\"]}]\n\x1b"}, `no trigger can have the action "x\"]}]\n\x1b": leave it out of the types that start the workflow`},
	} {
		got := (&project.NoTriggerError{Event: tt.e}).Hint()
		if got != tt.want {
			t.Errorf("%+v: %s\nwant %s", tt.e, got, tt.want)
		}
		keys, ok := strings.CutPrefix(got, "give skills ")
		if !ok {
			continue
		}
		f, err := config.Parse("scanner.toml", []byte("version = 1\n[[skills]]\nname = \"code-review\"\n"+strings.ReplaceAll(keys, " and ", "\n")))
		if err != nil {
			t.Errorf("%+v: %v", tt.e, err)
			continue
		}
		if s, err := config.Resolve(config.Input{File: f, Event: &tt.e}); err != nil || len(s.Skills) != 1 {
			t.Errorf("%+v: starts nothing: %v", tt.e, err)
		}
	}
}
